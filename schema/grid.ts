/**
 * The fixed grid of partitions over Australia and its territories, in GDA2020 degrees. A cell is 0.05° on a side (5.5 km by 4 to
 * 5.4 km). A batch of one dense cell fits in memory, and a plan of the whole country is small.
 * Estimates, not measured nationally: about 50,000 addresses in the densest cell, about 20,000 cells with an address.
 */
export const CELL_DEG = 0.05;

/** Bounds of accepted coordinates: Cocos (96.8° E), Norfolk Island (168.0° E), Macquarie Island (54.8° S), Torres Strait. */
export const BOUNDS = { minLon: 96, minLat: -56, maxLon: 169, maxLat: -8 } as const;

const COLS = Math.round((BOUNDS.maxLon - BOUNDS.minLon) / CELL_DEG);
const ROWS = Math.round((BOUNDS.maxLat - BOUNDS.minLat) / CELL_DEG);
/** Row stride of a cell number; a power of ten keeps the number readable: row × 10,000 + column. */
const STRIDE = 10_000;

/** Cell of rows without coordinates. It has no neighbours and no extent. */
export const NO_CELL = -1;

/** [minLon, minLat, maxLon, maxLat] in degrees. */
export type Bbox = readonly [number, number, number, number];

/** Returns whether the point is inside BOUNDS. NaN and infinities are outside. */
export function inAustralia(lon: number, lat: number): boolean {
  return lon >= BOUNDS.minLon && lon < BOUNDS.maxLon && lat >= BOUNDS.minLat && lat < BOUNDS.maxLat;
}

const clamp = (value: number, max: number): number => (value < 0 ? 0 : value >= max ? max - 1 : value);
const colOf = (lon: number): number => clamp(Math.floor((lon - BOUNDS.minLon) / CELL_DEG + 1e-9), COLS);
const rowOf = (lat: number): number => clamp(Math.floor((lat - BOUNDS.minLat) / CELL_DEG + 1e-9), ROWS);

/** Returns the cell that contains a point. Cells include their south and west edges. Points outside BOUNDS go to the nearest edge cell. */
export function cellOf(lon: number, lat: number): number {
  return rowOf(lat) * STRIDE + colOf(lon);
}

const indexSql = (degrees: string, min: number, max: number): string =>
  `GREATEST(0, LEAST(${max - 1}, floor((${degrees} - ${min}::float8) / ${CELL_DEG}::float8 + 1e-9::float8)))::int`;

/** SQL expression for the cell of two columns. Null: a column is null. */
export const cellSql = (lon: string, lat: string): string =>
  `CASE WHEN ${lon} IS NOT NULL AND ${lat} IS NOT NULL
    THEN ${indexSql(lat, BOUNDS.minLat, ROWS)} * ${STRIDE} + ${indexSql(lon, BOUNDS.minLon, COLS)} END`;

/** Returns the extent of a cell in degrees. */
export function cellBbox(cell: number): Bbox {
  const minLon = BOUNDS.minLon + (cell % STRIDE) * CELL_DEG;
  const minLat = BOUNDS.minLat + Math.floor(cell / STRIDE) * CELL_DEG;
  return [minLon, minLat, minLon + CELL_DEG, minLat + CELL_DEG];
}

/** Returns all cells that a box touches, in ascending order. */
export function cellsOfBbox([minLon, minLat, maxLon, maxLat]: Bbox): number[] {
  const cells: number[] = [];
  const [c0, c1] = [colOf(minLon), colOf(maxLon)];
  for (let row = rowOf(minLat), last = rowOf(maxLat); row <= last; row++) {
    for (let c = c0; c <= c1; c++) cells.push(row * STRIDE + c);
  }
  return cells;
}

/** Minimum length of a degree of latitude on the ellipsoid, metres, so that a halo in degrees is never too narrow. */
const M_PER_DEG_LAT_MIN = 110_574;

/** Returns the smallest box around all boxes; needs at least one. */
export const unionBox = (boxes: readonly Bbox[]): Bbox =>
  boxes.reduce((a, b) => [
    Math.min(a[0], b[0]),
    Math.min(a[1], b[1]),
    Math.max(a[2], b[2]),
    Math.max(a[3], b[3]),
  ]);

/** Returns the box widened by at least `metres` on every side. */
export function expandBbox([minLon, minLat, maxLon, maxLat]: Bbox, metres: number): Bbox {
  const dLat = metres / M_PER_DEG_LAT_MIN;
  const poleward = Math.max(Math.abs(minLat), Math.abs(maxLat)) + dLat;
  const dLon = metres / (111_319 * Math.cos((poleward * Math.PI) / 180));
  return [minLon - dLon, minLat - dLat, maxLon + dLon, maxLat + dLat];
}
