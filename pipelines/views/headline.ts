import type pg from 'pg';

/** A count, and its change since the previous publication; null: nothing to compare with. */
export interface HeadlineCount {
  name: 'properties' | 'sales' | 'valuations';
  count: number;
  change: number | null;
  /** Sales that match no single address, so that no property has them; 0 for other counts. */
  unmatched: number;
}

/** SQL for the sales that match no single address. */
const UNMATCHED = `SELECT count(*)::float8 AS n FROM serving.match_review WHERE event_type = 'sold'`;

/** SQL for the rows of a table and their change in the last publication. A publication lists only tables that it changed. */
const ROWS = `SELECT (SELECT COALESCE(sum(rows), 0)::float8 FROM control.published WHERE table_name = $1) AS count,
  CASE WHEN NOT is_base THEN COALESCE((SELECT (t->>'inserted')::float8 - (t->>'deleted')::float8
    FROM jsonb_array_elements(tables) t WHERE t->>'table' = $1), 0) END AS change FROM last`;

/** SQL for valuations, from counts by suburb made at publication: this reads a row for each suburb, not each property. */
const VALUED = `SELECT COALESCE((SELECT sum(filled) FROM serving.field_coverage WHERE field = 'property_avm.predicted_price'), 0)::float8 AS count,
  CASE WHEN NOT is_base THEN (SELECT COALESCE(sum(COALESCE((after->>'filled')::float8, 0) - COALESCE((before->>'filled')::float8, 0)), 0)
    FROM control.change c WHERE c.publication_id = last.publication_id AND table_name = 'field_coverage'
      AND COALESCE(after, before)->>'field' = 'property_avm.predicted_price') END AS change FROM last`;

/** SQL for `last`: the last publication, and whether it brought a table's first rows. */
const LAST = `WITH last AS (SELECT publication_id, tables, EXISTS (SELECT FROM jsonb_array_elements(tables) t
     WHERE t->>'table' = $1 AND (t->>'base')::bool) AS is_base
   FROM control.publication ORDER BY publication_id DESC LIMIT 1)`;

const COUNTS = [
  ['properties', 'property', ROWS],
  ['sales', 'sale', ROWS],
  ['valuations', 'field_coverage', VALUED],
] as const;

/** Counts served properties, sales and valuations, with changes since the previous publication; none if nothing is published. */
export async function headlineCounts(client: pg.ClientBase): Promise<HeadlineCount[]> {
  const counts: HeadlineCount[] = [];
  for (const [name, table, sql] of COUNTS) {
    const { rows } = await client.query<Pick<HeadlineCount, 'count' | 'change'>>(`${LAST} ${sql}`, [table]);
    const unmatched = table === 'sale' ? (await client.query<{ n: number }>(UNMATCHED)).rows[0]!.n : 0;
    for (const row of rows) counts.push({ name, ...row, unmatched });
  }
  return counts;
}
