import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { FINDER_TYPES, type FinderType } from '../../schema/serving/property_finder.ts';
import { MARKET } from '../../transforms/market/market.ts';
import { dayNumber, firstDayOfMonth, isoOfDay, monthOf } from '../../transforms/stats/calendar.ts';
import { median } from '../../transforms/stats/quantile.ts';
import { marketMonth } from '../answers/market_coverage.ts';
import { percent } from '../answers/numbers.ts';
import { ofProperty } from '../answers/operation.ts';
import { countParam } from '../answers/parameters.ts';

const streetParams = z.strictObject({
  years: countParam('Number of years of sales, up to the last complete month.', 1, 10, 5),
});

const few = `null: fewer than ${MARKET.min_sample} sales`;
const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

/** Sales, median, turnover, growth and bedrooms of the homes of a street, houses and then units; a kind without a home is absent. */
const streetPayload = z.strictObject({
  street: described(z.string(), 'Street name and type.'),
  suburb: z.string(),
  state: z.string(),
  properties: described(z.int().min(1), 'Number of properties on the street in this suburb.'),
  from_date: described(z.iso.date(), 'First day of the sales.'),
  to_date: described(z.iso.date(), 'Last day of the sales: that of the last complete month.'),
  markets: described(
    z.array(
      z.strictObject({
        market: described(z.enum(FINDER_TYPES), 'Kind of dwelling.'),
        homes: described(z.int().min(1), 'Number of homes of this kind.'),
        sales: described(z.int().min(0), 'Number of their sales.'),
        latest_sale_date: described(z.iso.date().nullable(), 'Day of the latest of these sales; null: none.'),
        median_price: described(z.int().nullable(), `Median price of these sales, dollars; ${few}.`),
        growth_percent: described(
          percent.nullable(),
          `Change of the median against as many years before, per cent; ${few} in either.`,
        ),
        turnover_percent: described(percent, 'Sales in a year for each hundred homes, mean of the years.'),
        bedrooms: described(
          z.array(
            z.strictObject({ bed_count: z.int(), homes: described(z.int().min(1), 'Number of homes.') }),
          ),
          'Number of homes by bedrooms, ascending; homes whose bedrooms are not known are left out.',
        ),
      }),
    ),
    'Figures of houses, then of units; a kind without a home is absent.',
  ),
});
type StreetPayload = z.infer<typeof streetPayload>;
type StreetMarket = StreetPayload['markets'][number];

/** Reads the homes of a street in a suburb, each with its sales of a period, one row for each sale, oldest sale first. */
const homesOf = (db: Serving, suburb: string, street: string, since: string, until: string) =>
  db
    .selectFrom('serving.property as p')
    .innerJoin('serving.property_finder as f', 'f.gnaf_pid', 'p.gnaf_pid')
    .leftJoin('serving.property_basics as b', 'b.gnaf_pid', 'p.gnaf_pid')
    .leftJoin('serving.sale as s', (join) =>
      join.onRef('s.gnaf_pid', '=', 'p.gnaf_pid').on('s.date', '>=', since).on('s.date', '<=', until),
    )
    .select(['p.gnaf_pid', 'f.property_type', 'b.bedrooms as beds', 's.date', 's.price'])
    .where('p.sal', '=', suburb)
    .where('p.street', '=', street)
    .orderBy('s.date')
    .execute();
type HomeSale = Awaited<ReturnType<typeof homesOf>>[number];

/** Median of prices, not rounded. Null: too few. */
const medianOf = (prices: readonly number[]): number | null =>
  prices.length < MARKET.min_sample ? null : median(prices);

/** Computes the figures of one kind of home from its rows. Null: no home of this kind. */
function marketOf(
  market: FinderType,
  all: readonly HomeSale[],
  from: string,
  years: number,
): StreetMarket | null {
  const rows = all.filter(({ property_type }) => property_type === market);
  const homes = new Map(rows.map((row) => [row.gnaf_pid, row.beds]));
  if (homes.size === 0) return null;
  const sales = rows.flatMap(({ date, price }) => (date === null || price === null ? [] : [{ date, price }]));
  const recentSales = sales.filter(({ date }) => date >= from);
  const now = medianOf(recentSales.map(({ price }) => price));
  const before = medianOf(sales.filter(({ date }) => date < from).map(({ price }) => price));
  const beds = [...homes.values()].filter((each) => each !== null).sort((a, b) => a - b);
  return {
    market,
    homes: homes.size,
    sales: recentSales.length,
    latest_sale_date: recentSales.at(-1)?.date ?? null,
    median_price: now === null ? null : Math.round(now),
    growth_percent: now === null || before === null ? null : 100 * (now / before - 1),
    turnover_percent: (100 * recentSales.length) / homes.size / years,
    bedrooms: [...new Set(beds)].map((bed_count) => ({
      bed_count,
      homes: beds.filter((each) => each === bed_count).length,
    })),
  };
}

/** street: the profile of the street of a property. */
export const streetProfile = ofProperty<StreetPayload, z.infer<typeof streetParams>>({
  subpath: 'street',
  // The price of suburb/market: the same figures of a smaller place.
  price_cents: 20,
  tool: {
    title: 'Street of a property',
    use: 'Use suburbs_market instead for the whole suburb, and suburbs_pockets for its parts.',
  },
  doc: 'Sales, median price, growth, turnover and bedrooms of the homes on the street of a property in its suburb: houses, then units.',
  noun: 'street_profile',
  payload: streetPayload,
  params: streetParams,
  async query(db, gnafId, { years }) {
    const row = await db
      .selectFrom('serving.property')
      .select(['street', 'sal as suburb', 'state'])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) return { no_data: 'unknown_property' };
    const { street, suburb, state } = row;
    if (street === null || suburb === null) return { no_data: 'not_matched' };
    const month = await marketMonth(db, state);
    if (month === null) return { no_data: 'not_covered' };
    const next = monthOf(dayNumber(month)) + 1;
    const startOf = (back: number): string => isoOfDay(firstDayOfMonth(next - 12 * back));
    const [from_date, to_date] = [startOf(years), isoOfDay(firstDayOfMonth(next) - 1)];
    const rows = await homesOf(db, suburb, street, startOf(2 * years), to_date);
    const properties = new Set(rows.map(({ gnaf_pid }) => gnaf_pid)).size;
    const markets = FINDER_TYPES.flatMap((market) => marketOf(market, rows, from_date, years) ?? []);
    return { data: { street, suburb, state, properties, from_date, to_date, markets } };
  },
});
