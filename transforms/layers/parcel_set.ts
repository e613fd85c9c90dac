import type { Bbox } from '../../schema/grid.ts';
import { geodesicAreaSqm } from '../geo/area.ts';
import { boxesAround } from '../geo/box_grid.ts';
import { bboxOf, type MultiPolygon } from '../geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon, type Plane } from '../geo/plane.ts';

/** Maximum length of a part of an edge, metres: see layer_edges.ts. */
const PART_M = 200;

/** Parcels on a plane, in flat arrays; built once by prepareParcels for all layers. */
export interface ParcelSet {
  readonly count: number;
  readonly plane: Plane;
  /** As given: GDA2020 degrees. */
  readonly shapes: readonly MultiPolygon[];
  /** West, south, east and north edge of each parcel, degrees. */
  readonly boxes: Float64Array;
  /** x, y of all vertices, metres; long edges have additional vertices, because they are straight in degrees. */
  readonly xy: Float64Array;
  /** Vertex at which each ring ends, exclusive. */
  readonly ring_ends: Uint32Array;
  /** Rings of parcel i: from first_ring[i] to first_ring[i + 1], exclusive. */
  readonly first_ring: Uint32Array;
  /** Minimum and maximum x and y of each parcel, metres. */
  readonly extents: Float64Array;
  /** Upper bound of the length of an edge between two vertices of `xy`, metres. */
  readonly longest_m: Float64Array;
  /** Areas, square metres, computed on demand; NaN: not yet. Use parcelArea. */
  readonly area_sqm: Float64Array;
}

/** Longitude and latitude of the vertices of rings, with additional ones on long edges. */
class Vertices {
  lonlat = new Float64Array(8192);
  count = 0;

  push(lon: number, lat: number): void {
    if (this.count * 2 === this.lonlat.length) {
      const larger = new Float64Array(this.lonlat.length * 2);
      larger.set(this.lonlat);
      this.lonlat = larger;
    }
    this.lonlat[this.count * 2] = lon;
    this.lonlat[this.count++ * 2 + 1] = lat;
  }

  addRing(coords: Float64Array, from: number, to: number, mx: number, my: number): void {
    for (let i = from * 2; i < to * 2; i += 2) {
      const lon = coords[i]!;
      const lat = coords[i + 1]!;
      if (i > from * 2) {
        const dx = lon - coords[i - 2]!;
        const dy = lat - coords[i - 1]!;
        const length2 = dx * dx * mx * mx + dy * dy * my * my;
        const parts = length2 > PART_M * PART_M ? Math.ceil(Math.sqrt(length2) / PART_M) : 1;
        for (let k = 1; k < parts; k++) {
          this.push(coords[i - 2]! + (k / parts) * dx, coords[i - 1]! + (k / parts) * dy);
        }
      }
      this.push(lon, lat);
    }
  }
}

/** Returns the longest step from vertex to vertex, including steps between rings: an upper bound of the longest edge. */
function longestStep(xy: Float64Array, from: number, to: number): number {
  let longest2 = 0;
  for (let i = from * 2 + 2; i < to * 2; i += 2) {
    const dx = xy[i]! - xy[i - 2]!;
    const dy = xy[i + 1]! - xy[i - 1]!;
    longest2 = Math.max(longest2, dx * dx + dy * dy);
  }
  return Math.sqrt(longest2);
}

/** Projects parcels to a plane centred near them. A parcel without vertices is kept; nothing is near it. */
export function prepareParcels(shapes: readonly MultiPolygon[], plane: Plane): ParcelSet {
  const boxes = boxesAround(shapes);
  const first_ring = new Uint32Array(shapes.length + 1);
  const ringEnds: number[] = [];
  const vertices = new Vertices();
  const firstVertex = new Uint32Array(shapes.length + 1);
  for (const [i, shape] of shapes.entries()) {
    const middle = (boxes[i * 4 + 1]! + boxes[i * 4 + 3]!) / 2;
    const mx = metresPerDegreeLon(middle);
    const my = metresPerDegreeLat(middle);
    let from = 0;
    for (const end of shape.ringEnds) {
      vertices.addRing(shape.coords, from, end, mx, my);
      ringEnds.push(vertices.count);
      from = end;
    }
    first_ring[i + 1] = ringEnds.length;
    firstVertex[i + 1] = vertices.count;
  }
  const xy = plane.project(vertices.lonlat.subarray(0, vertices.count * 2));
  const extents = new Float64Array(shapes.length * 4);
  const longest_m = new Float64Array(shapes.length);
  for (let i = 0; i < shapes.length; i++) {
    extents.set(bboxOf(xy, firstVertex[i]!, firstVertex[i + 1]!), i * 4);
    longest_m[i] = longestStep(xy, firstVertex[i]!, firstVertex[i + 1]!);
  }
  return {
    count: shapes.length,
    plane,
    shapes,
    boxes,
    xy,
    ring_ends: Uint32Array.from(ringEnds),
    first_ring,
    extents,
    longest_m,
    area_sqm: new Float64Array(shapes.length).fill(Number.NaN),
  };
}

/** Returns the first vertex of a parcel in `xy`. */
export const firstVertexOf = ({ ring_ends, first_ring }: ParcelSet, parcel: number): number =>
  first_ring[parcel] === 0 ? 0 : ring_ends[first_ring[parcel]! - 1]!;

/** Returns the vertex after the last of a parcel in `xy`. */
export const endVertexOf = ({ ring_ends, first_ring }: ParcelSet, parcel: number): number =>
  first_ring[parcel + 1] === 0 ? 0 : ring_ends[first_ring[parcel + 1]! - 1]!;

/** Returns the bounding box of a parcel, degrees. */
export const boxOf = ({ boxes }: ParcelSet, parcel: number): Bbox => [
  boxes[parcel * 4]!,
  boxes[parcel * 4 + 1]!,
  boxes[parcel * 4 + 2]!,
  boxes[parcel * 4 + 3]!,
];

/** Returns the area of a parcel on the ellipsoid, square metres. */
export function parcelArea(parcels: ParcelSet, parcel: number): number {
  let area = parcels.area_sqm[parcel]!;
  if (Number.isNaN(area)) {
    area = geodesicAreaSqm(parcels.shapes[parcel]!);
    parcels.area_sqm[parcel] = area;
  }
  return area;
}

/** Returns the bounding box of all parcels, degrees; without vertices its minimum is above its maximum. */
export function boxOfAll({ boxes }: ParcelSet): Bbox {
  const all: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < boxes.length; k += 4) {
    all[0] = Math.min(all[0], boxes[k]!);
    all[1] = Math.min(all[1], boxes[k + 1]!);
    all[2] = Math.max(all[2], boxes[k + 2]!);
    all[3] = Math.max(all[3], boxes[k + 3]!);
  }
  return all;
}
