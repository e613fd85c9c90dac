import type { Ints } from './sections.ts';

/** Growing list of integers in one typed array that doubles when full. */
export class GrowingInts {
  #values: Int32Array;
  #size = 0;

  constructor(capacity = 1024) {
    this.#values = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const wider = new Int32Array(this.#values.length * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.#size++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  /** Returns the values in an array of their exact size. */
  finish(): Int32Array {
    return this.#values.slice(0, this.#size);
  }
}

/** Returns the first index in [from, to) of ascending `values` whose value is at least `wanted`, or `to`. */
export function lowerBound(values: Ints | Float64Array, target: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Groups rows: members of group g are at [starts[g], starts[g + 1]) of `order`, in their original order. */
export function groupIndexes(groups: Int32Array, count: number): { starts: Int32Array; order: Int32Array } {
  const starts = new Int32Array(count + 1);
  let keptCount = 0;
  for (const group of groups) {
    if (group < 0) continue;
    starts[group + 1]!++;
    keptCount++;
  }
  for (let g = 0; g < count; g++) starts[g + 1]! += starts[g]!;
  const next = starts.slice(0, count);
  const order = new Int32Array(keptCount);
  for (let i = 0; i < groups.length; i++) if (groups[i]! >= 0) order[next[groups[i]!]!++] = i;
  return { starts, order };
}

/** Returns the values at the indexes in `order`. */
export const pickOrdered = (values: Int32Array, order: Int32Array): Int32Array =>
  order.map((place) => values[place]!);

/** Bits of a key per sorting pass. */
const BITS = 13;

function compare(keys: readonly Int32Array[], a: number, b: number): number {
  for (const key of keys) if (key[a] !== key[b]) return key[a]! - key[b]!;
  return a - b;
}

/** Returns the order of rows by several keys (integers from 0), most significant first. Stable; linear in the rows. */
export function orderBy(rows: number, keys: readonly Int32Array[]): Int32Array {
  let order: Int32Array = Int32Array.from({ length: rows }, (_, row) => row);
  if (rows < 1 << BITS) return order.sort((a, b) => compare(keys, a, b));
  for (const key of [...keys].reverse()) {
    const greatest = key.reduce((max, value) => Math.max(max, value), 0);
    for (let shift = 0; shift === 0 || (shift < 31 && greatest >>> shift > 0); shift += BITS) {
      const digits = order.map((row) => (key[row]! >>> shift) & ((1 << BITS) - 1));
      order = pickOrdered(order, groupIndexes(digits, 1 << BITS).order);
    }
  }
  return order;
}
