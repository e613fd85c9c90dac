import type pg from 'pg';

/** A count, and its change since the previous publication; null: none to compare with. */
export interface HeadlineCount {
  name: 'properties' | 'sales' | 'valuations';
  count: number;
  change: number | null;
}

/** Rows of a table, and what the last publication did to them; one that it did not change is not among its tables. */
const ROWS = `SELECT (SELECT COALESCE(sum(rows), 0)::float8 FROM control.published WHERE table_name = $1) AS count,
  CASE WHEN NOT is_base THEN COALESCE((SELECT (t->>'inserted')::float8 - (t->>'deleted')::float8
    FROM jsonb_array_elements(tables) t WHERE t->>'table' = $1), 0) END AS change FROM last`;

/** Valuations are counted by suburb when they are published: the sum reads a row of each suburb, not of each property. */
const VALUED = `SELECT COALESCE((SELECT sum(filled) FROM serving.field_coverage WHERE field = 'property_avm.predicted_price'), 0)::float8 AS count,
  CASE WHEN NOT is_base THEN (SELECT COALESCE(sum(COALESCE((after->>'filled')::float8, 0) - COALESCE((before->>'filled')::float8, 0)), 0)
    FROM control.change c WHERE c.publication_id = last.publication_id AND table_name = 'field_coverage'
      AND COALESCE(after, before)->>'field' = 'property_avm.predicted_price') END AS change FROM last`;

/** `last`: the last publication, and whether a table got its first rows in it. */
const LAST = `WITH last AS (SELECT publication_id, tables, EXISTS (SELECT FROM jsonb_array_elements(tables) t
     WHERE t->>'table' = $1 AND (t->>'base')::bool) AS is_base
   FROM control.publication ORDER BY publication_id DESC LIMIT 1)`;

const COUNTS = [
  ['properties', 'property', ROWS],
  ['sales', 'sale', ROWS],
  ['valuations', 'field_coverage', VALUED],
] as const;

/** Served properties, sales and valuations, with their change since the previous publication; none where nothing is published. */
export async function headlineCounts(client: pg.ClientBase): Promise<HeadlineCount[]> {
  const counts: HeadlineCount[] = [];
  for (const [name, table, sql] of COUNTS) {
    const { rows } = await client.query<Omit<HeadlineCount, 'name'>>(`${LAST} ${sql}`, [table]);
    for (const row of rows) counts.push({ name, ...row });
  }
  return counts;
}
