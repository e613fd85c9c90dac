import type pg from 'pg';
import {
  commentSql,
  createTableSql,
  ident,
  indexSql,
  keySql,
  qualified,
  stagedIndexName,
  storageSql,
} from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import type { Table } from '../../schema/table.ts';
import { intArray } from '../tables/table_rows.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * SQL: whether tables may be dropped. No view depends on them, and only their owner and the readers' role have rights to them. No other
 * session has a snapshot, as far as this user may know. $1: names of the tables, $2: the readers' role.
 */
const MAY_REPLACE = `SELECT NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY ($1::regclass[])
      AND d.classid = 'pg_rewrite'::regclass)
  AND NOT EXISTS (
    SELECT FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = ANY ($1::regclass[]) AND a.grantee <> c.relowner AND r.rolname IS DISTINCT FROM $2)
  AND NOT EXISTS (
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend' AND (backend_xmin IS NOT NULL OR state IS NULL)) AS ok`;

/**
 * Locks empty serving tables exclusively for this transaction, so that staged tables may take their place. Returns false, without locks,
 * if another session reads or may read one of them, or if somebody else's view or grant would be lost.
 */
export async function lockToReplace(
  client: pg.ClientBase,
  tables: readonly Table[],
  reader: string,
): Promise<boolean> {
  const names = tables.map((table) => qualified(table));
  await client.query('SAVEPOINT alone');
  try {
    await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE NOWAIT`);
    const { rows } = await client.query<{ ok: boolean }>(MAY_REPLACE, [names, reader]);
    if (rows[0]!.ok) return true;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
  }
  await client.query('ROLLBACK TO SAVEPOINT alone');
  return false;
}

/**
 * Puts the staged table in the place of an empty serving table that the caller has locked (`lockToReplace`), and creates an empty staged
 * table. Rows are not written again, and keys and indexes are built over all of them at once. `keptCells`: staged rows of
 * other cells are deleted; null: there are none.
 */
export async function serveStaged(
  client: pg.ClientBase,
  table: Table,
  keptCells: readonly number[] | null,
  reader: string,
): Promise<void> {
  const [serving, staged] = [qualified(table), qualified(table, 'staged')];
  const index = stagedIndexName(table);
  // Comments of columns move with the table and are copied back: a statement for each would take longer than the rows of a small table.
  const steps = [
    ...(keptCells === null
      ? []
      : [`DELETE FROM ${staged} WHERE ${partitionSql(table)} <> ALL (${intArray(keptCells)})`]),
    `DROP TABLE ${serving}`,
    ...(index === null ? [] : [`DROP INDEX staged.${ident(index)}`]),
    `ALTER TABLE ${staged} SET SCHEMA serving`,
    ...(table.primaryKey.length === 0 ? [] : [`ALTER TABLE ${serving} ADD ${keySql(table)}`]),
    ...indexSql(table, serving, table.name),
    `GRANT SELECT ON ${serving} TO ${ident(reader)}`,
    `CREATE TABLE ${staged} (LIKE ${serving} INCLUDING COMMENTS INCLUDING CONSTRAINTS)`,
    ...createTableSql(table, 'staged'),
    ...storageSql(table, 'staged'),
    commentSql(table, 'staged')[0]!,
  ];
  await client.query(steps.join(';\n'));
}
