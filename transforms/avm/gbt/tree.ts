import type { BinnedMatrix } from './bins.ts';
import { Histograms } from './histogram.ts';
import { goesRight, NodeList, type RegressionTree, type Split } from './nodes.ts';

export interface TreeParams {
  /** Maximum leaves; the leaf with the best split is split next. */
  leaves: number;
  /** Minimum rows of a leaf. */
  min_leaf: number;
  /** L2 penalty on leaf values. */
  lambda: number;
}

/** A grown tree and the rows of its leaves: leaf node `node[k]` holds rows[from[k], to[k]). */
export interface GrownTree {
  tree: RegressionTree;
  leaves: { node: number; from: number; to: number }[];
}

/** A leaf while the tree grows, with its best split; gain 0: none. */
interface Leaf extends Split {
  from: number;
  to: number;
  sum: number;
  histogram: Float64Array;
  left_sum: number;
  left_count: number;
}

/** Minimum gain of a split; less is rounding error. */
const MIN_GAIN = 1e-12;

/** Histogram of a leaf that will not be split. */
const NO_HISTOGRAM = new Float64Array(0);

const leafOf = (node: number, from: number, to: number, sum: number, histogram: Float64Array): Leaf => ({
  node,
  from,
  to,
  sum,
  histogram,
  gain: 0,
  feature: -1,
  bin: 0,
  missing_left: 0,
  left_sum: 0,
  left_count: 0,
});

/** Returns the score that both sides must exceed together for a higher gain, minus a tolerance for rounding. */
const barOf = (gain: number, parent: number): number => (gain + parent) * (1 - 1e-12);

/**
 * Grows trees leaf-wise on one binned matrix. Ties between splits: lower feature, then lower bin, then missing to the left. Ties
 * between leaves: the older one. Histograms are reused from tree to tree.
 */
export class TreeGrower {
  private readonly data: BinnedMatrix;
  private readonly bin_count: readonly number[];
  // Limits as separate fields: params objects have many shapes, which would make the engine recompile the hot loops.
  private readonly most_leaves: number;
  private readonly min_leaf: number;
  private readonly lambda: number;
  private readonly histograms: Histograms;
  private readonly right: Uint32Array;
  private features: readonly number[] = [];

  /** `bin_count`: bins of each feature, including the one for missing. `bound`: maximum absolute gradient. */
  constructor(data: BinnedMatrix, bin_count: readonly number[], params: TreeParams, bound: number) {
    this.data = data;
    this.bin_count = bin_count;
    this.most_leaves = params.leaves;
    this.min_leaf = params.min_leaf;
    this.lambda = params.lambda;
    this.histograms = new Histograms(data, bin_count, bound);
    this.right = new Uint32Array(data.rows);
  }

  /** Grows a tree on `rows`, which are reordered so that each leaf's rows are contiguous. `features`: ascending. */
  grow(rows: Uint32Array, gradient: Float64Array, features: readonly number[]): GrownTree {
    this.features = features;
    this.histograms.use(features);
    const nodes = new NodeList(this.most_leaves);
    let sum = 0;
    for (const row of rows) sum += gradient[row]!;
    const root = this.leaf(nodes.add(), 0, rows.length, sum, this.histograms.count(rows, gradient));
    const leaves = [root];
    while (leaves.length < this.most_leaves) {
      let best = root;
      for (const leaf of leaves) if (leaf.gain > best.gain) best = leaf;
      if (best.gain <= MIN_GAIN) break;
      leaves[leaves.indexOf(best)] = this.split(best, rows, gradient, nodes, leaves);
    }
    for (const leaf of leaves) {
      nodes.value[leaf.node] = this.leafValue(leaf);
      if (leaf.histogram !== NO_HISTOGRAM) this.histograms.giveBack(leaf.histogram);
    }
    return { tree: nodes.finish(), leaves };
  }

  private leafValue({ sum, from, to }: Leaf): number {
    return -sum / (to - from + this.lambda);
  }

  /** Splits a leaf: returns its left child and appends the right one to `leaves`. */
  private split(
    parent: Leaf,
    rows: Uint32Array,
    gradient: Float64Array,
    nodes: NodeList,
    leaves: Leaf[],
  ): Leaf {
    const { from, to, left_count, left_sum } = parent;
    const middle = from + left_count;
    this.partition(parent, rows);
    const leftNode = nodes.add();
    const right = nodes.add();
    nodes.link(parent, leftNode, right);
    nodes.value[parent.node] = this.leafValue(parent);
    const right_sum = parent.sum - left_sum;
    if (leaves.length + 1 === this.most_leaves) {
      // No split follows this one.
      leaves.push(leafOf(right, middle, to, right_sum, NO_HISTOGRAM));
      return leafOf(leftNode, from, middle, left_sum, parent.histogram);
    }
    // Counts the smaller side and subtracts it from the parent to get the larger one.
    const isLeftSmall = left_count * 2 <= to - from;
    const side = isLeftSmall ? rows.subarray(from, middle) : rows.subarray(middle, to);
    const small = this.histograms.count(side, gradient);
    const large = parent.histogram;
    this.histograms.subtract(large, small);
    leaves.push(this.leaf(right, middle, to, right_sum, isLeftSmall ? large : small));
    const child = this.leaf(leftNode, from, middle, left_sum, isLeftSmall ? small : large);
    // If the parent was the root of the search loop, it is no longer a leaf and must not win again.
    parent.gain = 0;
    return child;
  }

  /** Returns a leaf with its best split. */
  private leaf(node: number, from: number, to: number, sum: number, histogram: Float64Array): Leaf {
    const leaf = leafOf(node, from, to, sum, histogram);
    if (to - from >= 2 * this.min_leaf)
      for (let slot = 0; slot < this.features.length; slot++) this.search(leaf, slot);
    return leaf;
  }

  /** Searches one feature for a better split of a leaf. */
  private search(leaf: Leaf, slot: number): void {
    const { min_leaf, lambda } = this;
    const feature = this.features[slot]!;
    const { histogram, sum } = leaf;
    const n = leaf.to - leaf.from;
    const start = slot * this.histograms.slots;
    const last = this.bin_count[feature]! - 1;
    const missing = histogram[start + 1]!;
    const parent = (sum * sum) / (n + lambda);
    let bar = barOf(leaf.gain, parent);
    for (let side = missing > 0 ? 1 : 0; side >= 0; side--) {
      let left_sum = side === 1 ? histogram[start]! : 0;
      let left_count = side === 1 ? missing : 0;
      // Missing rows alone are not a left side: the other direction covers that as its last split.
      const least = Math.max(min_leaf, left_count + 1);
      // If missing goes right, the last bin may still be split from it.
      const end = start + 2 * (side === 0 && missing > 0 ? last : last - 1);
      for (let at = start + 2; at <= end; at += 2) {
        left_sum += histogram[at]!;
        left_count += histogram[at + 1]!;
        if (left_count < least) continue;
        if (n - left_count < min_leaf) break;
        const rightSum = sum - left_sum;
        const left_size = left_count + lambda;
        const right_size = n - left_count + lambda;
        // Nearly all bins end here, without a division. An empty bin gives the same split as the one before it, so it cannot gain.
        const left2 = left_sum * left_sum;
        const rest2 = rightSum * rightSum;
        if (left2 * right_size + rest2 * left_size <= bar * (left_size * right_size)) continue;
        const gain = left2 / left_size + rest2 / right_size - parent;
        if (gain <= leaf.gain) continue;
        leaf.gain = gain;
        leaf.feature = feature;
        leaf.bin = (at - start) / 2;
        // If training had no missing values, a later missing value goes to the larger side.
        leaf.missing_left = missing > 0 ? side : left_count * 2 >= n ? 1 : 0;
        leaf.left_sum = left_sum;
        leaf.left_count = left_count;
        bar = barOf(gain, parent);
      }
    }
  }

  /** Moves the rows that go left to the front of the leaf's range; both sides keep their order. */
  private partition(leaf: Leaf, rows: Uint32Array): void {
    const { data, right } = this;
    const base = leaf.feature * data.rows;
    let write = leaf.from;
    let keptCount = 0;
    for (let k = leaf.from; k < leaf.to; k++) {
      const row = rows[k]!;
      const side = goesRight(data.bins[base + row]!, leaf.bin, leaf.missing_left);
      // Writes to both and counts one, as in RowSampler.draw.
      rows[write] = row;
      right[keptCount] = row;
      write += 1 - side;
      keptCount += side;
    }
    for (let k = 0; k < keptCount; k++) rows[write + k] = right[k]!;
  }
}
