import type pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import { EtlError } from '../../schema/errors.ts';
import { partitionSql } from '../../schema/partition.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql } from '../tables/table_rows.ts';
import { restoreQueries } from './as_of.ts';
import { applyDifferences, countDelta, type Delta, listDifferences, writeJournal } from './differences.ts';
import type { PublishedTable } from './journal.ts';
import { publishedRows } from './publication.ts';
import { columnShape } from './table_facts.ts';

/** Error codes of NOT NULL and check violations: rows of an older declaration do not fit the table. */
const MISFITS: ReadonlySet<string> = new Set(['23502', '23514']);

/** Writes the listed differences to the serving table. */
async function apply(client: pg.ClientBase, table: Table, source: string, target: number): Promise<void> {
  try {
    await applyDifferences(client, table, source);
  } catch (error) {
    if (!MISFITS.has((error as { code?: string }).code ?? '')) throw error;
    throw new EtlError(
      'cannot_roll_back',
      `Rows that ${table.name} had in publication ${target} do not fit its columns of today: ${(error as Error).message}. Go back to a later publication.`,
      { cause: error },
    );
  }
}

/** Records the cells of a table from its current rows. */
async function recordCells(client: pg.ClientBase, table: Table): Promise<void> {
  await client.query('DELETE FROM control.published WHERE table_name = $1', [table.name]);
  await client.query(
    `INSERT INTO control.published (table_name, cell, digest, rows)
     SELECT $1, ${partitionSql(table)}, ${digestSql(Object.keys(table.columns))}, count(*) FROM ${qualified(table)} GROUP BY 2`,
    [table.name],
  );
}

/**
 * Restores one serving table to a publication, and writes the differences to the journal as `publication`. Inside the caller's
 * transaction.
 */
export async function restoreTable(
  client: pg.ClientBase,
  table: Table,
  target: number,
  publication: number,
): Promise<Delta> {
  const rowsBefore = await publishedRows(client, table);
  const { were, are, source } = await restoreQueries(client, table, target);
  await listDifferences(client, table, were, are);
  const delta = await countDelta(client, table, rowsBefore);
  if (delta.inserted + delta.updated + delta.deleted === 0) return delta;
  await apply(client, table, source, target);
  await writeJournal(client, table, publication);
  await recordCells(client, table);
  return delta;
}

/**
 * Throws if a restored table does not match its publication's digest. A record with other columns has no comparable digest: then the number
 * of rows decides, which differs if the table was rebuilt since and its journal began again.
 */
export async function checkRestored(
  client: pg.ClientBase,
  table: Table,
  recorded: PublishedTable | undefined,
  target: number,
  restored: Delta,
): Promise<void> {
  if (recorded && (recorded.shape !== columnShape(table) || typeof recorded.digest !== 'string')) {
    if (recorded.rows === restored.rows_after) return;
    throw new EtlError(
      'cannot_roll_back',
      `${table.name} had other columns, types or keys in publication ${target}, and its journal does not go back to its ${recorded.rows} rows of then. Nothing was changed. Go back to a later publication.`,
      { details: { table: table.name, recorded: recorded.rows, found: restored.rows_after } },
    );
  }
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
