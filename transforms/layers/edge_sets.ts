import { squaredTwiceBetween, writeBox } from './boxes.ts';

/** Numbers per edge: x, y of its start, its x and y extent, and one over its squared length (0: a point). */
export const EDGE_FIELDS = 5;

/** Minimum ratio of the squared gap between boxes to the squared radius that excludes an edge: more than rounding. */
const SURELY = 1 + 1e-9;

/** Sets of edges on a plane, each with its bounding box; in flat arrays, reused from group to group. */
export class EdgeSets {
  /** Edges of the i-th set: from first_edge[i] to first_edge[i + 1], exclusive; in the order in which they were added. */
  first_edge = new Int32Array(65);
  edges = new Float64Array(256 * EDGE_FIELDS);
  /** Bounding box of each set, as in boxes.ts. */
  private boxes = new Float64Array(64 * 4);
  private count = 0;
  private used = 0;

  clear(): void {
    this.count = 0;
    this.used = 0;
    this.first_edge[0] = 0;
  }

  /** Adds an edge to the open set. */
  add(x0: number, y0: number, x1: number, y1: number): void {
    const to = this.used++ * EDGE_FIELDS;
    if (to + EDGE_FIELDS > this.edges.length) {
      const larger = new Float64Array(this.edges.length * 2);
      larger.set(this.edges);
      this.edges = larger;
    }
    const { edges } = this;
    const dx = x1 - x0;
    const dy = y1 - y0;
    const length2 = dx * dx + dy * dy;
    edges[to] = x0;
    edges[to + 1] = y0;
    edges[to + 2] = dx;
    edges[to + 3] = dy;
    edges[to + 4] = length2 > 0 ? 1 / length2 : 0;
  }

  /** Closes the open set; the next edge starts another. */
  close(): void {
    const n = this.count++;
    if (this.count * 4 > this.boxes.length) this.grow();
    this.first_edge[this.count] = this.used;
    const { edges, boxes } = this;
    let minX = Infinity;
    let minY = Infinity;
    let maxX = -Infinity;
    let maxY = -Infinity;
    for (let k = this.first_edge[n]! * EDGE_FIELDS; k < this.used * EDGE_FIELDS; k += EDGE_FIELDS) {
      const dx = edges[k + 2]!;
      const dy = edges[k + 3]!;
      // Centre and half extents: no branch depends on the edge's direction.
      const x = edges[k]! + dx / 2;
      const y = edges[k + 1]! + dy / 2;
      const half_x = Math.abs(dx) / 2;
      const half_y = Math.abs(dy) / 2;
      if (x - half_x < minX) minX = x - half_x;
      if (x + half_x > maxX) maxX = x + half_x;
      if (y - half_y < minY) minY = y - half_y;
      if (y + half_y > maxY) maxY = y + half_y;
    }
    writeBox(boxes, n * 4, minX, minY, maxX, maxY);
  }

  private grow(): void {
    const boxes = new Float64Array(this.boxes.length * 2);
    boxes.set(this.boxes);
    this.boxes = boxes;
    const first = new Int32Array(boxes.length / 4 + 1);
    first.set(this.first_edge);
    this.first_edge = first;
  }

  /**
   * Returns whether the boxes alone prove that no edge of the i-th set is within a distance of a box. The box is given by its
   * centre x, y and half extents.
   */
  // Numbers, not an object: an object would be allocated for each call of the inner loop.
  isBeyond(i: number, x: number, y: number, half_x: number, half_y: number, limit_m: number): boolean {
    return squaredTwiceBetween(this.boxes, i * 4, x, y, half_x, half_y) > 4 * limit_m * limit_m * SURELY;
  }

  /** Returns the squared distance from a point to the nearest edge of the i-th set; may stop once it is at most `enough`. */
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
