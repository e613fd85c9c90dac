import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import type { Table } from '../../schema/table.ts';
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

const changed = (table: Table): string => ident(`changed_${table.name}`);
const keysOf = (table: Table): string => ident(`keys_${table.name}`);
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
 * Lists the cells whose computed rows differ from the published ones in a temporary table, and for a tracked table their staged keys in
 * another. Returns the number of cells. `stage` computes the table; null: nothing counts as changed.
 */
export async function findChangedCells(
  client: pg.ClientBase,
  table: Table,
  stage: string | null,
): Promise<number> {
  await client.query(`CREATE TEMP TABLE ${changed(table)} (cell int PRIMARY KEY) ON COMMIT DROP`);
  if (stage !== null)
    await client.query(`INSERT INTO ${changed(table)} ${DIFFERENT_CELLS}`, [stage, table.name]);
  if (table.tracked !== null) {
    await client.query(
      `CREATE TEMP TABLE ${keysOf(table)} (cell int, key text, PRIMARY KEY (cell, key)) ON COMMIT DROP`,
    );
    await client.query(
      `INSERT INTO ${keysOf(table)} SELECT k.cell, k.key FROM control.staged_key k JOIN ${changed(table)} c ON c.cell = k.cell
       WHERE k.stage = $1`,
      [stage],
    );
    // All keys of a cell that is no longer computed are removed, whether or not a removal was staged.
    await client.query(
      `INSERT INTO ${keysOf(table)} SELECT DISTINCT ${partitionSql(table, 'o.')}, o.${ident(table.tracked)} FROM ${qualified(table)} o
       WHERE ${partitionSql(table, 'o.')} IN (SELECT cell FROM ${changed(table)} c
         WHERE NOT EXISTS (SELECT FROM control.partition p WHERE p.stage = $1 AND p.cell = c.cell)) ON CONFLICT DO NOTHING`,
      [stage],
    );
    await client.query(`ANALYZE ${keysOf(table)}`);
  }
  await client.query(`ANALYZE ${changed(table)}`);
  return count(client, `SELECT count(*) AS n FROM ${changed(table)}`);
}

/**
 * SQL condition: this publication replaces a row `o` of a serving table, because its cell or its key in it changed. A semi join, which the
 * planner can limit to these rows.
 */
function isReplaced(table: Table): string {
  const partition = partitionSql(table, 'o.');
  return table.tracked === null
    ? `EXISTS (SELECT FROM ${changed(table)} w WHERE w.cell = ${partition})`
    : `EXISTS (SELECT FROM ${keysOf(table)} k WHERE k.cell = ${partition} AND k.key = o.${ident(table.tracked)})`;
}

/** Finds keys that would be repeated in the serving table: in two changed cells, or in a changed and an unchanged one. */
export async function findDuplicateKeys(client: pg.ClientBase, table: Table): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT ${keyText(table, 's')} AS key FROM ${qualified(table, 'staged')} s JOIN ${changed(table)} c ON c.cell = ${partitionSql(table, 's.')}
     GROUP BY ${table.primaryKey.map((name) => `s.${ident(name)}`).join(', ')} HAVING count(*) > 1
     UNION ALL
     SELECT ${keyText(table, 's')} FROM ${qualified(table, 'staged')} s JOIN ${changed(table)} c ON c.cell = ${partitionSql(table, 's.')}
     JOIN ${qualified(table)} o ON ${sameKey(table, 's', 'o')} WHERE NOT ${isReplaced(table)}
     LIMIT 10`,
  );
  return rows.map((row) => row.key);
}

/** Finds the differences in the changed cells of a table; writes only temporary tables. The rows of an empty table are its base. */
export async function findDelta(client: pg.ClientBase, table: Table): Promise<Delta> {
  const rowsBefore = await publishedRows(client, table);
  if (rowsBefore > 0) {
    const were = `SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o WHERE ${isReplaced(table)}`;
    await listDifferences(client, table, were, stagedRows(table));
    return countDelta(client, table, rowsBefore);
  }
  const inserted = await count(client, `SELECT count(*) AS n FROM (${stagedRows(table)}) s`);
  const rows = { inserted, updated: 0, deleted: 0, rows_before: 0, rows_after: inserted };
  return { ...rows, base: inserted > 0, listed: false };
}

/** Returns the query of the staged rows of the changed cells. */
const stagedRows = (table: Table): string =>
  `SELECT ${columnsOf(table)} FROM ${qualified(table, 'staged')} WHERE ${partitionSql(table)} IN (SELECT cell FROM ${changed(table)})`;

/**
 * Applies the differences from `findDelta` to the serving table, and writes them to the journal. `replaceFor`: the readers' role, if the
 * table is empty and locked for replacement; null: its rows are inserted.
 */
export async function applyDelta(
  client: pg.ClientBase,
  table: Table,
  delta: Delta,
  publication: number,
  replaceFor: string | null,
): Promise<void> {
  if (delta.base && replaceFor !== null)
    await serveStaged(client, table, `SELECT cell FROM ${changed(table)}`, replaceFor);
  else if (delta.base)
    await client.query(`INSERT INTO ${qualified(table)} (${columnsOf(table)}) ${stagedRows(table)}`);
  if (!delta.listed) return;
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
  await client.query(`TRUNCATE ${qualified(table, 'staged')}`);
  await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
  await client.query('UPDATE control.partition SET staged = false WHERE stage = $1 AND staged', [stage]);
}

/**
 * Discards the staged rows of a tracked table whose published rows are replaced. The next run computes partitions that differ from the
 * published ones as a whole.
 */
export async function dropStagedKeys(client: pg.ClientBase, table: Table, stage: string): Promise<void> {
  if (table.tracked === null) return;
  await client.query(`TRUNCATE ${qualified(table, 'staged')}`);
  await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
  await client.query('UPDATE control.partition SET staged = false WHERE stage = $1 AND staged', [stage]);
}
