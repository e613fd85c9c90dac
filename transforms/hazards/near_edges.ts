import { pointSegmentDistance } from '../geo/distance.ts';
import { sortByDistance } from '../geo/sort_pairs.ts';
import type { FeatureLayer } from './feature_layer.ts';
import { squaredAcrossRun, squaredToRun } from './layer_edges.ts';

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

/** The parts of edges that may be the nearest of one of a group of subjects, nearest first. Reused from group to group. */
export class NearEdges {
  parts = new Int32Array(256);
  distance_m = new Float64Array(256);
  count = 0;
  private readonly layer: FeatureLayer;
  private readonly stamp: Int32Array;
  private token = 0;
  /** Distance from the middle beyond which nothing matters, and how far beyond the nearest edge something may matter. */
  private limit_m = 0;
  private spread_m = 0;

  constructor(layer: FeatureLayer) {
    this.layer = layer;
    this.stamp = new Int32Array(layer.edges.piece.length).fill(-1);
  }

  /** Distance on the plane from a point to a part of an edge. */
  distanceTo(part: number, x: number, y: number): number {
    const { xy } = this.layer.edges;
    const i = part * 4;
    return pointSegmentDistance(x, y, xy[i]!, xy[i + 1]!, xy[i + 2]!, xy[i + 3]!);
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
    this.sort(this.limit_m);
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
    const { run_starts, run_parts, run_piece, parts } = edges;
    for (let run = run_starts[cell]!, end = run_starts[cell + 1]!; run < end; run++) {
      if (squaredToRun(edges, run, x, y) > this.limit_m * this.limit_m) continue;
      // margins are asked for too: only a polygon ends the search
      const isBound = !isMixed || isPolygon[run_piece[run]!] === 1;
      if (isBound) {
        const across_m = Math.sqrt(squaredAcrossRun(edges, run, x, y));
        if (across_m + this.spread_m < this.limit_m) this.limit_m = across_m + this.spread_m;
      }
      for (let k = run_parts[run]!, last = run_parts[run + 1]!; k < last; k++) {
        const part = parts[k]!;
        if (this.stamp[part] === this.token) continue;
        this.stamp[part] = this.token;
        const distance = this.distanceTo(part, x, y);
        if (distance > this.limit_m) continue;
        this.push(part, distance);
        if (isBound && distance + this.spread_m < this.limit_m) this.limit_m = distance + this.spread_m;
      }
    }
  }

  private push(part: number, distance: number): void {
    if (this.count === this.parts.length) {
      const larger = new Int32Array(this.parts.length * 2);
      larger.set(this.parts);
      this.parts = larger;
      const distances = new Float64Array(larger.length);
      distances.set(this.distance_m);
      this.distance_m = distances;
    }
    this.parts[this.count] = part;
    this.distance_m[this.count++] = distance;
  }

  /** Keeps what lies within the limit, nearest first. */
  private sort(limit: number): void {
    const { parts, distance_m } = this;
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      if (distance_m[i]! > limit) continue;
      parts[n] = parts[i]!;
      distance_m[n++] = distance_m[i]!;
    }
    this.count = n;
    sortByDistance(parts, distance_m, n);
  }
}
