import { inAustralia } from '../../schema/grid.ts';
import { bboxOf, joinRings, type MultiPolygon, ringsOf } from './geometry.ts';
import { ogcFault } from './ogc_validity.ts';
import { APART, CROSS, RINGS_TOUCH, worstContact } from './ring_contacts.ts';
import { isArea, type Nesting, nestedPolygons, nestRings, planarArea, ZERO_AREA } from './ring_nesting.ts';
import { splitRings } from './ring_split.ts';

/** Maximum vertices of a feature: the largest published polygon of Australia has under a million. */
export const MAX_RING_VERTICES = 5_000_000;

/**
 * A feature's rings made valid, or the reason why they cannot be. `repaired` lists the repairs, joined by `+`; null: only repeated
 * vertices and grouping.
 * `ring_closed`: closed. `zero_area_ring`, `duplicate_ring`: left out. `self_intersection_split`: split at crossings.
 * `self_touch_split`: rings that touch or overlap themselves, or share an edge, were divided or merged with the same inside.
 * `orphan_hole`: became a shell. `wound_hole`: a ring wound like a shell, inside a shell, became its hole.
 */
export type AssembledPolygons =
  | { geometry: MultiPolygon; repaired: string | null; reject?: undefined }
  | ShapeReject;

/** Reason why a shape is set aside. */
export interface ShapeReject {
  reject: { code: string; message: string };
  geometry?: undefined;
  repaired?: undefined;
}

const rejected = (code: string, message: string): ShapeReject => ({ reject: { code, message } });

/** Rejects a shape with too many edges close together to compare them in bounded time. */
const tangled = (): ShapeReject => rejected('self_intersection', 'the rings are too tangled to be checked.');

/** Returns the reject `too_many_vertices` of a shape with too many vertices, else null. */
export function tooManyVertices(n: number): ShapeReject | null {
  if (n <= MAX_RING_VERTICES) return null;
  return rejected(
    'too_many_vertices',
    `${n} vertices, more than ${MAX_RING_VERTICES}; cut the feature into parts.`,
  );
}

interface Rings {
  coords: Float64Array;
  ringEnds: number[];
}

/** Closed rings without repeated vertices; rings with fewer than three distinct neighbours are left out. */
interface CleanRings extends Rings {
  closed: boolean;
  dropped: boolean;
}

function clean(coords: Float64Array, ringEnds: readonly number[]): CleanRings {
  const out = new Float64Array(coords.length + 2 * ringEnds.length);
  const ends: number[] = [];
  let closed = false;
  let dropped = false;
  let at = 0;
  let from = 0;
  for (const end of ringEnds) {
    const start = at;
    for (let i = from * 2; i < end * 2; i += 2) {
      const x = coords[i]!;
      const y = coords[i + 1]!;
      if (at > start && out[at - 2] === x && out[at - 1] === y) continue;
      out[at++] = x;
      out[at++] = y;
    }
    if (at > start && (out[at - 2] !== out[start] || out[at - 1] !== out[start + 1])) {
      out[at++] = out[start]!;
      out[at++] = out[start + 1]!;
      closed = true;
    }
    if (at - start >= 8) ends.push(at / 2);
    else {
      at = start;
      dropped = true;
    }
    from = end;
  }
  return { coords: out.slice(0, at), ringEnds: ends, closed, dropped };
}

/** Returns the reject of the first vertex outside Australia or invalid (`bad_coordinate`, `outside_australia`), else null. */
export function badVertex(coords: Float64Array): ShapeReject | null {
  for (let i = 0; i < coords.length; i += 2) {
    const x = coords[i]!;
    const y = coords[i + 1]!;
    if (inAustralia(x, y)) continue;
    const where = `vertex ${i / 2 + 1} is at ${x}, ${y}`;
    if (!Number.isFinite(x) || !Number.isFinite(y)) return rejected('bad_coordinate', `${where}.`);
    return rejected('outside_australia', `${where}; check the coordinate system of the file.`);
  }
  return null;
}

/** Returns whether a ring encloses nothing; a ring whose halves cancel out, like a figure of eight, does enclose something. */
function isFlat(ring: Float64Array): boolean {
  if (isArea(ring)) return false;
  const parts = splitRings(ring, [ring.length / 2]);
  return parts !== null && !parts.some(isArea);
}

/** Returns the area of nested rings in square degrees. */
function nestedArea(rings: readonly Float64Array[], nesting: Nesting): number {
  const size = (i: number): number => Math.abs(planarArea(rings[i]!));
  return nesting.nests.reduce((sum, n) => sum + size(n.shell) - n.holes.reduce((h, i) => h + size(i), 0), 0);
}

/** Returns the vertices of a ring as text, starting at its south-westernmost one. */
function signature(ring: Float64Array): string {
  const n = ring.length - 2;
  let start = 0;
  for (let i = 2; i < n; i += 2) {
    const dx = ring[i]! - ring[start]!;
    if (dx < 0 || (dx === 0 && ring[i + 1]! < ring[start + 1]!)) start = i;
  }
  return [...ring.subarray(start, n), ...ring.subarray(0, start)].join();
}

/** Leaves out rings that repeat an earlier one: same vertices in the same order, from any start. */
function withoutRepeats(rings: readonly Float64Array[]): Float64Array[] {
  const keys = rings.map((ring) => `${bboxOf(ring)},${ring.length}`);
  const count = new Map<string, number>();
  for (const key of keys) count.set(key, (count.get(key) ?? 0) + 1);
  const signatures = new Set<string>();
  return rings.filter((ring, i) => {
    if (count.get(keys[i]!) === 1) return true;
    const ringSignature = signature(ring);
    return !signatures.has(ringSignature) && signatures.add(ringSignature);
  });
}

/** Returns the length of all rings in degrees. */
function perimeter(coords: Float64Array): number {
  let sum = 0;
  for (let i = 2; i < coords.length; i += 2) {
    sum += Math.abs(coords[i]! - coords[i - 2]!) + Math.abs(coords[i + 1]! - coords[i - 1]!);
  }
  return sum;
}

const nameOf = (repairs: readonly string[]): string | null =>
  repairs.length === 0 ? null : repairs.join('+');

/** Returns whether two sets of rings enclose the same area, up to the rounding of a split along their length. */
function sameArea(rings: readonly Float64Array[], split: readonly Float64Array[], length: number): boolean {
  const area = (set: readonly Float64Array[]): number =>
    set.length === 0 ? 0 : nestedArea(set, nestRings(set));
  return Math.abs(area(rings) - area(split)) <= length * 2e-9;
}

function finish(rings: readonly Float64Array[], repairs: string[], isSplit: boolean): AssembledPolygons {
  if (rings.length === 0) return rejected('zero_area', 'the rings enclose no area.');
  const nesting = nestRings(rings);
  // The winding of split rings has no meaning.
  if (nesting.duplicate && !repairs.includes('duplicate_ring')) repairs.push('duplicate_ring');
  if (nesting.orphanHole && !isSplit) repairs.push('orphan_hole');
  if (nesting.woundHole && !isSplit) repairs.push('wound_hole');
  if (nestedArea(rings, nesting) < ZERO_AREA) return rejected('zero_area', 'the holes fill their shells.');
  return { geometry: nestedPolygons(rings, nesting.nests), repaired: nameOf(repairs) };
}

/** Splits rings that cross or touch themselves; returns others unchanged. */
function splitSelfCrossings(
  rings: readonly Float64Array[],
  joinedRings: Rings,
  repairs: readonly string[],
): AssembledPolygons {
  const contact = worstContact(joinedRings.coords, joinedRings.ringEnds);
  if (contact === APART) {
    if (rings.length > 1) return finish(rings, [...repairs], false);
    const { coords, ringEnds } = joinedRings;
    return { geometry: { coords, ringEnds, polygonEnds: [1] }, repaired: nameOf(repairs) };
  }
  const split =
    contact === null ? null : splitRings(joinedRings.coords, joinedRings.ringEnds)?.filter(isArea);
  if (!split || (contact === CROSS && split.length === 0)) {
    return contact === null
      ? tangled()
      : rejected('self_intersection', 'the rings cross and could not be split into simple ones.');
  }
  const same = contact !== CROSS && sameArea(rings, split, perimeter(joinedRings.coords));
  if (contact === RINGS_TOUCH && same) {
    const finished = finish(rings, [...repairs], false);
    if (finished.geometry === undefined || ogcFault(finished.geometry) === null) return finished;
  }
  return finish(split, [...repairs, same ? 'self_touch_split' : 'self_intersection_split'], true);
}

/** Returns whether the coordinates of one closed ring are valid as published, as most are. Null: too tangled to check. */
function isValidRing(coords: Float64Array): boolean | null {
  const last = coords.length - 2;
  if (last < 6 || coords[0] !== coords[last] || coords[1] !== coords[last + 1]) return false;
  let px = Number.NaN;
  let py = Number.NaN;
  for (let i = 0; i <= last; i += 2) {
    const x = coords[i]!;
    const y = coords[i + 1]!;
    if ((x === px && y === py) || !inAustralia(x, y)) return false;
    px = x;
    py = y;
  }
  if (!isArea(coords)) return false;
  const contact = worstContact(coords, [coords.length / 2]);
  return contact === null ? null : contact === APART;
}

/**
 * Assembles the rings of one feature, of any winding and order, to a valid multipolygon; coordinates are GDA2020 degrees,
 * `ringEnds` counts vertices.
 * The even-odd rule defines the inside: a figure of eight is split at its crossing, a ring inside a ring is a hole. Rings that only
 * touch each other (within 0.1 mm) are unchanged if the OGC rules allow it. The coordinates of a single valid ring are the given
 * ones, not a copy.
 * Rejects: `too_many_vertices`, `bad_coordinate`, `outside_australia`, `zero_area`, `self_intersection` (the split failed or left
 * nothing).
 */
export function assemblePolygons(coords: Float64Array, ringEnds: readonly number[]): AssembledPolygons {
  const n = ringEnds.at(-1) ?? 0;
  if (ringEnds.length === 1 && coords.length === 2 * n && n <= MAX_RING_VERTICES) {
    const isValid = isValidRing(coords);
    if (isValid) return { geometry: { coords, ringEnds: [n], polygonEnds: [1] }, repaired: null };
    if (isValid === null) return tangled();
  }
  const bad = tooManyVertices(n) ?? badVertex(coords.subarray(0, n * 2));
  if (bad) return bad;
  const cleaned = clean(coords, ringEnds);
  const all = ringsOf(cleaned.coords, cleaned.ringEnds);
  const solid = all.filter((ring) => !isFlat(ring));
  const rings = solid.length > 1 ? withoutRepeats(solid) : solid;
  if (rings.length === 0) return rejected('zero_area', 'the rings enclose no area.');
  const repairs: string[] = [];
  if (cleaned.closed) repairs.push('ring_closed');
  if (cleaned.dropped || solid.length < all.length) repairs.push('zero_area_ring');
  if (rings.length < solid.length) repairs.push('duplicate_ring');
  return splitSelfCrossings(rings, rings.length < all.length ? joinRings(rings) : cleaned, repairs);
}
