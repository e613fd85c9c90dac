import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carryForward } from '../../../pipelines/engine/increments/carry_forward.ts';
import { input } from '../../../pipelines/engine/input.ts';
import { stage } from '../../../pipelines/engine/stage.ts';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { parcelFormAsset } from '../../../schema/assets/property.ts';
import { configSchema } from '../../../schema/config.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { planned } from './planned.ts';

const forms = stage({
  name: 'forms',
  version: 1,
  doc: 'Test.',
  subject: 'part',
  inputs: { part: input(finderMarketAsset, ['cell', 'sal']) },
  output: parcelFormAsset,
  compute: ({ part }) => ({ account: { in: part.length, out: part.length, drops: {} } }),
});

/** The partition of cell 1 with so many subject rows, of which the listed keys were computed with this account. */
const computed = (
  subject_rows: number,
  account: { in: number; out: number; drops: Record<string, number> },
) => ({
  partition: { ...planned(1), subject_rows },
  rows: account.out,
  refs: [],
  account,
  rejects: [],
});
const change = (own: { delta: bigint; rows: number; filled: number; keys_written: number }) => ({
  cell: 1,
  keys: [],
  named: null,
  keys_seen: null,
  boxes: null,
  ...own,
});

describe('carryForward of a partition with some recomputed keys', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await setUp(client, configSchema.parse({ datasets: {} }));
    await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });
  beforeEach(async () => {
    await client.query('DELETE FROM control.partition');
    await client.query(
      `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, account, staged, run_id)
       VALUES ('forms', 1, '{"version": 1, "params": "", "inputs": {}}', 100, 8, '{}', '{"in": 10, "out": 8, "drops": {"no_parcel": 2}}', true, 1)`,
    );
  });

  const recorded = async () =>
    (await database.query('SELECT output_digest::text AS digest, rows, account FROM control.partition'))[0];

  it('changes the digest, rows and account by the difference of those keys', async () => {
    // Of three keys one is gone, one has a row as before and one is dropped that had a row.
    const keys = computed(9, { in: 2, out: 1, drops: { no_parcel: 1 } });
    await carryForward(
      client,
      forms,
      [keys],
      [change({ delta: -30n, rows: -2, filled: -2, keys_written: 1 })],
      1,
    );
    expect(await recorded()).toEqual({
      digest: '70',
      rows: 6,
      account: { in: 9, out: 6, drops: { no_parcel: 3 }, rejects: 0 },
    });
  });

  it('keeps the digest, rows and account if no row differs', async () => {
    await carryForward(
      client,
      forms,
      [computed(10, { in: 2, out: 2, drops: {} })],
      [change({ delta: 0n, rows: 0, filled: 0, keys_written: 2 })],
      1,
    );
    expect(await recorded()).toMatchObject({
      digest: '100',
      rows: 8,
      account: { in: 10, out: 8, drops: { no_parcel: 2 } },
    });
  });

  it('fails if the rows of the keys contradict the account', async () => {
    const keys = computed(10, { in: 2, out: 2, drops: {} });
    await expect(
      carryForward(client, forms, [keys], [change({ delta: 1n, rows: 0, filled: 0, keys_written: 1 })], 1),
    ).rejects.toThrow('2 of the changed keys have rows by its account, but 1 were written');
    await expect(carryForward(client, forms, [keys], [], 1)).rejects.toThrow('but 0 were written');
  });

  it('fails if subject rows were dropped under two names, because the name of each key is unknown', async () => {
    const keys = computed(10, { in: 2, out: 1, drops: { too_small: 1 } });
    await expect(
      carryForward(client, forms, [keys], [change({ delta: 1n, rows: 0, filled: 0, keys_written: 1 })], 1),
    ).rejects.toThrow('must drop rows under one name');
  });
});
