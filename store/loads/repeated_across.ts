import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql } from '../tables/table_rows.ts';
import { childTarget, countedColumns } from './load_digest.ts';
import { filledBy } from './loads.ts';

/** A load with a key that an earlier load also has, in the order of the requested loads. */
export interface Repeat {
  /** The key as text, without the grid cell. */
  key: string;
  load_id: number;
  source_no: number;
  first_load: number;
  first_no: number;
  /** True: its content equals the first load's. */
  same: boolean;
}

/** Returns the key columns that identify a feature: all its pieces share them. */
const identity = (table: Table): string[] => table.primaryKey.filter((name) => name !== 'cell');

/** Returns whether loads may share keys: a key that includes the file cannot repeat in another. */
const mayRepeat = ({ primaryKey }: Table): boolean => primaryKey.length > 0 && !primaryKey.includes('file');

/** Returns the loads whose rows of a table may share a key with another load: the ranges of the key's first column overlap. */
async function overlapping(
  client: pg.ClientBase,
  table: Table,
  loadIds: readonly number[],
): Promise<number[]> {
  const filled = (await filledBy(client, [table], loadIds)).map(({ loadId }) => loadId);
  if (filled.length < 2) return [];
  const key = ident(table.primaryKey[0]!);
  const ranges = filled.map(
    (loadId) =>
      `SELECT ${loadId} AS id, min(${key}) AS low, max(${key}) AS high FROM ${childTarget(table, loadId)}`,
  );
  const { rows } = await client.query<{ id: number }>(
    `WITH r AS (${ranges.join(' UNION ALL ')})
     SELECT a.id FROM r a WHERE EXISTS (SELECT FROM r b WHERE b.id <> a.id AND a.low <= b.high AND b.low <= a.high)`,
  );
  const ids = new Set(rows.map((row) => row.id));
  return filled.filter((loadId) => ids.has(loadId));
}

/**
 * Lists the keys found in more than one of the given loads in the temporary table `repeated` of the caller's transaction. It has a row for
 * each load with the key, with its content and its rank. Returns false if there is none.
 */
export async function findRepeated(
  client: pg.ClientBase,
  table: Table,
  loadIds: readonly number[],
): Promise<boolean> {
  const loads = mayRepeat(table) ? await overlapping(client, table, loadIds) : [];
  if (loads.length < 2) return false;
  const list = (names: readonly string[], alias = ''): string =>
    names.map((name) => `${alias}${ident(name)}`).join(', ');
  const mine = list(identity(table));
  const rows = (columns: string): string =>
    loads.map((id, n) => `SELECT ${n} AS n, ${columns} FROM ${childTarget(table, id)}`).join(' UNION ALL ');
  await client.query('DROP TABLE IF EXISTS pg_temp.repeated_key, pg_temp.repeated');
  await client.query(
    `CREATE TEMP TABLE repeated_key ON COMMIT DROP AS SELECT DISTINCT ${mine} FROM (
       SELECT ${list(table.primaryKey)} FROM (${rows(list(table.primaryKey))}) a
       GROUP BY ${list(table.primaryKey)} HAVING count(*) > 1) k`,
  );
  const { rowCount } = await client.query('SELECT FROM repeated_key LIMIT 1');
  if (rowCount === 0) return false;
  const readColumns = [...new Set([...identity(table), 'load_id', 'source_no', ...countedColumns(table)])];
  await client.query(
    `CREATE TEMP TABLE repeated ON COMMIT DROP AS
     SELECT *, row_number() OVER w AS rank, digest = first_value(digest) OVER w AS same,
       first_value(load_id) OVER w AS first_load, first_value(source_no) OVER w AS first_no
     FROM (SELECT n, load_id, ${mine}, min(source_no) AS source_no, ${digestSql(countedColumns(table))} AS digest
       FROM (${rows(list(readColumns))}) a JOIN repeated_key USING (${mine}) GROUP BY n, load_id, ${mine}) h
     WINDOW w AS (PARTITION BY ${mine} ORDER BY n)`,
  );
  return true;
}

/** Reads the repeats from `findRepeated`, by key: those with equal content, or those with different content; all, or the first `limit`. */
export async function readRepeats(
  client: pg.ClientBase,
  table: Table,
  same: boolean,
  limit: number | null = null,
): Promise<Repeat[]> {
  const mine = identity(table).map(ident).join(', ');
  const { rows } = await client.query<Repeat>(
    `SELECT concat_ws(' ', ${mine}) AS key, load_id, source_no, first_load, first_no, same FROM repeated
     WHERE rank > 1 AND same = $1 ORDER BY 1, rank LIMIT $2`,
    [same, limit],
  );
  return rows;
}

/** SQL condition: rows `t` have a listed key. */
const isListed = (table: Table, alias: string): string =>
  identity(table)
    .map((name) => `t.${ident(name)} = ${alias}.${ident(name)}`)
    .join(' AND ');

/** Deletes rows `t` of a load's table that a condition on `repeated r` selects, and the rows derived from them. */
async function removeListed(
  client: pg.ClientBase,
  table: Table,
  derived: readonly Table[],
  loadId: number,
  where: string,
): Promise<void> {
  const filled = await filledBy(client, [table, ...derived], [loadId]);
  for (const { table: each } of filled) {
    const on = each === table ? isListed(table, 'r') : 't.source_no = r.source_no';
    await client.query(
      `DELETE FROM ${childTarget(each, loadId)} t USING repeated r WHERE r.load_id = ${loadId} AND ${on} AND ${where}`,
    );
  }
}

/** Deletes the rows of a load with equal content in an earlier load, and the rows derived from them. */
export const removeRepeats = (
  client: pg.ClientBase,
  table: Table,
  derived: readonly Table[],
  loadId: number,
): Promise<void> => removeListed(client, table, derived, loadId, 'r.rank > 1 AND r.same');

/** Rows of several loads with one key. */
export interface KeyRows {
  /** Load of the first row. */
  load_id: number;
  /** Rows in the order of the loads. */
  rows: Record<string, unknown>[];
}

/** Removes rows whose key occurs in several loads with different content, and returns them. */
export async function takeDiffering(
  client: pg.ClientBase,
  table: Table,
  derived: readonly Table[],
  loadIds: readonly number[],
): Promise<KeyRows[]> {
  const mine = identity(table).map(ident).join(', ');
  // Rows equal to the first are deleted already.
  await client.query(`DELETE FROM repeated WHERE (rank > 1 AND same) OR (${mine}) IN (
    SELECT ${mine} FROM repeated GROUP BY ${mine} HAVING bool_and(same))`);
  const reads = loadIds.map(
    (loadId) =>
      `SELECT r.rank, r.first_load, t.* FROM ${childTarget(table, loadId)} t JOIN repeated r ON r.load_id = ${loadId} AND ${isListed(table, 'r')}`,
  );
  const { rows } = await client.query<Record<string, unknown> & { first_load: number }>(
    `SELECT * FROM (${reads.join(' UNION ALL ')}) a ORDER BY ${mine}, rank`,
  );
  for (const loadId of loadIds) await removeListed(client, table, derived, loadId, 'true');
  const byKey = new Map<string, KeyRows>();
  for (const row of rows) {
    const key = JSON.stringify(identity(table).map((name) => row[name]));
    const earlier = byKey.get(key);
    if (earlier) earlier.rows.push(row);
    else byKey.set(key, { load_id: row.first_load, rows: [row] });
  }
  return [...byKey.values()];
}
