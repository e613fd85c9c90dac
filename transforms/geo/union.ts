import { featureCollection, multiPolygon, union } from '@turf/turf';
import { bboxOf, fromGeoJson, joinPolygons, type MultiPolygon, polygonsOf, toGeoJson } from './geometry.ts';
import { assembleParts } from './polygon_parts.ts';

/** Joins polygons that do not overlap. */
const joined = (parts: readonly MultiPolygon[]): MultiPolygon => joinPolygons(parts.flatMap(polygonsOf));

const equal = (a: MultiPolygon, b: MultiPolygon): boolean =>
  a.coords.length === b.coords.length && a.coords.every((value, i) => value === b.coords[i]);

function someMeet(parts: readonly MultiPolygon[]): boolean {
  const boxes = parts.map(({ coords }) => bboxOf(coords)).sort((a, b) => a[0] - b[0]);
  return boxes.some(([, south, east, north], i) => {
    for (const other of boxes.slice(i + 1)) {
      if (other[0] > east) return false;
      if (other[1] <= north && other[3] >= south) return true;
    }
    return false;
  });
}

/**
 * Returns the union of several polygons. Repeated parts count once; separate parts are unchanged to the last digit. If the library fails,
 * the even-odd rule and a second union of the whole feature are tried. Null: that is not possible either, so overlaps would count twice.
 */
export function unionOf(parts: readonly MultiPolygon[]): MultiPolygon | null {
  const own = parts.filter((part, i) => !parts.slice(0, i).some((before) => equal(before, part)));
  if (own.length === 1) return own[0]!;
  if (!someMeet(own)) return joined(own);
  try {
    const made = union(featureCollection(own.map((part) => multiPolygon(toGeoJson(part).coordinates))));
    if (made !== null) {
      const { geometry } = made;
      return fromGeoJson(geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates);
    }
  } catch {
    // the library fails at some edges that nearly meet
  }
  const { coords, ringEnds, polygonEnds } = joined(own);
  return assembleParts(coords, ringEnds, polygonEnds).geometry ?? null;
}
