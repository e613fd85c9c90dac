import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { EtlError } from '../schema/errors.ts';
import { inTransaction } from './transaction.ts';

/** Maximum wait of one attempt for a lock, so that later sessions wait no longer behind it. */
const WAIT_MS = 1000;
/** Maximum attempts, and the pause between them, in which other sessions go ahead. */
const ATTEMPTS = 7;
const PAUSE_MS = 500;

const isTimeout = (error: unknown): boolean => (error as { code?: string }).code === '55P03';

/** Describes other sessions that hold tables of a schema. */
async function holders(client: pg.ClientBase, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `SELECT format('session %s of user %s%s%s holds %s', l.pid, COALESCE(a.usename, '?'),
         COALESCE(' (' || NULLIF(a.application_name, '') || ')', ''),
         COALESCE(', ' || a.state || to_char(a.xact_start AT TIME ZONE 'UTC', '" since "YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
         string_agg(DISTINCT n.nspname || '.' || c.relname, ', ')) AS text
     FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid() AND n.nspname = $1
       AND c.relkind IN ('r', 'p') AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     GROUP BY l.pid, a.usename, a.application_name, a.state, a.xact_start ORDER BY a.xact_start NULLS LAST LIMIT 5`,
    [schema],
  );
  return rows.map(({ text }) => text);
}

/** Control tables used as locks. Unlike an advisory lock, which anybody can take by its number, readers cannot lock them. */
export type LockTable = 'control.meta' | 'control.publication' | 'control.holder' | 'account.meta';

/**
 * Takes a lock until the end of the transaction; readers of the table are not blocked. Each attempt waits at most one second, so no other
 * session waits longer behind it.
 * @throws EtlError locked, which names who holds tables of its schema
 */
export async function lockTable(client: pg.ClientBase, table: LockTable): Promise<void> {
  await client.query('SAVEPOINT short_lock');
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`SET LOCAL lock_timeout = ${WAIT_MS}`);
      await client.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      await client.query('SET LOCAL lock_timeout = 0; RELEASE SAVEPOINT short_lock');
      return;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT short_lock');
    }
    if (attempt === ATTEMPTS) break;
    await sleep(PAUSE_MS);
  }
  const who = await holders(client, table.split('.')[0]!);
  throw new EtlError(
    'locked',
    `A lock of the database did not come in time: ${who.join('; ') || 'another session has it'}. ` +
      'Wait for that session or end it (SELECT pg_terminate_backend(<session>)); then run the same command again.',
    { kind: 'transient', details: { holders: who } },
  );
}

/** Creates the table of a lock; several sessions may try at once. */
export async function makeLockTable(client: pg.ClientBase, table: LockTable): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${table.split('.')[0]}`);
      await client.query(`CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, value text NOT NULL)`);
      return;
    } catch (error) {
      // Another session has just created it.
      if (attempt === 5 || !/^(23505|42P0[67]|42710)$/.test((error as { code?: string }).code ?? ''))
        throw error;
    }
  }
}

/** Session that holds the run lock of the database. */
export interface RunHolder {
  pid: number;
  text: string;
}

/** FROM item of living sessions in control.holder; the start time distinguishes a session from a later one with the same pid. */
const ALIVE = `FROM control.holder h JOIN pg_stat_activity a ON a.pid = h.pid
  AND a.datname = current_database() AND COALESCE(a.backend_start, h.backend_start) = h.backend_start`;

/** SQL condition: some session holds the run lock. */
export const RUN_IS_HELD = `EXISTS (SELECT 1 ${ALIVE})`;

/** Returns the holder of the run lock; null: none. */
export async function runHolder(client: pg.ClientBase): Promise<RunHolder | null> {
  const { rows } = await client.query<RunHolder>(
    `SELECT h.pid, format('session %s%s%s, since %s', h.pid, COALESCE(' of user ' || a.usename, ''),
         COALESCE(' from ' || host(a.client_addr), ''),
         to_char(h.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS text ${ALIVE}`,
  );
  return rows[0] ?? null;
}

/** Takes the run lock for this session. Returns null on success, otherwise its holder. @throws EtlError locked */
export async function takeRun(client: pg.ClientBase): Promise<RunHolder | null> {
  return inTransaction(client, async () => {
    await lockTable(client, 'control.holder');
    const holder = await runHolder(client);
    if (holder === null) {
      await client.query('DELETE FROM control.holder');
      await client.query(
        `INSERT INTO control.holder (pid, backend_start)
         SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
      );
    }
    return holder;
  });
}

/** Releases the run lock of this session: a pooler may keep the session after the run. */
export async function releaseRun(client: pg.ClientBase): Promise<void> {
  await client.query('DELETE FROM control.holder WHERE pid = pg_backend_pid()');
}
