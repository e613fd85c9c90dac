import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { lockTable, makeLockTable } from '../locks.ts';
import { ACCOUNT_STEPS } from './account_ddl.ts';

/** Returns the number of steps that a database has applied. */
async function stepsTaken(client: pg.ClientBase): Promise<number> {
  // The name cache of a session that waited for the lock may still lack the table; the catalogue does not.
  const existing = await client.query(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'account' AND tablename = 'meta'`,
  );
  if (existing.rowCount === 0) return 0;
  const { rows } = await client.query(`SELECT value FROM account.meta WHERE key = 'version'`);
  return Number(rows[0]?.value ?? 0);
}

/**
 * Creates the schema `account`, or applies the steps that it lacks. No refresh, rollback or rebuild of the tables touches it.
 * @throws EtlError schema_version if a later program made it
 */
export async function setUpAccounts(client: pg.ClientBase): Promise<void> {
  if ((await stepsTaken(client)) === ACCOUNT_STEPS.length) return;
  await makeLockTable(client, 'account.meta');
  await client.query('BEGIN');
  try {
    await lockTable(client, 'account.meta');
    const steps = await stepsTaken(client);
    if (steps > ACCOUNT_STEPS.length) {
      throw new EtlError(
        'schema_version',
        `The accounts of the database have version ${steps}; this program needs ${ACCOUNT_STEPS.length}. Use the program version that made them.`,
      );
    }
    for (const step of ACCOUNT_STEPS.slice(steps)) for (const sql of step) await client.query(sql);
    await client.query(
      `INSERT INTO account.meta (key, value) VALUES ('version', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [String(ACCOUNT_STEPS.length)],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
