import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql, intArray, outputTarget, source, stageOfServing } from '../assets.ts';
import type { CellChange } from './key_changes.ts';

/** Which rows of a table a transaction replaces: those of the keys that it lists (store/books/batch_keys.ts), or all of some partitions. */
export type Replaced = 'listed' | readonly number[];

/** SQL condition: a row is among the replaced ones. */
function isReplaced(table: Table, replaced: Replaced): string {
  const partition = partitionSql(table);
  return replaced === 'listed'
    ? `(${partition}, ${ident(table.tracked!)}) IN (SELECT cell, key FROM batch_key)`
    : `${partition} = ANY (${intArray(replaced)})`;
}

/** Rows summed up by partition, by where they are looked for, and by key, as a query. */
const byKey = (table: Table, from: string): string =>
  `SELECT ${partitionSql(table)} AS cell, ${table.home === null ? partitionSql(table) : ident(table.home)} AS place, ${ident(table.tracked!)} AS key,
     count(*)::int AS rows, ${digestSql(Object.keys(table.columns))} AS digest FROM ${from} GROUP BY 1, 2, 3`;

/** Changes of a replacement in a cell. */
export interface Replacement extends CellChange {
  /** Replaced keys that have rows now. */
  keys_written: number;
}

/** Changes of a replacement, by the partition that made the rows, and by the cell where they belong, for the log. */
export interface Changes {
  made: Replacement[];
  changes: Replacement[];
}

/** What became of the keys of each partition, or of each cell where rows are looked for, by `compared_key`. */
async function changesBy(client: pg.ClientBase, column: 'cell' | 'place'): Promise<Replacement[]> {
  const { rows } = await client.query<Omit<Replacement, 'delta' | 'boxes'> & { delta: string }>(
    `SELECT cell, sum(delta)::text AS delta, (COALESCE(sum(rows_after), 0) - COALESCE(sum(rows_before), 0))::int AS rows,
       (count(rows_after) - count(rows_before))::int AS filled, count(rows_after)::int AS keys_written, count(*)::int AS keys_seen,
       COALESCE(array_agg(key ORDER BY key COLLATE "C") FILTER (WHERE differs), '{}') AS keys
     FROM (SELECT ${column} AS cell, key, sum(delta) AS delta, sum(rows_before) AS rows_before, sum(rows_after) AS rows_after,
         bool_or(differs) AS differs FROM compared_key GROUP BY 1, 2) k GROUP BY cell ORDER BY cell`,
  );
  return rows.map((row) => ({ ...row, delta: BigInt(row.delta), boxes: null }));
}

/** Temporary table of the rows that a computation makes in place of others. */
const MADE = 'made_row';

/** Compares the rows kept in `replaced_key` with those that were made; leaves the keys in `compared_key`. */
async function compare(client: pg.ClientBase, table: Table, replaced: Replaced): Promise<Changes> {
  await client.query(
    `CREATE TEMP TABLE compared_key ON COMMIT DROP AS
     SELECT cell, place, key, o.rows AS rows_before, n.rows AS rows_after, COALESCE(n.digest, 0) - COALESCE(o.digest, 0) AS delta,
       (o.rows, o.digest) IS DISTINCT FROM (n.rows, n.digest) AS differs
     FROM replaced_key o FULL JOIN (${byKey(table, MADE)}) n USING (cell, place, key); ANALYZE compared_key`,
  );
  const made = await changesBy(client, 'cell');
  const changes = table.home === null ? made : await changesBy(client, 'place');
  // Of listed keys that is no share of the cell.
  const isWhole = replaced !== 'listed';
  return { made, changes: isWhole ? changes : changes.map((change) => ({ ...change, keys_seen: null })) };
}

/**
 * Writes the rows of the keys that differ in place of those that are there, and leaves the others as they are. Keys of a serving table that differ
 * from the published ones are listed in control.staged_key; a partition without published rows is staged as a whole.
 */
async function writeDifferences(client: pg.ClientBase, table: Table): Promise<void> {
  const key = ident(table.tracked!);
  const target = outputTarget(table);
  if (table.schema === 'serving')
    await client.query(
      `INSERT INTO control.staged_key (stage, cell, key) SELECT DISTINCT $1, cell, key FROM compared_key c
       WHERE differs AND EXISTS (SELECT FROM control.published p WHERE p.table_name = $2 AND p.cell = c.cell) ON CONFLICT DO NOTHING`,
      [stageOfServing(table), table.name],
    );
  const differs = (alias: string): string =>
    `(${partitionSql(table, `${alias}.`)}, ${alias}.${key}) IN (SELECT cell, key FROM compared_key WHERE differs)`;
  await client.query(`DELETE FROM ${target} t WHERE ${differs('t')}`);
  await client.query(`INSERT INTO ${target} SELECT * FROM ${MADE} m WHERE ${differs('m')}`);
}

/** Result of a replacement. */
export interface Replacing<T> extends Changes {
  result: T;
  /** Table with all rows that were made, among others where none were replaced. */
  made_in: string;
}

/**
 * Replaces rows of a table by those that `write` writes into the table it is given, inside the caller's transaction, and returns the keys
 * whose rows changed: rows that are the same stay where they are. Without a tracked column, or where nothing is replaced, it returns none.
 */
export async function replaceRows<T>(
  client: pg.ClientBase,
  table: Table,
  replaced: Replaced,
  write: (target: string) => Promise<T>,
): Promise<Replacing<T>> {
  const target = outputTarget(table);
  if (replaced.length === 0 || table.tracked === null) {
    if (replaced.length > 0) await client.query(`DELETE FROM ${target} WHERE ${isReplaced(table, replaced)}`);
    return { result: await write(target), made: [], changes: [], made_in: target };
  }
  await client.query(
    `DROP TABLE IF EXISTS replaced_key, compared_key, ${MADE};
     CREATE TEMP TABLE replaced_key ON COMMIT DROP AS ${byKey(table, source(table, isReplaced(table, replaced)))}; ANALYZE replaced_key`,
  );
  await client.query(`CREATE TEMP TABLE ${MADE} (LIKE ${target}) ON COMMIT DROP`);
  const result = await write(MADE);
  await client.query(`ANALYZE ${MADE} (${ident(table.tracked!)})`);
  const changes = await compare(client, table, replaced);
  await writeDifferences(client, table);
  return { result, ...changes, made_in: MADE };
}
