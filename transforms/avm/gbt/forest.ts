import type { BinnedMatrix } from './bins.ts';
import { goesRight, type RegressionTree } from './nodes.ts';

/** Boosted trees of one seed, their nodes one after the other. A prediction is `base` plus one leaf value per tree. */
export interface Forest {
  base: number;
  /** First node of each tree, then the number of nodes. Child indices are relative to the tree's first node. */
  starts: Int32Array;
  feature: Int16Array;
  bin: Uint8Array;
  missing_left: Uint8Array;
  left: Int16Array;
  right: Int16Array;
  value: Float64Array;
  gain: Float64Array;
}

type NodeArray = Int16Array | Uint8Array | Float64Array;

function concatenated<T extends NodeArray>(out: T, parts: readonly T[]): T {
  let at = 0;
  for (const part of parts) {
    (out as Float64Array).set(part as Float64Array, at);
    at += part.length;
  }
  return out;
}

export function packForest(base: number, trees: readonly RegressionTree[]): Forest {
  const starts = new Int32Array(trees.length + 1);
  trees.forEach((tree, t) => {
    starts[t + 1] = starts[t]! + tree.feature.length;
  });
  const nodes = starts[trees.length]!;
  const of = <K extends keyof RegressionTree>(key: K): RegressionTree[K][] => trees.map((tree) => tree[key]);
  return {
    base,
    starts,
    feature: concatenated(new Int16Array(nodes), of('feature')),
    bin: concatenated(new Uint8Array(nodes), of('bin')),
    missing_left: concatenated(new Uint8Array(nodes), of('missing_left')),
    left: concatenated(new Int16Array(nodes), of('left')),
    right: concatenated(new Int16Array(nodes), of('right')),
    value: concatenated(new Float64Array(nodes), of('value')),
    gain: concatenated(new Float64Array(nodes), of('gain')),
  };
}

/** Adds the value of one tree (in a forest or on its own) to the score of each row, or of the rows in `only`. */
export function addTree(
  nodes: Pick<Forest, 'feature' | 'bin' | 'missing_left' | 'left' | 'right' | 'value'>,
  start: number,
  { rows, bins }: BinnedMatrix,
  scores: Float64Array,
  only?: Uint32Array,
): void {
  const { feature, bin, missing_left, left, right, value } = nodes;
  const end = only === undefined ? rows : only.length;
  for (let k = 0; k < end; k++) {
    const row = only === undefined ? k : only[k]!;
    let node = start;
    for (let f = feature[node]!; f >= 0; f = feature[node]!) {
      const side = goesRight(bins[f * rows + row]!, bin[node]!, missing_left[node]!);
      // Selects a child without a branch.
      node = start + (left[node]! ^ ((left[node]! ^ right[node]!) & -side));
    }
    scores[row]! += value[node]!;
  }
}

/** Returns the forest's prediction for each row. */
export function predictForest(forest: Forest, data: BinnedMatrix): Float64Array {
  const scores = new Float64Array(data.rows).fill(forest.base);
  for (let t = 0; t + 1 < forest.starts.length; t++) addTree(forest, forest.starts[t]!, data, scores);
  return scores;
}

/**
 * Adds to `out`, by feature, the change of value at each split on one row's paths. The returned base (the forest before any split)
 * plus all of `out` is the prediction.
 */
export function addContributions(
  { base, feature, bin, missing_left, left, right, value, starts }: Forest,
  { rows, bins }: BinnedMatrix,
  row: number,
  out: Float64Array,
): number {
  let start = base;
  for (let t = 0; t + 1 < starts.length; t++) {
    let node = starts[t]!;
    start += value[node]!;
    for (let f = feature[node]!; f >= 0; f = feature[node]!) {
      const side = goesRight(bins[f * rows + row]!, bin[node]!, missing_left[node]!);
      const child = starts[t]! + (side === 0 ? left[node]! : right[node]!);
      out[f] = out[f]! + (value[child]! - value[node]!);
      node = child;
    }
  }
  return start;
}

/** Sums the gain of all splits by feature index. */
export function gainByFeature(forests: readonly Forest[], features: number): Float64Array {
  const sums = new Float64Array(features);
  for (const { feature, gain } of forests)
    for (let node = 0; node < feature.length; node++)
      if (feature[node]! >= 0) sums[feature[node]!] = sums[feature[node]!]! + gain[node]!;
  return sums;
}
