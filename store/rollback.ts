import type pg from 'pg';
import { qualified } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import { partitionSql, WHOLE } from '../schema/partition.ts';
import { partitionColumn, type Table } from '../schema/table.ts';
import { listWayBack } from './as_of.ts';
import { digestSql } from './assets.ts';
import type { PublishedTable } from './journal.ts';
import {
  columnsOf,
  countDelta,
  type Delta,
  deleteOld,
  deltaOf,
  publishedRows,
  writeJournal,
} from './publication.ts';
import { shapeOf } from './table_facts.ts';

/** Violations of NOT NULL and of checks: rows of an older declaration do not fit the table. */
const MISFITS: ReadonlySet<string> = new Set(['23502', '23514']);

/** Inserts the rows that the differences put into the serving table. */
async function insertRows(client: pg.ClientBase, table: Table, target: number): Promise<void> {
  try {
    await client.query(
      `INSERT INTO ${qualified(table)} (${columnsOf(table)})
       SELECT ${columnsOf(table, 'r.')} FROM ${deltaOf(table)} d, LATERAL jsonb_populate_record(NULL::${qualified(table)}, d.after) r
       WHERE d.change <> 'delete'`,
    );
  } catch (error) {
    if (!MISFITS.has((error as { code?: string }).code ?? '')) throw error;
    throw new EtlError(
      'cannot_roll_back',
      `Rows that ${table.name} had in publication ${target} do not fit its columns of today: ${(error as Error).message}. Go back to a later publication.`,
      { cause: error },
    );
  }
}

/** Books the cells that the differences touch as they stand in the serving table. */
async function bookCells(client: pg.ClientBase, table: Table): Promise<void> {
  // A table that was altered has cells whose digest is not known: then all are booked.
  const unknown = await client.query(
    'SELECT 1 FROM control.published WHERE table_name = $1 AND digest < 0 LIMIT 1',
    [table.name],
  );
  const column = partitionColumn(table);
  const of = (side: string): string => (column === null ? String(WHOLE) : `(${side} ->> '${column}')::int`);
  const touched = `SELECT ${of('before')} FROM ${deltaOf(table)} WHERE before IS NOT NULL
     UNION SELECT ${of('after')} FROM ${deltaOf(table)} WHERE after IS NOT NULL`;
  const isTouched = (partition: string): string =>
    unknown.rowCount === 0 ? `${partition} IN (${touched})` : 'true';
  await client.query(`DELETE FROM control.published WHERE table_name = $1 AND ${isTouched('cell')}`, [
    table.name,
  ]);
  await client.query(
    `INSERT INTO control.published (table_name, cell, digest, rows)
     SELECT $1, ${partitionSql(table)}, ${digestSql(Object.keys(table.columns))}, count(*) FROM ${qualified(table)}
     WHERE ${isTouched(partitionSql(table))} GROUP BY 2`,
    [table.name],
  );
}

/**
 * Brings one serving table back to what it was at a publication, and writes the differences to the journal as `publication`.
 * Inside the caller's transaction.
 */
export async function restoreTable(
  client: pg.ClientBase,
  table: Table,
  target: number,
  publication: number,
): Promise<Delta> {
  const rowsBefore = await publishedRows(client, table);
  await listWayBack(client, table, target, deltaOf(table));
  const delta = await countDelta(client, table, rowsBefore);
  if (delta.inserted + delta.updated + delta.deleted === 0) return delta;
  await deleteOld(client, table);
  await insertRows(client, table, target);
  await writeJournal(client, table, publication);
  await bookCells(client, table);
  return delta;
}

/**
 * Fails where a table that was brought back is not what its publication recorded. A record of other columns is not comparable.
 */
export async function checkRestored(
  client: pg.ClientBase,
  table: Table,
  recorded: PublishedTable | undefined,
  target: number,
): Promise<void> {
  if (recorded && (recorded.shape !== shapeOf(table) || typeof recorded.digest !== 'string')) return;
  const { rows } = await client.query<{ digest: string }>(
    'SELECT COALESCE(sum(digest), 0)::text AS digest FROM control.published WHERE table_name = $1',
    [table.name],
  );
  if (rows[0]!.digest === (recorded?.digest ?? '0')) return;
  throw new EtlError(
    'cannot_roll_back',
    `The journal does not lead ${table.name} back to what publication ${target} recorded. Nothing was changed.`,
    { details: { table: table.name, recorded: recorded?.digest ?? '0', found: rows[0]!.digest } },
  );
}
