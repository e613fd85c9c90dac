import type pg from 'pg';
import { ident, qualified } from '../schema/ddl.ts';
import { partitionSql } from '../schema/partition.ts';
import type { Table } from '../schema/table.ts';
import { digestSql, intArray, source } from './assets.ts';
import type { KeyDigest } from './key_changes.ts';

/** A partition that is computed by key: the changes that list its keys. */
interface Listed {
  cell: number;
  changes: readonly number[] | null;
}

/** Lists the keys of partitions in the temporary table `batch_key` (cell, key), until the transaction ends. */
export async function listBatchKeys(client: pg.ClientBase, partitions: readonly Listed[]): Promise<void> {
  await client.query(
    'CREATE TEMP TABLE batch_key (cell int, key text, PRIMARY KEY (cell, key)) ON COMMIT DROP',
  );
  const pairs = partitions.flatMap(({ cell, changes }) => (changes ?? []).map((id) => [cell, id] as const));
  await client.query(
    `INSERT INTO batch_key SELECT DISTINCT p.cell, k.key
     FROM unnest($1::int[], $2::int[]) p (cell, change_id) JOIN control.key_change c USING (change_id), unnest(c.keys) k (key)`,
    [pairs.map(([cell]) => cell), pairs.map(([, id]) => id)],
  );
  await client.query('ANALYZE batch_key');
}

const columnsOf = (table: Table): string[] => Object.keys(table.columns);

/** The rows of the listed keys in a table, as it was last computed or in one of its schemas, summed up by cell and key, with their values in the columns to keep. */
async function digestsOf(
  client: pg.ClientBase,
  from: string,
  table: Table,
  keep: readonly string[] | null,
): Promise<KeyDigest[]> {
  const values =
    keep === null
      ? ''
      : `, jsonb_agg(jsonb_build_array(${keep.map((name) => ident(name)).join(', ')})) AS values`;
  const { rows } = await client.query<KeyDigest>(
    `SELECT ${partitionSql(table)} AS cell, ${ident(table.tracked!)} AS key, count(*)::int AS rows, ${digestSql(columnsOf(table))}::text AS digest${values}
     FROM ${from} GROUP BY 1, 2`,
  );
  return rows;
}

const listed = (table: Table): string =>
  `(${partitionSql(table)}, ${ident(table.tracked!)}) IN (SELECT cell, key FROM batch_key)`;

/** The rows of the listed keys as they were last computed, staged or published; null: their values are not kept. */
export const computedDigests = (
  client: pg.ClientBase,
  table: Table,
  keep: readonly string[] | null,
): Promise<KeyDigest[]> => digestsOf(client, source(table, listed(table)), table, keep);

/** The rows of the listed keys that this transaction has written to `target`. */
export const writtenDigests = (client: pg.ClientBase, table: Table, target: string): Promise<KeyDigest[]> =>
  digestsOf(client, `${target} WHERE ${listed(table)}`, table, null);

/** Deletes the rows of the listed keys from `target`. */
export async function deleteListed(client: pg.ClientBase, table: Table, target: string): Promise<void> {
  await client.query(
    `DELETE FROM ${target} o USING batch_key b WHERE ${partitionSql(table, 'o.')} = b.cell AND o.${ident(table.tracked!)} = b.key`,
  );
}

/** Enters the listed keys of cells as those whose staged rows stand for them. */
export async function stageListed(
  client: pg.ClientBase,
  stage: string,
  cells: readonly number[],
): Promise<void> {
  await client.query(
    `INSERT INTO control.staged_key (stage, cell, key) SELECT $1, cell, key FROM batch_key WHERE cell = ANY ($2)
     ON CONFLICT DO NOTHING`,
    [stage, cells],
  );
}

/** What the given partitions hold as they were last computed, staged or published, summed up by key. */
export const cellDigests = (
  client: pg.ClientBase,
  table: Table,
  cells: readonly number[],
): Promise<KeyDigest[]> =>
  digestsOf(client, source(table, `${partitionSql(table)} = ANY (${intArray(cells)})`), table, null);

/**
 * What the given partitions of a table with a home column hold, summed up by home and key: the cell of the result is the home.
 */
export async function homeDigests(
  client: pg.ClientBase,
  table: Table,
  cells: readonly number[],
): Promise<KeyDigest[]> {
  const { rows } = await client.query<KeyDigest>(
    `SELECT ${ident(table.home!)} AS cell, ${ident(table.tracked!)} AS key, count(*)::int AS rows,
       ${digestSql(columnsOf(table))}::text AS digest
     FROM ${qualified(table)} WHERE ${partitionSql(table)} = ANY (${intArray(cells)}) GROUP BY 1, 2`,
  );
  return rows;
}
