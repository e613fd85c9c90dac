import type { Serving } from '../schema/serving/database.ts';
import type { NoData } from './answer.ts';

/** True if a feed of sales, rents or listings covers a state; then its market has figures, suppressed or not. */
export async function marketCovers(db: Serving, state: string): Promise<boolean> {
  const row = await db
    .selectFrom('serving.region_market')
    .select('market')
    .where('level', '=', 'STE')
    .where('area', '=', state)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns why sales, rents or listings are missing: no feed covers the state, or none was found. */
export async function whyNoMarket(db: Serving, state: string | null): Promise<NoData> {
  return state !== null && (await marketCovers(db, state)) ? 'none_found' : 'not_covered';
}
