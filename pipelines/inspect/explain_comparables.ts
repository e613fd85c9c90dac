import type pg from 'pg';
import type { propertyComparableTable } from '../../schema/serving/property_comparable.ts';
import type { Row } from '../../schema/table.ts';
import { comparablesFor, type DistanceParts } from '../../transforms/cma/comparables.ts';
import { buildSalesIndex, subjectOf } from '../../transforms/cma/sales_index.ts';
import { dayNumber } from '../../transforms/stats/calendar.ts';
import { homeTable, SALE_COLUMNS, saleKey, saleTableOf } from '../stages/home_table.ts';

type Home = Parameters<typeof homeTable>[0][number];
type Sale = Parameters<typeof saleTableOf>[0][number];

/** A comparable sale of the property. */
export interface ExplainedComparable
  extends Pick<
    Row<typeof propertyComparableTable>,
    'rank' | 'sale_pid' | 'sale_event_id' | 'as_of' | 'dist_score' | 'distance_m' | 'price' | 'adjusted_price'
  > {
  date: string;
  address: string;
  /** What it is unlike in; null: the valuation does not know the sale any more. */
  parts: DistanceParts | null;
}

/** The served comparables of a home, with the parts of their distances computed again from what the valuation knows of both. */
export async function explainComparables(client: pg.ClientBase, home: Home): Promise<ExplainedComparable[]> {
  const { rows: served } = await client.query<Omit<ExplainedComparable, 'parts'>>(
    `SELECT c.rank, c.sale_pid, c.sale_event_id, c.as_of::text AS as_of, c.dist_score, c.distance_m, c.price, c.adjusted_price,
       s.date::text AS date, s.address
     FROM serving.property_comparable c JOIN serving.sale s ON s.gnaf_pid = c.sale_pid AND s.event_id = c.sale_event_id
     WHERE c.gnaf_pid = $1 ORDER BY c.rank`,
    [home.gnaf_pid],
  );
  if (served.length === 0) return [];
  const columns = SALE_COLUMNS.map((name) => (name === 'date' ? 'v.date::text AS date' : `v."${name}"`));
  const { rows: sales } = await client.query<Sale>(
    `SELECT ${columns.join(', ')} FROM asset.valuation_sale v
     JOIN serving.property_comparable c ON c.sale_pid = v.gnaf_pid AND c.sale_event_id = v.event_id
     WHERE c.gnaf_pid = $1 AND v.kind = 'sale'`,
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
