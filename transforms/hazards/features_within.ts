import type { FeatureLayer } from './feature_layer.ts';
import { squaredAcrossRun, squaredToRun } from './layer_edges.ts';
import type { Surrounded } from './near_edges.ts';

/** Numbers in a list of doubtful edges for each: x, y of its start, its x and y extent, and one over its squared length (0: a point). */
export const EDGE_FIELDS = 5;

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
  /** Edges of the i-th feature in doubt: from first_edge[i] up to first_edge[i + 1], exclusive. */
  first_edge = new Int32Array(65);
  edges = new Float64Array(256 * EDGE_FIELDS);
  private readonly layer: FeatureLayer;
  private readonly stamp: Int32Array;
  private readonly sureStamp: Int32Array;
  private token = 0;
  /** Parts measured and their distances from the middle: the first `measured`. */
  private parts = new Int32Array(256);
  private measured_m = new Float64Array(256);
  private measured = 0;
  /** The parts measured of each feature: the last one's index, and before each the one before; -1: none. */
  private readonly last: Int32Array;
  private next = new Int32Array(256);
  private readonly doubtStamp: Int32Array;
  /** Runs in doubt, and of each feature the nearest run: by the square of its furthest corner's distance, then by what it holds. */
  private runs = new Int32Array(256);
  private runCount = 0;
  private readonly bestStamp: Int32Array;
  private readonly bestRun: Int32Array;
  private readonly bestAcross: Float64Array;
  /** Distance of the nearest part measured of each feature. */
  private readonly least_m: Float64Array;

  constructor(layer: FeatureLayer) {
    this.layer = layer;
    this.stamp = new Int32Array(layer.edges.piece.length).fill(-1);
    this.sureStamp = new Int32Array(layer.features).fill(-1);
    this.doubtStamp = new Int32Array(layer.features).fill(-1);
    this.last = new Int32Array(layer.features);
    this.bestStamp = new Int32Array(layer.features).fill(-1);
    this.bestRun = new Int32Array(layer.features);
    this.bestAcross = new Float64Array(layer.features);
    this.least_m = new Float64Array(layer.features);
  }

  /** True where the feature is counted in `sure`. */
  isSure(feature: number): boolean {
    return this.sureStamp[feature] === this.token;
  }

  gather(group: Surrounded, within_m: number): void {
    this.token++;
    this.sure = 0;
    this.measured = 0;
    this.runCount = 0;
    const { grid, edges } = this.layer;
    const { run_feature } = edges;
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
    // the run that is nearest by its box first: what it holds spares most of the others
    for (let i = 0; i < this.runCount; i++) {
      const run = this.runs[i]!;
      if (this.bestRun[run_feature[run]!] === run) this.measureRun(run, group, within_m);
    }
    for (let i = 0; i < this.runCount; i++) {
      const run = this.runs[i]!;
      if (this.mayBeNearest(run, group)) this.measureRun(run, group, within_m);
    }
    this.listDoubtful(group);
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
      const larger = new Int32Array(this.runCount * 2);
      larger.set(this.runs);
      this.runs = larger;
    }
    this.runs[this.runCount++] = run;
    if (this.bestStamp[feature] === this.token && this.bestAcross[feature]! <= across) return;
    this.bestStamp[feature] = this.token;
    this.bestAcross[feature] = across;
    this.bestRun[feature] = run;
    this.least_m[feature] = Infinity;
  }

  /**
   * Whether a run may hold the nearest edge of a feature in doubt for some subject. Between the middle and a subject it gains on
   * another run by no more than the way times the angle under which both are seen apart.
   */
  private mayBeNearest(run: number, { x, y, anchor_m, reach_m }: Surrounded): boolean {
    const { edges } = this.layer;
    const feature = edges.run_feature[run]!;
    if (this.sureStamp[feature] === this.token) return false;
    const best = this.bestRun[feature]!;
    if (best === run) return false;
    const least = Math.sqrt(squaredToRun(edges, run, x, y));
    const behind = least - this.least_m[feature]!;
    if (behind <= 0) return true;
    const way = Math.max(anchor_m, reach_m);
    const nearer = this.least_m[feature]!;
    if (nearer <= 2 * way) return behind <= anchor_m + reach_m;
    const { run_boxes: b } = edges;
    const i = run * 4;
    const j = best * 4;
    const dx = Math.max(b[i + 2]!, b[j + 2]!) - Math.min(b[i]!, b[j]!);
    const dy = Math.max(b[i + 3]!, b[j + 3]!) - Math.min(b[i + 1]!, b[j + 1]!);
    return behind * (nearer - way) <= way * Math.sqrt(dx * dx + dy * dy);
  }

  private measureRun(run: number, group: Surrounded, within_m: number): void {
    const { run_parts, run_feature, parts } = this.layer.edges;
    const feature = run_feature[run]!;
    for (let k = run_parts[run]!, last = run_parts[run + 1]!; k < last; k++) {
      const part = parts[k]!;
      if (this.stamp[part] === this.token) continue;
      this.stamp[part] = this.token;
      const distance = this.distanceTo(part, group.x, group.y);
      if (distance + group.anchor_m <= within_m) {
        this.markSure(feature);
        return;
      }
      if (distance < this.least_m[feature]!) {
        this.least_m[feature] = distance;
        this.bestRun[feature] = run;
      }
      if (distance - group.reach_m <= within_m) this.push(part, distance);
    }
  }

  private distanceTo(part: number, x: number, y: number): number {
    const { xy } = this.layer.edges;
    const i = part * 4;
    const dx = xy[i + 2]! - xy[i]!;
    const dy = xy[i + 3]! - xy[i + 1]!;
    const mx = x - xy[i]!;
    const my = y - xy[i + 1]!;
    const length2 = dx * dx + dy * dy;
    let t = length2 > 0 ? (mx * dx + my * dy) / length2 : 0;
    if (t < 0) t = 0;
    else if (t > 1) t = 1;
    const ex = mx - t * dx;
    const ey = my - t * dy;
    return Math.sqrt(ex * ex + ey * ey);
  }

  private push(part: number, distance: number): void {
    if (this.measured === this.parts.length) {
      const larger = new Int32Array(this.measured * 2);
      larger.set(this.parts);
      this.parts = larger;
      const distances = new Float64Array(this.measured * 2);
      distances.set(this.measured_m);
      this.measured_m = distances;
    }
    this.parts[this.measured] = part;
    this.measured_m[this.measured++] = distance;
  }

  /** Lists the features measured that did not prove sure, with those of their edges that may be the nearest of a subject. */
  private listDoubtful(group: Surrounded): void {
    const { edges, featureOf } = this.layer;
    this.count = 0;
    if (this.next.length < this.measured) this.next = new Int32Array(this.parts.length);
    for (let i = 0; i < this.measured; i++) {
      const feature = featureOf[edges.piece[this.parts[i]!]!]!;
      if (this.sureStamp[feature] === this.token) continue;
      if (this.doubtStamp[feature] !== this.token) {
        this.doubtStamp[feature] = this.token;
        this.last[feature] = -1;
        this.addDoubtful(feature);
      }
      this.next[i] = this.last[feature]!;
      this.last[feature] = i;
    }
    let used = 0;
    for (let n = 0; n < this.count; n++) {
      this.first_edge[n] = used;
      used = this.takeEdges(n, used, group);
    }
    this.first_edge[this.count] = used;
  }

  private addDoubtful(feature: number): void {
    if (this.count === this.doubtful.length) {
      const larger = new Int32Array(this.count * 2);
      larger.set(this.doubtful);
      this.doubtful = larger;
      this.distance_m = new Float64Array(this.count * 2);
      this.first_edge = new Int32Array(this.count * 2 + 1);
    }
    this.doubtful[this.count++] = feature;
  }

  /**
   * Takes the edges of the n-th feature in doubt that may be the nearest of a subject. Between the middle and a subject an edge
   * gains on the nearest one by no more than the way times the angle under which both are seen apart.
   */
  private takeEdges(n: number, used: number, { anchor_m, reach_m }: Surrounded): number {
    let nearest = -1;
    for (let i = this.last[this.doubtful[n]!]!; i >= 0; i = this.next[i]!) {
      if (nearest < 0 || this.measured_m[i]! < this.measured_m[nearest]!) nearest = i;
    }
    const least = this.measured_m[nearest]!;
    this.distance_m[n] = least;
    const way = Math.max(anchor_m, reach_m);
    let at = used;
    for (let i = this.last[this.doubtful[n]!]!; i >= 0; i = this.next[i]!) {
      const behind = this.measured_m[i]! - least;
      if (behind > anchor_m + reach_m) continue;
      const isFar = least > 2 * way;
      if (isFar && behind > (way * this.span(this.parts[i]!, this.parts[nearest]!)) / (least - way)) continue;
      this.addEdge(at++, this.parts[i]!);
    }
    return at;
  }

  /** Length that no way from a point of one part to a point of another exceeds: the diagonal of the box around both. */
  private span(a: number, b: number): number {
    const { xy } = this.layer.edges;
    const i = a * 4;
    const j = b * 4;
    const dx =
      Math.max(xy[i]!, xy[i + 2]!, xy[j]!, xy[j + 2]!) - Math.min(xy[i]!, xy[i + 2]!, xy[j]!, xy[j + 2]!);
    const dy =
      Math.max(xy[i + 1]!, xy[i + 3]!, xy[j + 1]!, xy[j + 3]!) -
      Math.min(xy[i + 1]!, xy[i + 3]!, xy[j + 1]!, xy[j + 3]!);
    return Math.sqrt(dx * dx + dy * dy);
  }

  private addEdge(at: number, part: number): void {
    const { xy } = this.layer.edges;
    if ((at + 1) * EDGE_FIELDS > this.edges.length) {
      const larger = new Float64Array(this.edges.length * 2);
      larger.set(this.edges);
      this.edges = larger;
    }
    const from = part * 4;
    const to = at * EDGE_FIELDS;
    const dx = xy[from + 2]! - xy[from]!;
    const dy = xy[from + 3]! - xy[from + 1]!;
    const length2 = dx * dx + dy * dy;
    this.edges[to] = xy[from]!;
    this.edges[to + 1] = xy[from + 1]!;
    this.edges[to + 2] = dx;
    this.edges[to + 3] = dy;
    this.edges[to + 4] = length2 > 0 ? 1 / length2 : 0;
  }

  /** Square of the distance from a point to the nearest edge of the i-th feature in doubt; may stop once it is at most `enough`. */
  squaredDistance(i: number, x: number, y: number, enough: number): number {
    const { edges } = this;
    let nearest = Infinity;
    for (
      let k = this.first_edge[i]! * EDGE_FIELDS, end = this.first_edge[i + 1]! * EDGE_FIELDS;
      k < end;
      k += EDGE_FIELDS
    ) {
      const mx = x - edges[k]!;
      const my = y - edges[k + 1]!;
      const dx = edges[k + 2]!;
      const dy = edges[k + 3]!;
      let t = (mx * dx + my * dy) * edges[k + 4]!;
      if (t < 0) t = 0;
      else if (t > 1) t = 1;
      const ex = mx - t * dx;
      const ey = my - t * dy;
      const d = ex * ex + ey * ey;
      if (d < nearest) {
        nearest = d;
        if (d <= enough) return d;
      }
    }
    return nearest;
  }
}
