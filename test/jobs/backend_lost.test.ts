import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { openBackend } from '../../jobs/backend.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.drop();
});

it('fails, and ends no process, where its connection is lost while the queue is made', async () => {
  const { config } = await loadConfig({}, {});
  const queue = { ...config.queue, redis_url: null };
  const first = await openBackend(database.url, queue);
  await first.close();
  const [{ tables }] = (await database.query<{ tables: string }>(
    `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS tables FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )) as [{ tables: string }];
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  const opening = openBackend(database.url, queue).then(
    () => 'opened',
    (error: Error) => error.message,
  );
  const waits = await vi.waitFor(async () => {
    const { rows } = await holder.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows.length).toBeGreaterThan(0);
    return rows[0]!.pid;
  });
  await holder.query('SELECT pg_terminate_backend($1)', [waits]);
  expect(await opening).toMatch(/terminat/i);
  await holder.query('ROLLBACK');
  await holder.end();
});
