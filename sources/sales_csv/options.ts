import { z } from 'zod';
import { EVENT_TYPES, PROPERTY_TYPES, type PropertyType } from '../../schema/records/market_event.ts';
import type { DatasetConfig } from '../adapter.ts';
import { aliases } from '../fields/column_filter.ts';
import { marketOptions } from '../market/market_options.ts';
import { badOption, namedMap, parseOptions } from '../release/options.ts';

/** Fields of an event that a column may hold. */
export const FIELDS = [
  'source_id',
  'event_type',
  'event_date',
  'settlement_date',
  'observed_at',
  'gnaf_pid',
  'address',
  'unit',
  'number',
  'street',
  'suburb',
  'state',
  'postcode',
  'lot_plan',
  'lon',
  'lat',
  'price',
  'price_period',
  'dealing_id',
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area',
  'floor_area',
  'year_built',
  'description',
] as const;
export type Field = (typeof FIELDS)[number];

const mapSchema = z.strictObject({
  columns: z.partialRecord(z.enum(FIELDS), aliases),
  /** Event type of rows that state none. */
  event_type: z.enum(EVENT_TYPES).default('sold'),
  /** Our property type by the value of its column, without case; other values are classified by their words. */
  types: z.record(z.string().min(1), z.enum(PROPERTY_TYPES)).default({}),
  /** Filters of rows: each of these columns must hold one of its values, without case. */
  filters: z
    .array(z.strictObject({ column: z.string().min(1), keep: z.array(z.string()).min(1) }))
    .default([]),
});
/** How the columns of a table of sales become events. */
export type SalesMap = z.output<typeof mapSchema>;

/** Maps of known tables, with the options that belong to them. */
export const SALES_MAPS: Readonly<
  Record<string, SalesMap & { readonly state: string | null; readonly terms: string | null }>
> = {
  /** Melbourne sales of 2016 and 2017, collected from published results; methods other than S, SP and SA are not sales. */
  melbourne_housing: {
    columns: {
      event_date: ['Date'],
      address: ['Address'],
      suburb: ['Suburb'],
      postcode: ['Postcode'],
      lon: ['Longtitude', 'Longitude'],
      lat: ['Lattitude', 'Latitude'],
      price: ['Price'],
      bedrooms: ['Bedroom2', 'Rooms'],
      bathrooms: ['Bathroom'],
      parking: ['Car'],
      property_type: ['Type'],
      land_area: ['Landsize'],
      floor_area: ['BuildingArea'],
      year_built: ['YearBuilt'],
    },
    event_type: 'sold',
    types: { h: 'house', u: 'unit', t: 'townhouse' } satisfies Record<string, PropertyType>,
    filters: [{ column: 'Method', keep: ['S', 'SP', 'SA'] }],
    state: 'VIC',
    terms:
      'The Melbourne housing table is under CC BY-NC-SA 4.0: for evaluation only, not for what is served.',
  },
};

const optionsSchema = z.strictObject({
  ...marketOptions,
  field_map: z.union([z.string(), mapSchema], {
    error: `the name of a map (${Object.keys(SALES_MAPS).join(', ')}), or {columns, event_type?, types?, filters?}`,
  }),
  source: z
    .string()
    .min(1)
    .max(60)
    .nullish()
    .transform((source) => source ?? null),
  delimiter: z.string().length(1).default(','),
});

/** Options of a dataset of sales, with its map resolved. */
export type SalesOptions = Omit<z.output<typeof optionsSchema>, 'field_map'> & {
  readonly map: SalesMap;
  /** A sentence on the terms of use of the map's data; null: none. */
  readonly terms: string | null;
};

/** Reads the options of a dataset. EtlError `bad_option`, also for a map without date or address. */
export function readSalesOptions(dataset: DatasetConfig): SalesOptions {
  const { field_map, ...options } = parseOptions(optionsSchema, dataset);
  const mapByName =
    typeof field_map === 'string' ? namedMap(SALES_MAPS, field_map, dataset, 'map of sales') : null;
  const map = mapByName ?? (field_map as SalesMap);
  const { columns } = map;
  if (
    columns.event_date === undefined ||
    !(columns.address ?? columns.street ?? columns.gnaf_pid ?? columns.lot_plan)
  )
    throw badOption(
      dataset,
      'field_map must name columns of event_date and of address, street, lot_plan or gnaf_pid',
    );
  const types = Object.fromEntries(
    Object.entries(map.types).map(([value, type]) => [value.toLowerCase(), type]),
  );
  const state = options.state ?? (mapByName?.state as SalesOptions['state']) ?? null;
  return { ...options, state, map: { ...map, types }, terms: mapByName?.terms ?? null };
}
