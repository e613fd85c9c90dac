import { cellOf } from '../../schema/grid.ts';
import { bboxOf, type MultiPolygon } from '../../transforms/geo/geometry.ts';
import { cutIntoCells } from '../../transforms/geo/pieces.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../transforms/geo/plane.ts';
import { seededRandom } from '../sample/random.ts';

/** South-west corner of the synthetic city. */
export const LON = 144.9;
export const LAT = -37.9;
const MX = metresPerDegreeLon(LAT);
const MY = metresPerDegreeLat(LAT);

/** Width and depth of a lot, metres; between blocks of 10 by 2 lots lie roads of 16 m. */
const LOT_X = 18;
const LOT_Y = 36;
export const ROAD_M = 16;
/** Lots of a block side by side, and from north to south. */
const BLOCK_LOTS = [10, 2] as const;
/** Width and depth of a block with one road, metres. */
export const BLOCK_X = BLOCK_LOTS[0] * LOT_X + ROAD_M;
export const BLOCK_Y = BLOCK_LOTS[1] * LOT_Y + ROAD_M;

/** Vertices in metres east and north of the corner of the city. */
export type Points = [number, number][];

/** Polygons and points of a seeded synthetic city; everything is in GDA2020 degrees, sorted by grid cell. */
export interface City {
  parcels: MultiPolygon[];
  /** Grid cell of each parcel's first vertex, ascending. */
  parcelCells: Int32Array;
  addresses: Float64Array;
  addressCells: Int32Array;
  hazards: { name: string; features: MultiPolygon[] }[];
  schools: Float64Array;
  /** Places, with a category from 0 to 4 each. */
  pois: Float64Array;
  poiCategory: Uint8Array;
  /** Stops, with a mode from 0 to 2 each. */
  stops: Float64Array;
  stopMode: Uint8Array;
  sales: Float64Array;
}

const place = (i: number, lots: number, size: number): number => i * size + Math.floor(i / lots) * ROAD_M;

/** Memory that threads share, handed out piece by piece: a buffer of its own for each polygon would burden the collector. */
let pool: Float64Array = new Float64Array(0);
let used = 0;

function shared(length: number): Float64Array {
  if (used + length > pool.length) {
    pool = new Float64Array(new SharedArrayBuffer(8 * Math.max(length, 1 << 20)));
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
}

/** Ends of one polygon of one ring, by its vertices: polygons share these lists. */
const ringEndsOf: (readonly number[])[] = [];
const ONE: readonly number[] = [1];

/** A polygon of one closed ring, anticlockwise. */
export function polygon(ring: Points): MultiPolygon {
  const coords = shared(ring.length * 2);
  for (const [i, [x, y]] of ring.entries()) {
    coords[i * 2] = LON + x / MX;
    coords[i * 2 + 1] = LAT + y / MY;
  }
  ringEndsOf[ring.length] ??= [ring.length];
  return { coords, ringEnds: ringEndsOf[ring.length]!, polygonEnds: ONE };
}

/** Lots with shared corners off by up to 2 m, further nodes on their sides (T-junctions), some off by centimetres, some stacked or in two parts. */
function lots(count: number, seed: number): MultiPolygon[] {
  const { next, chance } = seededRandom(seed, 'lots');
  const columns = columnsOf(count);
  const corners = new Map<number, [number, number]>();
  const corner = (column: number, row: number, right: number, top: number): [number, number] => {
    const x = place(column, BLOCK_LOTS[0], LOT_X) + right * LOT_X;
    const y = place(row, BLOCK_LOTS[1], LOT_Y) + top * LOT_Y;
    const at = Math.round(x) * 1e7 + Math.round(y);
    const known = corners.get(at) ?? [x + next() * 2, y + next() * 2];
    corners.set(at, known);
    return known;
  };
  const out: MultiPolygon[] = [];
  for (let i = 0; out.length < count; i++) {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const off = chance(0.05) ? next() * 0.1 : 0;
    const square = [
      corner(column, row, 0, 0),
      corner(column, row, 1, 0),
      corner(column, row, 1, 1),
      corner(column, row, 0, 1),
    ];
    const ring: Points = [];
    for (let k = 0; k < 4; k++) {
      const [ax, ay] = square[k]!;
      const [bx, by] = square[(k + 1) % 4]!;
      const nodes = 1 + Math.floor(next() * 2.4);
      for (let n = 0; n < nodes; n++)
        ring.push([ax + ((bx - ax) * n) / nodes + off, ay + ((by - ay) * n) / nodes]);
    }
    ring.push(ring[0]!);
    out.push(polygon(ring));
    if (chance(0.02) && out.length < count) out.push(out.at(-1)!);
  }
  return out;
}

/** Lots of a city of so many parcels from west to east. */
const columnsOf = (count: number): number => Math.ceil(Math.sqrt((count * LOT_Y) / LOT_X));

/** Width and height of a city of so many parcels, metres. */
export function extentOf(count: number): [width: number, height: number] {
  const columns = columnsOf(count);
  return [place(columns, BLOCK_LOTS[0], LOT_X), place(Math.ceil(count / columns), BLOCK_LOTS[1], LOT_Y)];
}

/** Blocks of a city of so many parcels from west to east and from south to north. */
export function blocksOf(count: number): [columns: number, rows: number] {
  const columns = columnsOf(count);
  return [Math.ceil(columns / BLOCK_LOTS[0]), Math.ceil(Math.ceil(count / columns) / BLOCK_LOTS[1])];
}

/** Column and row of the block at a point, a road to its middle. */
export const degreesToBlock = (lon: number, lat: number): [column: number, row: number] => [
  Math.floor(((lon - LON) * MX + ROAD_M / 2) / BLOCK_X),
  Math.floor(((lat - LAT) * MY + ROAD_M / 2) / BLOCK_Y),
];

/** A blob of n vertices around a point. */
export function blob(next: () => number, x: number, y: number, radius: number, n: number): Points {
  const [a, b] = [next() * 6, next() * 6];
  const ring: Points = [];
  for (let i = 0; i < n; i++) {
    const angle = (i / n) * 2 * Math.PI;
    const r =
      radius * (1 + 0.3 * Math.sin(3 * angle + a) + 0.15 * Math.sin(7 * angle + b) + 0.1 * (next() - 0.5));
    ring.push([x + r * Math.cos(angle), y + r * Math.sin(angle)]);
  }
  return [...ring, ring[0]!];
}

/** A river that winds outwards through the whole city in a spiral, as one polygon; at `breadth` 1 it is 60 to 220 m wide. */
export function river(
  next: () => number,
  width: number,
  height: number,
  vertices: number,
  breadth = 1,
): MultiPolygon {
  const half = Math.floor(vertices / 2);
  const furthest = Math.min(width, height) / 2;
  const turns = furthest / 1300;
  const side = (k: number, w: number): [number, number] => {
    const t = (k + 1) / half;
    // equal steps along the way
    const r = 200 + (furthest - 200) * Math.sqrt(t);
    const angle = Math.sqrt(t) * turns * 2 * Math.PI;
    const offset = 200 * Math.sin(k / 400) + w * breadth * (70 + 40 * Math.sin(k / 90)) + next();
    return [width / 2 + (r + offset) * Math.cos(angle), height / 2 + (r + offset) * Math.sin(angle)];
  };
  const ring: Points = [];
  for (let k = 0; k < half; k++) ring.push(side(k, 1));
  for (let k = half - 1; k >= 0; k--) ring.push(side(k, -1));
  return polygon([...ring, ring[0]!]);
}

function scattered(next: () => number, count: number, width: number, height: number): Float64Array {
  const out = shared(count * 2);
  for (let i = 0; i < count; i++) {
    out[i * 2] = LON + (next() * width) / MX;
    out[i * 2 + 1] = LAT + (next() * height) / MY;
  }
  return out;
}

const vertexCount = (features: readonly MultiPolygon[]): number =>
  features.reduce((sum, { coords }) => sum + coords.length / 2, 0);

/** Polygons of all sizes, many small and a few large ones, until they have so many vertices. */
export function blobs(
  next: () => number,
  width: number,
  height: number,
  vertices: number,
  most: number,
): MultiPolygon[] {
  const out: MultiPolygon[] = [];
  for (let used = 0; used < vertices; used += out.at(-1)!.coords.length / 2) {
    const size = next() ** 3;
    out.push(
      polygon(blob(next, next() * width, next() * height, 15 + 280 * size, 15 + Math.floor(most * size))),
    );
  }
  return out;
}

/** Numbers of the items in ascending order of their cells. */
function byCell(cells: Int32Array): Int32Array {
  return Int32Array.from(cells.keys()).sort((a, b) => cells[a]! - cells[b]! || a - b);
}

const cellsOf = (lonlat: Float64Array): Int32Array =>
  Int32Array.from({ length: lonlat.length / 2 }, (_, i) => cellOf(lonlat[i * 2]!, lonlat[i * 2 + 1]!));

/** A city of so many parcels and one and a half times as many addresses, with two hazard layers of 320,000 vertices each. */
export function syntheticCity(count: number, seed: number): City {
  const { next } = seededRandom(seed, 'city');
  const all = lots(count, seed);
  const firsts = cellsOf(Float64Array.from(all.flatMap(({ coords }) => [coords[0]!, coords[1]!])));
  const order = byCell(firsts);
  const parcels = Array.from(order, (i) => all[i]!);
  const [width, height] = extentOf(count);
  const points = shared(Math.round(count * 1.5) * 2);
  for (let i = 0; i < points.length / 2; i++) {
    const [minX, minY, maxX, maxY] = bboxOf(parcels[i % count]!.coords);
    points[i * 2] = minX + (0.05 + next()) * (maxX - minX) * 0.9;
    points[i * 2 + 1] = minY + (0.05 + next()) * (maxY - minY) * 0.9;
  }
  const cells = cellsOf(points);
  const addressOrder = byCell(cells);
  const addresses = shared(points.length);
  addressOrder.forEach((i, k) => {
    addresses.set(points.subarray(i * 2, i * 2 + 2), k * 2);
  });
  const flood = [river(next, width, height, 89_000)];
  flood.push(...blobs(next, width, height, 320_000 - vertexCount(flood), 700));
  const pois = scattered(next, 12_000, width, height);
  const stops = scattered(next, 4000, width, height);
  return {
    parcels,
    parcelCells: Int32Array.from(order, (i) => firsts[i]!),
    addresses,
    addressCells: Int32Array.from(addressOrder, (i) => cells[i]!),
    hazards: [
      { name: 'bushfire', features: blobs(next, width, height, 320_000, 400) },
      { name: 'flood', features: flood },
    ],
    schools: scattered(next, 350, width, height),
    pois,
    poiCategory: Uint8Array.from({ length: 12_000 }, () => Math.floor(next() * 5)),
    stops,
    stopMode: Uint8Array.from({ length: 4000 }, () => Math.min(2, Math.floor(next() * 10))),
    sales: scattered(next, 30_000, width, height),
  };
}

/** The pieces of a layer by grid cell, as its table holds them. */
export function piecesByCell(
  features: readonly MultiPolygon[],
): Map<number, { feature: number; cell: number; geometry: MultiPolygon }[]> {
  const out = new Map<number, { feature: number; cell: number; geometry: MultiPolygon }[]>();
  for (const [feature, geometry] of features.entries()) {
    for (const piece of cutIntoCells(geometry)) {
      const list = out.get(piece.cell);
      if (list) list.push({ ...piece, feature });
      else out.set(piece.cell, [{ ...piece, feature }]);
    }
  }
  return out;
}
