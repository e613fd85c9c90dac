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
  /** Distance by attribute; null: the valuation's data no longer has the sale. */
  parts: DistanceParts | null;
}

/** SQL for the comparables of property $1, one row each. */
const COMPARABLES = `(SELECT as_of, u.* FROM serving.property_comparable,
  unnest(sale_pids, sale_days, dist_scores, distances_m, prices, adjusted_prices) WITH ORDINALITY
    u (sale_pid, sale_day, dist_score, distance_m, price, adjusted_price, rank) WHERE gnaf_pid = $1) e`;

/** Returns an SQL condition: a sale row is the one that a comparable refers to. */
const isItsSale = (sale: string): string =>
  `${sale}.gnaf_pid = e.sale_pid AND ${sale}.date = DATE '1970-01-01' + e.sale_day AND ${sale}.price = e.price`;

/** Reads the served comparables of a property, and recomputes the parts of their distances from the valuation's current data. */
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
  const comparables = comparablesFor(
    buildSalesIndex(saleTableOf(sales)),
    subject,
    dayNumber(served[0]!.as_of),
  );
  const partsOf = new Map(comparables.map(({ id, parts }) => [id, parts]));
  return served.map((each) => ({
    ...each,
    parts: partsOf.get(saleKey({ gnaf_pid: each.sale_pid, event_id: each.sale_event_id })) ?? null,
  }));
}
