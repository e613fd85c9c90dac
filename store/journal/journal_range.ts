import type pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { rowsAt } from './as_of.ts';
import { sameKey } from './differences.ts';
import { basesOf, type JournalChange } from './journal.ts';

/** Numbers of two publications, the earlier first: the range is after `after`, up to and including `upTo`. */
export interface PublicationRange {
  after: number;
  upTo: number;
}

/** Counts of a table's rows that differ between two publications. */
export interface RangeCounts {
  inserted: number;
  updated: number;
  deleted: number;
}

/**
 * Builds the query of the rows that differ between two publications, by key: complete at the first, complete at the second, and the last
 * publication in between that changed them. Rows that returned to their earlier values are left out; a column added in between counts as
 * null before. No publication in between may have brought the table's first rows. The cost grows with the changes since the first one.
 */
export async function netChanges(
  client: pg.ClientBase,
  table: Table,
  range: PublicationRange,
): Promise<string> {
  const base = (await basesOf(client, table.name, range.upTo + 1))[0];
  const shaped = (row: string): string =>
    `CASE WHEN ${row} IS NOT NULL THEN to_jsonb(jsonb_populate_record(NULL::${qualified(table)}, ${row})) END`;
  // If no later publication changed a key, its row today equals the row then, unless the table was emptied since.
  const today = base === undefined ? 'to_jsonb(o.*)' : 'NULL';
  return `SELECT t.publication_id, '${table.name}' AS table_name, 0 AS seq, key, f.was AS before, l.after,
      CASE WHEN f.was IS NULL THEN 'insert' WHEN l.after IS NULL THEN 'delete' ELSE 'update' END AS change
    FROM (SELECT key, max(publication_id) AS publication_id FROM control.change
        WHERE table_name = '${table.name}' AND publication_id > ${range.after} AND publication_id <= ${range.upTo} GROUP BY key) t
      JOIN (${rowsAt(table, range.after, base)}) f USING (key)
      LEFT JOIN (${rowsAt(table, range.upTo, base)}) b USING (key)
      LEFT JOIN ${qualified(table)} o ON b.key IS NULL AND ${sameKey(table, 'o', 'f')}
      CROSS JOIN LATERAL (SELECT CASE WHEN b.key IS NULL THEN ${today} ELSE b.was END AS after) l
    WHERE ${shaped('f.was')} IS DISTINCT FROM ${shaped('l.after')}`;
}

/** Counts the rows that differ between two publications. No publication in between may have brought the table's first rows. */
export async function countRange(
  client: pg.ClientBase,
  table: Table,
  range: PublicationRange,
): Promise<RangeCounts> {
  const { rows } = await client.query<{ change: JournalChange['change']; n: number }>(
    `SELECT change, count(*)::int AS n FROM (${await netChanges(client, table, range)}) c GROUP BY change`,
  );
  const by = Object.fromEntries(rows.map((row) => [row.change, row.n]));
  return { inserted: by.insert ?? 0, updated: by.update ?? 0, deleted: by.delete ?? 0 };
}

/** Reads the first `limit` rows that differ between two publications, in key order. */
export async function readRange(
  client: pg.ClientBase,
  table: Table,
  range: PublicationRange,
  limit: number,
): Promise<JournalChange[]> {
  const sql = `${await netChanges(client, table, range)} ORDER BY key LIMIT $1`;
  return (await client.query<JournalChange>(sql, [limit])).rows;
}

/** Updates of several rows that change the same columns from and to the same values. */
export interface EqualUpdates {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  rows: number;
}

/** Reads the most frequent equal updates between two publications, at most `limit` of at least two rows each. */
export async function readEqualUpdates(
  client: pg.ClientBase,
  table: Table,
  range: PublicationRange,
  limit: number,
): Promise<EqualUpdates[]> {
  const { rows } = await client.query<EqualUpdates>(
    `SELECT d.before, d.after, count(*)::int AS rows FROM (${await netChanges(client, table, range)}) c,
       LATERAL (SELECT jsonb_object_agg(k, c.before -> k) AS before, jsonb_object_agg(k, c.after -> k) AS after
         FROM jsonb_object_keys(c.before || c.after) k WHERE c.before -> k IS DISTINCT FROM c.after -> k) d
     WHERE c.change = 'update' GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 3 DESC, d.before::text COLLATE "C" LIMIT $1`,
    [limit],
  );
  return rows;
}
