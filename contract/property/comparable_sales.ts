import { sql } from 'kysely';
import type { Serving } from '../../schema/serving/database.ts';

/** One comparable of a property: an element of each array in its row. */
interface ComparableElement {
  rank: number;
  sale_pid: string;
  sale_day: number;
  dist_score: number;
  distance_m: number;
  price: number;
  adjusted_price: number | null;
}

const ELEMENTS = sql<ComparableElement>`LATERAL unnest(c.sale_pids, c.sale_days, c.dist_scores, c.distances_m, c.prices, c.adjusted_prices) WITH ORDINALITY`;
const NAMED = sql`e (sale_pid, sale_day, dist_score, distance_m, price, adjusted_price, rank)`;

/** Starts a query of a property's comparables `e` with their sales `s`. If a home has two sales on one day at one price, the first. */
export const comparableSales = (db: Serving, gnafId: string) =>
  db
    .selectFrom('serving.property_comparable as c')
    .innerJoin(ELEMENTS.as<'e'>(NAMED), (join) => join.onTrue())
    .innerJoin('serving.sale as s', (join) =>
      join
        .onRef('s.gnaf_pid', '=', 'e.sale_pid')
        .on('s.date', '=', sql<string>`DATE '1970-01-01' + e.sale_day`)
        .onRef('s.price', '=', 'e.price'),
    )
    .where('c.gnaf_pid', '=', gnafId)
    .distinctOn('e.rank')
    .orderBy('e.rank')
    .orderBy('s.event_id');
