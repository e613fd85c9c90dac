import { nameWords, placeKey, swappedPlaceKey } from '../parse/keys.ts';
import type { LocalityRow } from './rows.ts';
import { editDistance, editsAllowed, letterMask, mayBeNear } from './typo.ts';

/** Side of the squares that tell which suburbs lie beside one another, degrees: about 250 m. */
const SQUARE_DEG = 0.0025;
/** Squares in a row around the Earth. */
const SQUARES = 360 / SQUARE_DEG;

const squareOf = (lon: number, lat: number): number =>
  Math.floor((lat + 90) / SQUARE_DEG) * SQUARES + Math.floor((lon + 180) / SQUARE_DEG);

interface Locality {
  readonly pid: string;
  readonly name: string;
  readonly state: string;
  readonly postcodes: Set<string>;
  /** Localities that share a border by the register, or have addresses within a square of one another. */
  readonly near: Set<number>;
}

/** A name that sounds like the one looked for. */
export interface SimilarPlace {
  key: string;
  edits: number;
}

const push = (map: Map<string, number[]>, key: string, id: number): void => {
  const known = map.get(key);
  if (known === undefined) map.set(key, [id]);
  else if (!known.includes(id)) known.push(id);
};

/** The localities with their names, other names, postcodes and neighbours. Numbers count from 0 in the order of their pids. */
export class Localities {
  readonly all: Locality[] = [];
  readonly #byPid = new Map<string, number>();
  readonly #byKey = new Map<string, number[]>();
  readonly #aliases = new Map<string, number[]>();
  readonly #byPostcode = new Map<string, number[]>();
  readonly #squares = new Map<number, number[]>();
  #keys: string[] = [];
  #masks = new Int32Array(0);

  constructor(rows: readonly LocalityRow[]) {
    for (const row of [...rows].sort((a, b) => (a.locality_pid < b.locality_pid ? -1 : 1))) {
      if (this.#byPid.has(row.locality_pid)) continue;
      const id = this.all.length;
      this.#byPid.set(row.locality_pid, id);
      const { locality_pid: pid, name, state } = row;
      this.all.push({ pid, name, state, postcodes: new Set(), near: new Set() });
      push(this.#byKey, placeKey(nameWords(name)), id);
      this.addPostcode(id, row.postcode);
    }
  }

  /** Number of a LOCALITY_PID; -1: unknown. */
  find(pid: string): number {
    return this.#byPid.get(pid) ?? -1;
  }

  addPostcode(id: number, postcode: string | null): void {
    if (postcode === null || this.all[id]!.postcodes.has(postcode)) return;
    this.all[id]!.postcodes.add(postcode);
    push(this.#byPostcode, postcode, id);
  }

  addAlias(id: number, name: string): void {
    push(this.#aliases, placeKey(nameWords(name)), id);
  }

  addNeighbours(a: number, b: number): void {
    if (a === b) return;
    this.all[a]!.near.add(b);
    this.all[b]!.near.add(a);
  }

  /** Notes that a locality has an address at a point, GDA2020 degrees. */
  addPoint(id: number, lon: number, lat: number): void {
    const square = squareOf(lon, lat);
    const known = this.#squares.get(square);
    if (known === undefined) this.#squares.set(square, [id]);
    else if (!known.includes(id)) known.push(id);
  }

  /** Settles neighbours by distance, and names with their compass word at the other end. */
  finish(): void {
    for (const [square, here] of this.#squares) {
      for (const a of here) for (const b of here) this.addNeighbours(a, b);
      for (const step of [1, SQUARES - 1, SQUARES, SQUARES + 1])
        for (const b of this.#squares.get(square + step) ?? [])
          for (const a of here) this.addNeighbours(a, b);
    }
    this.all.forEach(({ name, state }, id) => {
      const swapped = swappedPlaceKey(nameWords(name));
      if (swapped === null) return;
      const taken = this.#byKey.get(swapped)?.some((other) => this.all[other]!.state === state);
      if (!taken) push(this.#byKey, swapped, id);
    });
    this.#keys = [...new Set([...this.#byKey.keys(), ...this.#aliases.keys()])].sort();
    this.#masks = Int32Array.from(this.#keys, letterMask);
  }

  #inState(ids: readonly number[] | undefined, state: string | null): readonly number[] {
    if (ids === undefined) return NONE;
    return state === null ? ids : ids.filter((id) => this.all[id]!.state === state);
  }

  /** Localities of a name key in a state; null: in any. */
  named(key: string, state: string | null): readonly number[] {
    return this.#inState(this.#byKey.get(key), state);
  }

  /** Localities that have the name key as another name. */
  aliased(key: string, state: string | null): readonly number[] {
    return this.#inState(this.#aliases.get(key), state);
  }

  /** Localities that have addresses with a postcode. */
  withPostcode(postcode: string, state: string | null): readonly number[] {
    return this.#inState(this.#byPostcode.get(postcode), state);
  }

  /** True where a key names a locality, by either kind of name. */
  knows(key: string, state: string | null): boolean {
    return this.named(key, state).length > 0 || this.aliased(key, state).length > 0;
  }

  /** Localities with addresses within about 250 m of a point. */
  around(lon: number, lat: number): number[] {
    const found = new Set<number>();
    const square = squareOf(lon, lat);
    for (const row of [-SQUARES, 0, SQUARES])
      for (const column of [-1, 0, 1])
        for (const id of this.#squares.get(square + row + column) ?? []) found.add(id);
    return [...found].sort((a, b) => a - b);
  }

  /** Names of a state that are a slip away from a key, those with the fewest edits. */
  similar(key: string, state: string | null): SimilarPlace[] {
    let limit = Math.min(editsAllowed(key.length), key.length < 8 ? 1 : 2);
    const mask = letterMask(key);
    let found: SimilarPlace[] = [];
    for (let i = 0; i < this.#keys.length && limit > 0; i++) {
      if (!mayBeNear(mask, this.#masks[i]!, limit) || Math.abs(this.#keys[i]!.length - key.length) > limit)
        continue;
      const edits = editDistance(key, this.#keys[i]!, limit);
      if (edits > limit || !this.knows(this.#keys[i]!, state)) continue;
      if (edits < limit) found = [];
      limit = edits;
      found.push({ key: this.#keys[i]!, edits });
    }
    return found;
  }
}

const NONE: readonly number[] = [];
