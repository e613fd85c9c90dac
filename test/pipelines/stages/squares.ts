import { cellOf } from '../../../schema/grid.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';

/** Side of a square, degrees: about 88 m by 111 m. */
const SIDE = 0.001;
const [WEST, SOUTH] = [145.0305, -37.7995] as const;

/** A point of the grid of squares. */
export const pointAt = (x: number, y: number): { lon: number; lat: number } => ({
  lon: WEST + x * SIDE,
  lat: SOUTH + y * SIDE,
});

/** The cell that contains the squares of the tests. */
export const CELL = cellOf(WEST, SOUTH);

/** An upright rectangle whose south-west corner is at (x, y) of the grid, as in a record with a shape. */
export function square(x: number, y: number, width = 1, height = 1) {
  const { lon: min_lon, lat: min_lat } = pointAt(x, y);
  const { lon: max_lon, lat: max_lat } = pointAt(x + width, y + height);
  const coords = Float64Array.of(
    ...[min_lon, min_lat, max_lon, min_lat, max_lon, max_lat, min_lon, max_lat, min_lon, min_lat],
  );
  const geom = encodeWkb({ coords, ringEnds: [5], polygonEnds: [1] });
  return { cell: CELL, min_lon, min_lat, max_lon, max_lat, geom };
}

/** A parcel with the shape of a square. */
export const parcel = (parcel_id: string, ...at: Parameters<typeof square>) => ({
  parcel_id,
  lot_plan: null,
  area_sqm: 9779 * (at[2] ?? 1) * (at[3] ?? 1),
  ...square(...at),
});

/** An address of the cell, on a parcel or at a point of the grid; null: neither. */
export const home = (gnaf_pid: string, parcel_id: string | null, at: readonly [number, number] | null) => ({
  gnaf_pid,
  state: 'VIC',
  sa2: '2',
  sa3: '20',
  sal_name: 'Ash',
  postcode: '3000',
  ...(at === null ? { lon: null, lat: null } : pointAt(...at)),
  is_parcel_position: at !== null,
  parcel_id,
  parcel_area_sqm: null,
  parcel_method: 'none',
  parcel_distance_m: null,
  is_unit: false,
});
