/** Initial length of the arrays, rows. */
const START = 1024;

/** Returns two independent 53-bit hashes of a text (cyrb53): no file is likely to have two keys that share both. */
function hashes(text: string): [number, number] {
  const one = (seed: number): number => {
    let a = 0xdeadbeef ^ seed;
    let b = 0x41c6ce57 ^ seed;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return 4294967296 * (2097151 & b) + (a >>> 0);
  };
  return [one(1), one(2)];
}

const grown = (from: Float64Array): Float64Array<ArrayBuffer> => {
  const to = new Float64Array(from.length * 2);
  to.set(from);
  return to;
};

/**
 * Finds rows of a file that another row of it replaces, without holding the rows: 24 bytes a row. Of the rows with one key the highest rank
 * is kept; ties: the last.
 */
export class RepeatedKeys {
  #first: Float64Array<ArrayBuffer> = new Float64Array(START);
  #second: Float64Array<ArrayBuffer> = new Float64Array(START);
  #rank: Float64Array<ArrayBuffer> = new Float64Array(START);
  #count = 0;

  /** Adds the next row. A rank is a number such as a time in milliseconds; -Infinity: none. */
  add(key: string, rank: number): void {
    if (this.#count === this.#first.length) {
      this.#first = grown(this.#first);
      this.#second = grown(this.#second);
      this.#rank = grown(this.#rank);
    }
    const [first, second] = hashes(key);
    this.#first[this.#count] = first;
    this.#second[this.#count] = second;
    this.#rank[this.#count++] = rank;
  }

  /** Returns the numbers of replaced rows, counted from 0 in the order of adding. */
  replaced(): Set<number> {
    const [first, second, rank] = [this.#first, this.#second, this.#rank];
    const order = Uint32Array.from({ length: this.#count }, (_, i) => i);
    const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
    order.sort(
      (a, b) =>
        compare(first[a]!, first[b]!) ||
        compare(second[a]!, second[b]!) ||
        compare(rank[a]!, rank[b]!) ||
        a - b,
    );
    const out = new Set<number>();
    for (let i = 0; i + 1 < order.length; i++) {
      const [a, b] = [order[i]!, order[i + 1]!];
      if (first[a] === first[b] && second[a] === second[b]) out.add(a);
    }
    return out;
  }
}
