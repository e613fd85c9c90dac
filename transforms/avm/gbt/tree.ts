import type { BinnedMatrix } from './bins.ts';
import { NodeList, type Split, type Tree } from './nodes.ts';

/** Limits of one tree. */
export interface TreeParams {
  /** Most leaves; the leaf with the best split is split next. */
  leaves: number;
  /** Fewest rows of a leaf. */
  min_leaf: number;
  /** L2 penalty on leaf values. */
  lambda: number;
}

/** A grown tree and which rows its leaves hold: leaf node `node[k]` holds rows[from[k], to[k]). */
export interface GrownTree {
  tree: Tree;
  leaves: { node: number; from: number; to: number }[];
}

/** A leaf while the tree grows, with its best split; gain 0: it has none. */
interface Leaf extends Split {
  from: number;
  to: number;
  sum: number;
  histogram: Float64Array;
  left_sum: number;
  left_count: number;
}

/** A gain below this is rounding, not a split. */
const MIN_GAIN = 1e-12;

/**
 * Grows trees leaf-wise on one binned matrix. Ties between splits go to the lower feature, then the lower bin, then missing
 * to the left; between leaves to the older one. Histograms are kept from tree to tree.
 */
export class TreeGrower {
  private readonly data: BinnedMatrix;
  private readonly bin_count: readonly number[];
  private readonly params: TreeParams;
  private readonly free: Float64Array[] = [];
  private readonly ordered: Float64Array;
  private readonly right: Uint32Array;
  /** Numbers that a histogram holds for each feature: gradient sum and count of each bin. */
  private readonly slots: number;
  private features: readonly number[] = [];

  /** `bin_count`: bins of each feature, the one for missing included. */
  constructor(data: BinnedMatrix, bin_count: readonly number[], params: TreeParams) {
    this.data = data;
    this.bin_count = bin_count;
    this.params = params;
    this.slots = 2 * Math.max(1, ...bin_count);
    this.ordered = new Float64Array(data.rows);
    this.right = new Uint32Array(data.rows);
  }

  /** Grows a tree on `rows`, which are rearranged so that each leaf's rows stand together; splits use `features`, ascending. */
  grow(rows: Uint32Array, gradient: Float64Array, features: readonly number[]): GrownTree {
    this.features = features;
    const nodes = new NodeList(this.params.leaves);
    let sum = 0;
    for (const row of rows) sum += gradient[row]!;
    const root = this.leaf(nodes.add(), 0, rows.length, sum, this.count(rows, 0, rows.length, gradient));
    const leaves = [root];
    while (leaves.length < this.params.leaves) {
      let best = root;
      for (const leaf of leaves) if (leaf.gain > best.gain) best = leaf;
      if (best.gain <= MIN_GAIN) break;
      leaves[leaves.indexOf(best)] = this.split(best, rows, gradient, nodes, leaves);
    }
    for (const leaf of leaves) {
      nodes.value[leaf.node] = this.leafValue(leaf);
      this.free.push(leaf.histogram);
    }
    return { tree: nodes.finish(), leaves };
  }

  private leafValue({ sum, from, to }: Leaf): number {
    return -sum / (to - from + this.params.lambda);
  }

  /** Splits a leaf: returns its left child, and appends the right one to `leaves`. */
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
    const left = nodes.add();
    const right = nodes.add();
    nodes.link(parent, left, right);
    nodes.value[parent.node] = this.leafValue(parent);
    // The smaller side is counted; the larger one is what remains of the parent.
    const isLeftSmall = left_count * 2 <= to - from;
    const small = isLeftSmall
      ? this.count(rows, from, middle, gradient)
      : this.count(rows, middle, to, gradient);
    const large = parent.histogram;
    this.subtract(large, small);
    leaves.push(this.leaf(right, middle, to, parent.sum - left_sum, isLeftSmall ? large : small));
    const child = this.leaf(left, from, middle, left_sum, isLeftSmall ? small : large);
    // A parent that was the root of the loop's search is no longer a leaf: it must not win again.
    parent.gain = 0;
    return child;
  }

  private leaf(node: number, from: number, to: number, sum: number, histogram: Float64Array): Leaf {
    const leaf: Leaf = {
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
    };
    if (to - from >= 2 * this.params.min_leaf)
      for (let slot = 0; slot < this.features.length; slot++) this.search(leaf, slot);
    return leaf;
  }

  /** Gradient sums and counts by feature and bin of rows[from, to). */
  private count(rows: Uint32Array, from: number, to: number, gradient: Float64Array): Float64Array {
    const { ordered, features, slots } = this;
    const histogram = this.free.pop() ?? new Float64Array(this.data.columns * slots);
    histogram.fill(0, 0, features.length * slots);
    for (let k = from; k < to; k++) ordered[k] = gradient[rows[k]!]!;
    let slot = 0;
    for (; slot + 4 <= features.length; slot += 4) this.countFour(slot, rows, from, to, histogram);
    for (; slot < features.length; slot++) this.countFeature(slot, rows, from, to, histogram);
    return histogram;
  }

  /** Counts four features in one pass: their additions do not wait for one another, which halves the time. */
  private countFour(
    slot: number,
    rows: Uint32Array,
    from: number,
    to: number,
    histogram: Float64Array,
  ): void {
    const { ordered, slots, features } = this;
    const { bins, rows: n } = this.data;
    const [base0, base1] = [features[slot]! * n, features[slot + 1]! * n];
    const [base2, base3] = [features[slot + 2]! * n, features[slot + 3]! * n];
    const start0 = slot * slots;
    const start1 = start0 + slots;
    const start2 = start1 + slots;
    const start3 = start2 + slots;
    for (let k = from; k < to; k++) {
      const row = rows[k]!;
      const gradient = ordered[k]!;
      const at0 = start0 + 2 * bins[base0 + row]!;
      const at1 = start1 + 2 * bins[base1 + row]!;
      const at2 = start2 + 2 * bins[base2 + row]!;
      const at3 = start3 + 2 * bins[base3 + row]!;
      histogram[at0]! += gradient;
      histogram[at0 + 1]! += 1;
      histogram[at1]! += gradient;
      histogram[at1 + 1]! += 1;
      histogram[at2]! += gradient;
      histogram[at2 + 1]! += 1;
      histogram[at3]! += gradient;
      histogram[at3 + 1]! += 1;
    }
  }

  private countFeature(
    slot: number,
    rows: Uint32Array,
    from: number,
    to: number,
    histogram: Float64Array,
  ): void {
    const { ordered, slots } = this;
    const { bins, rows: n } = this.data;
    const base = this.features[slot]! * n;
    const start = slot * slots;
    for (let k = from; k < to; k++) {
      const at = start + 2 * bins[base + rows[k]!]!;
      histogram[at]! += ordered[k]!;
      histogram[at + 1]! += 1;
    }
  }

  private subtract(from: Float64Array, what: Float64Array): void {
    const end = this.features.length * this.slots;
    for (let i = 0; i < end; i++) from[i]! -= what[i]!;
  }

  /** Looks for a better split of a leaf by one feature. */
  private search(leaf: Leaf, slot: number): void {
    const { min_leaf, lambda } = this.params;
    const feature = this.features[slot]!;
    const { histogram, sum } = leaf;
    const n = leaf.to - leaf.from;
    const start = slot * this.slots;
    const last = this.bin_count[feature]! - 1;
    const missing = histogram[start + 1]!;
    const parent = (sum * sum) / (n + lambda);
    for (let side = missing > 0 ? 1 : 0; side >= 0; side--) {
      let left_sum = side === 1 ? histogram[start]! : 0;
      let left_count = side === 1 ? missing : 0;
      // With missing on the right, the last bin may still be split from them.
      const end = side === 0 && missing > 0 ? last : last - 1;
      for (let bin = 1; bin <= end; bin++) {
        const count = histogram[start + 2 * bin + 1]!;
        if (count === 0) continue;
        left_sum += histogram[start + 2 * bin]!;
        left_count += count;
        if (left_count < min_leaf) continue;
        if (n - left_count < min_leaf) break;
        const rest = sum - left_sum;
        const gain =
          (left_sum * left_sum) / (left_count + lambda) + (rest * rest) / (n - left_count + lambda) - parent;
        if (gain <= leaf.gain) continue;
        leaf.gain = gain;
        leaf.feature = feature;
        leaf.bin = bin;
        // Where nothing was missing in training, a missing value later goes with the larger side.
        leaf.missing_left = missing > 0 ? side : left_count * 2 >= n ? 1 : 0;
        leaf.left_sum = left_sum;
        leaf.left_count = left_count;
      }
    }
  }

  /** Moves the rows that go left to the front of the leaf's range; both sides keep their order. */
  private partition(leaf: Leaf, rows: Uint32Array): void {
    const { data, right } = this;
    const base = leaf.feature * data.rows;
    let write = leaf.from;
    let kept = 0;
    for (let k = leaf.from; k < leaf.to; k++) {
      const row = rows[k]!;
      const bin = data.bins[base + row]!;
      if (bin === 0 ? leaf.missing_left === 1 : bin <= leaf.bin) rows[write++] = row;
      else right[kept++] = row;
    }
    for (let k = 0; k < kept; k++) rows[write + k] = right[k]!;
  }
}
