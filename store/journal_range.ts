import type pg from 'pg';
import { qualified } from '../schema/ddl.ts';
import type { Table } from '../schema/table.ts';
import type { Change } from './journal.ts';

/** Numbers of two publications, the earlier first: what lies between is what came after `after`, up to `upTo`. */
export interface Range {
  after: number;
  upTo: number;
}

/** Rows of a table that differ between two publications. */
export interface RangeCounts {
  inserted: number;
  updated: number;
  deleted: number;
}

/**
 * Query of the rows that differ between two publications, by key: as they were at the first, as they are at the second, and the
 * last publication that touched them. $1 is the table, $2 and $3 the range. Rows that came back to what they were are left out; a
 * column that the table has got meanwhile counts as null before. The cost goes with the changes in between.
 */
export function netChanges(table: Table): string {
  const shaped = (row: string): string =>
    `CASE WHEN ${row} IS NOT NULL THEN to_jsonb(jsonb_populate_record(NULL::${qualified(table)}, ${row})) END`;
  const between = 'table_name = $1 AND publication_id > $2 AND publication_id <= $3';
  return `SELECT l.publication_id, $1::text AS table_name, 0 AS seq, key, f.before, l.after,
      CASE WHEN f.before IS NULL THEN 'insert' WHEN l.after IS NULL THEN 'delete' ELSE 'update' END AS change
    FROM (SELECT DISTINCT ON (key) key, before FROM control.change WHERE ${between} ORDER BY key, publication_id) f
    JOIN (SELECT DISTINCT ON (key) key, after, publication_id FROM control.change WHERE ${between}
      ORDER BY key, publication_id DESC) l USING (key)
    WHERE ${shaped('f.before')} IS DISTINCT FROM ${shaped('l.after')}`;
}

/** Counts the rows that differ between two publications. No publication in between may have brought the table's first rows. */
export async function countRange(client: pg.ClientBase, table: Table, range: Range): Promise<RangeCounts> {
  const { rows } = await client.query<{ change: Change['change']; n: number }>(
    `SELECT change, count(*)::int AS n FROM (${netChanges(table)}) c GROUP BY change`,
    [table.name, range.after, range.upTo],
  );
  const by = Object.fromEntries(rows.map((row) => [row.change, row.n]));
  return { inserted: by.insert ?? 0, updated: by.update ?? 0, deleted: by.delete ?? 0 };
}

/** The first `limit` rows that differ between two publications, in the order of their keys. */
export async function readRange(
  client: pg.ClientBase,
  table: Table,
  range: Range,
  limit: number,
): Promise<Change[]> {
  const sql = `${netChanges(table)} ORDER BY key LIMIT $4`;
  return (await client.query<Change>(sql, [table.name, range.after, range.upTo, limit])).rows;
}
