import { col, nullable, table } from '../table.ts';
import { provenance } from './piece.ts';

/** Event types that sources report. */
export const EVENT_TYPES = ['listed', 'price_changed', 'under_offer', 'sold', 'withdrawn', 'leased'] as const;
export type MarketEventType = (typeof EVENT_TYPES)[number];

/** Kinds of property that a source may state. */
export const PROPERTY_TYPES = [
  'house',
  'unit',
  'townhouse',
  'villa',
  'duplex',
  'land',
  'rural',
  'retirement',
  'other',
] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** Features to search by in the finder, if an advertisement states them. */
export const LISTING_FEATURES = [
  'level_access',
  'good_view_outlook',
  'presence_of_ensuite',
  'big_kitchen',
  'presence_of_pool',
  'entertaining_area',
  'natural_light',
] as const;
export type ListingFeature = (typeof LISTING_FEATURES)[number];

/** Reasons why a sale is kept in the history but is not evidence of value. */
export const NO_EVIDENCE_REASONS = ['nominal', 'partial_interest', 'multi_property'] as const;

/** Facts that a source states about a property and an event; shared by the record and the matched event. */
export const marketEventColumns = {
  event_key: col(
    'text',
    'Dataset, source, source_id, event type and date, joined by |. Unique in a file; several files may tell the same event.',
  ),
  source: col('text', 'Name of the feed, for example nsw_vg or the agency system.'),
  source_id: col('text', 'Identifier of the listing or sale in the source.'),
  event_type: col('text', 'listed, price_changed, under_offer, sold, withdrawn or leased.'),
  channel: col('text', 'sale or rent.'),
  event_date: col('date', 'Date of the event; of a sale the contract date, else the settlement date.'),
  settlement_date: nullable('date', 'Settlement of a sale; null: not stated.'),
  observed_at: nullable(
    'text',
    'UTC time at which the source was read, YYYY-MM-DDThh:mm:ssZ, so that text order is time order; null: not stated.',
  ),
  state: nullable('text', 'State abbreviation; null: not stated.'),
  address: nullable('text', 'Address as published, in one line; null: the source has fields only.'),
  unit: nullable('text', 'Unit as published; null: none or not split.'),
  number: nullable(
    'text',
    'Street number as published, letters and ranges included; null: none or not split.',
  ),
  street: nullable('text', 'Street with its type as published; null: not split.'),
  suburb: nullable('text', 'Suburb as published; null: not stated.'),
  postcode: nullable('text', 'Four digits; null: not stated.'),
  lot_plan: nullable('text', 'Lot on plan as published; null: not stated.'),
  given_pid: nullable('text', 'gnaf_pid that the source gives; null: none.'),
  lon: nullable('float8', 'Longitude, GDA2020 degrees; null: not stated.'),
  lat: nullable('float8', 'Latitude, GDA2020 degrees; null: not stated.'),
  price: nullable('int4', 'Whole dollars; of rent dollars per week; null: not disclosed or not readable.'),
  price_low: nullable('int4', 'Lower end of an advertised range; null: none.'),
  price_high: nullable('int4', 'Upper end; null: none.'),
  price_text: nullable('text', 'Price as published where it is text; null: it is a number.'),
  no_evidence: nullable(
    'text',
    'Why the price is no evidence of value: nominal, partial_interest or multi_property; null: it may be.',
  ),
  dealing_id: nullable('text', 'Dealing or transfer that several records may share; null: not stated.'),
  bedrooms: nullable('int2', 'Bedrooms; null: not stated.'),
  bathrooms: nullable('int2', 'Bathrooms; null: not stated.'),
  parking: nullable(
    'int2',
    'Car spaces: garages and carports, and open spaces where the source counts them; null: not stated.',
  ),
  property_type: nullable(
    'text',
    'house unit townhouse villa duplex land rural retirement other; null: not stated.',
  ),
  land_area_sqm: nullable('float8', 'Advertised land size, square metres; null: not stated.'),
  floor_area_sqm: nullable('float8', 'Advertised floor size, square metres; null: not stated.'),
  year_built: nullable('int2', 'Year of construction; null: not stated.'),
  features: nullable('text[]', 'Features of the finder that the source lists; null: not stated.'),
  description: nullable('text', 'Advertising text; null: none.'),
} as const;

/** Source: listing feeds, REAXML, government sales files. */
export const marketEventRecord = table({
  schema: 'record',
  name: 'market_event',
  doc: 'A listing, lease or sale as a source reports it, before it is matched to an address.',
  columns: {
    ...provenance,
    month_partition: col('int4', 'Bucket of state and month (schema/event_bucket.ts).'),
    file: col(
      'text',
      'File of the release that told it. Of records with one event_key the latest observed_at counts, null first; of those the last file by name.',
    ),
    ...marketEventColumns,
  },
  primaryKey: ['event_key', 'file'],
  indexes: [{ columns: ['month_partition'] }],
  partition: 'month',
});
