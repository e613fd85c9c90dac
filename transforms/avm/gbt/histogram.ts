import type { BinnedMatrix } from './bins.ts';

/** Bits that a sum may use above the gradient grid (loss.ts), of the 53 bits of a number. */
const SUM_BITS = 23;
/** Minimum rows for packed counting, which adds a bin's count and sum as one number and separates them later. Slower for fewer rows. */
const MIN_PACKED = 400;

/**
 * Counts rows into histograms. For the feature at position `slot`, bin b has its gradient sum at slot * slots + 2 b and its count
 * next to it. Released histograms are reused.
 */
export class Histograms {
  /** Length of a histogram per feature. */
  readonly slots: number;
  private readonly data: BinnedMatrix;
  private readonly bin_count: readonly number[];
  private readonly free: Float64Array[] = [];
  private features: readonly number[] = [];
  /** Value that each row adds to its bins: its gradient, plus `unit` for its count while packing. */
  private readonly ordered: Float64Array;
  private readonly packed: Float64Array;
  private readonly unit: number;
  /** Maximum rows packed before the sums are separated. */
  private readonly most: number;

  /** `bin_count`: bins of each feature, including the one for missing. `bound`: maximum absolute gradient. */
  constructor(data: BinnedMatrix, bin_count: readonly number[], bound: number) {
    this.data = data;
    this.bin_count = bin_count;
    this.slots = 2 * Math.max(1, ...bin_count);
    // A sum stays within a quarter of the unit, and the total within 53 bits of the grid, so both parts are exact.
    const scale = 2 ** Math.ceil(Math.log2(bound));
    this.most = 2 ** Math.floor((SUM_BITS - Math.log2(5 * scale)) / 2);
    this.unit = 4 * this.most * scale;
    this.ordered = new Float64Array(Math.max(MIN_PACKED, Math.min(this.most, data.rows)));
    this.packed = new Float64Array((data.columns * this.slots) / 2);
  }

  /** Sets the features of the next histograms. */
  use(features: readonly number[]): void {
    this.features = features;
  }

  giveBack(histogram: Float64Array): void {
    this.free.push(histogram);
  }

  /** Returns the rows' gradient sums and counts by feature and bin. */
  count(rows: Uint32Array, gradient: Float64Array): Float64Array {
    const { features, slots, most, unit, ordered } = this;
    const histogram = this.free.pop() ?? new Float64Array(this.data.columns * slots);
    if (rows.length < MIN_PACKED) {
      for (let k = 0; k < rows.length; k++) ordered[k] = gradient[rows[k]!]!;
      histogram.fill(0, 0, features.length * slots);
      let slot = 0;
      for (; slot + 1 < features.length; slot += 2) this.countTwo(slot, rows, histogram);
      if (slot < features.length) this.countOne(slot, rows, histogram);
      return histogram;
    }
    for (let from = 0; from < rows.length; from += most) {
      const part = rows.subarray(from, Math.min(rows.length, from + most));
      for (let k = 0; k < part.length; k++) ordered[k] = unit + gradient[part[k]!]!;
      let slot = 0;
      for (; slot + 4 <= features.length; slot += 4) this.packFour(slot, part);
      for (; slot < features.length; slot++) this.packOne(slot, part);
      if (from === 0) histogram.fill(0, 0, features.length * slots);
      this.takeApart(histogram);
    }
    return histogram;
  }

  /** Subtracts `what` from the histogram `from`. */
  subtract(from: Float64Array, what: Float64Array): void {
    const { features, bin_count, slots } = this;
    for (let slot = 0; slot < features.length; slot++) {
      const start = slot * slots;
      const end = start + 2 * bin_count[features[slot]!]!;
      for (let i = start; i < end; i++) from[i] = from[i]! - what[i]!;
    }
  }

  /** Adds the packed sums and counts to a histogram and clears them. */
  private takeApart(histogram: Float64Array): void {
    const { features, bin_count, slots, packed, unit } = this;
    for (let slot = 0; slot < features.length; slot++) {
      const start = (slot * slots) / 2;
      const end = start + bin_count[features[slot]!]!;
      for (let column = start; column < end; column++) {
        const both = packed[column]!;
        packed[column] = 0;
        const count = Math.floor(both / unit + 0.5);
        const at = 2 * column;
        histogram[at] = histogram[at]! + (both - count * unit);
        histogram[at + 1] = histogram[at + 1]! + count;
      }
    }
  }

  /** Packs four features in one pass: their additions are independent, which halves the time. */
  private packFour(slot: number, rows: Uint32Array): void {
    const { ordered, slots, features, packed } = this;
    const { bins, rows: n } = this.data;
    const [base0, base1] = [features[slot]! * n, features[slot + 1]! * n];
    const [base2, base3] = [features[slot + 2]! * n, features[slot + 3]! * n];
    const start0 = (slot * slots) / 2;
    const start1 = start0 + slots / 2;
    const start2 = start1 + slots / 2;
    const start3 = start2 + slots / 2;
    for (let k = 0; k < rows.length; k++) {
      const row = rows[k]!;
      const both = ordered[k]!;
      const at0 = start0 + bins[base0 + row]!;
      const at1 = start1 + bins[base1 + row]!;
      const at2 = start2 + bins[base2 + row]!;
      const at3 = start3 + bins[base3 + row]!;
      packed[at0] = packed[at0]! + both;
      packed[at1] = packed[at1]! + both;
      packed[at2] = packed[at2]! + both;
      packed[at3] = packed[at3]! + both;
    }
  }

  private packOne(slot: number, rows: Uint32Array): void {
    const { ordered, slots, features, packed } = this;
    const { bins, rows: n } = this.data;
    const base = features[slot]! * n;
    const start = (slot * slots) / 2;
    for (let k = 0; k < rows.length; k++) {
      const at = start + bins[base + rows[k]!]!;
      packed[at] = packed[at]! + ordered[k]!;
    }
  }

  private countTwo(slot: number, rows: Uint32Array, histogram: Float64Array): void {
    const { ordered, slots, features } = this;
    const { bins, rows: n } = this.data;
    const base0 = features[slot]! * n;
    const base1 = features[slot + 1]! * n;
    const start0 = slot * slots;
    const start1 = start0 + slots;
    for (let k = 0; k < rows.length; k++) {
      const row = rows[k]!;
      const gradient = ordered[k]!;
      const at0 = start0 + 2 * bins[base0 + row]!;
      const at1 = start1 + 2 * bins[base1 + row]!;
      histogram[at0] = histogram[at0]! + gradient;
      histogram[at0 + 1] = histogram[at0 + 1]! + 1;
      histogram[at1] = histogram[at1]! + gradient;
      histogram[at1 + 1] = histogram[at1 + 1]! + 1;
    }
  }

  private countOne(slot: number, rows: Uint32Array, histogram: Float64Array): void {
    const { ordered, slots, features } = this;
    const { bins, rows: n } = this.data;
    const base = features[slot]! * n;
    const start = slot * slots;
    for (let k = 0; k < rows.length; k++) {
      const at = start + 2 * bins[base + rows[k]!]!;
      histogram[at] = histogram[at]! + ordered[k]!;
      histogram[at + 1] = histogram[at + 1]! + 1;
    }
  }
}
