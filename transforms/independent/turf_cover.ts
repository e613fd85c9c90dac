import { area, distance, featureCollection, intersect, union } from '@turf/turf';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import type { Position } from './local_degrees.ts';
import { isInside, toEdges, turfDistance } from './turf_distance.ts';
import { boxGap, type Edge, edgeBox, edgesOf, type TurfShape, turfPolygon } from './turf_shape.ts';

/** Computes an area in square metres with Turf. */
export const turfArea = (shape: TurfShape): number => area(turfPolygon(shape));

/** Computes with Turf how many square metres of a parcel the pieces of a polygon cover. */
export function turfCovered(parcel: TurfShape, pieces: readonly TurfShape[]): number {
  const parts = pieces.flatMap((piece): Feature<Polygon | MultiPolygon>[] => {
    if (piece.kind !== 'polygon' || turfDistance(parcel, piece) > 0) return [];
    const common = intersect(featureCollection([turfPolygon(parcel), turfPolygon(piece)]));
    return common === null ? [] : [common];
  });
  if (parts.length < 2) return parts.length === 0 ? 0 : area(parts[0]!);
  return area(union(featureCollection(parts))!);
}

const METRES = { units: 'meters' } as const;
/** Length below which a part of a side is measured by its middle, metres. */
const PART_M = 0.02;

/** Measures the parts of a side that are in a shape or within a tolerance of it. */
class SideParts {
  metres = 0;
  /** Metres in the shape, farther from its border than the tolerance. */
  deep_m = 0;
  readonly #shape: TurfShape;
  readonly #tolerance_m: number;

  constructor(shape: TurfShape, tolerance_m: number) {
    this.#shape = shape;
    this.#tolerance_m = tolerance_m;
  }

  /** Adds a part of a side; `border`: the sides of the shape that can be within the tolerance. */
  add(part: Edge, border: readonly Edge[]): void {
    const [p, q] = part;
    const long = distance(p, q, METRES);
    const middle: Position = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
    const reach = this.#tolerance_m + (long < PART_M ? 0 : (long / 2) * 1.001);
    const near = border.filter((edge) => toEdges(middle, [edge], reach) < reach);
    // The distance to a straight side is greatest at an end of the part.
    if (near.some((edge) => [p, q].every((end) => toEdges(end, [edge]) <= this.#tolerance_m)))
      this.metres += long;
    else if (long >= PART_M && near.length > 0) {
      this.add([p, middle], near);
      this.add([middle, q], near);
    } else if (near.length > 0) this.metres += long;
    else if (isInside(middle, this.#shape)) {
      this.metres += long;
      this.deep_m += long;
    }
  }
}

/** Measures the sides of a shape that are in another one or within a tolerance of it. */
function partsAlong(a: TurfShape, b: TurfShape, tolerance_m: number): SideParts {
  const parts = new SideParts(b, tolerance_m);
  const border = edgesOf(b);
  for (const side of edgesOf(a)) if (boxGap(edgeBox(side), b.box) <= tolerance_m) parts.add(side, border);
  return parts;
}

/** Measures the common boundary of two parcels with Turf: the longer side if they overlap, else the shorter. */
export function turfShared(a: TurfShape, b: TurfShape, tolerance_m: number): number {
  const [ahead, back] = [partsAlong(a, b, tolerance_m), partsAlong(b, a, tolerance_m)];
  const choose = ahead.deep_m + back.deep_m > 0 ? Math.max : Math.min;
  return choose(ahead.metres, back.metres);
}

/** Measures with Turf how many metres of a line are inside a parcel, more than 0.01 m from its border. */
export const turfCrossing = (line: TurfShape, parcel: TurfShape): number =>
  partsAlong(line, parcel, 0.01).deep_m;
