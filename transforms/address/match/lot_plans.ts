import { GrowingInts, lowerBound } from './growing.ts';

/** 52 bits of a text: FNV-1a with two seeds. Two of 16 million identifiers share one with a chance of about 3 %. */
function hash(text: string): number {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + 0x5bd1), 0x01000193);
  }
  return (a >>> 0) * 2 ** 20 + (b >>> 12);
}

/** Addresses by the normalised legal parcel identifier, of which only a hash is kept. */
export class LotPlans {
  #waiting: number[] = [];
  #hashes = new Float64Array(0);
  #rows = new GrowingInts();
  #sortedRows = new Int32Array(0);

  add(lotPlan: string, row: number): void {
    this.#waiting.push(hash(lotPlan));
    this.#rows.push(row);
  }

  finish(): void {
    const hashes = Float64Array.from(this.#waiting);
    this.#waiting = [];
    const rows = this.#rows.finish();
    const order = Uint32Array.from(rows.keys()).sort(
      (a, b) => hashes[a]! - hashes[b]! || rows[a]! - rows[b]!,
    );
    this.#hashes = Float64Array.from(order, (i) => hashes[i]!);
    this.#rows = new GrowingInts(1);
    this.#sortedRows = Int32Array.from(order, (i) => rows[i]!);
  }

  /** Rows of a normalised identifier. */
  find(lotPlan: string): Int32Array {
    const hashes = this.#hashes;
    const wanted = hash(lotPlan);
    let to = lowerBound(hashes, wanted, 0, hashes.length);
    const from = to;
    while (to < hashes.length && hashes[to] === wanted) to++;
    return this.#sortedRows.subarray(from, to);
  }
}
