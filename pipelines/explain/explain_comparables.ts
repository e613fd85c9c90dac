import type pg from 'pg';
import { comparablesFor, type DistanceParts } from '../../transforms/cma/comparables.ts';
import { buildSalesIndex, subjectOf } from '../../transforms/cma/sales_index.ts';
import { dayNumber } from '../../transforms/stats/calendar.ts';
import {
  type HomeTableRow,
  homeTable,
  SALE_COLUMNS,
  saleKey,
  saleTableOf,
} from '../stages/valuation/home_columns.ts';

type SaleTableRow = Parameters<typeof saleTableOf>[0][number];

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
  unnest(sale_pids, sale_days, dist_scores, distances_m, prices, adjusted_prices) WITH ORDINALITY
    u (sale_pid, sale_day, dist_score, distance_m, price, adjusted_price, rank) WHERE gnaf_pid = $1) e`;

/** SQL condition: a row of sales is the one that a comparable names. */
const isItsSale = (sale: string): string =>
  `${sale}.gnaf_pid = e.sale_pid AND ${sale}.date = DATE '1970-01-01' + e.sale_day AND ${sale}.price = e.price`;

/** The served comparables of a home, with the parts of their distances computed again from the valuation's data on both. */
export async function explainComparables(
  client: pg.ClientBase,
  home: HomeTableRow,
): Promise<ExplainedComparable[]> {
  const { rows: served } = await client.query<Omit<ExplainedComparable, 'parts'>>(
    `SELECT DISTINCT ON (e.rank) e.rank::int AS rank, e.sale_pid, s.event_id AS sale_event_id, e.as_of::text AS as_of, e.dist_score, e.distance_m, e.price, e.adjusted_price,
       s.date::text AS date, s.address
     FROM ${COMPARABLES} JOIN serving.sale s ON ${isItsSale('s')} ORDER BY e.rank, s.event_id`,
    [home.gnaf_pid],
  );
  if (served.length === 0) return [];
  const columns = SALE_COLUMNS.map((name) => (name === 'date' ? 'v.date::text AS date' : `v."${name}"`));
  const { rows: sales } = await client.query<SaleTableRow>(
    `SELECT ${columns.join(', ')} FROM asset.valuation_sale v
     JOIN ${COMPARABLES} ON ${isItsSale('v')} WHERE v.kind = 'sale'`,
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
