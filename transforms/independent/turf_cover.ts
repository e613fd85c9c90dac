import * as turf from '@turf/turf';
import type { Bbox } from '../../schema/grid.ts';
import type { Scale, TurfPosition } from './local_degrees.ts';
import { toEdges } from './turf_distance.ts';
import { boxGap, type Edge, edgeBox, scaleEdges, type TurfShape, turfPolygon } from './turf_shape.ts';

/** Computes an area in square metres with Turf. Sides are geodesics, which are straight on the plane, as in recorded areas. */
export const turfArea = ({ polygons }: TurfShape, scale: Scale): number =>
  turf.area(turf.multiPolygon(polygons.map((rings) => rings.map((ring) => ring.map(scale)))));

/**
 * Computes with Turf how many square metres of a parcel the pieces of a polygon cover. Pieces are clipped to a metre around the parcel first,
 * because Turf takes seconds to intersect the thousands of sides of a flood.
 */
export function turfCovered(parcel: TurfShape, pieces: readonly TurfShape[], scale: Scale): number {
  const [w, s, e, n] = parcel.box;
  const clip = (rings: readonly TurfPosition[][]): TurfPosition[][] =>
    turf.bboxClip(turf.polygon([...rings]), [w - 1e-5, s - 1e-5, e + 1e-5, n + 1e-5]).geometry
      .coordinates as TurfPosition[][];
  const parcelShape = turfPolygon(parcel.polygons, scale);
  const parts = pieces.flatMap(({ polygons, box }) => {
    if (boxGap(parcel.box, box) > 0) return [];
    const near = polygons.map(clip).filter((rings) => rings.length > 0);
    const common =
      near.length === 0
        ? null
        : turf.intersect(turf.featureCollection([parcelShape, turfPolygon(near, scale)]));
    return common === null ? [] : [common];
  });
  return parts.length < 2
    ? parts.reduce((_, part) => turf.area(part), 0)
    : turf.area(turf.union(turf.featureCollection(parts))!);
}

const METRES = { units: 'meters' } as const;
/** Length below which a part of a side is measured by its middle, metres. */
const PART_M = 0.02;

/** Measures the sides of a shape that are in another one or within a tolerance of it, by halving. `deep_m`: metres farther inside than the tolerance. */
function metresAlong(
  a: TurfShape,
  b: TurfShape,
  tolerance_m: number,
  scale: Scale,
): { metres: number; deep_m: number } {
  const near = ({ edges }: TurfShape, box: Bbox): Edge[] =>
    scaleEdges(
      edges.filter((edge) => boxGap(edgeBox(edge), box) <= tolerance_m),
      scale,
    );
  const other = turfPolygon(b.polygons, scale);
  const sum = { metres: 0, deep_m: 0 };
  /** Adds a part of a side; `sides`: sides of the other shape that can be within the tolerance. */
  const add = ([p, q]: Edge, sides: readonly Edge[]): void => {
    const long = turf.distance(p, q, METRES);
    const middle: TurfPosition = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
    const reach = tolerance_m + (long < PART_M ? 0 : (long / 2) * 1.001);
    const border = sides.filter((side) => toEdges(middle, [side], reach) < reach);
    // The distance to a straight side is greatest at an end of the part.
    const isAlong = border.some((side) => [p, q].every((end) => toEdges(end, [side]) <= tolerance_m));
    if (!isAlong && long >= PART_M && border.length > 0) {
      add([p, middle], border);
      add([middle, q], border);
      return;
    }
    const isDeep = border.length === 0 && b.kind === 'polygon' && turf.booleanPointInPolygon(middle, other);
    if (border.length > 0 || isDeep) sum.metres += long;
    if (isDeep) sum.deep_m += long;
  };
  const border = near(b, a.box);
  for (const side of near(a, b.box)) add(side, border);
  return sum;
}

/** Measures the common boundary of two parcels with Turf: the longer side if they overlap, else the shorter. */
export function turfShared(a: TurfShape, b: TurfShape, tolerance_m: number, scale: Scale): number {
  const [ahead, back] = [metresAlong(a, b, tolerance_m, scale), metresAlong(b, a, tolerance_m, scale)];
  const choose = ahead.deep_m + back.deep_m > 0 ? Math.max : Math.min;
  return choose(ahead.metres, back.metres);
}

/** Measures with Turf how many metres of a line are inside a parcel, more than 0.01 m from its border. */
export const turfCrossing = (line: TurfShape, parcel: TurfShape, scale: Scale): number =>
  metresAlong(line, parcel, 0.01, scale).deep_m;
