import { squaredPointSegment } from '../geo/distance.ts';
import { squaredAcrossBox, squaredTwiceToBox } from './boxes.ts';
import type { FeatureLayer } from './feature_layer.ts';

/** Distances that differ by less than this, metres, are a tie; it goes to the feature of the lowest number. */
export const TIE_M = 0.001;

/**
 * Where a group of subjects is: a fine cell (perhaps outside the grid), a point of the plane near them all, and how far they
 * reach. The anchor of a subject is one point of it; `anchor_m` is the distance of the furthest anchor, `reach_m` that of the
 * furthest point of any of them.
 */
export interface Surrounded {
  col: number;
  row: number;
  x: number;
  y: number;
  anchor_m: number;
  reach_m: number;
}

/** A group around the middle of a fine cell, of which no member is known yet. */
export function groupAround({ grid, plane }: FeatureLayer, col: number, row: number): Surrounded {
  const lon = grid.west + (col + 0.5) * grid.step_deg;
  const lat = grid.south + (row + 0.5) * grid.step_deg;
  return { col, row, x: plane.x(lon, lat), y: plane.y(lon, lat), anchor_m: 0, reach_m: 0 };
}

/** Steps of distance by which parts are put in order: fine enough that a search stops where a full order would stop it. */
const STEPS = 64;

/** The parts of edges that may be the nearest of one of a group of subjects, the nearer ones first. Reused from group to group. */
export class NearEdges {
  /** The parts: the first `count`. */
  parts = new Int32Array(256);
  /** Ends of each, x0, y0, x1, y1, one part after the other in memory. */
  ends = new Float64Array(1024);
  /** Neither a part nor any after it is nearer to the middle, metres. */
  least_m = new Float64Array(256);
  count = 0;
  private stepOf = new Uint8Array(256);
  private found = new Int32Array(256);
  private found_m = new Float64Array(256);
  private readonly starts = new Int32Array(STEPS + 1);
  private readonly layer: FeatureLayer;
  private readonly stamp: Int32Array;
  private token = 0;
  /** Distance from the middle beyond which nothing matters, and how far beyond the nearest edge something may matter. */
  private limit_m = 0;
  private spread_m = 0;

  constructor(layer: FeatureLayer) {
    this.layer = layer;
    this.stamp = new Int32Array(layer.edges.piece.length);
  }

  /**
   * Takes what may be nearest within the radius, or no more than `slack_m` further off than the nearest:
   * ring by ring outwards until no ring can hold more of it.
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

  /** Number of rings around a fine cell that are known to hold no edge. */
  private firstRing(col: number, row: number): number {
    const { grid, steps } = this.layer;
    const { cols, rows } = grid;
    if (col >= 0 && row >= 0 && col < cols && row < rows) return steps[row * cols + col]!;
    return Math.max(-col, col - cols + 1, -row, row - rows + 1);
  }

  /** Adds the edges of one ring of fine cells, as far as they matter. */
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
      // margins are asked for too: only a polygon ends the search
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

  /** Keeps what lies within the limit and lays it out by steps of distance, the nearer ones first. */
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
