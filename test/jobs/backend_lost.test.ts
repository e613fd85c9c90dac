import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBackend } from '../../jobs/backend.ts';
import { configSchema } from '../../schema/config.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { openLink } from '../frozen_link.ts';
import { PATIENT } from '../waiting.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.drop();
});

/** Locks every table while `work` is done, has `lose` end the session that waits first, and gives what the work said. */
async function lostWhile(
  work: () => Promise<unknown>,
  lose = (holder: pg.Client, pid: number): Promise<unknown> =>
    holder.query('SELECT pg_terminate_backend($1)', [pid]),
): Promise<string> {
  const [{ tables }] = (await database.query<{ tables: string }>(
    `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS tables FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )) as [{ tables: string }];
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  const said = work().then(
    () => 'done',
    (error: Error) => error.message,
  );
  const waits = await vi.waitFor(async () => {
    const { rows } = await holder.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows.length).toBeGreaterThan(0);
    return rows[0]!.pid;
  }, PATIENT);
  await lose(holder, waits);
  const message = await said;
  await holder.query('ROLLBACK');
  await holder.end();
  return message;
}

it('fails, without ending the process, if the connection is lost while the queue is created', async () => {
  const config = configSchema.parse({ datasets: {} });
  const queue = { ...config.queue, redis_url: null };
  const first = await openBackend(database.url, queue);
  await first.close();
  expect(await lostWhile(() => openBackend(database.url, queue))).toMatch(/terminat/i);
});

it('fails, without ending the process, if a connection closes silently while a queue gets ready', async () => {
  const config = configSchema.parse({ datasets: {} });
  const link = await openLink(database.url);
  const backend = await openBackend(link.url, { ...config.queue, redis_url: null });
  await backend.queue.getJobCounts();
  expect(
    await lostWhile(
      () => backend.tasks().getJobCounts(),
      () => link.close(),
    ),
    // a further connection may be on its way when the link goes
  ).toMatch(/terminat|ECONNRESET/i);
  await backend.close().catch(() => undefined);
});
