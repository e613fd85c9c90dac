import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { pruneKeyChanges, readKeyChanges, writeKeyChanges } from '../../../store/increments/key_changes.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

describe('the list of key changes', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { config } = await loadConfig({ set: [`database.url=${database.url}`] }, {});
    await setUp(client, config);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('keeps the last runs, and all of the last days', async () => {
    for (let run = 1; run <= 40; run++) {
      await client.query(
        `INSERT INTO control.run (command, state, started_at) VALUES ('test', 'published', now() - make_interval(days => $1))`,
        [run <= 4 ? 10 : 0],
      );
      const change = {
        cell: run,
        delta: BigInt(run),
        rows: 0,
        filled: 0,
        keys: ['b', 'a'],
        keys_seen: null,
        named: null,
        boxes: null,
      };
      await writeKeyChanges(client, 'one', run, [change]);
    }
    await pruneKeyChanges(client, 34);
    // Runs 1 and 2 are more than 32 before run 34 and more than two days old.
    const left = await readKeyChanges(client, 'one');
    expect(left.map(({ cell }) => cell)).toEqual(Array.from({ length: 38 }, (_, i) => 40 - i));
    expect(left.at(-1)).toMatchObject({ stage: 'one', delta: '3', keys: 2 });
    await pruneKeyChanges(client, 40);
    // Of runs 1 to 8 only those before the last two days go.
    expect((await readKeyChanges(client)).at(-1)!.cell).toBe(5);
  });

  it('has nothing of cells in which most keys changed', async () => {
    const change = (cell: number, changed: number, keys_seen: number) => ({
      cell,
      delta: 1n,
      rows: 0,
      filled: 0,
      keys: Array.from({ length: changed }, (_, i) => `k${i}`),
      keys_seen,
      named: null,
      boxes: null,
    });
    await writeKeyChanges(client, 'many', 40, [
      change(1, 100, 100),
      change(2, 101, 201),
      change(3, 101, 203),
    ]);
    expect((await readKeyChanges(client, 'many')).map(({ cell }) => cell)).toEqual([3, 1]);
  });
});
