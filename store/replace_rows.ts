import type pg from 'pg';
import { ident } from '../schema/ddl.ts';
import { partitionSql } from '../schema/partition.ts';
import type { Table } from '../schema/table.ts';
import { digestSql, intArray, outputTarget, source } from './assets.ts';
import type { CellChange } from './key_changes.ts';

/** Which rows of a table a transaction replaces: those of the keys that it lists (store/batch_keys.ts), or all of some partitions. */
export type Replaced = 'listed' | readonly number[];

/** SQL condition: a row is among the replaced ones. */
function isReplaced(table: Table, replaced: Replaced): string {
  const partition = partitionSql(table);
  return replaced === 'listed'
    ? `(${partition}, ${ident(table.tracked!)}) IN (SELECT cell, key FROM batch_key)`
    : `${partition} = ANY (${intArray(replaced)})`;
}

/** Rows summed up by key and by where they are looked for, as a query. */
const byKey = (table: Table, from: string): string =>
  `SELECT ${table.home === null ? partitionSql(table) : ident(table.home)} AS cell, ${ident(table.tracked!)} AS key,
     count(*)::int AS rows, ${digestSql(Object.keys(table.columns))} AS digest FROM ${from} GROUP BY 1, 2`;

/** What a replacement did to a cell. */
export interface Replacement extends CellChange {
  /** Replaced keys that have rows now. */
  keys_written: number;
}

/** What differs between the rows kept in `replaced_key` and those that are there now, by cell. */
async function compare(client: pg.ClientBase, table: Table, replaced: Replaced): Promise<Replacement[]> {
  const now = byKey(table, `${outputTarget(table)} WHERE ${isReplaced(table, replaced)}`);
  const differs = '(o.rows, o.digest) IS DISTINCT FROM (n.rows, n.digest)';
  const { rows } = await client.query<Omit<Replacement, 'delta' | 'boxes'> & { delta: string }>(
    `SELECT cell, (COALESCE(sum(n.digest), 0) - COALESCE(sum(o.digest), 0))::text AS delta,
       (COALESCE(sum(n.rows), 0) - COALESCE(sum(o.rows), 0))::int AS rows,
       (count(n.rows) - count(o.rows))::int AS filled, count(n.rows)::int AS keys_written, count(*)::int AS keys_seen,
       COALESCE(array_agg(key ORDER BY key COLLATE "C") FILTER (WHERE ${differs}), '{}') AS keys
     FROM replaced_key o FULL JOIN (${now}) n USING (cell, key) GROUP BY cell ORDER BY cell`,
  );
  await client.query('DROP TABLE replaced_key');
  return rows.map((row) => ({ ...row, delta: BigInt(row.delta), boxes: null }));
}

/**
 * Replaces rows of a table by those that `write` writes, inside the caller's transaction, and tells by cell which keys have other rows.
 * Without a tracked column, or where nothing is replaced, nothing is told.
 */
export async function replaceRows<T>(
  client: pg.ClientBase,
  table: Table,
  replaced: Replaced,
  write: () => Promise<T>,
): Promise<{ result: T; changes: Replacement[] }> {
  if (replaced.length === 0) return { result: await write(), changes: [] };
  const isTracked = table.tracked !== null;
  const where = isReplaced(table, replaced);
  if (isTracked)
    await client.query(
      `CREATE TEMP TABLE replaced_key ON COMMIT DROP AS ${byKey(table, source(table, where))}; ANALYZE replaced_key`,
    );
  await client.query(`DELETE FROM ${outputTarget(table)} WHERE ${where}`);
  const result = await write();
  return { result, changes: isTracked ? await compare(client, table, replaced) : [] };
}
