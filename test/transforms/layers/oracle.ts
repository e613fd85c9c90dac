import { featureCollection, intersect, multiPolygon as turfMultiPolygon } from '@turf/turf';
import geodesic from 'geographiclib-geodesic';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon, toGeoJson } from '../../../transforms/geo/geometry.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import type { AnyGeometry } from '../../../transforms/geo/wkb.ts';
import { multiPolygon, type Polygons } from '../shapes.ts';

const grs80 = new geodesic.Geodesic.Geodesic(6378137, 1 / 298.257222101);

type Segment = readonly [number, number, number, number];

/** Metres east and north of a place along geodesics (azimuthal equidistant), by GeographicLib. */
function metresFrom(lon0: number, lat0: number): (lon: number, lat: number) => [number, number] {
  return (lon, lat) => {
    const { s12, azi1 } = grs80.Inverse(lat0, lon0, lat, lon);
    const angle = (azi1! * Math.PI) / 180;
    return [s12! * Math.sin(angle), s12! * Math.cos(angle)];
  };
}

/** Edges (a point is an edge without length) in degrees. */
function edgesOf({ kind, geometry }: AnyGeometry): Segment[] {
  const { coords } = geometry;
  const out: Segment[] = [];
  if (kind === 'point') {
    for (let i = 0; i < coords.length; i += 2)
      out.push([coords[i]!, coords[i + 1]!, coords[i]!, coords[i + 1]!]);
    return out;
  }
  let from = 0;
  for (const end of kind === 'polygon' ? geometry.ringEnds : geometry.lineEnds) {
    for (let v = from; v + 1 < end; v++) {
      out.push([coords[v * 2]!, coords[v * 2 + 1]!, coords[v * 2 + 2]!, coords[v * 2 + 3]!]);
    }
    from = end;
  }
  return out;
}

/** Edges around a place on its plane, in parts of at most 60 m: straight in degrees, so bent on the plane. */
function nearEdges(g: AnyGeometry, lon0: number, lat0: number, reach_deg: number): Segment[] {
  const place = metresFrom(lon0, lat0);
  const out: Segment[] = [];
  for (const [ax, ay, bx, by] of edgesOf(g)) {
    const parts = Math.max(1, Math.ceil(Math.max(Math.abs(bx - ax), Math.abs(by - ay)) / 0.0006));
    const at = (k: number): [number, number] => [ax + (k / parts) * (bx - ax), ay + (k / parts) * (by - ay)];
    for (let k = 0; k < parts; k++) {
      const [x0, y0] = at(k);
      const [x1, y1] = at(k + 1);
      if (Math.min(x0, x1) > lon0 + reach_deg || Math.max(x0, x1) < lon0 - reach_deg) continue;
      if (Math.min(y0, y1) > lat0 + reach_deg || Math.max(y0, y1) < lat0 - reach_deg) continue;
      out.push([...place(x0, y0), ...place(x1, y1)]);
    }
  }
  return out;
}

function pointToSegment(px: number, py: number, [ax, ay, bx, by]: Segment): number {
  const length2 = (bx - ax) ** 2 + (by - ay) ** 2;
  const t = length2 === 0 ? 0 : ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length2;
  const clamped = Math.min(1, Math.max(0, t));
  return Math.hypot(px - ax - clamped * (bx - ax), py - ay - clamped * (by - ay));
}

const turn = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number =>
  Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));

function segmentToSegment(s: Segment, t: Segment): number {
  const [ax, ay, bx, by] = s;
  const [cx, cy, dx, dy] = t;
  const isCross =
    turn(ax, ay, bx, by, cx, cy) * turn(ax, ay, bx, by, dx, dy) < 0 &&
    turn(cx, cy, dx, dy, ax, ay) * turn(cx, cy, dx, dy, bx, by) < 0;
  if (isCross) return 0;
  return Math.min(
    pointToSegment(ax, ay, t),
    pointToSegment(bx, by, t),
    pointToSegment(cx, cy, s),
    pointToSegment(dx, dy, s),
  );
}

const minimum = (values: Iterable<number>): number => {
  let least = Infinity;
  for (const value of values) if (value < least) least = value;
  return least;
};

/** What brute force says of one feature and one subject. */
export interface Measured {
  /** Metres to its nearest border, line or point. */
  border_m: number;
  /** It holds the point; or covers a part of the parcel, or a line or point of it lies in the parcel. */
  isIn: boolean;
  /** Area of the parcel that it covers; 0 for points. */
  overlap_sqm: number;
  /** A vertex of a polygon lies in the parcel. */
  hasVertexIn: boolean;
}

export function measurePoint(g: AnyGeometry, lon: number, lat: number, reach_deg: number): Measured {
  const border_m = minimum(nearEdges(g, lon, lat, reach_deg).map((edge) => pointToSegment(0, 0, edge)));
  return {
    border_m,
    isIn: g.kind === 'polygon' && pointInMultiPolygon(lon, lat, g.geometry),
    overlap_sqm: 0,
    hasVertexIn: false,
  };
}

/** Common area by Turf, measured on the ellipsoid. */
export function turfOverlap(a: MultiPolygon, b: MultiPolygon): number {
  const common = intersect(
    featureCollection([
      turfMultiPolygon(toGeoJson(a).coordinates),
      turfMultiPolygon(toGeoJson(b).coordinates),
    ]),
  );
  if (common === null) return 0;
  const { type, coordinates } = common.geometry;
  return geodesicAreaSqm(
    multiPolygon((type === 'Polygon' ? [coordinates] : coordinates) as unknown as Polygons),
  );
}

export function measureParcel(g: AnyGeometry, parcel: MultiPolygon, reach_deg: number): Measured {
  const [minX, minY, maxX, maxY] = bboxOf(parcel.coords);
  const lon = (minX + maxX) / 2;
  const lat = (minY + maxY) / 2;
  const own = nearEdges({ kind: 'polygon', geometry: parcel }, lon, lat, 1);
  const others = nearEdges(g, lon, lat, reach_deg + Math.max(maxX - minX, maxY - minY));
  const border_m = minimum(others.flatMap((edge) => own.map((side) => segmentToSegment(edge, side))));
  const overlap_sqm = g.kind === 'polygon' ? turfOverlap(parcel, g.geometry) : 0;
  const hasVertexIn = edgesOf(g).some(([x, y]) => pointInMultiPolygon(x, y, parcel));
  const isIn = overlap_sqm > 1e-4 || (g.kind !== 'polygon' && hasVertexIn);
  return { border_m, isIn, overlap_sqm, hasVertexIn };
}
