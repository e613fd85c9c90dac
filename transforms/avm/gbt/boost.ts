import { quantileInPlace } from '../../stats/quantile.ts';
import { seededRandom, shuffleFirst } from '../../stats/random.ts';
import type { BinnedMatrix, Binning } from './bins.ts';
import { addTree, type Forest, packForest } from './forest.ts';
import { baseScore, gradientBound, gradients, meanLoss, type Objective } from './loss.ts';
import type { RegressionTree } from './nodes.ts';
import { type GrownTree, TreeGrower, type TreeParams } from './tree.ts';

export interface BoostParams extends TreeParams {
  objective: Objective;
  /** Maximum trees. */
  rounds: number;
  learning_rate: number;
  /** Fraction of the features that each tree may use, and of the rows that it is grown on. */
  feature_fraction: number;
  bagging_fraction: number;
  /** Number of trees without a better loss on the stopping rows before boosting stops. Ignored without stopping rows. */
  patience: number;
}

/** Binned rows with their targets. */
export interface TrainingSet {
  data: BinnedMatrix;
  targets: Float64Array;
}

/** A boosted forest and its number of trees, chosen by early stopping. */
export interface Boosted {
  forest: Forest;
  rounds: number;
  /** Mean loss on the stopping rows; NaN without them. */
  loss: number;
}

/** Splits rows at random into those that a tree is grown on and the others; both ascending. Buffers are reused from tree to tree. */
class RowSampler {
  readonly #ownRows: Uint32Array;
  readonly #others: Uint32Array;

  constructor(rows: number) {
    this.#ownRows = new Uint32Array(rows);
    this.#others = new Uint32Array(rows);
  }

  /** Takes each row with probability `fraction`. */
  draw(fraction: number, next: () => number): { own: Uint32Array; others: Uint32Array } {
    const [own, others] = [this.#ownRows, this.#others];
    let n = 0;
    for (let row = 0; row < own.length; row++) {
      // Writes to both and counts one: avoids a branch that is often mispredicted.
      own[n] = row;
      others[row - n] = row;
      n += fraction >= 1 ? 1 : Number(next() < fraction);
    }
    return { own: own.subarray(0, n), others: others.subarray(0, own.length - n) };
  }
}

/** Sets the leaves of a quantile tree to the quantile of their residuals. */
function renewLeaves(
  { tree, leaves }: GrownTree,
  rows: Uint32Array,
  alpha: number,
  { targets, scores, scratch }: { targets: Float64Array; scores: Float64Array; scratch: Float64Array },
): void {
  for (const { node, from, to } of leaves) {
    for (let k = from; k < to; k++) scratch[k - from] = targets[rows[k]!]! - scores[rows[k]!]!;
    tree.value[node] = quantileInPlace(scratch.subarray(0, to - from), alpha);
  }
}

/** Adds the tree to the scores. The leaves of its own rows are known; only the others go through the tree. */
function addGrown(
  { tree, leaves }: GrownTree,
  view: Uint32Array,
  others: Uint32Array,
  data: BinnedMatrix,
  scores: Float64Array,
): void {
  for (const { node, from, to } of leaves) {
    const value = tree.value[node]!;
    for (let k = from; k < to; k++) scores[view[k]!]! += value;
  }
  addTree(tree, 0, data, scores, others);
}

/**
 * Boosts trees on binned rows, leaf-wise. The seed draws rows and features; the loss on `stopping` decides how many trees are kept.
 * Equal inputs in equal order give equal bytes.
 */
export function boost(
  train: TrainingSet,
  binning: Binning,
  params: BoostParams,
  seed: number,
  stopping?: TrainingSet,
): Boosted {
  const { data, targets } = train;
  const { objective } = params;
  const random = seededRandom(seed, 1);
  const grower = new TreeGrower(
    data,
    binning.edges.map((own) => own.length + 2),
    params,
    gradientBound(objective),
  );
  const base = baseScore(objective, targets);
  const scores = new Float64Array(data.rows).fill(base);
  const watched = new Float64Array(stopping?.data.rows ?? 0).fill(base);
  const gradient = new Float64Array(data.rows);
  const scratch = new Float64Array(data.rows);
  const bag = new RowSampler(data.rows);
  const columns = Int32Array.from({ length: data.columns }, (_, f) => f);
  const take = Math.max(1, Math.round(params.feature_fraction * data.columns));
  const trees: RegressionTree[] = [];
  let best = { rounds: 0, loss: stopping ? meanLoss(objective, stopping.targets, watched) : NaN };
  for (let round = 1; round <= params.rounds; round++) {
    const { own, others } = bag.draw(params.bagging_fraction, random.next);
    gradients(objective, targets, scores, own, gradient);
    shuffleFirst(columns, take, random);
    const features = [...columns.subarray(0, take)].sort((a, b) => a - b);
    const grown = grower.grow(own, gradient, features);
    if (objective.kind === 'quantile') renewLeaves(grown, own, objective.alpha, { targets, scores, scratch });
    const { tree } = grown;
    for (let node = 0; node < tree.value.length; node++)
      tree.value[node] = tree.value[node]! * params.learning_rate;
    trees.push(tree);
    addGrown(grown, own, others, data, scores);
    if (!stopping) continue;
    addTree(tree, 0, stopping.data, watched);
    const loss = meanLoss(objective, stopping.targets, watched);
    if (loss < best.loss) best = { rounds: round, loss };
    else if (round - best.rounds >= params.patience) break;
  }
  const rounds = stopping ? best.rounds : trees.length;
  return { forest: packForest(base, trees.slice(0, rounds)), rounds, loss: best.loss };
}
