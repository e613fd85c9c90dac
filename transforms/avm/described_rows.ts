import { type HomeTable, pickNumbers, selectHomes } from '../property/home_table.ts';
import { type Described, describeHomes } from './describe_homes.ts';
import type { AnyEvidence } from './evidence.ts';
import { featureMatrix, type View, viewOffset } from './feature_set.ts';
import { applyBinning, type BinnedMatrix, type Binning } from './gbt/bins.ts';
import { placeHomes } from './home_positions.ts';

/** Properties with their description as of their days: the input of every model. */
export interface DescribedHomes {
  homes: HomeTable;
  described: Described;
}

/** Locates and describes properties, see placeHomes and describeHomes. `hidden`: rows whose own point is treated as unknown. */
export function describe(
  evidence: AnyEvidence,
  table: HomeTable,
  days: Int32Array,
  hidden?: (row: number) => boolean,
): DescribedHomes {
  const homes = placeHomes(table, evidence.places, hidden);
  return { homes, described: describeHomes(evidence, homes, days) };
}

/** Binned features of selected rows in one view, and the offset to add to its predictions. */
export interface ViewRows {
  data: BinnedMatrix;
  offset: Float64Array;
}

/** Bins all properties in one view. */
export function viewRows(
  evidence: AnyEvidence,
  { homes, described }: DescribedHomes,
  extra: readonly string[],
  view: View,
  binning: Binning,
): ViewRows {
  const matrix = featureMatrix(evidence.design, homes, described, extra, view);
  return { data: applyBinning(binning, matrix), offset: viewOffset(described, view) };
}

/** Selects `rows` of a binned matrix, in their order. */
export function selectBins({ rows: n, columns, bins }: BinnedMatrix, rows: ArrayLike<number>): BinnedMatrix {
  const picked = new Uint8Array(rows.length * columns);
  for (let f = 0; f < columns; f++)
    for (let k = 0; k < rows.length; k++) picked[f * rows.length + k] = bins[f * n + rows[k]!]!;
  return { rows: rows.length, columns, bins: picked };
}

/** Selects `rows` of column-wise values with `n` rows. */
function pickColumns(values: Float64Array, n: number, rows: ArrayLike<number>): Float64Array {
  const columns = n === 0 ? 0 : values.length / n;
  const picked = new Float64Array(columns * rows.length);
  for (let f = 0; f < columns; f++)
    for (let k = 0; k < rows.length; k++) picked[f * rows.length + k] = values[f * n + rows[k]!]!;
  return picked;
}

/** Selects `rows` of described properties, in their order. */
export function selectDescribed(all: DescribedHomes, rows: ArrayLike<number>): DescribedHomes {
  const { homes, described } = all;
  const pick = (values: Float64Array): Float64Array => pickNumbers(values, rows);
  return {
    homes: selectHomes(homes, rows),
    described: {
      values: pickColumns(described.values, homes.length, rows),
      anchor: pick(described.anchor),
      comparables: pick(described.comparables),
      area_count: pick(described.area_count),
      area_median: pick(described.area_median),
    },
  };
}
