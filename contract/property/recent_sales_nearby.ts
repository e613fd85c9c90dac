import { z } from 'zod';
import { expandBbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { dayOfIso, isoOfDay } from '../../transforms/stats/calendar.ts';
import { inBox } from '../answers/in_box.ts';
import { whyNoEvents } from '../answers/market_coverage.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { cellsWithin, centreOf, metresFrom, type SearchCentre } from '../regions/centre.ts';

/** Limits of the sales served: radius in metres, age in days before the latest sale, and number. */
const RADIUS_M = 500;
const MAX_AGE_DAYS = 365;
const MOST_SALES = 50;

/** Specification, section 2.2: RecentSale. Null: never stated. */
const recentSale = z.strictObject({
  address: z.string(),
  bath_count: z.int().nullable(),
  bed_count: z.int().nullable(),
  distance_m: z.int().min(0),
  dwelling_type: z.string().nullable(),
  sale_date: z.iso.date(),
  sale_price: z.int().positive(),
});
export type RecentSalePayload = z.infer<typeof recentSale>;

/** Reads the day of the latest published sale. Recent is counted back from that day, not from the clock. */
async function latestSaleDay(db: Serving): Promise<string | null> {
  const row = await db
    .selectFrom('serving.sale as s')
    .select((eb) => eb.cast<string>('s.date', 'text').as('day'))
    .orderBy('s.date', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.day ?? null;
}

/** Reads evidence sales of other properties within the radius: newest first, then nearest, then by property. */
async function salesAround(
  db: Serving,
  gnafId: string,
  centre: SearchCentre,
  latest: string,
): Promise<RecentSalePayload[]> {
  const box = expandBbox([centre.lon, centre.lat, centre.lon, centre.lat], RADIUS_M);
  const rows = await db
    .selectFrom('serving.sale as s')
    .select(['gnaf_pid', 'address', 'bathrooms', 'bedrooms', 'dwelling_type', 'price', 'lon', 'lat'])
    .select((eb) => eb.cast<string>('s.date', 'text').as('day'))
    .where('point_cell', 'in', cellsWithin(centre, RADIUS_M))
    .where('date', '>=', isoOfDay(dayOfIso(latest)! - MAX_AGE_DAYS))
    .where(inBox(box))
    .where('gnaf_pid', '!=', gnafId)
    .orderBy('date', 'desc')
    .orderBy('gnaf_pid')
    .execute();
  const metres = metresFrom(centre);
  return rows
    .map((row) => ({ ...row, away_m: metres(row.lon!, row.lat!) }))
    .filter(({ away_m }) => away_m <= RADIUS_M)
    .sort((a, b) => (a.day === b.day ? a.away_m - b.away_m : a.day < b.day ? 1 : -1))
    .slice(0, MOST_SALES)
    .map(({ address, bathrooms, bedrooms, dwelling_type, day, price, away_m }) => ({
      address,
      bath_count: bathrooms,
      bed_count: bedrooms,
      distance_m: Math.round(away_m),
      dwelling_type,
      sale_date: day,
      sale_price: price,
    }));
}

/** comparables/recent-sales-nearby: sales within 500 m in the year up to the latest published sale. */
export const recentSalesNearby = ofProperty<RecentSalePayload[], NoParams>({
  params: noParams,
  subpath: 'comparables/recent-sales-nearby',
  price_cents: 4,
  tool: {
    title: 'Recent sales nearby',
    use: 'Use properties_comparables_cma_comp_set instead for sales of homes similar to the property.',
  },
  doc: 'Sales within 500 m in the year up to the latest published sale.',
  noun: 'recent_sales_nearby',
  payload: z.array(recentSale),
  async query(db, gnafId) {
    const centre = await centreOf(db, gnafId);
    if (centre === undefined) return { no_data: 'unknown_property' };
    if (centre === null) return { no_data: 'not_matched' };
    const latest = await latestSaleDay(db);
    if (latest === null) return { no_data: 'not_covered' };
    const sales = await salesAround(db, gnafId, centre, latest);
    return sales.length > 0 ? { data: sales } : { no_data: await whyNoEvents(db, centre.state, ['sale']) };
  },
});
