import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { setUpAccounts } from '../../../store/accounts/account_set_up.ts';
import { openPool, withClient } from '../../../store/database.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { until } from '../../waiting.ts';

describe('a charge whose answer is not sent', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createDatabase();
    pool = openPool(database.url, 2);
    await withClient(pool, setUpAccounts);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it('leaves the list before the answer is written, although the connection was lost just before and the process is killed just after', async () => {
    const sender = fork(new URL('./sender.ts', import.meta.url), [database.url], {
      execArgv: ['--import', 'tsx'],
    });
    const [holder] = await once(sender, 'message');
    const requestId = randomUUID();
    await pool.query('INSERT INTO account.unsent (request_id, holder) VALUES ($1, $2)', [requestId, holder]);
    await pool.query('SELECT pg_terminate_backend(pid, 10000) FROM account.sender WHERE holder = $1', [
      holder,
    ]);
    const ended = once(sender, 'exit');
    sender.send(requestId);
    await ended;
    await until('the removal', async () => (await pool.query('SELECT FROM account.unsent')).rowCount === 0);
  });
});
