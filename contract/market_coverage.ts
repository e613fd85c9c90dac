import type { Serving } from '../schema/serving/database.ts';
import type { NoData } from './answer.ts';

/** Reads the last complete month of the market of a state, its first day. Null: no feed of sales, rents or listings covers it. */
export async function marketMonth(db: Serving, state: string): Promise<string | null> {
  const row = await db
    .selectFrom('serving.region_market')
    .select('month')
    .where('level', '=', 'STE')
    .where('area', '=', state)
    .limit(1)
    .executeTakeFirst();
  return row?.month ?? null;
}

/** True if a feed of sales, rents or listings covers a state; then its market has figures, suppressed or not. */
export const marketCovers = async (db: Serving, state: string): Promise<boolean> =>
  (await marketMonth(db, state)) !== null;

/** Returns why sales, rents or listings are missing: no feed covers the state, or none was found. */
export async function whyNoMarket(db: Serving, state: string | null): Promise<NoData> {
  return state !== null && (await marketCovers(db, state)) ? 'none_found' : 'not_covered';
}
