import type { NodeIds } from '../rings_of_ways.ts';
import type { Tags } from '../tag_rules.ts';

/** A growing list of numbers in one typed array. */
class GrowingNumbers {
  values = new Float64Array(1 << 12);
  length = 0;

  push(numbers: readonly number[]): void {
    const needed = this.length + numbers.length;
    if (needed > this.values.length) {
      const larger = new Float64Array(Math.max(needed, this.values.length * 2));
      larger.set(this.values.subarray(0, this.length));
      this.values = larger;
    }
    this.values.set(numbers, this.length);
    this.length = needed;
  }
}

/** A stored way: its tags if it may be a place, null if only a relation needs its nodes. */
export interface KeptWay {
  readonly id: number;
  readonly no: number;
  readonly tags: Tags | null;
  /** Its nodes are [start, end) of the list of all nodes. */
  readonly start: number;
  readonly end: number;
}

/** Units of a degree in OpenStreetMap coordinates. */
const UNITS = 1e7;
const MISSING = -(2 ** 31);

/**
 * Stored ways and the coordinates of their nodes: 8 bytes for each node of a way, 16 for each distinct node. Add the ways first, then call
 * `seal`, then add the nodes of the file.
 */
export class WayStore {
  readonly ways: KeptWay[] = [];
  readonly #refs = new GrowingNumbers();
  readonly #byId = new Map<number, number>();
  #ids = new Float64Array();
  #lons = new Int32Array();
  #lats = new Int32Array();
  #cursor = 0;

  add(id: number, no: number, refs: readonly number[], tags: Tags | null): void {
    const start = this.#refs.length;
    this.#refs.push(refs);
    this.#byId.set(id, this.ways.length);
    this.ways.push({ id, no, tags, start, end: this.#refs.length });
  }

  /** Returns the nodes of a way by its id; null: not stored. */
  nodesOf(id: number): NodeIds | null {
    const at = this.#byId.get(id);
    return at === undefined ? null : this.nodes(this.ways[at]!);
  }

  nodes({ start, end }: KeptWay): NodeIds {
    return this.#refs.values.subarray(start, end);
  }

  /** Ends the adding of ways. */
  seal(): void {
    const sorted = this.#refs.values.slice(0, this.#refs.length).sort();
    let size = 0;
    for (let i = 0; i < sorted.length; i++)
      if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[size++] = sorted[i]!;
    this.#ids = sorted.slice(0, size);
    this.#lons = new Int32Array(size).fill(MISSING);
    this.#lats = new Int32Array(size);
  }

  /** Stores the coordinates of a node if a way needs it. Nodes in order of their ids, as in most files, are found without a search. */
  place(id: number, lon: number, lat: number): void {
    const ids = this.#ids;
    if (this.#cursor > 0 && ids[this.#cursor - 1]! >= id) this.#cursor = lowerBound(ids, id);
    while (this.#cursor < ids.length && ids[this.#cursor]! < id) this.#cursor++;
    if (this.#cursor === ids.length || ids[this.#cursor] !== id) return;
    // an invalid coordinate fails as a vertex outside Australia
    this.#lons[this.#cursor] = Math.abs(lon) <= 180 ? Math.round(lon * UNITS) : 0;
    this.#lats[this.#cursor] = Math.abs(lat) <= 90 ? Math.round(lat * UNITS) : 0;
  }

  /** Writes the coordinates of nodes as lon, lat pairs. Returns the id of the first node that the file lacks; null: none. */
  coordinates(nodes: ArrayLike<number>, out: Float64Array, at: number): number | null {
    for (let i = 0; i < nodes.length; i++) {
      const position = lowerBound(this.#ids, nodes[i]!);
      if (this.#ids[position] !== nodes[i] || this.#lons[position] === MISSING) return nodes[i]!;
      out[at + 2 * i] = this.#lons[position]! / UNITS;
      out[at + 2 * i + 1] = this.#lats[position]! / UNITS;
    }
    return null;
  }
}

/** Returns the first index whose value is not below `id`. */
function lowerBound(ids: Float64Array, id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
