import { squaredPointSegment } from '../geo/distance.ts';
import { squaredAcrossBox, squaredTwiceToBox } from './boxes.ts';
import type { FeatureLayer } from './feature_layer.ts';

/** Maximum difference of tied distances, metres; the lowest feature number wins. */
export const TIE_M = 0.001;

/**
 * Location of a group of subjects: a fine cell (perhaps outside the grid), a point of the plane near all of them, and their extent.
 * A subject's anchor is one of its points. `anchor_m`: distance of the farthest anchor; `reach_m`: distance of the farthest point
 * of any subject.
 */
export interface Surrounded {
  col: number;
  row: number;
  x: number;
  y: number;
  anchor_m: number;
  reach_m: number;
}

/** Returns a group without members around the centre of a fine cell. */
export function groupAround({ grid, plane }: FeatureLayer, col: number, row: number): Surrounded {
  const lon = grid.west + (col + 0.5) * grid.step_deg;
  const lat = grid.south + (row + 0.5) * grid.step_deg;
  return { col, row, x: plane.x(lon, lat), y: plane.y(lon, lat), anchor_m: 0, reach_m: 0 };
}

/** Number of distance steps that parts are sorted into: fine enough that a search stops where a full sort would stop it. */
const STEPS = 64;

/** Edge parts that may be nearest to one of a group of subjects, nearest first. Reused from group to group. */
export class NearEdges {
  /** Parts: the first `count`. */
  parts = new Int32Array(256);
  /** Ends of each part, x0, y0, x1, y1, contiguous. */
  ends = new Float64Array(1024);
  /** Lower bound of the distance from the centre, for this part and all later ones, metres. */
  least_m = new Float64Array(256);
  count = 0;
  private stepOf = new Uint8Array(256);
  private found = new Int32Array(256);
  private found_m = new Float64Array(256);
  private readonly starts = new Int32Array(STEPS + 1);
  private readonly layer: FeatureLayer;
  private readonly stamp: Int32Array;
  private token = 0;
  /** Maximum relevant distance from the centre, and maximum relevant distance beyond the nearest edge, metres. */
  private limit_m = 0;
  private spread_m = 0;

  constructor(layer: FeatureLayer) {
    this.layer = layer;
    this.stamp = new Int32Array(layer.edges.piece.length);
  }

  /**
   * Collects the parts that may be nearest within the radius, or at most `slack_m` farther than the nearest. Goes outwards ring by
   * ring until no ring can contain more.
   */
  gather(group: Surrounded, within_m: number, slack_m: number): void {
    const { grid } = this.layer;
    const { col, row } = group;
    this.limit_m = within_m + group.reach_m;
    this.spread_m = group.anchor_m + group.reach_m + slack_m + TIE_M;
    const step_m = Math.min(grid.width_min_m, grid.height_min_m) * (1 - grid.slack);
    const last = Math.max(col, grid.cols - 1 - col, row, grid.rows - 1 - row);
    this.token++;
    this.count = 0;
    for (let ring = this.firstRing(col, row); ring <= last; ring++) {
      if ((ring - 0.5) * step_m > this.limit_m) break;
      this.gatherRing(group, ring);
    }
    this.order(this.limit_m);
  }

  /** Returns the number of rings around a fine cell that have no edge. */
  private firstRing(col: number, row: number): number {
    const { grid, steps } = this.layer;
    const { cols, rows } = grid;
    if (col >= 0 && row >= 0 && col < cols && row < rows) return steps[row * cols + col]!;
    return Math.max(-col, col - cols + 1, -row, row - rows + 1);
  }

  /** Adds the relevant edges of one ring of fine cells. */
  private gatherRing({ col, row, x, y }: Surrounded, ring: number): void {
    const { cols, rows } = this.layer.grid;
    for (let r = Math.max(0, row - ring), last = Math.min(rows - 1, row + ring); r <= last; r++) {
      const isSide = r === row - ring || r === row + ring;
      const step = isSide || ring === 0 ? 1 : 2 * ring;
      for (let c = col - ring; c <= col + ring; c += step) {
        if (c >= 0 && c < cols) this.gatherCell(r * cols + c, x, y);
      }
    }
  }

  private gatherCell(cell: number, x: number, y: number): void {
    const { edges, isMixed, isPolygon } = this.layer;
    const { run_starts, run_parts, run_piece, run_boxes, parts, xy } = edges;
    for (let run = run_starts[cell]!, end = run_starts[cell + 1]!; run < end; run++) {
      if (squaredTwiceToBox(run_boxes, run * 4, x, y) > 4 * this.limit_m * this.limit_m) continue;
      // Margins are needed too, so in a mixed layer only a polygon reduces the limit.
      const isBound = !isMixed || isPolygon[run_piece[run]!] === 1;
      if (isBound) {
        const across_m = Math.sqrt(squaredAcrossBox(run_boxes, run * 4, x, y));
        if (across_m + this.spread_m < this.limit_m) this.limit_m = across_m + this.spread_m;
      }
      for (let k = run_parts[run]!, last = run_parts[run + 1]!; k < last; k++) {
        const part = parts[k]!;
        if (this.stamp[part] === this.token) continue;
        this.stamp[part] = this.token;
        const i = part * 4;
        const squared = squaredPointSegment(x, y, xy[i]!, xy[i + 1]!, xy[i + 2]!, xy[i + 3]!);
        if (squared > this.limit_m * this.limit_m) continue;
        const distance = Math.sqrt(squared);
        this.push(part, distance);
        if (isBound && distance + this.spread_m < this.limit_m) this.limit_m = distance + this.spread_m;
      }
    }
  }

  private push(part: number, distance: number): void {
    if (this.count === this.found.length) {
      const larger = new Int32Array(this.count * 2);
      larger.set(this.found);
      this.found = larger;
      const distances = new Float64Array(this.count * 2);
      distances.set(this.found_m);
      this.found_m = distances;
    }
    this.found[this.count] = part;
    this.found_m[this.count++] = distance;
  }

  /** Keeps the parts within the limit and sorts them by distance steps, nearest first. */
  private order(limit: number): void {
    const { found, found_m, starts } = this;
    let n = 0;
    let low = Infinity;
    let high = 0;
    for (let i = 0; i < this.count; i++) {
      const distance = found_m[i]!;
      if (distance > limit) continue;
      found[n] = found[i]!;
      found_m[n++] = distance;
      if (distance < low) low = distance;
      if (distance > high) high = distance;
    }
    this.count = n;
    if (n === 0) return;
    if (this.parts.length < n) {
      this.parts = new Int32Array(found.length);
      this.least_m = new Float64Array(found.length);
      this.ends = new Float64Array(found.length * 4);
      this.stepOf = new Uint8Array(found.length);
    }
    const per = high > low ? (STEPS * (1 - 1e-9)) / (high - low) : 0;
    const { stepOf } = this;
    starts.fill(0);
    for (let i = 0; i < n; i++) {
      const step = ((found_m[i]! - low) * per) | 0;
      stepOf[i] = step;
      starts[step + 1]!++;
    }
    for (let k = 1; k <= STEPS; k++) starts[k]! += starts[k - 1]!;
    const { parts, least_m, ends } = this;
    const { xy } = this.layer.edges;
    for (let i = 0; i < n; i++) {
      const at = starts[stepOf[i]!]!++;
      const part = found[i]!;
      parts[at] = part;
      least_m[at] = found_m[i]!;
      ends[at * 4] = xy[part * 4]!;
      ends[at * 4 + 1] = xy[part * 4 + 1]!;
      ends[at * 4 + 2] = xy[part * 4 + 2]!;
      ends[at * 4 + 3] = xy[part * 4 + 3]!;
    }
    for (let k = n - 2; k >= 0; k--) if (least_m[k + 1]! < least_m[k]!) least_m[k] = least_m[k + 1]!;
  }
}
