import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { setUp } from '../../pipelines/run/set_up.ts';
import { compareKeys, pruneKeyChanges, readKeyChanges, writeKeyChanges } from '../../store/key_changes.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

describe('comparing keys', () => {
  it('gives per cell what came, went and became another, and leaves out what is the same', () => {
    const before = [
      { cell: 1, key: 'same', rows: 2, digest: '7' },
      { cell: 1, key: 'other', rows: 1, digest: '-5' },
      { cell: 2, key: 'gone', rows: 3, digest: '9223372036854775807' },
      { cell: 3, key: 'same', rows: 1, digest: '1' },
    ];
    const after = [
      { cell: 1, key: 'same', rows: 2, digest: '7' },
      { cell: 1, key: 'other', rows: 4, digest: '5' },
      { cell: 1, key: 'new', rows: 1, digest: '3' },
      { cell: 3, key: 'same', rows: 1, digest: '1' },
    ];
    expect(compareKeys(before, after)).toEqual([
      {
        cell: 1,
        delta: 13n,
        rows: 4,
        filled: 1,
        keys: ['other', 'new'],
        boxes: null,
      },
      {
        cell: 2,
        delta: -9223372036854775807n,
        rows: -3,
        filled: -1,
        keys: ['gone'],
        boxes: null,
      },
    ]);
  });
});

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
});
