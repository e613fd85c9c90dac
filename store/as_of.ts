import type pg from 'pg';
import { ident, qualified } from '../schema/ddl.ts';
import type { Table } from '../schema/table.ts';
import { basesOf, readablePublication } from './journal.ts';
import { columnsOf, sameKey } from './publication.ts';

const undo = (table: Table): string => ident(`undo_${table.name}`);

/**
 * Lists, for every key that changed after a publication, the row as it was then, in a temporary table: the key, and `was` as
 * JSON, null where there was none. The cost goes with what changed since.
 * @returns whether the table got its first rows since, so that rows of other keys were not there either
 */
export async function listUndo(client: pg.ClientBase, table: Table, publication: number): Promise<boolean> {
  const base = (await basesOf(client, table.name, publication + 1))[0];
  const key = table.primaryKey.map((name) => `r.${ident(name)}`).join(', ');
  await client.query(
    `CREATE TEMP TABLE ${undo(table)} ON COMMIT DROP AS
     SELECT ${key}, was FROM (
       SELECT DISTINCT ON (key) before AS was, COALESCE(before, after) AS named FROM control.change
       WHERE table_name = '${table.name}' AND publication_id > ${publication}${base === undefined ? '' : ` AND publication_id < ${base}`}
       ORDER BY key, publication_id) c,
     LATERAL jsonb_populate_record(NULL::${qualified(table)}, c.named) r`,
  );
  await client.query(`CREATE INDEX ON ${undo(table)} (${table.primaryKey.map(ident).join(', ')})`);
  await client.query(`ANALYZE ${undo(table)}`);
  return base !== undefined;
}

/**
 * Makes a temporary table of differences between what is served and a publication before, as `findDelta` does between served
 * and staged rows.
 */
export async function listWayBack(
  client: pg.ClientBase,
  table: Table,
  publication: number,
  delta: string,
): Promise<void> {
  const sinceBase = await listUndo(client, table, publication);
  const key = table.primaryKey
    .map((name) => `COALESCE(o.${ident(name)}, u.${ident(name)}) AS ${ident(name)}`)
    .join(', ');
  const first = `o.${ident(table.primaryKey[0]!)}`;
  await client.query(
    `CREATE TEMP TABLE ${delta} ON COMMIT DROP AS
     SELECT ${key}, CASE WHEN ${first} IS NULL THEN 'insert' WHEN u.after IS NULL THEN 'delete' ELSE 'update' END AS change,
       CASE WHEN ${first} IS NOT NULL THEN to_jsonb(o) END AS before, u.after
     FROM (SELECT ${table.primaryKey.map((name) => `v.${ident(name)}`).join(', ')},
         CASE WHEN was IS NOT NULL THEN (SELECT to_jsonb(r) FROM (SELECT ${columnsOf(table, 'p.')}
           FROM jsonb_populate_record(NULL::${qualified(table)}, was) p) r) END AS after
       FROM ${undo(table)} v) u
     ${sinceBase ? 'FULL' : 'LEFT'} JOIN (SELECT ${columnsOf(table)} FROM ${qualified(table)}) o ON ${sameKey(table, 'o', 'u')}
     WHERE CASE WHEN ${first} IS NOT NULL THEN to_jsonb(o) END IS DISTINCT FROM u.after`,
  );
  await client.query(`ANALYZE ${delta}`);
}

/** Makes a temporary view with the name of a serving table that shows it as it was at a publication. */
async function viewAsOf(client: pg.ClientBase, table: Table, publication: number): Promise<void> {
  const sinceBase = await listUndo(client, table, publication);
  const was = ident(`was_${table.name}`);
  await client.query(
    `CREATE TEMP TABLE ${was} ON COMMIT DROP AS
     SELECT ${columnsOf(table, 'r.')} FROM ${undo(table)} u, LATERAL jsonb_populate_record(NULL::${qualified(table)}, u.was) r
     WHERE u.was IS NOT NULL`,
  );
  await client.query(`CREATE INDEX ON ${was} (${table.primaryKey.map(ident).join(', ')})`);
  const kept = `SELECT ${columnsOf(table, 'o.')} FROM ${qualified(table)} o
     WHERE NOT EXISTS (SELECT 1 FROM ${undo(table)} u WHERE ${sameKey(table, 'u', 'o')}) UNION ALL `;
  await client.query(
    `CREATE TEMP VIEW ${ident(table.name)} AS ${sinceBase ? '' : kept}SELECT ${columnsOf(table)} FROM ${was}`,
  );
}

/** Schema in which the views of an as-of read lie. */
export const AS_OF_SCHEMA = 'pg_temp';

/**
 * Runs `work` while temporary views in `AS_OF_SCHEMA` show the serving tables as they were at a publication. Nothing stays.
 * The client must be in no transaction. @throws EtlError unknown_publication, journal_pruned
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
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}
