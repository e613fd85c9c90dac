import { z } from 'zod';
import { expandBbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { inBox } from '../answers/in_box.ts';
import { whyNoEvents } from '../answers/market_coverage.ts';
import { decimals, percent } from '../answers/numbers.ts';
import { ofProperty } from '../answers/operation.ts';
import {
  cellsWithin,
  centreOf,
  metresFrom,
  type RadiusParams,
  radiusParams,
  type SearchCentre,
} from '../regions/centre.ts';

/** Maximum homes in an answer. */
const MOST_HOMES = 50;
/** A listing is in the cell of its parcel's centre, at most so many metres from its point: a cell's width. */
const PARCEL_M = 5000;

const count = z.int().nullable();

/** A home for sale. Null: never stated, or not estimated. */
const homeForSale = z.strictObject({
  gnaf_pid: z.string(),
  address: z.string(),
  distance_m: z.int().min(0),
  listing_date: z.iso.date(),
  is_under_offer: z.boolean(),
  asking_price: count.meta({ description: 'Last asking price, dollars; null: none, or only a range.' }),
  price_low: count,
  price_high: count,
  bed_count: count,
  bath_count: count,
  parking_count: count,
  dwelling_type: z.string().nullable(),
  predicted_price: count.meta({ description: 'Estimated value, dollars; null: no estimate.' }),
  predicted_price_low: count,
  predicted_price_high: count,
  confidence_score: count,
  discount: decimals(4).nullable().meta({
    description:
      'Share by which the asking price is below the estimate, negative if above; null: one of them is unknown.',
  }),
  rent_aud_pw: count.meta({ description: 'Estimated rent, dollars a week; null: no estimate.' }),
  gross_yield_percent: percent.nullable().meta({
    description:
      'Estimated annual rent divided by the estimated value, as in the finder; null: one of them is unknown.',
  }),
});
type HomeForSale = z.infer<typeof homeForSale>;

const discountOf = (askingPrice: number | null, value: number | null): number | null =>
  askingPrice === null || value === null ? null : 1 - askingPrice / value;

/** Reads homes for sale within the radius, without the property itself: nearest first, then by property and listing. */
async function forSaleAround(
  db: Serving,
  gnafId: string,
  centre: SearchCentre,
  radius_m: number,
): Promise<HomeForSale[]> {
  const box = expandBbox([centre.lon, centre.lat, centre.lon, centre.lat], radius_m);
  const rows = await db
    .with('around', () =>
      db
        .selectFrom('serving.listing')
        .selectAll()
        .where('cell', 'in', cellsWithin(centre, radius_m + PARCEL_M))
        .where('type', '=', 'For Sale')
        .where(inBox(box))
        .where('gnaf_pid', '!=', gnafId),
    )
    .selectFrom('around as l')
    .leftJoin('serving.property_avm as a', 'a.gnaf_pid', 'l.gnaf_pid')
    .select(['l.gnaf_pid', 'l.address', 'l.date as listing_date', 'l.is_under_offer', 'l.lon', 'l.lat'])
    .select(['l.price as asking_price', 'l.price_low', 'l.price_high', 'l.dwelling_type'])
    .select(['l.bedrooms as bed_count', 'l.bathrooms as bath_count', 'l.parking as parking_count'])
    .select(['a.predicted_price', 'a.predicted_price_low', 'a.predicted_price_high'])
    .select(['a.confidence as confidence_score', 'a.rent_aud_pw', 'a.yield_percent as gross_yield_percent'])
    .orderBy('l.gnaf_pid')
    .orderBy('l.event_id')
    .execute();
  const metres = metresFrom(centre);
  return rows
    .map(({ lon, lat, ...home }) => ({ home, away_m: metres(lon!, lat!) }))
    .filter(({ away_m }) => away_m <= radius_m)
    .sort((a, b) => a.away_m - b.away_m)
    .slice(0, MOST_HOMES)
    .map(({ home, away_m }) => {
      const discount = discountOf(home.asking_price, home.predicted_price);
      return { ...home, distance_m: Math.round(away_m), discount };
    });
}

/** comparables/for-sale-nearby: current listings for sale around a property, with estimates. */
export const forSaleNearby = ofProperty<HomeForSale[], RadiusParams>({
  params: radiusParams,
  subpath: 'comparables/for-sale-nearby',
  // The price of a page of the property finder: both give estimates of several homes.
  price_cents: 30,
  tool: {
    title: 'Homes for sale nearby',
    use: 'Use properties_comparables_recent_sales_nearby instead for what has sold, and suburbs_listings for a whole suburb.',
  },
  doc: 'The nearest homes for sale around a property, at most 50, each with its estimate, the discount of the asking price to it, and the gross yield.',
  noun: 'homes_for_sale_nearby',
  payload: z.array(homeForSale),
  async query(db, gnafId, { radius_m }) {
    const centre = await centreOf(db, gnafId);
    if (centre === undefined) return { no_data: 'unknown_property' };
    if (centre === null) return { no_data: 'not_matched' };
    const homes = await forSaleAround(db, gnafId, centre, radius_m);
    return homes.length > 0 ? { data: homes } : { no_data: await whyNoEvents(db, centre.state, ['listing']) };
  },
});
