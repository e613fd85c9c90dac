import { pointOnFeature } from '@turf/turf';
import { pointSegmentDistance } from './distance.ts';
import { bboxOf, type MultiPolygon, toGeoJson } from './geometry.ts';
import { pointInMultiPolygon } from './point_in_polygon.ts';

/**
 * Returns a point inside a multipolygon: the centre of its box if that is inside (Turf). Else the middle of the widest interval
 * inside along a parallel near the middle of its first polygon. Rings must be valid; degrees. Deterministic.
 */
export function interiorPoint(geometry: MultiPolygon): [lon: number, lat: number] {
  const [lon, lat] = pointOnFeature(toGeoJson(geometry)).geometry.coordinates as [number, number];
  // If the centre is outside, Turf returns a vertex, which is on the edge.
  if (pointInMultiPolygon(lon, lat, geometry) && !isOnEdge(geometry, lon, lat)) return [lon, lat];
  return widestMiddle(geometry);
}

/** Maximum distance of a point on an edge, about 1 cm. */
const EDGE_DEG = 1e-7;

function isOnEdge({ coords, ringEnds }: MultiPolygon, lon: number, lat: number): boolean {
  let from = 0;
  for (const end of ringEnds) {
    for (let i = from * 2; i < end * 2 - 2; i += 2) {
      const [ax, ay, bx, by] = [coords[i]!, coords[i + 1]!, coords[i + 2]!, coords[i + 3]!];
      if (pointSegmentDistance(lon, lat, ax, ay, bx, by) < EDGE_DEG) return true;
    }
    from = end;
  }
  return false;
}

/** Returns a latitude between two vertices of the first polygon, next to the middle of its shell. */
function middleLatitude({ coords, ringEnds, polygonEnds }: MultiPolygon): number {
  const [, south, , north] = bboxOf(coords, 0, ringEnds[0]!);
  const middle = (south + north) / 2;
  let below = south;
  let above = north;
  for (let i = 1; i < ringEnds[polygonEnds[0]! - 1]! * 2; i += 2) {
    const lat = coords[i]!;
    if (lat <= middle && lat > below) below = lat;
    if (lat > middle && lat < above) above = lat;
  }
  return (below + above) / 2;
}

function widestMiddle(geometry: MultiPolygon): [number, number] {
  const { coords, ringEnds, polygonEnds } = geometry;
  const lat = middleLatitude(geometry);
  const crossings: number[] = [];
  let from = 0;
  for (const end of ringEnds.slice(0, polygonEnds[0]!)) {
    for (let i = from; i < end - 1; i++) {
      const [ax, ay, bx, by] = coords.subarray(i * 2, i * 2 + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      if (ay > lat !== by > lat) crossings.push(ax + ((bx - ax) * (lat - ay)) / (by - ay));
    }
    from = end;
  }
  crossings.sort((a, b) => a - b);
  let best: [number, number] = [coords[0]!, coords[1]!];
  let widest = -1;
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    const width = crossings[i + 1]! - crossings[i]!;
    if (width > widest) {
      widest = width;
      best = [(crossings[i]! + crossings[i + 1]!) / 2, lat];
    }
  }
  return best;
}
