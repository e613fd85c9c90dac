import { z } from 'zod';
import { AREA_COLUMN } from '../../schema/serving/area_level.ts';
import { whyNoEvents } from '../answers/market_coverage.ts';
import { degrees } from '../answers/numbers.ts';
import { choiceParam, countParam } from '../answers/parameters.ts';
import { ofRegion, regionParams } from '../regions/region.ts';

/** Maximum sales or listings in an answer, and the default number. */
const MOST = 1000;
const USUAL = 200;

const limit = countParam('Maximum number of entries.', 1, MOST, USUAL);
const count = z.int().nullable();

/** Latest sales of a suburb or region. Null: never stated. */
const suburbSalesPayload = z.array(
  z.strictObject({
    gnaf_pid: z.string(),
    address: z.string(),
    sale_date: z.iso.date(),
    sale_price: z.int().positive(),
    bed_count: count,
    bath_count: count,
    parking_count: count,
    dwelling_type: z.string().nullable(),
  }),
);

const salesParams = regionParams.extend({ limit });

/** suburb/sales: the latest sales, newest first. */
export const suburbSales = ofRegion<z.infer<typeof suburbSalesPayload>, z.infer<typeof salesParams>>({
  subpath: 'suburb/sales',
  price_cents: 20,
  tool: {
    title: 'Sales in a suburb',
    use: 'Use properties_comparables_recent_sales_nearby instead for sales near one property.',
  },
  doc: 'The latest sales in a suburb or region, newest first.',
  noun: 'suburb_sales',
  payload: suburbSalesPayload,
  params: salesParams,
  async read(db, region, params) {
    const rows = await db
      .selectFrom('serving.sale')
      .select([
        'gnaf_pid',
        'address',
        'date as sale_date',
        'price as sale_price',
        'bedrooms as bed_count',
        'bathrooms as bath_count',
        'parking as parking_count',
        'dwelling_type',
      ])
      .where(AREA_COLUMN[region.level], '=', region.area)
      .orderBy('date', 'desc')
      .orderBy('gnaf_pid')
      .orderBy('event_id')
      .limit(params.limit)
      .execute();
    return rows.length > 0 ? { data: rows } : { no_data: await whyNoEvents(db, region.state, ['sale']) };
  },
});

const LISTING_TYPES = {
  sale: { types: ['For Sale'], kinds: ['listing'] },
  rent: { types: ['For Rent'], kinds: ['rent'] },
  both: { types: ['For Sale', 'For Rent'], kinds: ['listing', 'rent'] },
} as const;

/** Current listings of a suburb or region. `price` is the asking price or the weekly rent. Null: none, or only a range. */
const suburbListingsPayload = z.array(
  z.strictObject({
    gnaf_pid: z.string(),
    address: z.string(),
    type: z.enum(['For Sale', 'For Rent']),
    listing_date: z.iso.date(),
    is_under_offer: z.boolean(),
    price: z.int().nullable(),
    price_low: z.int().nullable(),
    price_high: z.int().nullable(),
    bed_count: count,
    bath_count: count,
    parking_count: count,
    dwelling_type: z.string().nullable(),
    latitude: degrees.nullable(),
    longitude: degrees.nullable(),
  }),
);

const listingsParams = regionParams.extend({
  type: choiceParam('sale or rent; default: both.', ['sale', 'rent']),
  limit,
});

/** suburb/listings: for sale first, then for rent, each newest first. */
export const suburbListings = ofRegion<z.infer<typeof suburbListingsPayload>, z.infer<typeof listingsParams>>(
  {
    subpath: 'suburb/listings',
    price_cents: 20,
    tool: {
      title: 'Listings in a suburb',
      use: 'Use property_finder instead to look for properties by criteria.',
    },
    doc: 'Listings for sale in a suburb or region, then for rent, each newest first.',
    noun: 'suburb_listings',
    payload: suburbListingsPayload,
    params: listingsParams,
    async read(db, region, params) {
      const of = (type: string) =>
        db
          .selectFrom('serving.listing')
          .select([
            'gnaf_pid',
            'address',
            'type',
            'date as listing_date',
            'is_under_offer',
            'price',
            'price_low',
            'price_high',
            'bedrooms as bed_count',
            'bathrooms as bath_count',
            'parking as parking_count',
            'dwelling_type',
            'lat as latitude',
            'lon as longitude',
          ])
          .where(AREA_COLUMN[region.level], '=', region.area)
          .where('type', '=', type)
          .orderBy('date', 'desc')
          .orderBy('gnaf_pid')
          .limit(params.limit)
          .execute();
      const { types, kinds } = LISTING_TYPES[params.type ?? 'both'];
      const rows = (await Promise.all(types.map(of))).flat().slice(0, params.limit);
      if (rows.length === 0) return { no_data: await whyNoEvents(db, region.state, kinds) };
      return { data: rows as z.infer<typeof suburbListingsPayload> };
    },
  },
);

/** Endpoints on single sales and listings of a suburb or region. */
export const SUBURB_SALES_OPERATIONS = [suburbSales, suburbListings] as const;
