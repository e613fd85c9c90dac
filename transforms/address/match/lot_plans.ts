import { GrowingInts, lowerBound, orderBy, pickOrdered } from './growing_ints.ts';
import { type IndexSections, typedSections } from './sections.ts';

/** Returns two hashes of a text, 32 and 20 bits: FNV-1a with two seeds. The chance that any two of 16 million identifiers share both is about 3 %. */
function hashes(text: string): [high: number, low: number] {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + 0x5bd1), 0x01000193);
  }
  return [a >>> 0, b >>> 12];
}

/** Collects legal parcel identifiers with their rows. */
export class LotPlansBuilder {
  readonly #high = new GrowingInts();
  readonly #low = new GrowingInts();
  readonly #rows = new GrowingInts();

  add(lotPlan: string, row: number): void {
    const [high, low] = hashes(lotPlan);
    this.#high.push(high | 0);
    this.#low.push(low);
    this.#rows.push(row);
  }

  /** Returns the sections; `ranks` maps each row to its index. */
  finish(ranks: Int32Array): IndexSections {
    const [high, low] = [this.#high.finish(), this.#low.finish()];
    const rows = this.#rows.finish().map((row) => ranks[row]!);
    const order = orderBy(rows.length, [
      high.map((each) => each >>> 16),
      high.map((each) => each & 0xffff),
      low,
      rows,
    ]);
    return {
      hash: Float64Array.from(order, (i) => (high[i]! >>> 0) * 2 ** 20 + low[i]!),
      row: pickOrdered(rows, order),
    };
  }
}

/** Addresses by normalised legal parcel identifier; only a hash of it is kept. */
export class LotPlans {
  readonly #hashes: Float64Array;
  readonly #rows: Int32Array;

  constructor(all: IndexSections, part: string) {
    const { hash, row } = typedSections(all, part, ['hash', 'row']);
    this.#hashes = hash as Float64Array;
    this.#rows = row as Int32Array;
  }

  /** Returns the rows of a normalised identifier, ascending. */
  find(lotPlan: string): Int32Array {
    const [high, low] = hashes(lotPlan);
    const target = high * 2 ** 20 + low;
    const from = lowerBound(this.#hashes, target, 0, this.#hashes.length);
    let to = from;
    while (to < this.#hashes.length && this.#hashes[to] === target) to++;
    return this.#rows.subarray(from, to);
  }
}
