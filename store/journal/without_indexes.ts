import type pg from 'pg';
import { ident, indexSql, keySql, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Locks tables exclusively for this transaction; returns false if another session is reading one of them. */
export async function lockAlone(client: pg.ClientBase, tables: readonly Table[]): Promise<boolean> {
  await client.query('SAVEPOINT alone');
  try {
    const names = tables.map((table) => qualified(table)).join(', ');
    await client.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE NOWAIT`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT alone');
    return false;
  }
}

/**
 * Fills an empty serving table that the caller has locked (`lockAlone`). Its key and indexes are built over all rows at once, in less than
 * half the time of row-by-row updates. The server need not log rows of a file created in the same transaction.
 */
export async function withoutIndexes(
  client: pg.ClientBase,
  table: Table,
  insert: () => Promise<unknown>,
): Promise<void> {
  const target = qualified(table);
  const { rows } = await client.query<{ name: string; is_key: boolean }>(
    `SELECT c.relname AS name, i.indisprimary AS is_key FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::regclass`,
    [target],
  );
  const steps = rows.map(({ name, is_key }) =>
    is_key
      ? `ALTER TABLE ${target} DROP CONSTRAINT ${ident(name)}`
      : `DROP INDEX ${ident(table.schema)}.${ident(name)}`,
  );
  await client.query([`TRUNCATE ${target}`, ...steps].join(';\n'));
  await insert();
  if (table.primaryKey.length > 0) await client.query(`ALTER TABLE ${target} ADD ${keySql(table)}`);
  for (const sql of indexSql(table, target, table.name)) await client.query(sql);
}
