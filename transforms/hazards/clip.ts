import { feature, featureCollection, intersect } from '@turf/turf';
import type { MultiPolygon as GeoJsonMultiPolygon, Geometry, Position } from 'geojson';
import { cellBbox, expandBbox } from '../../schema/grid.ts';
import { intervalWithin } from '../geo/distance.ts';
import { clipLineToBox } from '../geo/line_clip.ts';
import { localPlane, metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';
import { type Box, clipRingToBox } from '../geo/ring_clip.ts';
import { decodeLineWkb, decodePointWkb, decodeWkb } from '../geo/wkb.ts';

/** Corners of the polygon that stands for the circle; it lies inside the circle by at most 0.03 %. */
const CORNERS = 128;

/** A piece of a feature in its grid cell. */
export interface ClipPiece {
  cell: number;
  geom: Uint8Array;
}

interface Centre {
  lon: number;
  lat: number;
}

/** The circle as a closed ring of degrees, anticlockwise. */
function circleRing({ lon, lat }: Centre, radius_m: number): Position[] {
  const dx = radius_m / metresPerDegreeLon(lat);
  const dy = radius_m / metresPerDegreeLat(lat);
  const ring: Position[] = [];
  for (let k = 0; k < CORNERS; k++) {
    const angle = (k / CORNERS) * 2 * Math.PI;
    ring.push([lon + dx * Math.cos(angle), lat + dy * Math.sin(angle)]);
  }
  ring.push(ring[0]!);
  return ring;
}

function positions(ring: Float64Array): Position[] {
  const out: Position[] = [];
  for (let i = 0; i < ring.length; i += 2) out.push([ring[i]!, ring[i + 1]!]);
  return out;
}

/** The polygons of all pieces inside a box; their overlaps in the margins of cells go when they are intersected. */
function polygonsInBox(pieces: readonly ClipPiece[], box: Box): Position[][][] {
  const polygons: Position[][][] = [];
  for (const { geom } of pieces) {
    const { coords, ringEnds, polygonEnds } = decodeWkb(geom);
    let ring = 0;
    for (const polygonEnd of polygonEnds) {
      const rings: Position[][] = [];
      for (let first = true; ring < polygonEnd; ring++, first = false) {
        const from = ring === 0 ? 0 : ringEnds[ring - 1]!;
        const clipped = clipRingToBox(coords.subarray(from * 2, ringEnds[ring]! * 2), box);
        if (clipped) rings.push(positions(clipped));
        else if (first) {
          ring = polygonEnd;
          break;
        }
      }
      if (rings.length > 0) polygons.push(rings);
    }
  }
  return polygons;
}

function clipPolygons(pieces: readonly ClipPiece[], centre: Centre, radius_m: number): Geometry | null {
  const { lon, lat } = centre;
  const inside = polygonsInBox(pieces, expandBbox([lon, lat, lon, lat], radius_m));
  if (inside.length === 0) return null;
  const shape: GeoJsonMultiPolygon = { type: 'MultiPolygon', coordinates: inside };
  const circle = feature({ type: 'Polygon' as const, coordinates: [circleRing(centre, radius_m)] });
  return (
    intersect(featureCollection<GeoJsonMultiPolygon | (typeof circle)['geometry']>([feature(shape), circle]))
      ?.geometry ?? null
  );
}

/** The parts of a line string within the circle; each is cut at the segments that leave it. */
function* partsWithin(line: Float64Array, centre: Centre, radius_m: number): Iterable<Position[]> {
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

function clipLines(pieces: readonly ClipPiece[], centre: Centre, radius_m: number): Geometry | null {
  const coordinates: Position[][] = [];
  for (const { geom, cell } of pieces) {
    const { coords, lineEnds } = decodeLineWkb(geom);
    lineEnds.forEach((end, i) => {
      const line = coords.subarray((i === 0 ? 0 : lineEnds[i - 1]!) * 2, end * 2);
      // Inside its own cell only: in the margin the neighbouring piece says the same.
      for (const own of clipLineToBox(line, cellBbox(cell)))
        coordinates.push(...partsWithin(own, centre, radius_m));
    });
  }
  return coordinates.length === 0 ? null : { type: 'MultiLineString', coordinates };
}

function clipPoints(pieces: readonly ClipPiece[], centre: Centre, radius_m: number): Geometry | null {
  const plane = localPlane(centre.lon, centre.lat);
  const coordinates = pieces
    .flatMap(({ geom }) => positions(decodePointWkb(geom).coords))
    .filter(([lon, lat]) => Math.hypot(plane.x(lon!, lat!), plane.y(lon!, lat!)) <= radius_m);
  return coordinates.length === 0 ? null : { type: 'MultiPoint', coordinates };
}

/**
 * The part of a feature within a circle, as GeoJSON in GDA2020 degrees; null: none. The pieces of the feature in several grid
 * cells become one shape without seams. Polygons are intersected with a polygon of 128 corners that stands for the circle.
 */
export function clipToCircle(
  shape: string,
  pieces: readonly ClipPiece[],
  centre: Centre,
  radius_m: number,
): Geometry | null {
  if (shape === 'polygon') return clipPolygons(pieces, centre, radius_m);
  return shape === 'line' ? clipLines(pieces, centre, radius_m) : clipPoints(pieces, centre, radius_m);
}
