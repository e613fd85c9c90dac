/**
 * One regression tree on bins. Node 0 is the root; a leaf has `feature` -1. A row goes left if its bin is at most `bin`, or if its
 * bin is 0 (missing) and `missing_left` is 1.
 */
export interface RegressionTree {
  readonly feature: Int16Array;
  readonly bin: Uint8Array;
  readonly missing_left: Uint8Array;
  readonly left: Int16Array;
  readonly right: Int16Array;
  /** Leaf: score of its rows. Split: the score its rows would have without it; quantile trees do not keep it. */
  readonly value: Float64Array;
  /** Loss reduction of each split; 0 at leaves. */
  readonly gain: Float64Array;
}

/**
 * Returns 1 if a row with bin `own` goes right at a split, else 0. Uses arithmetic: a branch is mispredicted half of the time. If
 * missing values go right, bins are shifted down by one, so that bin 0 becomes the highest.
 */
export function goesRight(value: number, bin: number, missing_left: number): number {
  const shift = 1 - missing_left;
  return (bin - shift - ((value - shift) & 255)) >>> 31;
}

/** Best split of a node; gain 0: none. */
export interface Split {
  node: number;
  gain: number;
  feature: number;
  bin: number;
  missing_left: number;
}

/** Nodes of a tree while it grows. */
export class NodeList {
  private size = 0;
  private readonly feature: Int16Array;
  private readonly bin: Uint8Array;
  private readonly missing_left: Uint8Array;
  private readonly left: Int16Array;
  private readonly right: Int16Array;
  private readonly gain: Float64Array;
  readonly value: Float64Array;

  /** Allocates space for a tree of `leaves` leaves. */
  constructor(leaves: number) {
    const most = 2 * leaves - 1;
    this.feature = new Int16Array(most).fill(-1);
    this.bin = new Uint8Array(most);
    this.missing_left = new Uint8Array(most);
    this.left = new Int16Array(most).fill(-1);
    this.right = new Int16Array(most).fill(-1);
    this.value = new Float64Array(most);
    this.gain = new Float64Array(most);
  }

  /** Adds a node without children and returns its index. */
  add(): number {
    return this.size++;
  }

  /** Splits a node into two others. */
  link(split: Split, left: number, right: number): void {
    const { node } = split;
    this.feature[node] = split.feature;
    this.bin[node] = split.bin;
    this.missing_left[node] = split.missing_left;
    this.gain[node] = split.gain;
    this.left[node] = left;
    this.right[node] = right;
  }

  /** Returns the tree, trimmed to its size. */
  finish(): RegressionTree {
    const end = this.size;
    return {
      feature: this.feature.slice(0, end),
      bin: this.bin.slice(0, end),
      missing_left: this.missing_left.slice(0, end),
      left: this.left.slice(0, end),
      right: this.right.slice(0, end),
      value: this.value.slice(0, end),
      gain: this.gain.slice(0, end),
    };
  }
}
