import { type Bbox, cellBbox } from '../../schema/grid.ts';
import { type BoxGrid, boxesMeeting, buildBoxGrid, type NumberList } from '../geo/box_grid.ts';
import { type EdgeBands, type EdgeList, edgeBands, edgesInBox, insideBands } from '../geo/edge_bands.ts';
import { bboxOf, type MultiPolygon } from '../geo/geometry.ts';
import { type OverlapShape, OverlapSubject, overlapAreaSqm, overlapShape } from '../geo/overlap_area.ts';
import { decodeWkb } from '../geo/wkb.ts';

/** Part of a polygon feature in one grid cell, from `cutIntoCells`; `cell` -1: the feature was not cut. */
export interface OverlapPiece {
  /** Number shared by all pieces of a feature. */
  readonly feature: number;
  readonly cell: number;
  readonly geometry: MultiPolygon;
}

/** A parcel as recorded, with the bounding box and ellipsoidal area of its shape. */
export interface OverlapParcel {
  readonly min_lon: number;
  readonly min_lat: number;
  readonly max_lon: number;
  readonly max_lat: number;
  readonly area_sqm: number;
  /** WKB, GDA2020 degrees. */
  readonly geom: Uint8Array;
}

/** Maximum area, square metres, of an overlap caused by rounding along a common border; it is not reported. */
export const NO_OVERLAP_SQM = 1e-4;

/** Returns the part of a box in a piece's cell: the margin beyond the cell belongs to the next piece. Null: none. */
export function boxInCell(box: Bbox, cell: number): Bbox | null {
  if (cell < 0) return box;
  const [west, south, east, north] = cellBbox(cell);
  const ownBox: Bbox = [
    Math.max(box[0], west),
    Math.max(box[1], south),
    Math.min(box[2], east),
    Math.min(box[3], north),
  ];
  return ownBox[0] < ownBox[2] && ownBox[1] < ownBox[3] ? ownBox : null;
}

/** Box that meets nothing. */
const NOWHERE: Bbox = [Infinity, Infinity, -Infinity, -Infinity];

/** Returns the pieces' flat boxes, limited to their cells; a piece with nothing in its cell meets nothing. */
function ownBoxes(pieces: readonly OverlapPiece[]): Float64Array {
  const boxes = new Float64Array(pieces.length * 4);
  for (let i = 0; i < pieces.length; i++) {
    const { geometry, cell } = pieces[i]!;
    const box = geometry.coords.length === 0 ? null : boxInCell(bboxOf(geometry.coords), cell);
    boxes.set(box ?? NOWHERE, i * 4);
  }
  return boxes;
}

/** Maximum missing share of a fully covered parcel: rounding. */
const ROUNDING = 1e-6;

/** Returns an overlap as a share of the whole, 0 to 1; both measured by overlapAreaSqm. */
export function overlapShare(overlap: number, total: number): number {
  return overlap >= total * (1 - ROUNDING) ? 1 : overlap / total;
}

/** Sorts the first numbers of a short list. */
function sortFirst(items: Uint32Array, count: number): void {
  for (let k = 1; k < count; k++) {
    const item = items[k]!;
    let to = k;
    for (; to > 0 && items[to - 1]! > item; to--) items[to] = items[to - 1]!;
    items[to] = item;
  }
}

/** Relation of a piece to its part of a parcel's box: covers nothing, covers all of it, or must be measured. */
const OUTSIDE = 0;
const AROUND = 1;
const MEASURED = 2;

/** Area, square metres, that is certainly above NO_OVERLAP_SQM by either measure. */
const CERTAIN_SQM = 1;

const edges: EdgeList = { edges: new Uint32Array(256) };

/**
 * Finds the polygon features that cover a part of a parcel. GDA2020 degrees, edges straight in degrees. Needs all pieces of the
 * cells that a parcel touches.
 * Shares are exact except for rounding in each 0.01° of latitude, and accurate to 0.02 % on the ellipsoid. They do not depend on
 * the cutting of features or the order of pieces.
 */
export class OverlapSearch {
  /** Features of the last `find`, ascending; it returned their number. */
  readonly feature: number[] = [];
  /** Area of the parcel that each covers, square metres on the ellipsoid; at most the parcel's area. */
  readonly overlap_sqm: number[] = [];
  /** The same as a fraction of the parcel, 0 to 1. */
  readonly share: number[] = [];
  /** Pieces by feature, then by cell: areas are added in this order. */
  readonly #pieces: readonly OverlapPiece[];
  readonly #boxes: Float64Array;
  readonly #grid: BoxGrid;
  readonly #bands: (EdgeBands | undefined)[];
  readonly #shapes: (OverlapShape | undefined)[];
  readonly #near: NumberList = { items: new Uint32Array(64) };
  readonly #subject = new OverlapSubject();
  /** Part of the parcel's box in the cell of the last piece looked at. */
  readonly #common: [number, number, number, number] = [0, 0, 0, 0];
  /** Whether `#subject` holds the parcel. */
  #isTaken = false;
  /** Area of the parcel by the measure of overlaps; negative: not computed yet. */
  #parcelArea = -1;
  #count = 0;

  constructor(pieces: readonly OverlapPiece[]) {
    this.#pieces = [...pieces].sort((a, b) => a.feature - b.feature || a.cell - b.cell);
    this.#boxes = ownBoxes(this.#pieces);
    this.#grid = buildBoxGrid(this.#boxes);
    this.#bands = new Array(pieces.length);
    this.#shapes = new Array(pieces.length);
  }

  /** Finds the features that cover a part of the parcel; writes `feature`, `overlap_sqm` and `share`, and returns their number. */
  find(parcel: OverlapParcel): number {
    const { min_lon, min_lat, max_lon, max_lat } = parcel;
    const near = this.#near;
    const candidates = boxesMeeting(this.#grid, min_lon, min_lat, max_lon, max_lat, near);
    this.#count = 0;
    if (candidates === 0) return 0;
    sortFirst(near.items, candidates);
    this.#isTaken = false;
    this.#parcelArea = -1;
    for (let from = 0; from < candidates; ) {
      const to = this.#endOfFeature(from, candidates);
      this.#measure(parcel, from, to);
      from = to;
    }
    return this.#count;
  }

  /** Returns the index at which the current feature's pieces end in the list. */
  #endOfFeature(from: number, count: number): number {
    const { items } = this.#near;
    const { feature } = this.#pieces[items[from]!]!;
    let to = from + 1;
    while (to < count && this.#pieces[items[to]!]!.feature === feature) to++;
    return to;
  }

  #measure(parcel: OverlapParcel, from: number, to: number): void {
    const { items } = this.#near;
    const { feature } = this.#pieces[items[from]!]!;
    let overlap = 0;
    for (let k = from; k < to; k++) {
      const piece = items[k]!;
      const lies = this.#lie(parcel, piece);
      if (lies === OUTSIDE) continue;
      if (lies === AROUND && to - from === 1 && parcel.area_sqm >= CERTAIN_SQM) {
        this.#put(feature, parcel.area_sqm, 1);
        return;
      }
      const parcelArea = this.#wholeOf(parcel);
      overlap +=
        lies === AROUND ? parcelArea : overlapAreaSqm(this.#subject, this.#shapeOf(piece), this.#common);
    }
    if (overlap <= NO_OVERLAP_SQM) return;
    const share = overlapShare(overlap, this.#wholeOf(parcel));
    this.#put(feature, share * parcel.area_sqm, share);
  }

  #put(feature: number, overlap_sqm: number, share: number): void {
    const at = this.#count++;
    this.feature[at] = feature;
    this.overlap_sqm[at] = overlap_sqm;
    this.share[at] = share;
  }

  /**
   * Returns the relation of a piece to the parcel's box, and writes the piece's part of the box to `#common`. If that has no edge,
   * one point decides for all of it.
   */
  #lie(parcel: OverlapParcel, piece: number): number {
    const boxes = this.#boxes;
    const at = piece * 4;
    const x0 = Math.max(parcel.min_lon, boxes[at]!);
    const y0 = Math.max(parcel.min_lat, boxes[at + 1]!);
    const x1 = Math.min(parcel.max_lon, boxes[at + 2]!);
    const y1 = Math.min(parcel.max_lat, boxes[at + 3]!);
    if (!(x0 < x1) || !(y0 < y1)) return OUTSIDE;
    const common = this.#common;
    common[0] = x0;
    common[1] = y0;
    common[2] = x1;
    common[3] = y1;
    const bands = this.#bandsOf(piece);
    if (edgesInBox(bands, x0, y0, x1, y1, edges) > 0) return MEASURED;
    if (!insideBands(bands, (x0 + x1) / 2, (y0 + y1) / 2)) return OUTSIDE;
    const { min_lon, min_lat, max_lon, max_lat } = parcel;
    return x0 === min_lon && y0 === min_lat && x1 === max_lon && y1 === max_lat ? AROUND : MEASURED;
  }

  #bandsOf(piece: number): EdgeBands {
    this.#bands[piece] ??= edgeBands(this.#pieces[piece]!.geometry);
    return this.#bands[piece];
  }

  #shapeOf(piece: number): OverlapShape {
    this.#shapes[piece] ??= overlapShape(this.#pieces[piece]!.geometry, this.#bandsOf(piece));
    return this.#shapes[piece];
  }

  /** Returns the parcel, ready to be measured. */
  #subjectOf({ geom }: OverlapParcel): OverlapSubject {
    if (!this.#isTaken) this.#subject.set(decodeWkb(geom));
    this.#isTaken = true;
    return this.#subject;
  }

  /** Returns the area of the parcel by the measure of overlaps. */
  #wholeOf(parcel: OverlapParcel): number {
    if (this.#parcelArea < 0) {
      const { min_lon, min_lat, max_lon, max_lat } = parcel;
      this.#parcelArea = overlapAreaSqm(this.#subjectOf(parcel), null, [min_lon, min_lat, max_lon, max_lat]);
    }
    return this.#parcelArea;
  }
}
