import type { Serving } from '../../schema/serving/database.ts';
import type { NoData } from './answer.ts';

/** Counts of region_market that are null where no source reports a kind of event, by kind. */
const COUNT_OF = { sale: 'price_sample', listing: 'stock', rent: 'rent_sample' } as const;
/** Kinds of market events: sales, listings for sale, and listings for rent. */
export type MarketEvents = keyof typeof COUNT_OF;

/** Reads the market of a state: its last complete month, and the kinds of events that are reported. Null: none is. */
async function stateMarket(
  db: Serving,
  state: string,
): Promise<{ month: string; reported: ReadonlySet<MarketEvents> } | null> {
  const rows = await db
    .selectFrom('serving.region_market')
    .select(['month', ...Object.values(COUNT_OF)])
    .where('level', '=', 'STE')
    .where('area', '=', state)
    .execute();
  if (rows[0] === undefined) return null;
  const kinds = (Object.keys(COUNT_OF) as MarketEvents[]).filter((kind) =>
    rows.some((row) => row[COUNT_OF[kind]] !== null),
  );
  return { month: rows[0].month, reported: new Set(kinds) };
}

/** Reads the last complete month of the market of a state, its first day. Null: no feed of sales, rents or listings covers it. */
export const marketMonth = async (db: Serving, state: string): Promise<string | null> =>
  (await stateMarket(db, state))?.month ?? null;

/** True if a feed of one of these kinds of events covers a state; without kinds, of any. */
export async function marketCovers(
  db: Serving,
  state: string,
  kinds?: readonly MarketEvents[],
): Promise<boolean> {
  const market = await stateMarket(db, state);
  return market !== null && (kinds === undefined || kinds.some((kind) => market.reported.has(kind)));
}

/** Returns why events of some kinds are missing: no feed of one of them covers the state, or none was found. */
export async function whyNoEvents(
  db: Serving,
  state: string | null,
  kinds: readonly MarketEvents[],
): Promise<NoData> {
  const market = state === null ? null : await stateMarket(db, state);
  return market !== null && kinds.every((kind) => market.reported.has(kind)) ? 'none_found' : 'not_covered';
}

/** Returns why market figures are missing: no feed covers the state, or none was found. */
export const whyNoMarket = (db: Serving, state: string | null): Promise<NoData> => whyNoEvents(db, state, []);
