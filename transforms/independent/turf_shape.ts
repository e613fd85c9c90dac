import { multiLineString, multiPolygon } from '@turf/turf';
import type { Feature, MultiLineString, MultiPolygon } from 'geojson';
import type { Bbox } from '../../schema/grid.ts';
import { bboxOf, polygonsOf, positionsOf, ringsOf } from '../geo/geometry.ts';
import { decodeAnyWkb } from '../geo/wkb.ts';
import type { Position, Scale } from './local_degrees.ts';

/** A geometry for Turf, in local degrees. */
export interface TurfShape {
  readonly kind: 'polygon' | 'line' | 'point';
  /** Rings of each polygon; none for lines and points. */
  readonly polygons: readonly (readonly Position[][])[];
  /** All rings or lines; points are one line. */
  readonly lines: readonly Position[][];
  readonly box: Bbox;
}

/** Two ends of a side. */
export type Edge = readonly [Position, Position];

const boxOf = (lines: readonly (readonly Position[])[]): Bbox => bboxOf(Float64Array.from(lines.flat(2)));

/** Maximum length of a side, degrees: a side is straight in degrees, Turf's on the sphere, which is 1 mm apart after 200 m. */
const SIDE_DEG = 0.002;

/** Divides the long sides of a ring or line. */
const divide = (line: readonly Position[]): Position[] =>
  line.flatMap(([x, y], i) => {
    const [fromX, fromY] = line[Math.max(0, i - 1)]!;
    const parts = Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / SIDE_DEG) || 1;
    return Array.from({ length: parts }, (_, k): Position => {
      const share = (k + 1) / parts;
      return share === 1 ? [x, y] : [fromX + share * (x - fromX), fromY + share * (y - fromY)];
    });
  });

/** Reads WKB as a shape in local degrees. */
export function readShape(wkb: Uint8Array, scale: Scale): TurfShape {
  const { kind, geometry } = decodeAnyWkb(wkb);
  const scaled = (coords: Float64Array): Position[] => divide(positionsOf(coords)).map(scale);
  const polygons = kind === 'polygon' ? polygonsOf(geometry).map((rings) => rings.map(scaled)) : [];
  const lines =
    kind === 'polygon'
      ? polygons.flat()
      : kind === 'line'
        ? ringsOf(geometry.coords, geometry.lineEnds).map(scaled)
        : [positionsOf(geometry.coords).map(scale)];
  return { kind, polygons, lines, box: boxOf(lines) };
}

/** Returns one place as a shape. */
export const pointShape = (at: Position): TurfShape => ({
  kind: 'point',
  polygons: [],
  lines: [[at]],
  box: boxOf([[at]]),
});

export const turfPolygon = ({ polygons }: TurfShape): Feature<MultiPolygon> =>
  multiPolygon(polygons as Position[][][]);

export const turfLines = (lines: readonly (readonly Position[])[]): Feature<MultiLineString> =>
  multiLineString(lines as Position[][]);

/** Returns the sides of a shape that are longer than 0. */
export const edgesOf = ({ lines }: TurfShape): Edge[] =>
  lines.flatMap((line) =>
    line.slice(1).flatMap((end, i): Edge[] => {
      const start = line[i]!;
      return start[0] === end[0] && start[1] === end[1] ? [] : [[start, end]];
    }),
  );

const METRES_PER_DEGREE = (Math.PI / 180) * 6_371_008.8;

/** Returns metres that two boxes are apart at least. */
export function boxGap([aw, as, ae, an]: Bbox, [bw, bs, be, bn]: Bbox): number {
  const poleward = Math.max(Math.abs(as), Math.abs(an), Math.abs(bs), Math.abs(bn));
  const east = Math.max(0, bw - ae, aw - be) * Math.cos((poleward * Math.PI) / 180);
  return Math.hypot(east, Math.max(0, bs - an, as - bn)) * METRES_PER_DEGREE * 0.999;
}

export const edgeBox = ([[px, py], [qx, qy]]: Edge): Bbox => [
  Math.min(px, qx),
  Math.min(py, qy),
  Math.max(px, qx),
  Math.max(py, qy),
];

/** Returns the sides of a shape that can be the nearest to something in a box: Turf takes 5 µs for each. */
export function edgesNear(shape: TurfShape, box: Bbox): Edge[] {
  const middle: Position = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  const shorter = Math.cos((middle[1] * Math.PI) / 180);
  const apart = ([x, y]: Position): number =>
    Math.hypot((x - middle[0]) * shorter, y - middle[1]) * METRES_PER_DEGREE * 1.001;
  let most = Infinity;
  for (const line of shape.lines) for (const at of line) most = Math.min(most, apart(at));
  most += apart([box[0], box[1]]);
  return edgesOf(shape).filter((edge) => boxGap(box, edgeBox(edge)) <= most);
}
