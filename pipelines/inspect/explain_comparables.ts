import type pg from 'pg';
import { comparablesFor, type DistanceParts } from '../../transforms/cma/comparables.ts';
import { buildSalesIndex, subjectOf } from '../../transforms/cma/sales_index.ts';
import { dayNumber } from '../../transforms/stats/calendar.ts';
import { homeTable, SALE_COLUMNS, saleKey, saleTableOf } from '../stages/valuation/home_columns.ts';

type Home = Parameters<typeof homeTable>[0][number];
type Sale = Parameters<typeof saleTableOf>[0][number];

/** A comparable sale of the property. */
export interface ExplainedComparable {
  rank: number;
  sale_pid: string;
  sale_event_id: string;
  as_of: string;
  dist_score: number;
  distance_m: number;
  price: number;
  adjusted_price: number | null;
  date: string;
  address: string;
  /** What it is unlike in; null: the valuation does not know the sale any more. */
  parts: DistanceParts | null;
}

/** The comparables of the home $1, a row each. */
const COMPARABLES = `(SELECT as_of, u.* FROM serving.property_comparable,
  unnest(sale_pids, sale_event_ids, dist_scores, distances_m, prices, adjusted_prices) WITH ORDINALITY
    u (sale_pid, sale_event_id, dist_score, distance_m, price, adjusted_price, rank) WHERE gnaf_pid = $1) e`;

/** The served comparables of a home, with the parts of their distances computed again from the valuation's data on both. */
export async function explainComparables(client: pg.ClientBase, home: Home): Promise<ExplainedComparable[]> {
  const { rows: served } = await client.query<Omit<ExplainedComparable, 'parts'>>(
    `SELECT e.rank::int AS rank, e.sale_pid, e.sale_event_id, e.as_of::text AS as_of, e.dist_score, e.distance_m, e.price, e.adjusted_price,
       s.date::text AS date, s.address
     FROM ${COMPARABLES} JOIN serving.sale s ON s.gnaf_pid = e.sale_pid AND s.event_id = e.sale_event_id ORDER BY e.rank`,
    [home.gnaf_pid],
  );
  if (served.length === 0) return [];
  const columns = SALE_COLUMNS.map((name) => (name === 'date' ? 'v.date::text AS date' : `v."${name}"`));
  const { rows: sales } = await client.query<Sale>(
    `SELECT ${columns.join(', ')} FROM asset.valuation_sale v
     JOIN ${COMPARABLES} ON e.sale_pid = v.gnaf_pid AND e.sale_event_id = v.event_id WHERE v.kind = 'sale'`,
    [home.gnaf_pid],
  );
  const subject = subjectOf(homeTable([home]), 0);
  const found = comparablesFor(buildSalesIndex(saleTableOf(sales)), subject, dayNumber(served[0]!.as_of));
  const partsOf = new Map(found.map(({ id, parts }) => [id, parts]));
  return served.map((each) => ({
    ...each,
    parts: partsOf.get(saleKey({ gnaf_pid: each.sale_pid, event_id: each.sale_event_id })) ?? null,
  }));
}
