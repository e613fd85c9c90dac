import { feature, featureCollection, intersect } from '@turf/turf';
import type { MultiPolygon as GeoJsonMultiPolygon, Geometry, Polygon, Position } from 'geojson';
import { type Bbox, CELL_DEG, cellBbox, expandBbox } from '../../schema/grid.ts';
import { clipToWindow } from '../geo/convex_clip.ts';
import { type ConvexWindow, convexWindow } from '../geo/convex_window.ts';
import { intervalWithin } from '../geo/distance.ts';
import { type LonLat, mapRings, polygonsOf, positionsOf, ringsOf } from '../geo/geometry.ts';
import { clipLineToBox } from '../geo/line_clip.ts';
import { localPlane, metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';
import { clipRingToBox } from '../geo/ring_clip.ts';
import { nestRings } from '../geo/ring_nesting.ts';
import { joinAtSeams, type Seam } from '../geo/seam_join.ts';
import { decodeLineWkb, decodePointWkb, decodeWkb } from '../geo/wkb.ts';

/** Number of corners of the polygon that approximates the circle; it is inside the circle by at most 0.03 %. */
const CORNERS = 128;

/** A piece of a feature in its grid cell. */
export interface ClipPiece {
  cell: number;
  geom: Uint8Array;
}

/** Returns the circle as a closed anticlockwise ring of degrees. */
function circleRing({ lon, lat }: LonLat, radius_m: number): Float64Array {
  const dx = radius_m / metresPerDegreeLon(lat);
  const dy = radius_m / metresPerDegreeLat(lat);
  const ring = new Float64Array(CORNERS * 2 + 2);
  for (let k = 0; k <= CORNERS; k++) {
    const angle = ((k % CORNERS) / CORNERS) * 2 * Math.PI;
    ring[k * 2] = lon + dx * Math.cos(angle);
    ring[k * 2 + 1] = lat + dy * Math.sin(angle);
  }
  return ring;
}

/** Returns the polygons of all pieces inside a box. Overlaps in the margins of cells disappear in the intersection. */
const polygonsInBox = (pieces: readonly ClipPiece[], box: Bbox): Position[][][] =>
  pieces
    .flatMap(({ geom }) => mapRings(polygonsOf(decodeWkb(geom)), (ring) => clipRingToBox(ring, box)))
    .map((rings) => rings.map(positionsOf));

/** Clips with Turf, which accepts any shape, at many times the cost. */
export function intersectCircle(
  pieces: readonly ClipPiece[],
  centre: LonLat,
  radius_m: number,
): Polygon | GeoJsonMultiPolygon | null {
  const { lon, lat } = centre;
  const inside = polygonsInBox(pieces, expandBbox([lon, lat, lon, lat], radius_m));
  if (inside.length === 0) return null;
  const shape: GeoJsonMultiPolygon = { type: 'MultiPolygon', coordinates: inside };
  const circle = feature({
    type: 'Polygon' as const,
    coordinates: [positionsOf(circleRing(centre, radius_m))],
  });
  return (
    intersect(featureCollection<GeoJsonMultiPolygon | (typeof circle)['geometry']>([feature(shape), circle]))
      ?.geometry ?? null
  );
}

/** Rounds the border of a cell, so that both cells compute equal numbers. */
const onGrid = (degrees: number): number => Math.round(degrees / CELL_DEG) * CELL_DEG;

/** Returns the part of a circle in one cell. Null: none. */
function windowIn(cell: number, centre: LonLat, radius_m: number): ConvexWindow | null {
  const [west, south, east, north] = cellBbox(cell);
  const ring = clipRingToBox(circleRing(centre, radius_m), [
    onGrid(west),
    onGrid(south),
    onGrid(east),
    onGrid(north),
  ]);
  return (
    ring &&
    convexWindow(ring, {
      x: centre.lon,
      y: centre.lat,
      radius_x: radius_m / metresPerDegreeLon(centre.lat),
      radius_y: radius_m / metresPerDegreeLat(centre.lat),
      inner_squared: Math.cos(Math.PI / CORNERS) ** 2 - 1e-9,
    })
  );
}

/** Clips polygons to one circle; builds the window of each cell once. */
class PolygonClipper {
  readonly #windows = new Map<number, ConvexWindow | null>();
  readonly #centre: LonLat;
  readonly #radius_m: number;

  constructor(centre: LonLat, radius_m: number) {
    this.#centre = centre;
    this.#radius_m = radius_m;
  }

  #window(cell: number): ConvexWindow | null {
    let window = this.#windows.get(cell);
    if (window === undefined) {
      window = windowIn(cell, this.#centre, this.#radius_m);
      this.#windows.set(cell, window);
    }
    return window;
  }

  /** Returns the rings of the part inside: each piece in its own cell, joined at cell borders. Null: rounding leaves it unclear. */
  #rings(pieces: readonly ClipPiece[]): Float64Array[] | null {
    const rings: Float64Array[] = [];
    const seams: Seam[] = [];
    let cells = 0;
    for (const { cell, geom } of pieces) {
      const window = this.#window(cell);
      const inside = window === null ? [] : clipToWindow(decodeWkb(geom), window);
      if (inside === null) return null;
      if (inside.length === 0) continue;
      for (const ring of inside) rings.push(ring);
      cells++;
      const [west, south, east, north] = cellBbox(cell);
      for (const at of [west, east]) seams.push({ axis: 0, at: onGrid(at) });
      for (const at of [south, north]) seams.push({ axis: 1, at: onGrid(at) });
    }
    if (cells < 2) return rings;
    const seamsByKey = new Map(seams.map((seam) => [`${seam.axis} ${seam.at}`, seam]));
    return joinAtSeams(rings, [...seamsByKey.values()]);
  }

  clip(pieces: readonly ClipPiece[]): Geometry | null {
    const rings = this.#rings(pieces);
    if (rings === null) return intersectCircle(pieces, this.#centre, this.#radius_m);
    if (rings.length === 0) return null;
    const polygons = nestRings(rings).nests.map(({ shell, holes }) =>
      [shell, ...holes].map((ring) => positionsOf(rings[ring]!)),
    );
    return polygons.length === 1
      ? { type: 'Polygon', coordinates: polygons[0]! }
      : { type: 'MultiPolygon', coordinates: polygons };
  }
}

/** Yields the parts of a line string within the circle, cut at the segments that leave it. */
function* partsWithin(line: Float64Array, centre: LonLat, radius_m: number): Iterable<Position[]> {
  const xy = localPlane(centre.lon, centre.lat).project(line);
  const ends = new Float64Array(2);
  let part: Position[] = [];
  const at = (i: number, t: number): Position => [
    line[i]! + (line[i + 2]! - line[i]!) * t,
    line[i + 1]! + (line[i + 3]! - line[i + 1]!) * t,
  ];
  for (let i = 0; i + 3 < line.length; i += 2) {
    const hasLength = xy[i] !== xy[i + 2] || xy[i + 1] !== xy[i + 3];
    if (!hasLength) continue;
    const meets = intervalWithin(xy[i]!, xy[i + 1]!, xy[i + 2]!, xy[i + 3]!, 0, 0, 0, 0, radius_m, ends, 0);
    if (!meets) continue;
    if (part.length === 0 || ends[0]! > 0) {
      if (part.length > 1) yield part;
      part = [at(i, ends[0]!)];
    }
    part.push(at(i, ends[1]!));
    if (ends[1]! < 1) {
      yield part;
      part = [];
    }
  }
  if (part.length > 1) yield part;
}

function clipLines(pieces: readonly ClipPiece[], centre: LonLat, radius_m: number): Geometry | null {
  const coordinates: Position[][] = [];
  for (const { geom, cell } of pieces) {
    const { coords, lineEnds } = decodeLineWkb(geom);
    for (const line of ringsOf(coords, lineEnds)) {
      // Only inside its own cell: in the margin, the neighbouring piece has the same line.
      for (const part of clipLineToBox(line, cellBbox(cell)))
        coordinates.push(...partsWithin(part, centre, radius_m));
    }
  }
  return coordinates.length === 0 ? null : { type: 'MultiLineString', coordinates };
}

function clipPoints(pieces: readonly ClipPiece[], centre: LonLat, radius_m: number): Geometry | null {
  const plane = localPlane(centre.lon, centre.lat);
  const coordinates = pieces
    .flatMap(({ geom }) => positionsOf(decodePointWkb(geom).coords))
    .filter(([lon, lat]) => Math.hypot(plane.x(lon!, lat!), plane.y(lon!, lat!)) <= radius_m);
  return coordinates.length === 0 ? null : { type: 'MultiPoint', coordinates };
}

/** Clips features to a circle. `shape`: polygon, line or point; `pieces`: the feature's parts. */
export type CircleClipper = (shape: string, pieces: readonly ClipPiece[]) => Geometry | null;

/**
 * Returns a function that clips features to one circle, as GeoJSON in GDA2020 degrees; null: nothing inside. Pieces of a feature in
 * several grid cells are joined without seams. Polygons are clipped to a polygon of 128 corners.
 * If borders meet that polygon or the cell borders in too many points for rounded numbers, Turf clips the shape.
 */
export function circleClipper(centre: LonLat, radius_m: number): CircleClipper {
  const polygons = new PolygonClipper(centre, radius_m);
  return (shape, pieces) => {
    if (shape === 'polygon') return polygons.clip(pieces);
    return shape === 'line' ? clipLines(pieces, centre, radius_m) : clipPoints(pieces, centre, radius_m);
  };
}
