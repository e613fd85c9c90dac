import type pg from 'pg';
import { ident, qualified } from '../schema/ddl.ts';
import { partitionSql } from '../schema/partition.ts';
import type { Table } from '../schema/table.ts';
import type { Filled } from './first_fill.ts';
import { fillFirst } from './first_rows.ts';

/** How many rows of a serving table a publication changes. */
export interface Delta {
  inserted: number;
  updated: number;
  deleted: number;
  rows_before: number;
  rows_after: number;
  /** The rows are the first ones of the table: they get no journal rows, because before them there was nothing. */
  base: boolean;
  /** There is a table of the differences. */
  listed: boolean;
  /** What the staged rows are, which this publication takes as they are; null or missing: not known. */
  filled?: Filled | null;
}

const changed = (table: Table): string => ident(`changed_${table.name}`);
const keysOf = (table: Table): string => ident(`keys_${table.name}`);
/** Temporary table of the differences of a serving table: its key, `change`, and the row `before` and `after` as JSON. */
export const deltaOf = (table: Table): string => ident(`delta_${table.name}`);
/** Column list of a table, each name with a prefix such as `o.`. */
export const columnsOf = (table: Table, alias = ''): string =>
  Object.keys(table.columns)
    .map((name) => `${alias}${ident(name)}`)
    .join(', ');
/** SQL condition: two aliases of rows have the same primary key. */
export const sameKey = (table: Table, a: string, b: string): string =>
  table.primaryKey.map((name) => `${a}.${ident(name)} = ${b}.${ident(name)}`).join(' AND ');

/** SQL text of a row's key: values joined by bars. Bars inside the values of a key of several columns are escaped. */
export function keyText(table: Table, alias: string): string {
  const parts = table.primaryKey.map((name) => {
    const value = `${alias}.${ident(name)}`;
    const plain = table.primaryKey.length === 1 || table.columns[name]!.type !== 'text';
    return plain ? value : `replace(replace(${value}, '\\', '\\\\'), '|', '\\|')`;
  });
  return `concat_ws('|', ${parts.join(', ')})`;
}

async function count(client: pg.ClientBase, sql: string, values: unknown[] = []): Promise<number> {
  return Number((await client.query<{ n: string }>(sql, values)).rows[0]!.n);
}

/** Rows of a serving table, by the books. */
export const publishedRows = (client: pg.ClientBase, table: Table): Promise<number> =>
  count(client, 'SELECT COALESCE(sum(rows), 0) AS n FROM control.published WHERE table_name = $1', [
    table.name,
  ]);

/** Cells whose computed rows are not those published, as a query of `cell`; $1 is the stage, $2 the table. */
const DIFFERENT_CELLS = `SELECT COALESCE(p.cell, d.cell) AS cell
  FROM (SELECT cell, output_digest FROM control.partition WHERE stage = $1 AND rows > 0) p
  FULL JOIN (SELECT cell, digest FROM control.published WHERE table_name = $2 AND rows > 0) d ON d.cell = p.cell
  WHERE p.output_digest IS DISTINCT FROM d.digest`;

/** Number of cells whose computed rows are not those published. */
export const countChangedCells = (client: pg.ClientBase, table: Table, stage: string): Promise<number> =>
  count(client, `SELECT count(*) AS n FROM (${DIFFERENT_CELLS}) t`, [stage, table.name]);

/**
 * Lists the cells whose computed rows are not those published, in a temporary table, and of a tracked table the keys that are staged in them
 * in another. Returns the number of cells. `stage` computes the table; null: nothing of it counts as changed.
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
    // Of a cell that is not computed any more every key goes, whether its removal was staged or the books have forgotten it.
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
 * SQL condition: a row `o` of a serving table is replaced by this publication, because its cell changed, or its key in it. As a semi join,
 * which the planner does not have to make for the whole table.
 */
function isReplaced(table: Table): string {
  const partition = partitionSql(table, 'o.');
  return table.tracked === null
    ? `EXISTS (SELECT FROM ${changed(table)} w WHERE w.cell = ${partition})`
    : `EXISTS (SELECT FROM ${keysOf(table)} k WHERE k.cell = ${partition} AND k.key = o.${ident(table.tracked)})`;
}

/** Keys that would stand twice in the serving table: in two changed cells, or in a changed and an unchanged one. */
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

/** Counts what a table of differences does. */
export async function countDelta(client: pg.ClientBase, table: Table, rowsBefore: number): Promise<Delta> {
  const { rows } = await client.query<{ change: string; n: string }>(
    `SELECT change, count(*) AS n FROM ${deltaOf(table)} GROUP BY change`,
  );
  const by = Object.fromEntries(rows.map((row) => [row.change, Number(row.n)]));
  const [inserted, updated, deleted] = [by.insert ?? 0, by.update ?? 0, by.delete ?? 0];
  const rowsAfter = rowsBefore + inserted - deleted;
  return {
    inserted,
    updated,
    deleted,
    rows_before: rowsBefore,
    rows_after: rowsAfter,
    base: false,
    listed: true,
  };
}

/**
 * What a staged table held when its first fill ended, where by the books it still holds that, and the changed cells are all that it has;
 * null: it is to be counted.
 */
export async function asFilled(
  client: pg.ClientBase,
  table: Table,
  stage: string,
  filled: Filled | undefined,
): Promise<Filled | null> {
  if (filled === undefined) return null;
  const { rows } = await client.query<{ rows: number; digest: string; taken: boolean }>(
    `SELECT COALESCE(sum(p.rows), 0)::float8 AS rows, COALESCE(sum(p.output_digest), 0)::text AS digest, count(c.cell) = count(*) AS taken
     FROM control.partition p LEFT JOIN ${changed(table)} c ON c.cell = p.cell WHERE p.stage = $1 AND p.rows > 0`,
    [stage],
  );
  const now = rows[0]!;
  return now.taken && now.rows === filled.rows && BigInt(now.digest) === filled.digest ? filled : null;
}

/**
 * Finds what the changed cells of a table change; writes nothing that stays. The rows of an empty table are its base; `filled` (`asFilled`)
 * says how many they are.
 */
export async function findDelta(
  client: pg.ClientBase,
  table: Table,
  filled: Filled | null = null,
): Promise<Delta> {
  const rowsBefore = await publishedRows(client, table);
  if (rowsBefore > 0) {
    await findDifferences(client, table);
    return countDelta(client, table, rowsBefore);
  }
  const cells = `SELECT ${partitionSql(table)} AS cell, count(*) AS n FROM ${qualified(table, 'staged')} GROUP BY 1`;
  const sql = `SELECT COALESCE(sum(n), 0) AS n FROM (${cells}) c JOIN ${changed(table)} USING (cell)`;
  const inserted = filled?.rows ?? (await count(client, sql));
  const rows = { inserted, updated: 0, deleted: 0, rows_before: 0, rows_after: inserted };
  return { ...rows, base: inserted > 0, listed: false, filled };
}

/** Applies what `findDelta` found to the serving table, and writes it to the journal. `isAlone`: the tables are empty and locked. */
export async function applyDelta(
  client: pg.ClientBase,
  table: Table,
  delta: Delta,
  publication: number,
  isAlone: boolean,
): Promise<void> {
  if (delta.base) {
    const insert = (): Promise<unknown> =>
      client.query(
        `INSERT INTO ${qualified(table)} (${columnsOf(table)})
         SELECT ${columnsOf(table)} FROM ${qualified(table, 'staged')} WHERE ${partitionSql(table)} IN (SELECT cell FROM ${changed(table)})`,
      );
    await (isAlone ? fillFirst(client, table, delta, insert) : insert());
  }
  if (!delta.listed) return;
  await deleteOld(client, table);
  await client.query(
    `INSERT INTO ${qualified(table)} (${columnsOf(table)})
     SELECT ${columnsOf(table, 's.')} FROM ${qualified(table, 'staged')} s JOIN ${deltaOf(table)} d ON ${sameKey(table, 's', 'd')}
     WHERE d.change <> 'delete'`,
  );
  await writeJournal(client, table, publication);
}

/** Takes the rows out of the serving table that the differences delete or replace. */
export async function deleteOld(client: pg.ClientBase, table: Table): Promise<void> {
  await client.query(
    `DELETE FROM ${qualified(table)} o USING ${deltaOf(table)} d WHERE d.change <> 'insert' AND ${sameKey(table, 'o', 'd')}`,
  );
}

/** Writes the differences of a table to the journal, numbered in the order of their keys. */
export async function writeJournal(client: pg.ClientBase, table: Table, publication: number): Promise<void> {
  await client.query(
    `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
     SELECT $1, $2, row_number() OVER (ORDER BY ${keyText(table, 'd')} COLLATE "C"), change, ${keyText(table, 'd')}, before, after
     FROM ${deltaOf(table)} d`,
    [publication, table.name],
  );
}

/** Rows of the changed cells that differ between staged and serving, with both sides, in a temporary table. */
async function findDifferences(client: pg.ClientBase, table: Table): Promise<void> {
  const key = table.primaryKey
    .map((name) => `COALESCE(o.${ident(name)}, n.${ident(name)}) AS ${ident(name)}`)
    .join(', ');
  const first = ident(table.primaryKey[0]!);
  await client.query(
    `CREATE TEMP TABLE ${deltaOf(table)} ON COMMIT DROP AS
     SELECT ${key},
       CASE WHEN o.${first} IS NULL THEN 'insert' WHEN n.${first} IS NULL THEN 'delete' ELSE 'update' END AS change,
       CASE WHEN o.${first} IS NOT NULL THEN to_jsonb(o) END AS before,
       CASE WHEN n.${first} IS NOT NULL THEN to_jsonb(n) END AS after
     FROM (SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o WHERE ${isReplaced(table)}) o
     FULL JOIN (SELECT ${columnsOf(table)} FROM ${qualified(table, 'staged')} WHERE ${partitionSql(table)} IN (SELECT cell FROM ${changed(table)})) n
       ON ${sameKey(table, 'o', 'n')}
     WHERE ROW(${columnsOf(table, 'o.')}) IS DISTINCT FROM ROW(${columnsOf(table, 'n.')})`,
  );
  // Not of the rows on both sides, which nothing is found by.
  const searched = [...table.primaryKey.map((name) => ident(name)), 'change'];
  await client.query(`ANALYZE ${deltaOf(table)} (${searched.join(', ')})`);
}

/** Books the published cells of a table and empties its staged rows. */
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
 * Gives up what is staged of a tracked table, because the published rows that it stands beside are replaced: those partitions are computed as
 * a whole by the next run, where they differ from what is published.
 */
export async function dropStagedKeys(client: pg.ClientBase, table: Table, stage: string): Promise<void> {
  if (table.tracked === null) return;
  await client.query(`TRUNCATE ${qualified(table, 'staged')}`);
  await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
  await client.query('UPDATE control.partition SET staged = false WHERE stage = $1 AND staged', [stage]);
}
