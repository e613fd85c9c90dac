import type { AnyEvidence } from './evidence.ts';
import { featureMatrix, viewOffset } from './feature_set.ts';
import type { FeatureMatrix } from './gbt/bins.ts';
import { byCodeUnit } from './home_table.ts';
import type { DescribedHomes } from './rows.ts';

/** Features that the interval sees beside those of the relative view. */
const OWN = ['predicted_above_level', 'predicted_above_hedonic', 'is_masked'] as const;

/**
 * Features of the interval's quantile models: the relative view, the prediction (log dollars), and whether the masked model
 * made it.
 */
export function intervalMatrix(
  evidence: AnyEvidence,
  rows: DescribedHomes,
  extra: readonly string[],
  log_predicted: Float64Array,
  is_masked: (row: number) => boolean,
): FeatureMatrix {
  const base = featureMatrix(
    evidence.design,
    rows.homes,
    rows.described,
    [...extra].sort(byCodeUnit),
    'relative',
  );
  const n = base.rows;
  const level = viewOffset(rows.described, 'level');
  const values = new Float64Array(base.values.length + OWN.length * n);
  values.set(base.values);
  for (let row = 0; row < n; row++) {
    let at = base.values.length + row;
    values[at] = log_predicted[row]! - level[row]!;
    at += n;
    values[at] = log_predicted[row]! - rows.described.anchor[row]!;
    at += n;
    values[at] = is_masked(row) ? 1 : 0;
  }
  return { names: [...base.names, ...OWN], rows: n, values };
}
