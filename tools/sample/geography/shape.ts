import type { Rings } from '../formats/shapefile_writer.ts';
import type { Frame } from './frame.ts';

/** Flat x, y pairs of an open ring, metres of a town's plane. */
export type Ring = readonly number[];

/** Rings of a polygon or multipolygon in a town's plane; the last `holes` rings are holes. */
export interface Shape {
  readonly rings: readonly Ring[];
  readonly holes: number;
}

export const rectangle = (x0: number, y0: number, x1: number, y1: number): Ring => [
  x0,
  y0,
  x1,
  y0,
  x1,
  y1,
  x0,
  y1,
];

/** Shape of one shell without holes. */
export const simple = (ring: Ring): Shape => ({ rings: [ring], holes: 0 });

/** Unsigned area of an open ring. */
export function ringArea(ring: Ring): number {
  const n = ring.length;
  let sum = 0;
  for (let i = 2; i < n - 2; i += 2) {
    sum +=
      (ring[i]! - ring[0]!) * (ring[i + 3]! - ring[1]!) -
      (ring[i + 2]! - ring[0]!) * (ring[i + 1]! - ring[1]!);
  }
  return Math.abs(sum) / 2;
}

/** Area of the plane covered: shells less holes. */
export function shapeArea({ rings, holes }: Shape): number {
  let sum = 0;
  for (let i = 0; i < rings.length; i++)
    sum += i < rings.length - holes ? ringArea(rings[i]!) : -ringArea(rings[i]!);
  return sum;
}

/** Closed rings in GDA2020 degrees. */
export function toDegrees(frame: Frame, { rings, holes }: Shape): Rings {
  let vertices = 0;
  const ringEnds = rings.map((ring) => {
    vertices += ring.length / 2 + 1;
    return vertices;
  });
  const coords = new Float64Array(2 * vertices);
  let at = 0;
  for (const ring of rings) {
    const start = at;
    for (let i = 0; i < ring.length; i += 2) {
      coords[at++] = frame.lon(ring[i]!, ring[i + 1]!);
      coords[at++] = frame.lat(ring[i]!, ring[i + 1]!);
    }
    coords[at++] = coords[start]!;
    coords[at++] = coords[start + 1]!;
  }
  return { coords, ringEnds, holes };
}

/** The ring with extra vertices so that no edge is longer than `step` metres. */
export function densify(ring: Ring, step: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length;
    const [ax, ay, bx, by] = [ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!];
    const pieces = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) / step));
    for (let k = 0; k < pieces; k++) out.push(ax + ((bx - ax) * k) / pieces, ay + ((by - ay) * k) / pieces);
  }
  return out;
}

/** Centre of the box around the shells. */
export function boxCentre({ rings }: Shape): [number, number] {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      minX = Math.min(minX, ring[i]!);
      maxX = Math.max(maxX, ring[i]!);
      minY = Math.min(minY, ring[i + 1]!);
      maxY = Math.max(maxY, ring[i + 1]!);
    }
  }
  return [(minX + maxX) / 2, (minY + maxY) / 2];
}
