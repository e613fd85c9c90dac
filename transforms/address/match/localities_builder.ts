import type { LocalityRow } from './index_rows.ts';
import { codeUnitsOf, type IndexSections } from './sections.ts';
import { SQUARES, squareOf } from './squares.ts';

/** Facts kept per locality. Localities are numbered in pid order. */
export interface LocalityFacts {
  readonly pid: string;
  readonly name: string;
  readonly state: string;
  /** Aliases, ascending. */
  readonly aliases: readonly string[];
  /** Ascending. */
  readonly postcodes: readonly string[];
  /** Ids, ascending, of localities that share a border in the register, or have addresses in the same or adjacent squares. */
  readonly near: readonly number[];
}

export class LocalitiesBuilder {
  readonly #rows: { pid: string; name: string; state: string }[] = [];
  readonly #byPid = new Map<string, number>();
  readonly #aliases: Set<string>[] = [];
  readonly #postcodes: Set<string>[] = [];
  readonly #near: Set<number>[] = [];
  readonly #squares = new Map<number, number[]>();

  constructor(rows: readonly LocalityRow[]) {
    for (const row of [...rows].sort((a, b) => (a.locality_pid < b.locality_pid ? -1 : 1))) {
      if (this.#byPid.has(row.locality_pid)) continue;
      const id = this.size;
      this.#byPid.set(row.locality_pid, id);
      this.#rows.push({ pid: row.locality_pid, name: row.name, state: row.state });
      this.#aliases.push(new Set());
      this.#postcodes.push(new Set());
      this.#near.push(new Set());
      this.addPostcode(id, row.postcode);
    }
  }

  get size(): number {
    return this.#rows.length;
  }

  /** Returns the id of a LOCALITY_PID; -1: unknown. */
  find(pid: string): number {
    return this.#byPid.get(pid) ?? -1;
  }

  addPostcode(id: number, postcode: string | null): void {
    if (postcode !== null) this.#postcodes[id]!.add(postcode);
  }

  addAlias(id: number, name: string): void {
    this.#aliases[id]!.add(name);
  }

  addNeighbours(a: number, b: number): void {
    if (a === b) return;
    this.#near[a]!.add(b);
    this.#near[b]!.add(a);
  }

  /** Records that a locality has an address at a point, GDA2020 degrees. */
  addPoint(id: number, lon: number, lat: number): void {
    const square = squareOf(lon, lat);
    const existing = this.#squares.get(square);
    if (existing === undefined) this.#squares.set(square, [id]);
    else if (!existing.includes(id)) existing.push(id);
  }

  /** Adds neighbours by distance, and returns the sections. */
  finish(): IndexSections {
    for (const [square, here] of this.#squares) {
      for (const a of here) for (const b of here) this.addNeighbours(a, b);
      for (const step of [1, SQUARES - 1, SQUARES, SQUARES + 1])
        for (const b of this.#squares.get(square + step) ?? [])
          for (const a of here) this.addNeighbours(a, b);
    }
    const facts: LocalityFacts[] = this.#rows.map(({ pid, name, state }, id) => ({
      pid,
      name,
      state,
      aliases: [...this.#aliases[id]!].sort(),
      postcodes: [...this.#postcodes[id]!].sort(),
      near: [...this.#near[id]!].sort((a, b) => a - b),
    }));
    const squares = [...this.#squares].sort(([a], [b]) => a - b);
    return {
      facts: codeUnitsOf(JSON.stringify(facts)),
      square: Float64Array.from(squares.flatMap(([square, ids]) => ids.map(() => square))),
      square_locality: Int32Array.from(squares.flatMap(([, ids]) => ids.sort((a, b) => a - b))),
    };
  }
}
