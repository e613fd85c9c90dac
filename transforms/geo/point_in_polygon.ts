import type { MultiPolygon } from './geometry.ts';

/**
 * Returns the parity of the crossings of a ray from (x, y) to the east with the ring of vertices `from` to `to` (exclusive,
 * closed). Every edge is evaluated from its lower end, so both polygons at an edge get the same result.
 */
export function ringParity(x: number, y: number, coords: Float64Array, from: number, to: number): 0 | 1 {
  let parity: 0 | 1 = 0;
  let ax = coords[from * 2]!;
  let ay = coords[from * 2 + 1]!;
  for (let i = from * 2 + 2, end = to * 2; i < end; i += 2) {
    const bx = coords[i]!;
    const by = coords[i + 1]!;
    if (ay > y !== by > y && (ax > x || bx > x)) {
      const up = by > ay;
      const lx = up ? ax : bx;
      const ly = up ? ay : by;
      const hx = up ? bx : ax;
      const hy = up ? by : ay;
      if ((ax > x && bx > x) || (x - lx) * (hy - ly) < (hx - lx) * (y - ly)) parity ^= 1;
    }
    ax = bx;
    ay = by;
  }
  return parity as 0 | 1;
}

/**
 * Returns whether a point is in the multipolygon by the even-odd rule over all its rings. NaN: false.
 * Boundary: half-open. Of two polygons that share an edge with the same end points, exactly one contains each point of that edge,
 * including its end points. A west or south edge belongs to the polygon, an east or north edge does not.
 */
export function pointInMultiPolygon(x: number, y: number, g: MultiPolygon): boolean {
  let parity = 0;
  let from = 0;
  for (const end of g.ringEnds) {
    parity ^= ringParity(x, y, g.coords, from, end);
    from = end;
  }
  return parity === 1;
}
