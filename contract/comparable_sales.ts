import { sql } from 'kysely';
import type { Serving } from '../schema/serving/database.ts';

/** One of a property's comparables: an element of each of the arrays of its row. */
interface Comparable {
  rank: number;
  sale_pid: string;
  sale_event_id: string;
  dist_score: number;
  distance_m: number;
  price: number;
  adjusted_price: number | null;
}

const ELEMENTS = sql<Comparable>`LATERAL unnest(c.sale_pids, c.sale_event_ids, c.dist_scores, c.distances_m, c.prices, c.adjusted_prices) WITH ORDINALITY`;
const NAMED = sql`e (sale_pid, sale_event_id, dist_score, distance_m, price, adjusted_price, rank)`;

/** The comparables `e` of a property, each with its sale `s`, as the beginning of a query. */
export const comparableSales = (db: Serving, gnafId: string) =>
  db
    .selectFrom('serving.property_comparable as c')
    .innerJoin(ELEMENTS.as<'e'>(NAMED), (join) => join.onTrue())
    .innerJoin('serving.sale as s', (join) =>
      join.onRef('s.gnaf_pid', '=', 'e.sale_pid').onRef('s.event_id', '=', 'e.sale_event_id'),
    )
    .where('c.gnaf_pid', '=', gnafId)
    .orderBy('e.rank');
