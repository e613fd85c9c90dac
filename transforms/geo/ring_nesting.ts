import Flatbush from 'flatbush';
import { bboxOf } from './geometry.ts';
import { ringParity } from './point_in_polygon.ts';
import { nearEdge } from './ring_contacts.ts';

/** Signed area in the plane of the coordinates (square degrees), positive for counter-clockwise; relative to the first vertex. */
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

/** Where a ring lies with respect to another that it does not cross. */
type Place = 'inside' | 'outside' | 'same';

/** Place of a ring: its first vertex, else middle of an edge, that is clear of the other ring decides. */
function placeOf(ring: Float64Array, other: Float64Array): Place {
  const vertices = other.length / 2;
  const clearOf = (x: number, y: number): boolean => {
    for (let i = 0; i < vertices - 1; i++) if (nearEdge(other, i, x, y)) return false;
    return true;
  };
  for (const share of [0, 0.5]) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const x = ring[i]! + share * (ring[i + 2]! - ring[i]!);
      const y = ring[i + 1]! + share * (ring[i + 3]! - ring[i + 1]!);
      if (clearOf(x, y)) return ringParity(x, y, other, 0, vertices) ? 'inside' : 'outside';
    }
  }
  return 'same';
}

/** A shell with its holes, as numbers of rings. */
export interface Nest {
  shell: number;
  holes: number[];
}

/** How rings nest, and what did not fit their winding. */
export interface Nesting {
  nests: Nest[];
  /** A ring wound like a hole lies in no shell and is a shell. */
  orphanHole: boolean;
  /** A ring wound like a shell lies inside a shell and is its hole. */
  woundHole: boolean;
  /** A ring was delivered more than once. */
  duplicate: boolean;
}

/** For every ring the larger rings that hold it, smallest last; null for a ring that repeats a larger or earlier one. */
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
  for (const i of order) {
    const [minX, minY, maxX, maxY] = bboxOf(rings[i]!);
    const larger = index
      .search(minX, minY, maxX, maxY, (j) => rank[j]! < rank[i]! && result[j] !== null)
      .sort((a, b) => rank[a]! - rank[b]!);
    for (const j of larger) {
      const place = placeOf(rings[i]!, rings[j]!);
      if (place === 'same') {
        result[i] = null;
        break;
      }
      if (place === 'inside') result[i]!.push(j);
    }
  }
  return result;
}

/**
 * Groups rings that do not cross by how they lie in one another: a ring in an even number of others is a shell, in an odd
 * number a hole of the smallest that holds it (the even-odd rule). Winding only tells whether the publisher meant the same;
 * the winding of the largest ring counts as that of shells. A repeated ring is left out. Shells and holes keep their order.
 */
export function nestRings(rings: readonly Float64Array[]): Nesting {
  const nesting: Nesting = { nests: [], orphanHole: false, woundHole: false, duplicate: false };
  if (rings.length === 1) {
    nesting.nests.push({ shell: 0, holes: [] });
    return nesting;
  }
  const areas = rings.map(planarArea);
  const held = containers(rings, areas);
  const largest = areas.reduce((best, area) => (Math.abs(area) > Math.abs(best) ? area : best), 0);
  const nestOf = new Map<number, Nest>();
  held.forEach((outer, i) => {
    if (outer === null) nesting.duplicate = true;
    else if (outer.length % 2 === 0) {
      const nest = { shell: i, holes: [] };
      nestOf.set(i, nest);
      nesting.nests.push(nest);
      if (areas[i]! > 0 !== largest > 0) nesting.orphanHole = true;
    }
  });
  held.forEach((outer, i) => {
    if (outer === null || outer.length % 2 === 0) return;
    nestOf.get(outer.at(-1)!)!.holes.push(i);
    if (areas[i]! > 0 === largest > 0) nesting.woundHole = true;
  });
  return nesting;
}
