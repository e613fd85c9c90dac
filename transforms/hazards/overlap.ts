import Flatbush from 'flatbush';
import { type Bbox, cellBbox } from '../../schema/grid.ts';
import { geodesicAreaSqm } from '../geo/area.ts';
import { bboxOf, type MultiPolygon } from '../geo/geometry.ts';
import { type OverlapShape, OverlapSubject, overlapAreaSqm, overlapShape } from '../geo/overlap_area.ts';

/** The part of a polygon feature in one grid cell, as `cutIntoCells` leaves it; `cell` -1: a feature that was not cut. */
export interface OverlapPiece {
  /** Number that all pieces of a feature share. */
  feature: number;
  cell: number;
  geometry: MultiPolygon;
}

/** A feature that covers a part of a parcel. */
export interface OverlapShare {
  parcel: number;
  feature: number;
  /** Area of the parcel covered, square metres on the ellipsoid; never more than the parcel's. */
  overlap_sqm: number;
  /** The same as a fraction of the parcel, 0 to 1. */
  share: number;
}

/** Area, square metres, up to which an overlap is rounding along a common border and is not told. */
export const NO_OVERLAP_SQM = 1e-4;

/** The part of a box that belongs to a piece: its margin beyond the cell is the next piece's. Null: none. */
export function boxInCell(box: Bbox, cell: number): Bbox | null {
  if (cell < 0) return box;
  const [west, south, east, north] = cellBbox(cell);
  const own: Bbox = [
    Math.max(box[0], west),
    Math.max(box[1], south),
    Math.min(box[2], east),
    Math.min(box[3], north),
  ];
  return own[0] < own[2] && own[1] < own[3] ? own : null;
}

/** The piece inside its cell alone, as a box; null: it has nothing there. */
function ownBox(piece: OverlapPiece): Bbox | null {
  return piece.geometry.coords.length === 0 ? null : boxInCell(bboxOf(piece.geometry.coords), piece.cell);
}

function indexPieces(boxes: readonly (Bbox | null)[]): { index: Flatbush; numbers: number[] } | null {
  const numbers: number[] = [];
  for (const [i, box] of boxes.entries()) if (box !== null) numbers.push(i);
  if (numbers.length === 0) return null;
  const index = new Flatbush(numbers.length);
  for (const i of numbers) index.add(...(boxes[i] as [number, number, number, number]));
  index.finish();
  return { index, numbers };
}

/** Share of a parcel that lacks less than this of the whole is the whole: what is missing is rounding. */
const ROUNDING = 1e-6;

/** An overlap as a share of the whole, 0 to 1; both measured by overlapAreaSqm. */
export function shareOf(overlap: number, whole: number): number {
  return overlap >= whole * (1 - ROUNDING) ? 1 : overlap / whole;
}

/** The common part of two boxes that meet. */
const common = (a: Bbox, b: Bbox): Bbox => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
];

/**
 * Every polygon feature that covers a part of a parcel, by parcel, then by feature. GDA2020 degrees, edges straight in degrees.
 * Shares are exact but for rounding in each 0.01° of latitude, and within 0.02 % of the ellipsoid; the same however features were cut and in whatever order pieces come.
 * All pieces of the cells that a parcel touches must be given.
 */
export function overlapShares(
  pieces: readonly OverlapPiece[],
  parcels: readonly MultiPolygon[],
): OverlapShare[] {
  const boxes = pieces.map(ownBox);
  const indexed = indexPieces(boxes);
  if (indexed === null) return [];
  const { index, numbers } = indexed;
  const shapes: (OverlapShape | undefined)[] = new Array(pieces.length);
  const subject = new OverlapSubject();
  const out: OverlapShare[] = [];
  for (const [parcel, geometry] of parcels.entries()) {
    if (geometry.coords.length === 0) continue;
    const box = bboxOf(geometry.coords);
    const found = index.search(box[0], box[1], box[2], box[3]).map((k) => numbers[k]!);
    if (found.length === 0) continue;
    // the same sum whatever the order
    found.sort(
      (a, b) => pieces[a]!.feature - pieces[b]!.feature || pieces[a]!.cell - pieces[b]!.cell || a - b,
    );
    subject.set(geometry);
    const area = geodesicAreaSqm(geometry);
    const whole = overlapAreaSqm(subject, null, box);
    for (let k = 0; k < found.length; ) {
      const { feature } = pieces[found[k]!]!;
      let overlap = 0;
      for (; k < found.length && pieces[found[k]!]!.feature === feature; k++) {
        const i = found[k]!;
        shapes[i] ??= overlapShape(pieces[i]!.geometry);
        overlap += overlapAreaSqm(subject, shapes[i], common(box, boxes[i]!));
      }
      if (overlap <= NO_OVERLAP_SQM) continue;
      const share = shareOf(overlap, whole);
      out.push({ parcel, feature, overlap_sqm: share * area, share });
    }
  }
  return out;
}
