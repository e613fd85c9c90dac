/**
 * Speed of the neighbour search and of parcel-of-address on a seeded grid of irregular parcels, in one thread.
 * Baseline: Turf's lineOverlap, pair by pair after the same box filter, on a small part of the same grid.
 * Run: npx tsx bench/neighbours.ts [parcels] [seed]
 */

import { lineOverlap, multiPolygon as turfMultiPolygon } from '@turf/turf';
import Flatbush from 'flatbush';
import { seededRandom } from '../sample/random.ts';
import { bboxOf, type MultiPolygon, toGeoJson } from '../transforms/geo/geometry.ts';
import { localPlane, metresPerDegreeLat, metresPerDegreeLon } from '../transforms/geo/plane.ts';
import { adjoiningParcels, type ParcelShape } from '../transforms/property/neighbours.ts';
import { buildParcelIndex, parcelOfAddress } from '../transforms/property/parcel_of_address.ts';

const LON = 145;
const LAT = -37.8;
const LOT_M = 20;
const BASELINE_PARCELS = 400;
const PARAMS = { tolerance_m: 0.2, min_shared_m: 0.5 };

/** Blocks of 2 by 10 lots between roads; corners off by up to 3 m, sides with 0 to 3 further nodes, one lot in twenty off by centimetres. */
function grid(count: number, seed: number): ParcelShape[] {
  const next = seededRandom(seed, 'parcels').next;
  const columns = Math.ceil(Math.sqrt(count));
  const mx = metresPerDegreeLon(LAT);
  const my = metresPerDegreeLat(LAT);
  const place = (i: number, lots: number): number => i * LOT_M + Math.floor(i / lots) * 16;
  const corners = new Map<number, [number, number]>();
  const corner = (column: number, row: number, right: number, top: number): [number, number] => {
    const x = place(column, 10) + right * LOT_M;
    const y = place(row, 2) + top * LOT_M;
    const at = Math.round(x) * 1e7 + Math.round(y);
    const known = corners.get(at) ?? [x + next() * 3, y + next() * 3];
    corners.set(at, known);
    return known;
  };
  const parcels: ParcelShape[] = [];
  for (let i = 0; i < count; i++) {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const off = next() < 0.05 ? next() * 0.1 : 0;
    const ring = [
      corner(column, row, 0, 0),
      corner(column, row, 1, 0),
      corner(column, row, 1, 1),
      corner(column, row, 0, 1),
    ];
    const coords: number[] = [];
    for (let k = 0; k < 4; k++) {
      const [ax, ay] = ring[k]!;
      const [bx, by] = ring[(k + 1) % 4]!;
      const nodes = 1 + Math.floor(next() * 4);
      for (let n = 0; n < nodes; n++) {
        coords.push(
          LON + (ax + ((bx - ax) * n) / nodes + off) / mx,
          LAT + (ay + ((by - ay) * n) / nodes) / my,
        );
      }
    }
    coords.push(coords[0]!, coords[1]!);
    const geometry: MultiPolygon = {
      coords: Float64Array.from(coords),
      ringEnds: [coords.length / 2],
      polygonEnds: [1],
    };
    parcels.push({ id: `p${i}`, geometry });
  }
  return parcels;
}

/** Best of three runs, in seconds. */
function seconds(run: () => void): number {
  let best = Infinity;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    run();
    best = Math.min(best, (performance.now() - start) / 1000);
  }
  return best;
}

function report(name: string, rows: number, time: number, more = ''): void {
  console.log(
    `${name.padEnd(34)} ${Math.round(rows / time)
      .toLocaleString('en')
      .padStart(12)} rows/s  ${more}`,
  );
}

/** Turf, pair by pair, for the first parcels of the grid. */
function baseline(parcels: readonly ParcelShape[]): number {
  const index = new Flatbush(parcels.length);
  for (const { geometry } of parcels)
    index.add(...(bboxOf(geometry.coords) as [number, number, number, number]));
  index.finish();
  const shapes = parcels.map(({ geometry }) => turfMultiPolygon(toGeoJson(geometry).coordinates));
  let pairs = 0;
  const start = performance.now();
  for (const [a, { geometry }] of parcels.entries()) {
    const [minX, minY, maxX, maxY] = bboxOf(geometry.coords);
    for (const b of index.search(minX - 2e-6, minY - 2e-6, maxX + 2e-6, maxY + 2e-6)) {
      if (b <= a) continue;
      if (lineOverlap(shapes[a]!, shapes[b]!, { tolerance: PARAMS.tolerance_m / 1000 }).features.length > 0)
        pairs++;
    }
  }
  const time = (performance.now() - start) / 1000;
  report(
    'Turf lineOverlap, pair by pair',
    parcels.length,
    time,
    `${pairs} pairs of ${parcels.length} parcels`,
  );
  return time / parcels.length;
}

const count = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? 1);
const parcels = grid(count, seed);
const vertices = parcels.reduce((sum, { geometry }) => sum + geometry.coords.length / 2, 0);
console.log(`${count.toLocaleString('en')} parcels, ${vertices.toLocaleString('en')} vertices, seed ${seed}`);

const perParcel = baseline(parcels.slice(0, BASELINE_PARCELS));
const subjects = parcels.map((_, i) => i);
let pairs = 0;
const neighbours = seconds(() => {
  pairs = adjoiningParcels(parcels, subjects, PARAMS).length;
});
const ratio = ((perParcel * count) / neighbours).toFixed(0);
report(
  'adjoiningParcels',
  count,
  neighbours,
  `${pairs.toLocaleString('en')} ordered pairs, ${ratio} times the baseline`,
);

const candidates = parcels.map(({ id, geometry }) => ({
  parcel_id: id,
  lot_plan: null,
  geometry,
  area_sqm: 400,
}));
const next = seededRandom(seed + 1, 'parcels').next;
const points = parcels.map(({ geometry }) => ({
  lon: geometry.coords[0]! + (next() * 30) / 88_000,
  lat: geometry.coords[1]! + (next() * 30) / 111_000,
  hasParcelPosition: true,
  lot_plan: null,
}));
const addresses = seconds(() => {
  const index = buildParcelIndex(candidates);
  for (const point of points) parcelOfAddress(index, point, { nearest_m: 5, legal_id_radius_m: 1000 });
});
report('parcelOfAddress with its index', count, addresses);

const projected = seconds(() => {
  const plane = localPlane(LON, LAT);
  for (const { geometry } of parcels) plane.project(geometry.coords);
});
report('localPlane, vertices', vertices, projected);
