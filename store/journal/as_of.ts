import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { columnsOf, journalValue, keyRecord, keyText, sameKey } from './differences.ts';
import { basesOf, readablePublication } from './journal.ts';

const undo = (table: Table): string => ident(`undo_${table.name}`);

/**
 * Builds the query of a table's rows at a publication, for each key changed since: the key by column and as `key`, and `was` as JSON, null
 * if no row existed. Each row is the current row with its later changes undone, newest first; the journal has deleted rows in full. `base`
 * is the first later publication that brought the table's first rows: before it the table was empty.
 */
export function rowsAt(table: Table, publication: number, base: number | undefined): string {
  const key = table.primaryKey.map((name) => `r.${ident(name)}`).join(', ');
  const until = base === undefined ? '' : ` AND publication_id < ${base}`;
  return `SELECT ${key}, c.key,
      CASE WHEN c.first <> 'insert' THEN CASE WHEN c.went THEN '{}' ELSE COALESCE(to_jsonb(o.*), '{}') END || c.was END AS was
    FROM (SELECT key, (array_agg(change ORDER BY publication_id))[1] AS first, bool_or(change = 'delete') AS went,
        control.overlay(before ORDER BY publication_id DESC) AS was, (array_agg(COALESCE(before, after)))[1] AS named
      FROM control.change WHERE table_name = '${table.name}' AND publication_id > ${publication}${until} GROUP BY key) c
    CROSS JOIN LATERAL jsonb_to_record(c.named) r (${keyRecord(table)})
    LEFT JOIN ${qualified(table)} o ON ${sameKey(table, 'o', 'r')}`;
}

/**
 * Writes the result of `rowsAt` to a temporary table. The cost grows with the changes since.
 * @returns whether the table got its first rows since, so that rows of other keys did not exist then either
 */
async function listUndo(client: pg.ClientBase, table: Table, publication: number): Promise<boolean> {
  const base = (await basesOf(client, table.name, publication + 1))[0];
  await client.query(
    `CREATE TEMP TABLE ${undo(table)} ON COMMIT DROP AS ${rowsAt(table, publication, base)}`,
  );
  await client.query(`CREATE INDEX ON ${undo(table)} (${table.primaryKey.map(ident).join(', ')})`);
  await client.query(`ANALYZE ${undo(table)}`);
  return base !== undefined;
}

/**
 * Creates a temporary table of a table's rows at a publication, for keys that changed since.
 * @returns its name, and whether rows of all other keys existed too, equal to today's
 */
async function listWas(
  client: pg.ClientBase,
  table: Table,
  publication: number,
): Promise<{ was: string; isRest: boolean }> {
  const sinceBase = await listUndo(client, table, publication);
  const pastTable = ident(`was_${table.name}`);
  await client.query(
    `CREATE TEMP TABLE ${pastTable} ON COMMIT DROP AS
     SELECT ${columnsOf(table, 'r.')} FROM ${undo(table)} u, LATERAL jsonb_populate_record(NULL::${qualified(table)}, u.was) r
     WHERE u.was IS NOT NULL`,
  );
  await client.query(`CREATE INDEX ON ${pastTable} (${table.primaryKey.map(ident).join(', ')})`);
  return { was: pastTable, isRest: !sinceBase };
}

/** Queries of the rows to replace, and of their replacements, that restore a table to a publication. */
export interface RestoreQueries {
  were: string;
  are: string;
  /** Table of the replacements. */
  source: string;
}

/** Finds the differences from the served rows back to a publication. */
export async function restoreQueries(
  client: pg.ClientBase,
  table: Table,
  publication: number,
): Promise<RestoreQueries> {
  const { was, isRest } = await listWas(client, table, publication);
  const touched = `WHERE EXISTS (SELECT FROM ${undo(table)} u WHERE ${sameKey(table, 'u', 'o')})`;
  return {
    were: `SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o ${isRest ? touched : ''}`,
    are: `SELECT ${columnsOf(table)} FROM ${was}`,
    source: was,
  };
}

/**
 * Builds the query of a table's rows at a publication, which undoes later changes. A condition on the primary key reaches the journal, so
 * that one property's rows cost as much as its own changes; `base` as in `rowsAt`.
 */
export function tableAsOf(table: Table, publication: number, base: number | undefined): string {
  const until = base === undefined ? '' : ` AND publication_id < ${base}`;
  const changes = `control.change c WHERE table_name = '${table.name}' AND publication_id > ${publication}`;
  const key = table.primaryKey.map((name) => `${journalValue(table, name)} AS ${ident(name)}`).join(', ');
  const isKey = new Set(table.primaryKey);
  const columns = Object.keys(table.columns).map((name) => `${isKey.has(name) ? 'c' : 'r'}.${ident(name)}`);
  const earlier = `SELECT ${columns.join(', ')}
    FROM (SELECT ${key}, (array_agg(change ORDER BY publication_id))[1] AS first, bool_or(change = 'delete') AS went,
        control.overlay(before ORDER BY publication_id DESC) AS was
      FROM ${changes}${until} GROUP BY ${table.primaryKey.map((_, i) => i + 1).join(', ')}) c
    LEFT JOIN ${qualified(table)} o ON ${sameKey(table, 'o', 'c')}
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${qualified(table)},
      CASE WHEN c.went OR o.${ident(table.primaryKey[0]!)} IS NULL THEN c.was ELSE to_jsonb(o.*) || c.was END) r
    WHERE c.first <> 'insert'`;
  if (base !== undefined) return earlier;
  return `SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o
    WHERE NOT EXISTS (SELECT FROM ${changes} AND c.key = ${keyText(table, 'o')} COLLATE "C")
    UNION ALL ${earlier}`;
}

/** Creates a temporary view with the name of a serving table that shows its rows at a publication. */
async function viewAsOf(client: pg.ClientBase, table: Table, publication: number): Promise<void> {
  const { was, isRest } = await listWas(client, table, publication);
  const unchangedRows = `SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o
     WHERE NOT EXISTS (SELECT 1 FROM ${undo(table)} u WHERE ${sameKey(table, 'u', 'o')}) UNION ALL `;
  await client.query(
    `CREATE TEMP VIEW ${ident(table.name)} AS ${isRest ? unchangedRows : ''}SELECT ${columnsOf(table)} FROM ${was}`,
  );
}

/** Schema of the views of an as-of read. */
export const AS_OF_SCHEMA = 'pg_temp';

/** Views of publications and their changes. */
const JOURNAL_VIEWS = ['publication', 'change'] as const;

/**
 * Runs `work` while temporary views in `AS_OF_SCHEMA` show the serving tables at a publication, and the publications and changes up to it. Leaves nothing behind. The client must
 * not be in a transaction.
 * @throws EtlError unknown_publication, journal_pruned
 */
export async function withAsOf<T>(
  client: pg.ClientBase,
  tables: readonly Table[],
  publication: number,
  work: () => Promise<T>,
): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    await client.query('SET LOCAL client_min_messages = warning');
    await readablePublication(client, publication);
    for (const table of tables) await viewAsOf(client, table, publication);
    for (const name of JOURNAL_VIEWS)
      await client.query(
        `CREATE TEMP VIEW ${name} AS SELECT * FROM serving.${name} WHERE publication_id <= ${publication}`,
      );
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}
