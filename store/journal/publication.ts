import pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import type { Table } from '../../schema/table.ts';
import { intArray } from '../tables/table_rows.ts';
import {
  applyDifferences,
  columnsOf,
  countDelta,
  type Delta,
  keyText,
  listDifferences,
  sameKey,
  writeJournal,
} from './differences.ts';
import { serveStaged } from './first_rows.ts';

/** Cells of a serving table that a publication replaces. */
export interface ReplacedCells {
  /** Cells whose computed rows differ from the published ones, ascending. */
  cells: readonly number[];
  /** Stage that computes the table. Of a tracked table, only its keys in `control.staged_key` are replaced. Null: nothing is replaced. */
  stage: string | null;
}

async function count(client: pg.ClientBase, sql: string, values: unknown[] = []): Promise<number> {
  return Number((await client.query<{ n: string }>(sql, values)).rows[0]!.n);
}

/** Returns the recorded row count of a serving table. */
export const publishedRows = (client: pg.ClientBase, table: Table): Promise<number> =>
  count(client, 'SELECT COALESCE(sum(rows), 0) AS n FROM control.published WHERE table_name = $1', [
    table.name,
  ]);

/** Query of the cells whose computed rows differ from the published ones, as `cell`; $1 is the stage, $2 the table. */
const DIFFERENT_CELLS = `SELECT COALESCE(p.cell, d.cell) AS cell
  FROM (SELECT cell, output_digest FROM control.partition WHERE stage = $1 AND rows > 0) p
  FULL JOIN (SELECT cell, digest FROM control.published WHERE table_name = $2 AND rows > 0) d ON d.cell = p.cell
  WHERE p.output_digest IS DISTINCT FROM d.digest`;

/** Counts the cells whose computed rows differ from the published ones. */
export const countChangedCells = (client: pg.ClientBase, table: Table, stage: string): Promise<number> =>
  count(client, `SELECT count(*) AS n FROM (${DIFFERENT_CELLS}) t`, [stage, table.name]);

/**
 * Finds the cells of a table whose computed rows differ from the published ones. Also stages the keys of cells that are no longer computed:
 * all of them are removed, whether or not a removal was staged. `stage` computes the table; null: nothing counts as changed.
 */
export async function findChangedCells(
  client: pg.ClientBase,
  table: Table,
  stage: string | null,
): Promise<ReplacedCells> {
  if (stage === null) return { cells: [], stage };
  const { rows } = await client.query<{ cell: number }>(`${DIFFERENT_CELLS} ORDER BY 1`, [stage, table.name]);
  const cells = rows.map(({ cell }) => cell);
  if (table.tracked !== null && cells.length > 0)
    await client.query(
      `INSERT INTO control.staged_key (stage, cell, key)
       SELECT DISTINCT $1, ${partitionSql(table, 'o.')}, o.${ident(table.tracked)} FROM ${qualified(table)} o
       WHERE ${partitionSql(table, 'o.')} IN (SELECT cell FROM unnest(${intArray(cells)}) c (cell)
         WHERE NOT EXISTS (SELECT FROM control.partition p WHERE p.stage = $1 AND p.cell = c.cell)) ON CONFLICT DO NOTHING`,
      [stage],
    );
  return { cells, stage };
}

/** SQL condition: a row `o` of a serving table is in a changed cell. */
const isInChanged = (table: Table, { cells }: ReplacedCells): string =>
  `${partitionSql(table, 'o.')} = ANY (${intArray(cells)})`;

/** SQL condition: the key of a row `o` is staged in its cell. Null: the table is replaced by cell. */
const isStaged = (table: Table, { stage }: ReplacedCells): string | null =>
  table.tracked === null || stage === null
    ? null
    : `EXISTS (SELECT FROM control.staged_key k WHERE k.stage = ${pg.escapeLiteral(stage)} AND k.cell = ${partitionSql(table, 'o.')} AND k.key = o.${ident(table.tracked)})`;

/**
 * SQL condition: this publication replaces a row `o` of a serving table, because its cell or its key in it changed. A semi join of tables
 * that parallel workers can read.
 */
const isReplaced = (table: Table, replaced: ReplacedCells): string =>
  [isInChanged(table, replaced), isStaged(table, replaced)].filter((part) => part !== null).join(' AND ');

/** Finds keys that would be repeated in the serving table: in two changed cells, or in a changed and an unchanged one. */
export async function findDuplicateKeys(
  client: pg.ClientBase,
  table: Table,
  replaced: ReplacedCells,
): Promise<string[]> {
  const staged = `(${stagedRows(table, replaced)}) s`;
  const isKey = isStaged(table, replaced);
  // A query for each condition, so that the server can join: it checks a negated AND row by row.
  const checks = [
    `NOT ${isInChanged(table, replaced)}`,
    ...(isKey === null ? [] : [`${isInChanged(table, replaced)} AND NOT ${isKey}`]),
  ];
  const queries = [
    `SELECT ${keyText(table, 's')} AS key FROM ${staged} GROUP BY ${table.primaryKey.map((name) => `s.${ident(name)}`).join(', ')} HAVING count(*) > 1`,
    ...checks.map(
      (condition) =>
        `SELECT ${keyText(table, 's')} FROM ${staged} JOIN ${qualified(table)} o ON ${sameKey(table, 's', 'o')} WHERE ${condition}`,
    ),
  ];
  // An aggregate instead of LIMIT, for which the server would plan as if it found repeated keys soon.
  const { rows } = await client.query<{ keys: string[] }>(
    `SELECT COALESCE((array_agg(key ORDER BY key COLLATE "C"))[1:10], '{}') AS keys FROM (${queries.join(' UNION ALL ')}) d`,
  );
  return rows[0]!.keys;
}

/** Finds the differences in the changed cells of a table; writes only temporary tables. The rows of an empty table are its base. */
export async function findDelta(
  client: pg.ClientBase,
  table: Table,
  replaced: ReplacedCells,
): Promise<Delta> {
  const rowsBefore = await publishedRows(client, table);
  if (rowsBefore > 0) {
    await listDifferences(client, table, replacedRows(table, replaced), stagedRows(table, replaced));
    return countDelta(client, table, rowsBefore);
  }
  const { rows } = await client.query<{ inserted: number; others: number }>(
    `SELECT count(*) FILTER (WHERE is_changed)::int AS inserted, count(*) FILTER (WHERE NOT is_changed)::int AS others
     FROM (SELECT ${partitionSql(table)} = ANY (${intArray(replaced.cells)}) AS is_changed FROM ${qualified(table, 'staged')}) s`,
  );
  const { inserted, others } = rows[0]!;
  const counts = { inserted, updated: 0, deleted: 0, rows_before: 0, rows_after: inserted };
  return { ...counts, base: inserted > 0, isListed: false, hasOtherRows: others > 0 };
}

/** Returns the query of the served rows that a publication replaces. */
const replacedRows = (table: Table, replaced: ReplacedCells): string =>
  `SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o WHERE ${isReplaced(table, replaced)}`;

/** Returns the query of the staged rows of the changed cells. */
const stagedRows = (table: Table, { cells }: ReplacedCells): string =>
  `SELECT ${columnsOf(table)} FROM ${qualified(table, 'staged')} WHERE ${partitionSql(table)} = ANY (${intArray(cells)})`;

/** The publication that a table is written for. */
export interface WriteTarget {
  publication: number;
  /** Role of readers that the replaced tables are granted to. Null: rows are inserted into the tables that exist. */
  replaceFor: string | null;
}

/**
 * Applies the differences from `findDelta` to the serving table, and writes them to the journal.
 */
export async function applyDelta(
  client: pg.ClientBase,
  { table, replaced }: { table: Table; replaced: ReplacedCells },
  delta: Delta,
  { publication, replaceFor }: WriteTarget,
): Promise<void> {
  const keptCells = delta.hasOtherRows ? replaced.cells : null;
  if (delta.base && replaceFor !== null) await serveStaged(client, table, keptCells, replaceFor);
  else if (delta.base)
    await client.query(
      `INSERT INTO ${qualified(table)} (${columnsOf(table)}) ${stagedRows(table, replaced)}`,
    );
  if (!delta.isListed) return;
  await applyDifferences(client, table, qualified(table, 'staged'));
  await writeJournal(client, table, publication);
}

/** Records the published cells of a table and deletes its staged rows. */
export async function markPublished(client: pg.ClientBase, table: Table, stage: string): Promise<void> {
  await client.query(
    `DELETE FROM control.published d WHERE table_name = $1
       AND NOT EXISTS (SELECT 1 FROM control.partition p WHERE p.stage = $2 AND p.cell = d.cell)`,
    [table.name, stage],
  );
  await client.query(
    `INSERT INTO control.published (table_name, cell, digest, rows)
     SELECT $1, cell, output_digest, rows FROM control.partition WHERE stage = $2
     ON CONFLICT (table_name, cell) DO UPDATE SET digest = excluded.digest, rows = excluded.rows
     WHERE control.published.digest <> excluded.digest`,
    [table.name, stage],
  );
  await dropStaged(client, table, stage);
}

/** Discards the staged rows of a table. The next run computes partitions that differ from the published ones as a whole. */
export async function dropStaged(client: pg.ClientBase, table: Table, stage: string): Promise<void> {
  await client.query(`TRUNCATE ${qualified(table, 'staged')}`);
  await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
  await client.query('UPDATE control.partition SET staged = false WHERE stage = $1 AND staged', [stage]);
}
