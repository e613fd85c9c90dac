import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../store/database.ts';
import { type Lender, sharing } from '../../store/sharing.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let pool: pg.Pool;
let shared: Lender;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 2, { isPipelined: true, answer_s: 20 });
  shared = sharing(pool);
});
afterAll(async () => {
  await shared.end();
  await database.drop();
});

/** Runs one statement on a connection that may have other readers. */
async function read<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = await shared.connect();
  try {
    return (await client.query<T>({ name: text.slice(0, 20), text, values })).rows;
  } finally {
    client.release();
  }
}
const backends = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      read<{ pid: number; i: number }>('SELECT pg_backend_pid() AS pid, $1::int AS i', [i]),
    ),
  );

describe('connections that readers share', () => {
  it('answer each reader with its own rows, eight on one connection and the next on another', async () => {
    const rows = (await backends(16)).flat();
    expect(rows.map(({ i }) => i)).toEqual(Array.from({ length: 16 }, (_, i) => i));
    expect(new Set(rows.slice(0, 8).map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2);
    expect([pool.totalCount, pool.idleCount]).toEqual([2, 2]);
  });

  it('let more readers wait than they can have at once', async () => {
    expect((await backends(100)).flat().map(({ i }) => i)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect([pool.totalCount, pool.idleCount]).toEqual([2, 2]);
  });

  it('tell a failure to the reader whose statement failed, and to nobody else', async () => {
    const results = await Promise.allSettled([
      ...[1, 2, 3].map((i) => read('SELECT $1::int AS i', [i])),
      read('SELECT 1 / $1::int AS i', [0]),
      ...[5, 6].map((i) => read('SELECT $1::int AS i', [i])),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 3 }, () => 'fulfilled'),
      'rejected',
      ...Array.from({ length: 2 }, () => 'fulfilled'),
    ]);
    expect((results[3] as PromiseRejectedResult).reason).toMatchObject({ code: '22012' });
  });

  it('fail whoever waits when the server ends one, and go on with another', async () => {
    const held = await shared.connect();
    const [{ pid }] = (await held.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [
      { pid: number },
    ];
    const waiting = Promise.allSettled([held.query('SELECT pg_sleep(30)'), read('SELECT 1 AS one')]);
    await database.query('SELECT pg_terminate_backend($1)', [pid]);
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    // One who still has it keeps nobody else on it.
    expect(await read('SELECT 1 AS other')).toEqual([{ other: 1 }]);
    held.release();
    expect(await read('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it('keep a transaction to the one who has a connection alone', async () => {
    const alone = await pool.connect();
    await alone.query('BEGIN');
    const rows = (await backends(8)).flat();
    const [{ pid }] = (await alone.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [
      { pid: number },
    ];
    expect(rows.map((row) => row.pid)).not.toContain(pid);
    await alone.query('COMMIT');
    alone.release();
  });

  it('say that there is no server', async () => {
    const nowhere = sharing(openPool('postgresql://x@127.0.0.1:1/x', 1, { isPipelined: true }));
    const tries = await Promise.allSettled([nowhere.connect(), nowhere.connect()]);
    expect(tries.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(nowhere.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await nowhere.end();
  });
});
