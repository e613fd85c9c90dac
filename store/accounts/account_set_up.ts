import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { lockTable, makeLockTable } from '../locks.ts';
import { inTransaction } from '../transaction.ts';
import { ACCOUNT_DDL, ACCOUNT_VERSION } from './account_ddl.ts';

/** Returns whether the schema `account` exists. @throws EtlError schema_version if another program version made it */
async function hasAccounts(client: pg.ClientBase): Promise<boolean> {
  // The name cache of a session that waited for the lock may still lack the table; the catalogue does not.
  const existing = await client.query(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'account' AND tablename = 'meta'`,
  );
  if (existing.rowCount === 0) return false;
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM account.meta WHERE key = 'version'`,
  );
  if (rows.length > 0 && rows[0]!.value !== String(ACCOUNT_VERSION))
    throw new EtlError(
      'schema_version',
      `The accounts of the database have version ${rows[0]!.value}; this program needs ${ACCOUNT_VERSION}. Use the program version that made them, or another database.`,
    );
  return rows.length > 0;
}

/**
 * Creates the schema `account`. No refresh, rollback or rebuild of the tables touches it.
 * @throws EtlError schema_version if another program version made it
 */
export async function setUpAccounts(client: pg.ClientBase): Promise<void> {
  if (await hasAccounts(client)) return;
  await makeLockTable(client, 'account.meta');
  await inTransaction(client, async () => {
    await lockTable(client, 'account.meta');
    if (await hasAccounts(client)) return;
    for (const sql of ACCOUNT_DDL) await client.query(sql);
    await client.query(`INSERT INTO account.meta (key, value) VALUES ('version', $1)`, [
      String(ACCOUNT_VERSION),
    ]);
  });
}
