import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { configSchema } from '../../../schema/config.ts';
import { claim, claimLoad, releaseLoad } from '../../../store/state/claims.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

describe('a claim', () => {
  let database: TestDatabase;
  let first: pg.Client;
  let second: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    [first, second] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [
      pg.Client,
      pg.Client,
    ];
    for (const client of [first, second]) await client.connect();
    await setUp(first, configSchema.parse({ datasets: {} }));
    await first.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
  });

  afterAll(async () => {
    for (const client of [first, second]) await client?.end();
    await database?.drop();
  });

  const record = (cell: number, rows: number) =>
    first.query(
      `UPDATE control.partition SET rows = $2, fingerprint = '{"version": 1}' WHERE stage = 'one' AND cell = $1`,
      [cell, rows],
    );

  it('to partitions makes a second one wait, and then returns what the first run recorded', async () => {
    await first.query('BEGIN');
    expect(await claim(first, 1, 'one', [2, 1])).toEqual(new Map());
    await record(1, 7);
    await record(2, 8);
    await second.query('BEGIN');
    const order: string[] = [];
    const waiting = claim(second, 1, 'one', [1, 3]).then((known) => {
      order.push('second');
      return known;
    });
    await expect
      .poll(
        async () =>
          (await database.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).length,
      )
      .toBeGreaterThan(0);
    order.push('first');
    await first.query('COMMIT');
    expect(await waiting).toEqual(new Map([[1, { fingerprint: { version: 1 }, rows: 7 }]]));
    expect(order).toEqual(['first', 'second']);
    await second.query('ROLLBACK');
    // What a transaction that fails has claimed is free again.
    expect(await database.query('SELECT cell FROM control.partition ORDER BY cell')).toEqual([
      { cell: 1 },
      { cell: 2 },
    ]);
  });

  it('to a load makes a second one wait until it is released and committed', async () => {
    await first.query('BEGIN');
    await claimLoad(first, 5);
    await second.query('BEGIN');
    let isClaimed = false;
    const waiting = claimLoad(second, 5).then(() => (isClaimed = true));
    await expect
      .poll(
        async () =>
          (await database.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).length,
      )
      .toBeGreaterThan(0);
    expect(isClaimed).toBe(false);
    await releaseLoad(first, 5);
    await first.query('COMMIT');
    await waiting;
    await second.query('ROLLBACK');
    expect(await database.query('SELECT load_id FROM control.loading')).toEqual([]);
  });
});
