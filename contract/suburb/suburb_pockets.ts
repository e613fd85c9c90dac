import { z } from 'zod';
import { whyNoMarket } from '../answers/market_coverage.ts';
import { type NoParams, noParams, ofSuburb } from '../answers/operation.ts';
import { identityOf, regionField, regionOf } from '../regions/region.ts';
import { marketFigureFields, marketKind, monthMedian } from './suburb_market.ts';

/** Market figures of a suburb's pockets by kind of dwelling. Null: the sample is too small. */
const suburbPocketsPayload = z.array(
  z.strictObject({
    sa1: z.string(),
    name: z.string().nullable(),
    market: marketKind,
    month: z.iso.date(),
    ...marketFigureFields,
    price_series: z.array(monthMedian),
    rent_series: z.array(monthMedian),
  }),
);
type SuburbPocketsPayload = z.infer<typeof suburbPocketsPayload>;

/** suburb/pockets: figures of each SA1 of a suburb, named after its most common street; by code, then houses before units. */
export const suburbPockets = ofSuburb<SuburbPocketsPayload, NoParams>({
  subpath: 'suburb/pockets',
  price_cents: 20,
  tool: { title: 'Pockets of a suburb', use: 'Use suburbs_market instead for the suburb as a whole.' },
  doc: 'Market figures of the SA1s of a suburb, each named after its most common street; by code, houses before units.',
  noun: 'suburb_pockets',
  extras: regionField,
  payload: suburbPocketsPayload,
  params: noParams,
  async query(db, name) {
    const region = await regionOf(db, 'SAL', name);
    if (region === null) return { no_data: 'unknown_suburb' };
    const rows = await db
      .selectFrom('serving.pocket_market')
      .select(['sa1', 'name', 'market', 'month', 'price_series', 'rent_series'])
      .select(Object.keys(marketFigureFields) as (keyof typeof marketFigureFields)[])
      .where('sal', '=', region.area)
      .orderBy('sa1')
      .orderBy('market')
      .execute();
    const extras = { region: identityOf(region) };
    if (rows.length > 0) return { data: rows as SuburbPocketsPayload, extras };
    return { no_data: await whyNoMarket(db, region.state), extras };
  },
});
