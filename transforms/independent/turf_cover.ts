import {
  area,
  bboxClip,
  booleanPointInPolygon,
  distance,
  featureCollection,
  intersect,
  multiPolygon,
  polygon,
  union,
} from '@turf/turf';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import type { Bbox } from '../../schema/grid.ts';
import type { Scale, TurfPosition } from './local_degrees.ts';
import { toEdges } from './turf_distance.ts';
import { boxGap, type Edge, edgeBox, scaleEdges, type TurfShape, turfPolygon } from './turf_shape.ts';

/** Computes an area in square metres with Turf. */
export const turfArea = (shape: TurfShape, scale: Scale): number => area(turfPolygon(shape, scale));

type ClippedArea = Feature<Polygon | MultiPolygon>;

/** Moves the positions of a polygon. */
function scaled({ geometry }: ClippedArea, scale: Scale): ClippedArea {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  return multiPolygon(
    polygons.map((rings) => rings.map((ring) => ring.map((at) => scale(at as TurfPosition)))),
  );
}

/** Maximum sides of a polygon that Turf intersects as a whole: it takes seconds for the thousands of a flood. */
const FEW = 100;

/** Computes with Turf how many square metres of a parcel the pieces of a polygon cover. */
export function turfCovered(parcel: TurfShape, pieces: readonly TurfShape[], scale: Scale): number {
  const own = turfPolygon(parcel);
  const parts = pieces.flatMap((piece): ClippedArea[] => {
    if (piece.kind !== 'polygon' || boxGap(parcel.box, piece.box) > 0) return [];
    const { polygons } = piece;
    // Turf leaves an empty polygon for each one outside the box.
    const near =
      piece.edges.length < FEW ? polygons : polygons.flatMap((rings) => clipped(rings, parcel.box));
    const other = multiPolygon(near as TurfPosition[][][]);
    const common = near.length === 0 ? null : intersect(featureCollection<MultiPolygon>([own, other]));
    return common === null ? [] : [common];
  });
  if (parts.length === 0) return 0;
  return area(scaled(parts.length === 1 ? parts[0]! : union(featureCollection(parts))!, scale));
}

/** Clips a polygon to a box widened by about a metre. */
function clipped(rings: readonly TurfPosition[][], [w, s, e, n]: Bbox): TurfPosition[][][] {
  const { geometry } = bboxClip(polygon(rings as TurfPosition[][]), [w - 1e-5, s - 1e-5, e + 1e-5, n + 1e-5]);
  return geometry.coordinates.length === 0 ? [] : [geometry.coordinates as TurfPosition[][]];
}

const METRES = { units: 'meters' } as const;
/** Length below which a part of a side is measured by its middle, metres. */
const PART_M = 0.02;

/** Measures the parts of a side that are in a shape or within a tolerance of it. */
class SideParts {
  metres = 0;
  /** Metres in the shape, farther from its border than the tolerance. */
  deep_m = 0;
  readonly #isInside: (at: TurfPosition) => boolean;
  readonly #tolerance_m: number;

  constructor(isInside: (at: TurfPosition) => boolean, tolerance_m: number) {
    this.#isInside = isInside;
    this.#tolerance_m = tolerance_m;
  }

  /** Adds a part of a side; `border`: the sides of the shape that can be within the tolerance. */
  add(part: Edge, border: readonly Edge[]): void {
    const [p, q] = part;
    const long = distance(p, q, METRES);
    const middle: TurfPosition = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
    const reach = this.#tolerance_m + (long < PART_M ? 0 : (long / 2) * 1.001);
    const near = border.filter((edge) => toEdges(middle, [edge], reach) < reach);
    // The distance to a straight side is greatest at an end of the part.
    if (near.some((edge) => [p, q].every((end) => toEdges(end, [edge]) <= this.#tolerance_m)))
      this.metres += long;
    else if (long >= PART_M && near.length > 0) {
      this.add([p, middle], near);
      this.add([middle, q], near);
    } else if (near.length > 0) this.metres += long;
    else if (this.#isInside(middle)) {
      this.metres += long;
      this.deep_m += long;
    }
  }
}

/** Measures the sides of a shape that are in another one or within a tolerance of it. */
function partsAlong(a: TurfShape, b: TurfShape, tolerance_m: number, scale: Scale): SideParts {
  const near = (edge: Edge, box: Bbox): boolean => boxGap(edgeBox(edge), box) <= tolerance_m;
  const sides = a.edges.filter((edge) => near(edge, b.box));
  const border = scaleEdges(
    b.edges.filter((edge) => near(edge, a.box)),
    scale,
  );
  const polygon = turfPolygon(b, scale);
  const parts = new SideParts(
    (at) => b.kind === 'polygon' && booleanPointInPolygon(at, polygon),
    tolerance_m,
  );
  for (const side of scaleEdges(sides, scale)) parts.add(side, border);
  return parts;
}

/** Measures the common boundary of two parcels with Turf: the longer side if they overlap, else the shorter. */
export function turfShared(a: TurfShape, b: TurfShape, tolerance_m: number, scale: Scale): number {
  const [ahead, back] = [partsAlong(a, b, tolerance_m, scale), partsAlong(b, a, tolerance_m, scale)];
  const choose = ahead.deep_m + back.deep_m > 0 ? Math.max : Math.min;
  return choose(ahead.metres, back.metres);
}

/** Measures with Turf how many metres of a line are inside a parcel, more than 0.01 m from its border. */
export const turfCrossing = (line: TurfShape, parcel: TurfShape, scale: Scale): number =>
  partsAlong(line, parcel, 0.01, scale).deep_m;
