import Flatbush from 'flatbush';
import { type EdgeBands, edgeBands } from './edge_bands.ts';
import { bboxOf, joinPolygons, type MultiPolygon } from './geometry.ts';
import { ringParity } from './point_in_polygon.ts';
import { nearEdge, TOUCH_DEG } from './ring_contacts.ts';

/**
 * Returns the signed area in the plane of the coordinates (square degrees), positive for counter-clockwise; computed relative to
 * the first vertex.
 */
export function planarArea(ring: Float64Array): number {
  const x0 = ring[0]!;
  const y0 = ring[1]!;
  let sum = 0;
  let px = 0;
  let py = 0;
  for (let i = 2; i < ring.length; i += 2) {
    const qx = ring[i]! - x0;
    const qy = ring[i + 1]! - y0;
    sum += px * qy - qx * py;
    px = qx;
    py = qy;
  }
  return sum / 2;
}

/** Minimum area of a ring that encloses something, square degrees (about 1 cm²). */
export const ZERO_AREA = 1e-14;

/** Returns whether a ring encloses something. */
export const isArea = (ring: Float64Array): boolean => Math.abs(planarArea(ring)) >= ZERO_AREA;

/** Position of a point relative to a ring; `on`: within TOUCH_DEG of the ring. */
type Spot = 'inside' | 'outside' | 'on';
type Locate = (x: number, y: number) => Spot;

/** Number of lookups by testing all edges before an index is worth its cost, and minimum vertices for an index. */
const WALKS = 8;
const LARGE = 256;

/** Returns a function that locates points relative to one ring; a large ring with many lookups first sorts its edges into bands. */
function locator(ring: Float64Array): Locate {
  const n = ring.length / 2;
  let tests = 0;
  let bands: EdgeBands | null = null;
  const isNear = (edge: number, x: number, y: number): boolean => {
    const ay = ring[edge * 2 + 1]!;
    const by = ring[edge * 2 + 3]!;
    if (Math.max(ay, by) + TOUCH_DEG < y || Math.min(ay, by) - TOUCH_DEG > y) return false;
    return nearEdge(ring, edge, x, y);
  };
  const walk: Locate = (x, y) => {
    for (let edge = 0; edge < n - 1; edge++) if (isNear(edge, x, y)) return 'on';
    return ringParity(x, y, ring, 0, n) ? 'inside' : 'outside';
  };
  const lookUp = ({ bbox, perUnit, starts, edges }: EdgeBands, x: number, y: number): Spot => {
    if (y < bbox[1] - TOUCH_DEG || y > bbox[3] + TOUCH_DEG) return 'outside';
    const band = (at: number): number =>
      Math.max(0, Math.min(starts.length - 2, Math.floor((at - bbox[1]) * perUnit)));
    let parity = 0;
    const ownBand = band(y);
    for (let k = band(y - TOUCH_DEG), last = band(y + TOUCH_DEG); k <= last; k++) {
      for (let e = starts[k]!; e < starts[k + 1]!; e++) {
        if (isNear(edges[e]!, x, y)) return 'on';
        // One edge is a ring of two vertices.
        if (k === ownBand) parity ^= ringParity(x, y, ring, edges[e]!, edges[e]! + 2);
      }
    }
    return parity === 1 ? 'inside' : 'outside';
  };
  return (x, y) => {
    if (n < LARGE || ++tests <= WALKS) return walk(x, y);
    bands ??= edgeBands({ coords: ring, ringEnds: [n], polygonEnds: [1] });
    return lookUp(bands, x, y);
  };
}

/**
 * Returns the position of a ring relative to one that it does not cross. The first vertex off that ring decides, else the first
 * edge midpoint off it.
 */
function placeOf(ring: Float64Array, locate: Locate): 'inside' | 'outside' | 'same' {
  for (const share of [0, 0.5]) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const x = ring[i]! + share * (ring[i + 2]! - ring[i]!);
      const y = ring[i + 1]! + share * (ring[i + 3]! - ring[i + 1]!);
      const spot = locate(x, y);
      if (spot !== 'on') return spot;
    }
  }
  return 'same';
}

/** A shell with its holes, as ring numbers. */
export interface NestedShell {
  shell: number;
  holes: number[];
}

/** Nesting of rings, and conflicts with their winding. */
export interface Nesting {
  nests: NestedShell[];
  /** A ring wound like a hole is in no shell and is a shell. */
  orphanHole: boolean;
  /** A ring wound like a shell is inside a shell and is its hole. */
  woundHole: boolean;
  /** A ring was delivered more than once. */
  duplicate: boolean;
}

/** Returns, for every ring, the larger rings that contain it, smallest last. Null: the ring repeats a larger or earlier one. */
function containers(rings: readonly Float64Array[], areas: readonly number[]): (number[] | null)[] {
  const order = rings.map((_, i) => i).sort((a, b) => Math.abs(areas[b]!) - Math.abs(areas[a]!) || a - b);
  const rank = new Int32Array(rings.length);
  order.forEach((ring, i) => {
    rank[ring] = i;
  });
  const index = new Flatbush(rings.length);
  for (const ring of rings) index.add(...(bboxOf(ring) as [number, number, number, number]));
  index.finish();
  const result: (number[] | null)[] = rings.map(() => []);
  const locators = new Map<number, Locate>();
  for (const i of order) {
    const [minX, minY, maxX, maxY] = bboxOf(rings[i]!);
    const larger = index
      .search(minX, minY, maxX, maxY, (j) => rank[j]! < rank[i]! && result[j] !== null)
      .sort((a, b) => rank[a]! - rank[b]!);
    for (const j of larger) {
      const locate = locators.get(j) ?? locator(rings[j]!);
      locators.set(j, locate);
      const location = placeOf(rings[i]!, locate);
      if (location === 'same') {
        result[i] = null;
        break;
      }
      if (location === 'inside') result[i]!.push(j);
    }
  }
  return result;
}

/**
 * Nests rings that do not cross, by the even-odd rule. A ring inside an even number of others is a shell; inside an odd number it
 * is a hole of the smallest that contains it. Winding only shows whether the publisher meant the same; the largest ring has the
 * winding of shells. A repeated ring is left out. Shells and holes keep their order.
 */
export function nestRings(rings: readonly Float64Array[]): Nesting {
  const nesting: Nesting = { nests: [], orphanHole: false, woundHole: false, duplicate: false };
  if (rings.length === 1) {
    nesting.nests.push({ shell: 0, holes: [] });
    return nesting;
  }
  const areas = rings.map(planarArea);
  const containersOf = containers(rings, areas);
  const largest = areas.reduce((best, area) => (Math.abs(area) > Math.abs(best) ? area : best), 0);
  const nestOf = new Map<number, NestedShell>();
  containersOf.forEach((outer, i) => {
    if (outer === null) nesting.duplicate = true;
    else if (outer.length % 2 === 0) {
      const nest = { shell: i, holes: [] };
      nestOf.set(i, nest);
      nesting.nests.push(nest);
      if (areas[i]! > 0 !== largest > 0) nesting.orphanHole = true;
    }
  });
  containersOf.forEach((outer, i) => {
    if (outer === null || outer.length % 2 === 0) return;
    // Rings that overlap along shared edges are in no chain of containers: then the smallest shell around it has the hole.
    const shell = outer.findLast((j) => nestOf.has(j));
    if (shell === undefined) nesting.nests.push({ shell: i, holes: [] });
    else nestOf.get(shell)!.holes.push(i);
    if (areas[i]! > 0 === largest > 0) nesting.woundHole = true;
  });
  return nesting;
}

export const nestedPolygons = (rings: readonly Float64Array[], nests: readonly NestedShell[]): MultiPolygon =>
  joinPolygons(nests.map(({ shell, holes }) => [shell, ...holes].map((i) => rings[i]!)));
