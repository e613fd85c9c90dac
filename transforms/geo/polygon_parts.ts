import { featureCollection, multiPolygon, union } from '@turf/turf';
import { append } from '../../schema/group_by.ts';
import {
  bboxOf,
  fromGeoJson,
  joinPolygons,
  type MultiPolygon,
  polygonsOf,
  ringsOf,
  toGeoJson,
} from './geometry.ts';
import { ogcFault } from './ogc_validity.ts';
import { CROSS, edgeContact, forEachEdgePair, TOUCH_DEG } from './ring_contacts.ts';
import { planarArea, ZERO_AREA } from './ring_nesting.ts';
import { type AssembledPolygons, assemblePolygons, badVertex, MAX_RING_VERTICES } from './rings.ts';

/** Limits of one group of parts to unite: vertices, and pairs of crossing edges. */
const MAX_VERTICES_UNITED = 100_000;
const MAX_CROSSINGS = 20_000;
/** Maximum pairs of parts whose boxes are compared, plus a few per part. */
const MAX_PAIRS = 1_000_000;

const tangled = (): AssembledPolygons => ({
  reject: { code: 'self_intersection', message: 'the parts overlap too much to be united.' },
});

/** Returns the area of one part: its first ring minus the others, which are holes. */
const partArea = (rings: readonly Float64Array[]): number =>
  rings.reduce((sum, ring, i) => sum + (i === 0 ? 1 : -1) * Math.abs(planarArea(ring)), 0);

const areaOf = (shape: MultiPolygon): number =>
  polygonsOf(shape).reduce((sum, rings) => sum + partArea(rings), 0);

/** Returns the tolerance in area for contacts within 0.1 mm, from the perimeters of the parts' boxes. */
const slackOf = (parts: readonly MultiPolygon[]): number =>
  parts.reduce((sum, { coords }) => {
    const [west, south, east, north] = bboxOf(coords);
    return sum + 2 * (east - west + north - south);
  }, 0) *
  2 *
  TOUCH_DEG;

/**
 * Returns whether the area of all parts differs from their stated area only by contacts within 0.1 mm. A part inside another one
 * removes twice its own area, so every part must be larger than the tolerance.
 */
function isRounding(
  united: MultiPolygon,
  statedArea: number,
  groups: readonly (readonly MultiPolygon[])[],
): boolean {
  const met = groups.filter((group) => group.length > 1).flat();
  const slack = slackOf(met);
  return Math.abs(areaOf(united) - statedArea) <= slack && met.every((part) => areaOf(part) > slack);
}

/** Groups parts whose boxes meet, each group in part order. Null: too many boxes meet. */
function groupsOf(parts: readonly MultiPolygon[]): MultiPolygon[][] | null {
  const boxes = parts.map(({ coords }) => bboxOf(coords));
  const order = parts.map((_, i) => i).sort((a, b) => boxes[a]![0] - boxes[b]![0] || a - b);
  const root = parts.map((_, i) => i);
  const find = (i: number): number => {
    let at = i;
    while (root[at] !== at) at = root[at] = root[root[at]!]!;
    return at;
  };
  let pairsLeft = MAX_PAIRS + 100 * parts.length;
  for (const [place, a] of order.entries()) {
    const [, south, east, north] = boxes[a]!;
    for (let k = place + 1; k < order.length && boxes[order[k]!]![0] <= east; k++) {
      if (--pairsLeft < 0) return null;
      const b = order[k]!;
      if (boxes[b]![1] <= north && boxes[b]![3] >= south)
        root[find(Math.max(find(a), find(b)))] = Math.min(find(a), find(b));
    }
  }
  const groups = new Map<number, MultiPolygon[]>();
  parts.forEach((part, i) => {
    const at = find(i);
    append(groups, at, part);
  });
  return [...groups.values()];
}

/** Returns whether few enough edges cross for a union in bounded time. */
function isBounded(parts: readonly MultiPolygon[]): boolean {
  const { coords, ringEnds } = joinPolygons(parts.flatMap(polygonsOf));
  if (coords.length > 2 * MAX_VERTICES_UNITED) return false;
  let crossings = 0;
  const complete = forEachEdgePair(
    coords,
    ringEnds,
    (i, j) => edgeContact(coords, i, j) === CROSS && ++crossings > MAX_CROSSINGS,
  );
  return complete && crossings <= MAX_CROSSINGS;
}

/** Returns the union of parts whose boxes meet. Null: not possible in bounded time. */
function unite(group: readonly MultiPolygon[]): MultiPolygon | null {
  const parts = [...new Map(group.map((part) => [part.coords.join(), part])).values()];
  if (parts.length === 1) return parts[0]!;
  if (!isBounded(parts)) return null;
  try {
    const united = union(featureCollection(parts.map((part) => multiPolygon(toGeoJson(part).coordinates))));
    if (united === null) return null;
    const { type, coordinates } = united.geometry;
    const { coords, ringEnds } = fromGeoJson(type === 'Polygon' ? [coordinates] : coordinates);
    const { geometry } = assemblePolygons(coords, ringEnds);
    if (geometry === undefined) return null;
    const areas = parts.map(areaOf);
    const all = areas.reduce((sum, area) => sum + area, 0);
    const area = areaOf(geometry);
    const slack = slackOf(parts) + ZERO_AREA;
    return area < Math.max(...areas) - slack || area > all + slack ? null : geometry;
  } catch {
    return null;
  }
}

/** Maximum share of the parts' area in slivers between and over them. */
const SLIVER_SHARE = 1e-3;

/** Combines parts by the even-odd rule if that only removes slivers. Null: it removes more. The library cannot unite some of these. */
function withoutSlivers(group: readonly MultiPolygon[]): MultiPolygon | null {
  const { coords, ringEnds } = joinPolygons(group.flatMap(polygonsOf));
  const { geometry } = assemblePolygons(coords, ringEnds);
  if (geometry === undefined) return null;
  const all = group.reduce((sum, part) => sum + areaOf(part), 0);
  return Math.abs(areaOf(geometry) - all) <= SLIVER_SHARE * all ? geometry : null;
}

/** Returns a feature as published if it is valid and encloses something. Null: it needs repair, or a reject. */
function validAsPublished(shape: MultiPolygon): MultiPolygon | null {
  const { coords, ringEnds } = shape;
  const n = ringEnds.at(-1) ?? 0;
  if (n > MAX_RING_VERTICES || coords.length !== 2 * n || badVertex(coords) !== null) return null;
  return ogcFault(shape) === null && areaOf(shape) >= ZERO_AREA ? shape : null;
}

/**
 * Assembles a feature with explicit polygons to a valid multipolygon: their union, even if they overlap or nest. `polygonEnds` are
 * ring numbers, exclusive. A feature that is valid under the OGC rules is unchanged, to the last bit and in any winding. Separate or touching parts are assembled as by assemblePolygons; `parts_united` marks other repairs.
 * Rejects: as for assemblePolygons, and `self_intersection` if the union is not possible in bounded time.
 */
export function assembleParts(
  coords: Float64Array,
  ringEnds: readonly number[],
  polygonEnds: readonly number[],
): AssembledPolygons {
  const published = validAsPublished({ coords, ringEnds: [...ringEnds], polygonEnds: [...polygonEnds] });
  if (published !== null) return { geometry: published, repaired: null };
  const assembled = assemblePolygons(coords, ringEnds);
  if (polygonEnds.length < 2) return assembled;
  if (assembled.reject !== undefined && !['zero_area', 'self_intersection'].includes(assembled.reject.code))
    return assembled;
  const rings = ringsOf(coords, ringEnds);
  const ringsOfPart = polygonEnds.map((end, i) => rings.slice(i === 0 ? 0 : polygonEnds[i - 1]!, end));
  // The even-odd rule over all rings removes what two parts share, so the area is only kept if parts share nothing.
  const statedArea = ringsOfPart.reduce((sum, part) => sum + partArea(part), 0);
  if (
    assembled.geometry &&
    Math.abs(areaOf(assembled.geometry) - statedArea) <= 1e-12 * statedArea + ZERO_AREA
  )
    return assembled;
  const parts: MultiPolygon[] = [];
  const repairs = new Set<string>();
  for (const part of ringsOfPart) {
    const { coords: own, ringEnds: ends } = joinPolygons([part]);
    const polygons = assemblePolygons(own, ends);
    if (polygons.reject !== undefined) {
      if (polygons.reject.code !== 'zero_area') return polygons;
      repairs.add('zero_area_ring');
      continue;
    }
    for (const repair of polygons.repaired?.split('+') ?? []) repairs.add(repair);
    parts.push(polygons.geometry);
  }
  if (parts.length === 0) return assembled;
  const groups = groupsOf(parts);
  if (groups === null) return tangled();
  if (
    assembled.geometry &&
    (groups.length === parts.length || isRounding(assembled.geometry, statedArea, groups))
  )
    return assembled;
  const united: MultiPolygon[] = [];
  for (const group of groups) {
    const one = unite(group) ?? withoutSlivers(group);
    if (one === null) return tangled();
    united.push(one);
  }
  return {
    geometry: joinPolygons(united.flatMap(polygonsOf)),
    repaired: [...repairs, 'parts_united'].join('+'),
  };
}
