import type { RawEvent } from '../market/market_event.ts';

/** Columns of the event contract (docs/event_contract.md), in CSV and NDJSON. Other columns are ignored. */
export const LISTING_COLUMNS = [
  'source',
  'source_id',
  'event_type',
  'channel',
  'event_date',
  'settlement_date',
  'observed_at',
  'gnaf_pid',
  'address',
  'suburb',
  'state',
  'postcode',
  'lot_plan',
  'lon',
  'lat',
  'price',
  'price_low',
  'price_high',
  'price_text',
  'price_disclosed',
  'price_period',
  'dealing_id',
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
  'features',
  'description',
] as const;
export type ListingsColumn = (typeof LISTING_COLUMNS)[number];

/** Columns that a CSV file must have. */
export const REQUIRED: readonly ListingsColumn[] = ['source_id', 'event_type', 'event_date'];

/** Returns a value of a row as text; '': not stated. Objects are not part of the contract. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
};

/** Reads features from a JSON array, or from a list with semicolons; null: not stated. */
function featuresOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  const text = textOf(value).trim();
  if (text === '') return null;
  if (!text.startsWith('[')) return text.split(';');
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : null;
  } catch {
    return null;
  }
}

/** Builds the event of a row of the contract; `field` returns the value of a column, undefined: none. */
export function eventOf(field: (column: ListingsColumn) => unknown): RawEvent {
  const { land_area_sqm, floor_area_sqm, features, ...texts } = Object.fromEntries(
    LISTING_COLUMNS.map((column) => [column, field(column)]),
  ) as Record<ListingsColumn, unknown>;
  const fields = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, textOf(value)]));
  // Own keys before the spread: an object that grows after a spread takes ten times as long.
  return {
    land_area: textOf(land_area_sqm),
    floor_area: textOf(floor_area_sqm),
    features: featuresOf(features),
    ...(fields as Omit<RawEvent, 'land_area' | 'floor_area' | 'features'>),
  };
}
