import { squaredPointSegment } from '../geo/distance.ts';
import { squaredAcrossBox, squaredTwiceToBox } from './boxes.ts';
import { EdgeSets } from './edge_sets.ts';
import { type EdgeTree, FAN } from './edge_tree.ts';
import { type FeatureLayer, treeOf } from './feature_layer.ts';
import { doubled } from './layer_edges.ts';
import type { Surrounded } from './near_edges.ts';

/** Side of the squares that list nearby features, and maximum extent of a group from its centre to use them, metres. */
const SQUARE_M = 500;
const REACH_M = 150;
/** More squares than a plane has from south to north. */
const SQUARES = 100_000;

/**
 * Features within the radius of a group of subjects: certain ones, within the radius of every subject, and uncertain ones with the
 * edges that decide. Reused from group to group.
 */
export class FeaturesWithin {
  /** Number of features within the radius of every subject of the group. */
  sure = 0;
  /** Uncertain features: the first `count`. */
  doubtful = new Int32Array(64);
  count = 0;
  /** Distance of each uncertain feature from the centre of the group, metres. */
  distance_m = new Float64Array(64);
  /** Deciding edges of each uncertain feature, nearest to the centre first. */
  readonly sets = new EdgeSets();
  private readonly layer: FeatureLayer;
  private readonly tree: EdgeTree;
  private readonly within_m: number;
  private readonly sureStamp: Int32Array;
  private token = 0;
  /** Features that may be within the radius of a subject in a square of the plane, by square. */
  private readonly bySquare = new Map<number, Int32Array>();
  /** Squared distance from the centre within which every subject has a feature, and four times the squared distance beyond which none has. */
  private sure2 = 0;
  private doubt4 = 0;
  /** Uncertain leaves of one feature: the first `leafCount`; the one whose farthest corner is nearest, and the square of that corner's distance. */
  private leaves = new Int32Array(64);
  private leafCount = 0;
  private bestLeaf = -1;
  private bestAcross2 = Infinity;
  /**
   * Ends (x0, y0, x1, y1) of parts of one feature and their distances from the centre: the first `measured`; the nearest part, its
   * leaf and its distance.
   */
  private ends = new Float64Array(1024);
  private measured_m = new Float64Array(256);
  private measured = 0;
  private nearest = -1;
  private nearestLeaf = -1;
  private least_m = Infinity;

  /** Sets the layer and the radius, metres. */
  constructor(layer: FeatureLayer, within_m: number) {
    this.layer = layer;
    this.tree = treeOf(layer);
    this.within_m = within_m;
    this.sureStamp = new Int32Array(layer.features).fill(-1);
  }

  /** Returns whether the feature is counted in `sure`. */
  isSure(feature: number): boolean {
    return this.sureStamp[feature] === this.token;
  }

  gather(group: Surrounded): void {
    const { x, y, anchor_m, reach_m } = group;
    this.token++;
    this.sure = 0;
    this.count = 0;
    this.sets.clear();
    this.sure2 = Math.max(0, this.within_m - anchor_m) ** 2;
    this.doubt4 = 4 * (this.within_m + reach_m) ** 2;
    this.takeCover(group);
    const { features } = this.tree;
    for (const feature of this.around(group)) {
      if (!(squaredTwiceToBox(features, feature * 4, x, y) <= this.doubt4)) continue;
      if (this.sureStamp[feature] === this.token) continue;
      if (squaredAcrossBox(features, feature * 4, x, y) < this.sure2) this.markSure(feature);
      else this.settle(feature, group);
    }
  }

  /** Returns the features that may be within the radius of a subject of the group. */
  private around({ x, y, reach_m }: Surrounded): Int32Array {
    if (reach_m > REACH_M) return Int32Array.from({ length: this.layer.features }, (_, feature) => feature);
    const col = Math.floor(x / SQUARE_M);
    const row = Math.floor(y / SQUARE_M);
    const square = col * SQUARES + row;
    let list = this.bySquare.get(square);
    if (list === undefined) {
      list = this.aroundSquare(col, row);
      this.bySquare.set(square, list);
    }
    return list;
  }

  private aroundSquare(col: number, row: number): Int32Array {
    const { features } = this.tree;
    const far = this.within_m + REACH_M + SQUARE_M / 2;
    const x = (col + 0.5) * SQUARE_M;
    const y = (row + 0.5) * SQUARE_M;
    const nearFeatures: number[] = [];
    for (let k = 0; k < features.length; k += 4) {
      const dx = Math.abs(features[k]! - x) - features[k + 2]!;
      const dy = Math.abs(features[k + 1]! - y) - features[k + 3]!;
      if (dx <= far && dy <= far) nearFeatures.push(k / 4);
    }
    return Int32Array.from(nearFeatures);
  }

  private markSure(feature: number): void {
    if (this.sureStamp[feature] === this.token) return;
    this.sureStamp[feature] = this.token;
    this.sure++;
  }

  /** Marks features as certain that contain the centre of a fine cell wholly within the radius of every anchor. */
  private takeCover({ col, row, anchor_m }: Surrounded): void {
    const { cover, featureOf, grid } = this.layer;
    if (col < 0 || row < 0 || col >= grid.cols || row >= grid.rows) return;
    const most = (this.within_m - anchor_m) / (1 + grid.slack);
    if (!(most > 0 && 4 * most * most > grid.height_max_m ** 2 + grid.width_max_m ** 2)) return;
    const cell = row * grid.cols + col;
    for (let k = cover.starts[cell]!, end = cover.starts[cell + 1]!; k < end; k++) {
      this.markSure(featureOf[cover.pieces[k]!]!);
    }
  }

  /** Decides whether a feature is near all subjects, near none, or uncertain, and collects the deciding edges. */
  private settle(feature: number, group: Surrounded): void {
    if (this.isSureByLeaves(feature, group.x, group.y)) {
      this.markSure(feature);
      return;
    }
    if (this.leafCount === 0) return;
    this.measured = 0;
    this.nearest = -1;
    this.least_m = Infinity;
    // Starts with the leaf whose farthest corner is nearest: that excludes most of the others.
    const first = this.bestLeaf;
    this.nearestLeaf = first;
    let isSure = this.measureLeaf(feature, first, group);
    for (let i = 0; i < this.leafCount && !isSure; i++) {
      const leaf = this.leaves[i]!;
      if (leaf !== first && this.mayBeNearest(leaf, group)) isSure = this.measureLeaf(feature, leaf, group);
    }
    if (isSure) this.markSure(feature);
    else if (this.measured > 0) this.addDoubtful(feature, group);
  }

  /** Lists the uncertain leaves of a feature. Returns true, with an unusable list, if a leaf is near all subjects. */
  private isSureByLeaves(feature: number, x: number, y: number): boolean {
    const { leaves, branches, limbs } = this.tree;
    const { doubt4 } = this;
    this.leafCount = 0;
    this.bestAcross2 = Infinity;
    const firstLimb = limbs.first[feature]!;
    const firstBranch = branches.first[feature]!;
    const firstLeaf = leaves.first[feature]!;
    const endBranch = branches.first[feature + 1]!;
    const endLeaf = leaves.first[feature + 1]!;
    for (let limb = firstLimb, last = limbs.first[feature + 1]!; limb < last; limb++) {
      if (squaredTwiceToBox(limbs.boxes, limb * 4, x, y) > doubt4) continue;
      const branch0 = firstBranch + (limb - firstLimb) * FAN;
      const branch1 = Math.min(branch0 + FAN, endBranch);
      for (let branch = branch0; branch < branch1; branch++) {
        if (squaredTwiceToBox(branches.boxes, branch * 4, x, y) > doubt4) continue;
        const leaf0 = firstLeaf + (branch - firstBranch) * FAN;
        if (this.takeLeaves(leaf0, Math.min(leaf0 + FAN, endLeaf), x, y)) return true;
      }
    }
    return false;
  }

  private takeLeaves(from: number, to: number, x: number, y: number): boolean {
    const { boxes } = this.tree.leaves;
    for (let leaf = from; leaf < to; leaf++) {
      if (squaredTwiceToBox(boxes, leaf * 4, x, y) > this.doubt4) continue;
      const across2 = squaredAcrossBox(boxes, leaf * 4, x, y);
      if (across2 < this.sure2) return true;
      if (this.leafCount === this.leaves.length) this.leaves = doubled(this.leaves);
      this.leaves[this.leafCount++] = leaf;
      if (across2 >= this.bestAcross2) continue;
      this.bestAcross2 = across2;
      this.bestLeaf = leaf;
    }
    return false;
  }

  /**
   * Returns whether a leaf may contain the nearest edge of the feature for some subject. From the centre to a subject, it comes
   * closer than another leaf by at most the distance moved times the angle between both.
   */
  private mayBeNearest(leaf: number, { x, y, anchor_m, reach_m }: Surrounded): boolean {
    const { boxes: b } = this.tree.leaves;
    const nearer = this.least_m;
    const i = leaf * 4;
    const behind = Math.sqrt(squaredTwiceToBox(b, i, x, y)) / 2 - nearer;
    if (behind <= 0) return true;
    const reachedM = Math.max(anchor_m, reach_m);
    if (nearer <= 2 * reachedM) return behind <= anchor_m + reach_m;
    const j = this.nearestLeaf * 4;
    const dx = Math.abs(b[i]! - b[j]!) + 2 * Math.max(b[i + 2]!, b[j + 2]!);
    const dy = Math.abs(b[i + 1]! - b[j + 1]!) + 2 * Math.max(b[i + 3]!, b[j + 3]!);
    return behind * (nearer - reachedM) <= reachedM * Math.sqrt(dx * dx + dy * dy);
  }

  /** Measures the parts of a leaf; returns whether one is within the radius of every subject. */
  private measureLeaf(feature: number, leaf: number, { x, y, anchor_m, reach_m }: Surrounded): boolean {
    const { tree, within_m } = this;
    const { xy } = this.layer.edges;
    const furthest2 = (Math.min(within_m, this.least_m + anchor_m) + reach_m + 1e-6) ** 2;
    const first = tree.first_part[feature]! + (leaf - tree.leaves.first[feature]!) * FAN;
    for (let part = first, last = Math.min(first + FAN, tree.first_part[feature + 1]!); part < last; part++) {
      const i = part * 4;
      const x0 = xy[i]!;
      const y0 = xy[i + 1]!;
      const x1 = xy[i + 2]!;
      const y1 = xy[i + 3]!;
      const squared = squaredPointSegment(x, y, x0, y0, x1, y1);
      if (squared > furthest2) continue;
      const distance = Math.sqrt(squared);
      if (distance + anchor_m <= within_m) return true;
      if (distance - reach_m > within_m || distance - this.least_m > anchor_m + reach_m) continue;
      if (this.measured === this.measured_m.length) this.growMeasured();
      if (distance < this.least_m) {
        this.least_m = distance;
        this.nearestLeaf = leaf;
        this.nearest = this.measured;
      }
      const at = this.measured * 4;
      this.ends[at] = x0;
      this.ends[at + 1] = y0;
      this.ends[at + 2] = x1;
      this.ends[at + 3] = y1;
      this.measured_m[this.measured++] = distance;
    }
    return false;
  }

  private growMeasured(): void {
    const distances = new Float64Array(this.measured * 2);
    distances.set(this.measured_m);
    this.measured_m = distances;
    const ends = new Float64Array(this.measured * 8);
    ends.set(this.ends);
    this.ends = ends;
  }

  /**
   * Adds an uncertain feature with the edges that may be nearest to a subject. From the centre to a subject, an edge comes closer
   * than the nearest one by at most the distance moved times the angle between both.
   */
  private addDoubtful(feature: number, { anchor_m, reach_m }: Surrounded): void {
    if (this.count === this.doubtful.length) this.growDoubtful();
    const { measured_m, nearest, least_m } = this;
    const n = this.count++;
    this.doubtful[n] = feature;
    this.distance_m[n] = least_m;
    const reachedM = Math.max(anchor_m, reach_m);
    const isFar = least_m > 2 * reachedM;
    this.addEdge(nearest);
    for (let i = 0; i < this.measured; i++) {
      const behind = measured_m[i]! - least_m;
      if (i === nearest || behind > anchor_m + reach_m) continue;
      if (isFar && behind * (least_m - reachedM) > reachedM * this.span(i, nearest)) continue;
      this.addEdge(i);
    }
    this.sets.close();
  }

  private growDoubtful(): void {
    this.doubtful = doubled(this.doubtful);
    const size = this.doubtful.length;
    const distances = new Float64Array(size);
    distances.set(this.distance_m);
    this.distance_m = distances;
  }

  /** Returns an upper bound of the distance from any point of one measured part to any point of another, from the boxes of both. */
  private span(a: number, b: number): number {
    const { ends } = this;
    const i = a * 4;
    const j = b * 4;
    const wideA = Math.abs(ends[i + 2]! - ends[i]!);
    const wideB = Math.abs(ends[j + 2]! - ends[j]!);
    const highA = Math.abs(ends[i + 3]! - ends[i + 1]!);
    const highB = Math.abs(ends[j + 3]! - ends[j + 1]!);
    // Twice the distance between the centres plus twice the larger box.
    const dx =
      Math.abs(ends[i]! + ends[i + 2]! - ends[j]! - ends[j + 2]!) + wideA + wideB + Math.abs(wideA - wideB);
    const dy =
      Math.abs(ends[i + 1]! + ends[i + 3]! - ends[j + 1]! - ends[j + 3]!) +
      highA +
      highB +
      Math.abs(highA - highB);
    return Math.sqrt(dx * dx + dy * dy) / 2;
  }

  private addEdge(measured: number): void {
    const { ends } = this;
    const i = measured * 4;
    this.sets.add(ends[i]!, ends[i + 1]!, ends[i + 2]!, ends[i + 3]!);
  }
}
