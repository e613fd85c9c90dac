import { multiPolygon } from '@turf/turf';
import type { Feature, MultiPolygon } from 'geojson';
import type { Bbox } from '../../schema/grid.ts';
import { bboxOf, polygonsOf, positionsOf, ringsOf } from '../geo/geometry.ts';
import { decodeAnyWkb } from '../geo/wkb.ts';
import type { Scale, TurfPosition } from './local_degrees.ts';

/** Two ends of a side. */
export type Edge = readonly [TurfPosition, TurfPosition];

/** A geometry for Turf, GDA2020 degrees. */
export interface TurfShape {
  readonly kind: 'polygon' | 'line' | 'point';
  /** Rings of each polygon; none for lines and points. */
  readonly polygons: readonly (readonly TurfPosition[][])[];
  /** Sides longer than 0, the long ones divided; a point is a side with equal ends. */
  readonly edges: readonly Edge[];
  readonly box: Bbox;
}

/** Maximum length of a side, degrees: a side is straight in degrees, and 1 mm from that on a plane after 200 m. */
const SIDE_DEG = 0.002;

/** Divides the long sides of a ring or line. */
const divide = (line: readonly TurfPosition[]): TurfPosition[] =>
  line.flatMap(([x, y], i) => {
    const [fromX, fromY] = line[Math.max(0, i - 1)]!;
    const parts = Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / SIDE_DEG);
    const inner = Array.from({ length: parts - 1 }, (_, k): TurfPosition => {
      const share = (k + 1) / parts;
      return [fromX + share * (x - fromX), fromY + share * (y - fromY)];
    });
    return [...inner, [x, y]];
  });

const edgesOf = (line: readonly TurfPosition[]): Edge[] =>
  line.slice(1).map((end, i): Edge => [line[i]!, end]);

export function readShape(wkb: Uint8Array): TurfShape {
  const { kind, geometry } = decodeAnyWkb(wkb);
  if (kind === 'point') return turfPointShape(...positionsOf(geometry.coords));
  const polygons = kind === 'polygon' ? polygonsOf(geometry).map((rings) => rings.map(positionsOf)) : [];
  const lines =
    kind === 'polygon' ? polygons.flat() : ringsOf(geometry.coords, geometry.lineEnds).map(positionsOf);
  const edges = lines
    .flatMap((line) => edgesOf(divide(line)))
    .filter(([[px, py], [qx, qy]]) => px !== qx || py !== qy);
  return { kind, polygons, edges, box: bboxOf(geometry.coords) };
}

export const turfPointShape = (...places: TurfPosition[]): TurfShape => ({
  kind: 'point',
  polygons: [],
  edges: places.map((at) => [at, at]),
  box: bboxOf(Float64Array.from(places.flat())),
});

/** Returns polygons with their positions scaled and their long sides divided. */
export const turfPolygon = (polygons: TurfShape['polygons'], scale?: Scale): Feature<MultiPolygon> =>
  multiPolygon(
    scale === undefined
      ? (polygons as TurfPosition[][][])
      : polygons.map((rings) => rings.map((ring) => divide(ring).map(scale))),
  );

export const scaleEdges = (edges: readonly Edge[], scale: Scale): Edge[] =>
  edges.map(([p, q]) => [scale(p), scale(q)]);

/** Returns metres that two boxes are apart at least, in GDA2020 or local degrees. */
export function boxGap([aw, as, ae, an]: Bbox, [bw, bs, be, bn]: Bbox): number {
  const east = Math.max(0, bw - ae, aw - be);
  const north = Math.max(0, bs - an, as - bn) * 110_570;
  if (east === 0) return north;
  const poleward = Math.max(-as, an, -bs, bn);
  return Math.hypot(east * 111_100 * Math.cos((poleward * Math.PI) / 180), north);
}

export const edgeBox = ([[px, py], [qx, qy]]: Edge): Bbox => [
  Math.min(px, qx),
  Math.min(py, qy),
  Math.max(px, qx),
  Math.max(py, qy),
];

/** Returns the sides of a shape that can be the nearest to something in a box. */
export function edgesNear({ edges }: TurfShape, box: Bbox): Edge[] {
  const [west, south, east, north] = box;
  const [x, y] = [(west + east) / 2, (south + north) / 2];
  const shorter = Math.cos((Math.min(Math.abs(south), Math.abs(north)) * Math.PI) / 180);
  const apart = (toX: number, toY: number): number => Math.hypot((toX - x) * shorter, toY - y) * 111_900;
  let most = Infinity;
  for (const [[toX, toY]] of edges) most = Math.min(most, apart(toX, toY));
  most += apart(west, south);
  return edges.filter((edge) => boxGap(box, edgeBox(edge)) <= most);
}
