import { squaredPointSegment } from '../geo/distance.ts';
import { EdgeSets } from './edge_sets.ts';
import type { FeatureLayer } from './feature_layer.ts';
import { squaredAcrossRun, squaredToRun } from './layer_edges.ts';
import type { Surrounded } from './near_edges.ts';

const doubled = (list: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
};

/**
 * The features within the radius around a group of subjects: those that all of them have there, and those in doubt, with the
 * edges that decide. Reused from group to group.
 */
export class FeaturesWithin {
  /** Number of features that every subject of the group has within the radius. */
  sure = 0;
  /** Features in doubt: the first `count`. */
  doubtful = new Int32Array(64);
  count = 0;
  /** Distance of each feature in doubt from the middle of the group, metres. */
  distance_m = new Float64Array(64);
  /** Edges of each feature in doubt that decide; the nearest to the middle first. */
  readonly sets = new EdgeSets();
  private readonly layer: FeatureLayer;
  private readonly stamp: Int32Array;
  private readonly sureStamp: Int32Array;
  private token = 0;
  /** Runs in doubt, each with the index of the one before it of the same feature; -1: none. */
  private runs = new Int32Array(256);
  private before = new Int32Array(256);
  private runCount = 0;
  /** Features that have runs in doubt: the first `touchedCount`. By feature: its last run's index, and the run that is nearest by its furthest corner. */
  private touched = new Int32Array(64);
  private touchedCount = 0;
  private readonly touchedStamp: Int32Array;
  private readonly last: Int32Array;
  private readonly bestRun: Int32Array;
  private readonly bestAcross: Float64Array;
  /** Ends (x0, y0, x1, y1) of parts of one feature and their distances from the middle: the first `measured`; the nearest, its run and its distance. */
  private ends = new Float64Array(1024);
  private measured_m = new Float64Array(256);
  private measured = 0;
  private nearest = -1;
  private nearestRun = -1;
  private least_m = Infinity;

  constructor(layer: FeatureLayer) {
    this.layer = layer;
    this.stamp = new Int32Array(layer.edges.piece.length);
    this.sureStamp = new Int32Array(layer.features).fill(-1);
    this.touchedStamp = new Int32Array(layer.features).fill(-1);
    this.last = new Int32Array(layer.features);
    this.bestRun = new Int32Array(layer.features);
    this.bestAcross = new Float64Array(layer.features);
  }

  /** True where the feature is counted in `sure`. */
  isSure(feature: number): boolean {
    return this.sureStamp[feature] === this.token;
  }

  gather(group: Surrounded, within_m: number): void {
    this.token++;
    this.sure = 0;
    this.count = 0;
    this.runCount = 0;
    this.touchedCount = 0;
    const { grid } = this.layer;
    const { col, row } = group;
    const least = (within_m + group.reach_m) / (1 - grid.slack);
    const out = Math.floor(least / grid.height_min_m + 0.5);
    const first = Math.max(0, row - out);
    const last = Math.min(grid.rows - 1, row + out);
    for (let r = first; r <= last; r++) {
      const inner = this.innerCols(group, within_m, r);
      if (inner >= 0) this.takeRow(r, col - inner, col + inner);
    }
    if (this.innerCols(group, within_m, row) >= 0) this.takeCover(col, row);
    for (let r = first; r <= last; r++) {
      const inner = this.innerCols(group, within_m, r);
      const dy = Math.max(0, Math.abs(r - row) - 0.5) * grid.height_min_m;
      const outer = Math.floor(Math.sqrt(Math.max(0, least * least - dy * dy)) / grid.width_min_m + 0.5);
      if (inner < 0) this.doubtRow(r, col - outer, col + outer, group, within_m);
      else {
        this.doubtRow(r, col - outer, col - inner - 1, group, within_m);
        this.doubtRow(r, col + inner + 1, col + outer, group, within_m);
      }
    }
    this.sets.clear();
    for (let i = 0; i < this.touchedCount; i++) this.settle(this.touched[i]!, group, within_m);
  }

  /** How many columns to either side the fine cells of a row lie wholly within the radius of every anchor; -1: none. */
  private innerCols({ row, anchor_m }: Surrounded, within_m: number, r: number): number {
    const { grid } = this.layer;
    const most = (within_m - anchor_m) / (1 + grid.slack);
    const dy = (Math.abs(r - row) + 0.5) * grid.height_max_m;
    if (most <= dy) return -1;
    return Math.max(-1, Math.floor(Math.sqrt(most * most - dy * dy) / grid.width_max_m - 0.5));
  }

  private markSure(feature: number): void {
    if (this.sureStamp[feature] === this.token) return;
    this.sureStamp[feature] = this.token;
    this.sure++;
  }

  /** Everything with an edge in these fine cells of a row is within the radius. */
  private takeRow(row: number, from: number, to: number): void {
    const { edges, grid } = this.layer;
    const { run_starts, run_feature } = edges;
    const left = row * grid.cols + Math.max(0, from);
    const right = row * grid.cols + Math.min(grid.cols - 1, to);
    if (left > right) return;
    for (let k = run_starts[left]!, end = run_starts[right + 1]!; k < end; k++) {
      this.markSure(run_feature[k]!);
    }
  }

  /** What holds the centre of a fine cell wholly within the radius is within the radius. */
  private takeCover(col: number, row: number): void {
    const { cover, featureOf, grid } = this.layer;
    if (col < 0 || row < 0 || col >= grid.cols || row >= grid.rows) return;
    const cell = row * grid.cols + col;
    for (let k = cover.starts[cell]!, end = cover.starts[cell + 1]!; k < end; k++) {
      this.markSure(featureOf[cover.pieces[k]!]!);
    }
  }

  /** Lists the runs in fine cells of a row that the radius may or may not reach; those near enough by their box are sure. */
  private doubtRow(row: number, from: number, to: number, group: Surrounded, within_m: number): void {
    const { edges, grid } = this.layer;
    const { run_starts, run_feature } = edges;
    const left = row * grid.cols + Math.max(0, from);
    const right = row * grid.cols + Math.min(grid.cols - 1, to);
    if (left > right) return;
    const most = Math.max(0, within_m - group.anchor_m) ** 2;
    const least = (within_m + group.reach_m) ** 2;
    for (let run = run_starts[left]!, end = run_starts[right + 1]!; run < end; run++) {
      const feature = run_feature[run]!;
      if (this.sureStamp[feature] === this.token) continue;
      const across = squaredAcrossRun(edges, run, group.x, group.y);
      if (across < most) this.markSure(feature);
      else if (squaredToRun(edges, run, group.x, group.y) <= least) this.addRun(run, feature, across);
    }
  }

  private addRun(run: number, feature: number, across: number): void {
    if (this.runCount === this.runs.length) {
      this.runs = doubled(this.runs);
      this.before = doubled(this.before);
    }
    const isNew = this.touchedStamp[feature] !== this.token;
    if (isNew) {
      this.touchedStamp[feature] = this.token;
      if (this.touchedCount === this.touched.length) this.touched = doubled(this.touched);
      this.touched[this.touchedCount++] = feature;
    }
    this.runs[this.runCount] = run;
    this.before[this.runCount] = isNew ? -1 : this.last[feature]!;
    this.last[feature] = this.runCount++;
    if (!isNew && this.bestAcross[feature]! <= across) return;
    this.bestAcross[feature] = across;
    this.bestRun[feature] = run;
  }

  /** Finds out whether a feature is near all subjects, near none, or in doubt, and then by which edges. */
  private settle(feature: number, group: Surrounded, within_m: number): void {
    if (this.sureStamp[feature] === this.token) return;
    this.measured = 0;
    this.nearest = -1;
    this.least_m = Infinity;
    // the run that is nearest by its box first: what it holds spares most of the others
    const first = this.bestRun[feature]!;
    this.nearestRun = first;
    let isSure = this.measureRun(first, group, within_m);
    for (let i = this.last[feature]!; i >= 0 && !isSure; i = this.before[i]!) {
      const run = this.runs[i]!;
      if (run !== first && this.mayBeNearest(run, group)) isSure = this.measureRun(run, group, within_m);
    }
    if (isSure) this.markSure(feature);
    else if (this.measured > 0) this.addDoubtful(feature, group);
  }

  /**
   * Whether a run may hold the nearest edge of the feature for some subject. Between the middle and a subject it gains on
   * another run by no more than the way times the angle under which both are seen apart.
   */
  private mayBeNearest(run: number, { x, y, anchor_m, reach_m }: Surrounded): boolean {
    const { edges } = this.layer;
    const nearer = this.least_m;
    const behind = Math.sqrt(squaredToRun(edges, run, x, y)) - nearer;
    if (behind <= 0) return true;
    const way = Math.max(anchor_m, reach_m);
    if (nearer <= 2 * way) return behind <= anchor_m + reach_m;
    const { run_boxes: b } = edges;
    const i = run * 4;
    const j = this.nearestRun * 4;
    const dx = Math.max(b[i + 2]!, b[j + 2]!) - Math.min(b[i]!, b[j]!);
    const dy = Math.max(b[i + 3]!, b[j + 3]!) - Math.min(b[i + 1]!, b[j + 1]!);
    return behind * (nearer - way) <= way * Math.sqrt(dx * dx + dy * dy);
  }

  /** Measures the parts of a run; true where one is within the radius of every subject. */
  private measureRun(run: number, { x, y, anchor_m, reach_m }: Surrounded, within_m: number): boolean {
    const { run_parts, parts, xy } = this.layer.edges;
    const furthest2 = (Math.min(within_m, this.least_m + anchor_m) + reach_m + 1e-6) ** 2;
    for (let k = run_parts[run]!, last = run_parts[run + 1]!; k < last; k++) {
      const part = parts[k]!;
      if (this.stamp[part] === this.token) continue;
      this.stamp[part] = this.token;
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
        this.nearestRun = run;
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
   * Takes a feature in doubt with those of its edges that may be the nearest of a subject. Between the middle and a subject an
   * edge gains on the nearest one by no more than the way times the angle under which both are seen apart.
   */
  private addDoubtful(feature: number, { anchor_m, reach_m }: Surrounded): void {
    if (this.count === this.doubtful.length) this.growDoubtful();
    const { measured_m, nearest, least_m } = this;
    const n = this.count++;
    this.doubtful[n] = feature;
    this.distance_m[n] = least_m;
    const way = Math.max(anchor_m, reach_m);
    const isFar = least_m > 2 * way;
    this.addEdge(nearest);
    for (let i = 0; i < this.measured; i++) {
      const behind = measured_m[i]! - least_m;
      if (i === nearest || behind > anchor_m + reach_m) continue;
      if (isFar && behind * (least_m - way) > way * this.span(i, nearest)) continue;
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

  /** Length that no way from a point of one part measured to a point of another exceeds: the diagonal of the box around both. */
  private span(a: number, b: number): number {
    const { ends } = this;
    const i = a * 4;
    const j = b * 4;
    const dx =
      Math.max(ends[i]!, ends[i + 2]!, ends[j]!, ends[j + 2]!) -
      Math.min(ends[i]!, ends[i + 2]!, ends[j]!, ends[j + 2]!);
    const dy =
      Math.max(ends[i + 1]!, ends[i + 3]!, ends[j + 1]!, ends[j + 3]!) -
      Math.min(ends[i + 1]!, ends[i + 3]!, ends[j + 1]!, ends[j + 3]!);
    return Math.sqrt(dx * dx + dy * dy);
  }

  private addEdge(measured: number): void {
    const { ends } = this;
    const i = measured * 4;
    this.sets.add(ends[i]!, ends[i + 1]!, ends[i + 2]!, ends[i + 3]!);
  }
}
