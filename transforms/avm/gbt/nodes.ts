/**
 * One regression tree on bins. Node 0 is the root; a node without children has `feature` -1. A row goes left where its bin is
 * at most `bin`, or is 0 (missing) and `missing_left` is 1.
 */
export interface RegressionTree {
  readonly feature: Int16Array;
  readonly bin: Uint8Array;
  readonly missing_left: Uint8Array;
  readonly left: Int16Array;
  readonly right: Int16Array;
  /** Of a leaf what its rows score; of a split what they would score without it, which quantile trees do not keep. */
  readonly value: Float64Array;
  /** Reduction of the loss that each split brought, 0 at leaves. */
  readonly gain: Float64Array;
}

/**
 * 1 where a row whose bin is `own` goes right at a split, else 0. By arithmetic: a branch on it is foretold wrongly every other time.
 * Where missing values go right, bins are moved down by one, so that bin 0 comes to stand above all others.
 */
export function goesRight(own: number, bin: number, missing_left: number): number {
  const shift = 1 - missing_left;
  return (bin - shift - ((own - shift) & 255)) >>> 31;
}

/** How a node is split; gain 0: it is not. */
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

  /** Room for a tree of so many leaves. */
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

  /** A further node, without children. */
  add(): number {
    return this.size++;
  }

  /** Makes a node split to two others. */
  link(split: Split, left: number, right: number): void {
    const { node } = split;
    this.feature[node] = split.feature;
    this.bin[node] = split.bin;
    this.missing_left[node] = split.missing_left;
    this.gain[node] = split.gain;
    this.left[node] = left;
    this.right[node] = right;
  }

  /** The tree, with no room to spare. */
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
