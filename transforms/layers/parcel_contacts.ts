import { insideBands } from '../geo/edge_bands.ts';
import type { MultiPolygon } from '../geo/geometry.ts';
import { type OverlapShape, OverlapSubject, overlapAreaSqm, overlapShape } from '../geo/overlap_area.ts';
import { ringParity } from '../geo/point_in_polygon.ts';
import { squaredTwiceBetween } from './boxes.ts';
import type { FeatureLayer } from './feature_layer.ts';
import { fineCol, fineRow } from './fine_grid.ts';
import { bandsOf } from './inside.ts';
import { lengthInside } from './line_in_parcel.ts';
import { boxInCell, NO_OVERLAP_SQM, overlapShare } from './overlap.ts';
import { squaredBoxGap } from './parcel_distance.ts';
import { boxOf, type ParcelSet, parcelArea } from './parcel_set.ts';

/** Minimum length of a line inside a parcel that it crosses, metres. */
const CROSSES_M = 0.1;

/** Flags of a piece in the fine cells of a parcel: contains a centre, has an edge, has an edge at the parcel's box. */
const COVERS = 1;
const HAS_EDGE = 2;
const IS_NEAR = 4;

/** Maximum squared gap between touching boxes, square metres: rounding. */
const TOUCH_SQM = 1e-6;

/** A feature with a part in a parcel. */
export interface ParcelContact {
  feature: number;
  /** Whether it covers more than the minimum area, crosses the parcel, or is a point in it. */
  isOn: boolean;
  /** Area of the parcel that it covers, square metres; 0 for lines and points. */
  overlap_sqm: number;
}

/** Sorts a short list in place. */
function sortNumbers(list: number[]): void {
  for (let i = 1; i < list.length; i++) {
    const item = list[i]!;
    let at = i;
    for (; at > 0 && list[at - 1]! > item; at--) list[at] = list[at - 1]!;
    list[at] = item;
  }
}

/** Finds the features with a part in a parcel. Reused from parcel to parcel. */
export class ParcelContacts {
  /** Contacts found, ascending by feature. */
  readonly list: ParcelContact[] = [];
  /** Whether a border of a polygon is in the parcel; it may also cross the boundary. */
  hasBorder = false;
  private readonly layer: FeatureLayer;
  private readonly parcels: ParcelSet;
  private readonly onMin_sqm: number;
  private readonly state: Uint8Array;
  private readonly partStamp: Int32Array;
  /** The parcel as measured against polygons, and its area by the same measure; -1: not computed yet. */
  private readonly subject = new OverlapSubject();
  private whole_sqm = -1;
  private readonly shapes: (OverlapShape | undefined)[];
  /** Pieces in the fine cells of the parcel, and parts of lines and points that meet the parcel's box. */
  private readonly pieces: number[] = [];
  private readonly parts: number[] = [];
  private token = 0;

  constructor(layer: FeatureLayer, parcels: ParcelSet, onMin_sqm: number) {
    this.layer = layer;
    this.parcels = parcels;
    this.onMin_sqm = onMin_sqm;
    this.state = new Uint8Array(layer.pieces.length);
    this.partStamp = new Int32Array(layer.edges.piece.length);
    this.shapes = new Array(layer.pieces.length);
  }

  find(parcel: number): void {
    const { featureOf, pieces } = this.layer;
    this.list.length = 0;
    this.hasBorder = false;
    this.whole_sqm = -1;
    this.collect(parcel);
    const contacts = this.pieces;
    if (contacts.length === 0) return;
    if (contacts.length > 1) sortNumbers(contacts);
    for (let from = 0; from < contacts.length; ) {
      const feature = featureOf[contacts[from]!]!;
      let to = from + 1;
      while (to < contacts.length && featureOf[contacts[to]!] === feature) to++;
      const { kind } = pieces[contacts[from]!]!;
      if (kind === 'polygon') this.addPolygon(parcel, feature, from, to);
      else if (kind === 'line') this.addLine(parcel, feature);
      else this.addPoint(parcel, feature);
      from = to;
    }
    for (const piece of contacts) this.state[piece] = 0;
  }

  /** Returns whether a feature was found. */
  has(feature: number): boolean {
    for (const contact of this.list) if (contact.feature === feature) return true;
    return false;
  }

  /** Lists the pieces, and the parts of lines and points, in the fine cells that the box of a parcel touches. */
  private collect(parcel: number): void {
    const { grid, edges, cover } = this.layer;
    const { boxes } = this.parcels;
    this.pieces.length = 0;
    this.parts.length = 0;
    this.token++;
    const c0 = Math.max(0, fineCol(grid, boxes[parcel * 4]!));
    const r0 = Math.max(0, fineRow(grid, boxes[parcel * 4 + 1]!));
    const c1 = Math.min(grid.cols - 1, fineCol(grid, boxes[parcel * 4 + 2]!));
    const r1 = Math.min(grid.rows - 1, fineRow(grid, boxes[parcel * 4 + 3]!));
    for (let row = r0; row <= r1; row++) {
      for (let cell = row * grid.cols + c0, last = row * grid.cols + c1; cell <= last; cell++) {
        for (let k = edges.run_starts[cell]!, end = edges.run_starts[cell + 1]!; k < end; k++) {
          this.takeRun(parcel, k);
        }
        for (let k = cover.starts[cell]!, end = cover.starts[cell + 1]!; k < end; k++) {
          this.mark(cover.pieces[k]!, COVERS);
        }
      }
    }
  }

  private mark(piece: number, state: number): void {
    if (this.state[piece] === 0) this.pieces.push(piece);
    this.state[piece]! |= state;
  }

  private takeRun(parcel: number, run: number): void {
    const { run_boxes, run_piece, run_parts, parts } = this.layer.edges;
    const piece = run_piece[run]!;
    this.mark(piece, HAS_EDGE);
    const { extents } = this.parcels;
    const k4 = parcel * 4;
    const half_x = (extents[k4 + 2]! - extents[k4]!) / 2;
    const half_y = (extents[k4 + 3]! - extents[k4 + 1]!) / 2;
    const x = extents[k4]! + half_x;
    const y = extents[k4 + 1]! + half_y;
    if (squaredTwiceBetween(run_boxes, run * 4, x, y, half_x, half_y) > 4 * TOUCH_SQM) return;
    for (let k = run_parts[run]!, end = run_parts[run + 1]!; k < end; k++)
      this.takePart(parcel, piece, parts[k]!);
  }

  private takePart(parcel: number, piece: number, part: number): void {
    const { edges, isPolygon } = this.layer;
    const { xy } = edges;
    const i = part * 4;
    if (squaredBoxGap(this.parcels, parcel, xy, i) > TOUCH_SQM) return;
    this.mark(piece, IS_NEAR);
    if (isPolygon[piece] === 1) {
      this.hasBorder ||= this.holds(parcel, xy[i]!, xy[i + 1]!);
      return;
    }
    if (this.partStamp[part] === this.token) return;
    this.partStamp[part] = this.token;
    this.parts.push(part);
  }

  private addPolygon(parcel: number, feature: number, from: number, to: number): void {
    const overlap_sqm = this.overlap(parcel, from, to);
    if (overlap_sqm > NO_OVERLAP_SQM)
      this.list.push({ feature, isOn: overlap_sqm > this.onMin_sqm, overlap_sqm });
  }

  /** Returns the area of the parcel that pieces `from` to `to` of the list cover. */
  private overlap(parcel: number, from: number, to: number): number {
    let states = 0;
    for (let k = from; k < to; k++) states |= this.state[this.pieces[k]!]!;
    const isClear = (states & IS_NEAR) === 0;
    if ((states & HAS_EDGE) === 0) return parcelArea(this.parcels, parcel);
    const shape = this.parcels.shapes[parcel]!;
    if (isClear && to === from + 1) {
      const bands = bandsOf(this.layer, this.pieces[from]!);
      const isInside = insideBands(bands, shape.coords[0]!, shape.coords[1]!);
      return isInside ? parcelArea(this.parcels, parcel) : 0;
    }
    const box = boxOf(this.parcels, parcel);
    if (this.whole_sqm < 0) {
      this.subject.set(shape);
      this.whole_sqm = overlapAreaSqm(this.subject, null, box);
    }
    let sum = 0;
    for (let k = from; k < to; k++) {
      const piece = this.pieces[k]!;
      const pieceBox = boxInCell(box, this.layer.pieces[piece]!.cell);
      if (pieceBox !== null) sum += overlapAreaSqm(this.subject, this.shapeOf(piece), pieceBox);
    }
    return overlapShare(sum, this.whole_sqm) * parcelArea(this.parcels, parcel);
  }

  private shapeOf(piece: number): OverlapShape {
    const geometry = this.layer.pieces[piece]!.geometry as MultiPolygon;
    this.shapes[piece] ??= overlapShape(geometry, bandsOf(this.layer, piece));
    return this.shapes[piece];
  }

  private addLine(parcel: number, feature: number): void {
    const { edges, featureOf } = this.layer;
    const { xy } = edges;
    let inside_m = 0;
    for (const part of this.parts) {
      if (featureOf[edges.piece[part]!] !== feature) continue;
      const i = part * 4;
      inside_m += lengthInside(this.parcels, parcel, xy[i]!, xy[i + 1]!, xy[i + 2]!, xy[i + 3]!);
    }
    if (inside_m > 0) this.list.push({ feature, isOn: inside_m > CROSSES_M, overlap_sqm: 0 });
  }

  private addPoint(parcel: number, feature: number): void {
    const { edges, featureOf } = this.layer;
    for (const part of this.parts) {
      if (featureOf[edges.piece[part]!] !== feature) continue;
      if (!this.holds(parcel, edges.xy[part * 4]!, edges.xy[part * 4 + 1]!)) continue;
      this.list.push({ feature, isOn: true, overlap_sqm: 0 });
      return;
    }
  }

  private holds(parcel: number, x: number, y: number): boolean {
    const { xy, ring_ends, first_ring } = this.parcels;
    let parity = 0;
    for (let ring = first_ring[parcel]!; ring < first_ring[parcel + 1]!; ring++) {
      parity ^= ringParity(x, y, xy, ring === 0 ? 0 : ring_ends[ring - 1]!, ring_ends[ring]!);
    }
    return parity === 1;
  }
}
