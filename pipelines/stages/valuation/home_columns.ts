import {
  HOME_EXTRA,
  type recentSaleAsset,
  type valuationHomeAsset,
  type valuationSaleAsset,
} from '../../../schema/assets/valuation.ts';
import type { Row } from '../../../schema/table.ts';
import type { HomeTable, SaleTable } from '../../../transforms/property/home_table.ts';
import { dayNumber } from '../../../transforms/stats/calendar.ts';

/** A row of the table of properties to value. */
export type HomeTableRow = Parameters<typeof homeTable>[0][number];

type ValuationHomeRow = Row<typeof valuationHomeAsset>;
type ValuationSaleRow = Row<typeof valuationSaleAsset>;
type ComparedRow = Pick<ValuationHomeRow, (typeof LIKENESS_COLUMNS)[number]>;
type RecentSaleRow = Omit<Row<typeof recentSaleAsset>, 'cell'>;

/** Columns of a property that comparables use. */
export const LIKENESS_COLUMNS = [
  'gnaf_pid',
  'state',
  'area',
  'dwelling_type',
  'lon',
  'lat',
  'bedrooms',
  'bathrooms',
  'parking',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
] as const;

/** Columns of properties that the models read. */
export const HOME_COLUMNS = [
  ...LIKENESS_COLUMNS,
  'street',
  ...(Object.values(HOME_EXTRA) as Exclude<keyof ValuationHomeRow, 'cell'>[]),
] as const;

/** Columns of sales that the models read. */
export const SALE_COLUMNS = [...HOME_COLUMNS, 'kind', 'event_id', 'date', 'price'] as const;

/** Returns the numbers of a column; NaN: unknown. */
function numbersOf<C extends string>(rows: readonly Readonly<Record<C, unknown>>[], column: C): Float64Array {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = (rows[i]![column] as number | null) ?? Number.NaN;
  return values;
}

/** Converts properties to columns, with what comparables use. Unknown: NaN or ''. */
export function comparedHomes(rows: readonly ComparedRow[]): HomeTable {
  return {
    length: rows.length,
    property: rows.map((row) => row.gnaf_pid),
    dwelling_type: rows.map((row) => row.dwelling_type ?? ''),
    area: rows.map((row) => row.area ?? ''),
    street: rows.map(() => ''),
    lon: numbersOf(rows, 'lon'),
    lat: numbersOf(rows, 'lat'),
    bedrooms: numbersOf(rows, 'bedrooms'),
    bathrooms: numbersOf(rows, 'bathrooms'),
    parking: numbersOf(rows, 'parking'),
    land_area_sqm: numbersOf(rows, 'land_area_sqm'),
    floor_area_sqm: numbersOf(rows, 'floor_area_sqm'),
    year_built: numbersOf(rows, 'year_built'),
    extra: {},
  };
}

/** Converts properties to columns for the models. */
export function homeTable(
  rows: readonly Pick<ValuationHomeRow, (typeof HOME_COLUMNS)[number] & keyof ValuationHomeRow>[],
): HomeTable {
  const extra = Object.entries(HOME_EXTRA).map(([name, column]) => [name, numbersOf(rows, column)]);
  return {
    ...comparedHomes(rows),
    street: rows.map((row) => row.street ?? ''),
    extra: Object.fromEntries(extra),
  };
}

/** Returns the key of a sale in a SaleTable. */
export const saleKey = ({ gnaf_pid, event_id }: { gnaf_pid: string; event_id: string }): string =>
  `${gnaf_pid}|${event_id}`;

/** Adds the columns of sales to the columns of their properties. */
const soldHomes = (
  homes: HomeTable,
  rows: readonly Pick<RecentSaleRow, 'gnaf_pid' | 'event_id' | 'date' | 'price'>[],
): SaleTable => ({
  ...homes,
  id: rows.map(saleKey),
  day: Int32Array.from(rows, (row) => dayNumber(row.date)),
  price: Float64Array.from(rows, (row) => row.price),
});

/** Converts sales to columns, with what comparables use. */
export const comparedSales = (rows: readonly RecentSaleRow[]): SaleTable =>
  soldHomes(comparedHomes(rows), rows);

/** Converts sales to columns for the models. */
export const saleTableOf = (
  rows: readonly Pick<ValuationSaleRow, (typeof SALE_COLUMNS)[number] & keyof ValuationSaleRow>[],
): SaleTable => soldHomes(homeTable(rows), rows);
