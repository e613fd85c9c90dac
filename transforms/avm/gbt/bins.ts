/** Features of rows, one column after the other; NaN: missing. */
export interface FeatureMatrix {
  readonly names: readonly string[];
  readonly rows: number;
  /** Column f of row i is at f * rows + i. */
  readonly values: Float64Array;
}

/** Bin edges of each feature. Bin 0 is missing; bin b holds values up to upper edge b - 1; the last bin has no edge. */
export interface Binning {
  readonly names: readonly string[];
  /** Ascending upper edges of each feature. */
  readonly edges: readonly Float64Array[];
}

/** Bin numbers of rows, one column after the other, as in FeatureMatrix. */
export interface BinnedMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly bins: Uint8Array;
}

/** Maximum bins of a feature, without the one for missing values: a bin number is one byte. */
const MAX_BINS = 254;

/** Returns edges midway between neighbouring distinct values: one bin per value if they are few, else about n / max_bins values per bin. */
function edgesOf(column: Float64Array, max_bins: number): Float64Array {
  const sorted = column.filter((value) => !Number.isNaN(value)).sort();
  const edges: number[] = [];
  let distinct = 0;
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) distinct++;
  let valuesLeft = sorted.length;
  let heldValues = 0;
  for (let i = 0; i + 1 < sorted.length; i++) {
    heldValues++;
    const a = sorted[i]!;
    const b = sorted[i + 1]!;
    // The remaining values are shared among the remaining bins, so that a long run of equal values does not starve the rest.
    if (a === b || (distinct > max_bins && heldValues < valuesLeft / (max_bins - edges.length))) continue;
    const middle = a + (b - a) / 2;
    edges.push(middle < b ? middle : a);
    valuesLeft -= heldValues;
    heldValues = 0;
    if (edges.length === max_bins - 1) break;
  }
  return Float64Array.from(edges);
}

/** Cuts each feature at quantiles of its values, between distinct values; at most `max_bins` bins, see MAX_BINS. */
export function makeBinning(matrix: FeatureMatrix, max_bins: number): Binning {
  const { names, rows, values } = matrix;
  const edges = names.map((_, f) =>
    edgesOf(values.subarray(f * rows, (f + 1) * rows), Math.min(max_bins, MAX_BINS)),
  );
  return { names, edges };
}

/** Returns the bin of a value: 0 for NaN, else 1 + the number of edges below it. O(log bins). */
function binOf(value: number, edges: Float64Array): number {
  if (Number.isNaN(value)) return 0;
  let lo = 0;
  let hi = edges.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (value <= edges[middle]!) hi = middle;
    else lo = middle + 1;
  }
  return lo + 1;
}

/** Bins a matrix with the same columns, in the same order, as the binning. */
export function applyBinning({ edges }: Binning, { rows, values }: FeatureMatrix): BinnedMatrix {
  const bins = new Uint8Array(rows * edges.length);
  edges.forEach((own, f) => {
    for (let at = f * rows; at < (f + 1) * rows; at++) bins[at] = binOf(values[at]!, own);
  });
  return { rows, columns: edges.length, bins };
}
