import {
  HOME_EXTRA,
  type valuationHomeAsset,
  type valuationSaleAsset,
} from '../../../schema/assets/valuation.ts';
import type { Row } from '../../../schema/table.ts';
import type { HomeTable, SaleTable } from '../../../transforms/avm/home_table.ts';
import { dayNumber } from '../../../transforms/stats/calendar.ts';

type HomeRow = Row<typeof valuationHomeAsset>;
type SaleRow = Row<typeof valuationSaleAsset>;

/** Columns of homes that the models read. */
export const HOME_COLUMNS = [
  'gnaf_pid',
  'state',
  'area',
  'street',
  'dwelling_type',
  'lon',
  'lat',
  'bedrooms',
  'bathrooms',
  'parking',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
  ...(Object.values(HOME_EXTRA) as Exclude<keyof HomeRow, 'cell'>[]),
] as const;

/** The same of sales. */
export const SALE_COLUMNS = [...HOME_COLUMNS, 'kind', 'event_id', 'date', 'price'] as const;

/** Homes in columns, as the models take them; NaN and '' for what is not known. */
export function homeTable(
  rows: readonly Pick<HomeRow, (typeof HOME_COLUMNS)[number] & keyof HomeRow>[],
): HomeTable {
  const numbers = (column: keyof (typeof rows)[number]): Float64Array => {
    const values = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) values[i] = (rows[i]![column] as number | null) ?? Number.NaN;
    return values;
  };
  return {
    length: rows.length,
    property: rows.map((row) => row.gnaf_pid),
    dwelling_type: rows.map((row) => row.dwelling_type ?? ''),
    area: rows.map((row) => row.area ?? ''),
    street: rows.map((row) => row.street ?? ''),
    lon: numbers('lon'),
    lat: numbers('lat'),
    bedrooms: numbers('bedrooms'),
    bathrooms: numbers('bathrooms'),
    parking: numbers('parking'),
    land_area_sqm: numbers('land_area_sqm'),
    floor_area_sqm: numbers('floor_area_sqm'),
    year_built: numbers('year_built'),
    extra: Object.fromEntries(Object.entries(HOME_EXTRA).map(([name, column]) => [name, numbers(column)])),
  };
}

/** Key of a sale in a SaleTable. */
export const saleKey = ({ gnaf_pid, event_id }: { gnaf_pid: string; event_id: string }): string =>
  `${gnaf_pid}|${event_id}`;

/** Sales in columns. */
export function saleTableOf(
  rows: readonly Pick<SaleRow, (typeof SALE_COLUMNS)[number] & keyof SaleRow>[],
): SaleTable {
  return {
    ...homeTable(rows),
    id: rows.map(saleKey),
    day: Int32Array.from(rows, (row) => dayNumber(row.date)),
    price: Float64Array.from(rows, (row) => row.price),
  };
}
