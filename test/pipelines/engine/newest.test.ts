import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { batches } from '../../../pipelines/engine/batches.ts';
import { input } from '../../../pipelines/engine/input.ts';
import { planStage } from '../../../pipelines/engine/plan.ts';
import { runBatch } from '../../../pipelines/engine/run_batch.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { Books } from '../../../pipelines/engine/view.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { qualified } from '../../../schema/ddl.ts';
import { col, table } from '../../../schema/table.ts';
import { digestSql } from '../../../store/assets.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const taken = table({
  schema: 'asset',
  name: 'taken',
  doc: 'Test.',
  columns: { cell: col('int4', 'Place.'), sal: col('text', 'Key.') },
  primaryKey: ['cell', 'sal'],
});
/** Takes the two rows of a cell with the latest name. */
const take: Stage = stage({
  name: 'take',
  version: 1,
  doc: 'Test.',
  subject: 'part',
  alone: true,
  inputs: {
    part: input(finderMarketAsset, ['sal'], {
      kind: 'own',
      newest: { by: 'market', most: 2, dropped: 'not_newest' },
    }),
  },
  output: taken,
  compute({ part }, { cell, emit }) {
    for (const { sal } of part) emit({ cell, sal });
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await setUp(client, (await loadConfig({}, {})).config);
  await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
  await client.query(
    `INSERT INTO control.load (dataset, part, adapter, release, fingerprint, state, run_id, crs, files)
     VALUES ('t', 't', 't', 't', 't', 'active', 1, '{}', '[]')`,
  );
  await client.query(`CREATE TABLE ${qualified(taken)} (cell int, sal text)`);
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

it('of the rows of a partition the newest are read, of equal ones those with the lowest key, and the rest is a drop', async () => {
  const rows = [
    [1, 'a', '2021'],
    [1, 'b', '2024'],
    [1, 'd', '2023'],
    [1, 'c', '2023'],
    [2, 'z', '2001'],
  ] as const;
  for (const [cell, sal, name] of rows)
    await client.query(`INSERT INTO asset.finder_market (cell, sal, market) VALUES ($1, $2, $3)`, [
      cell,
      sal,
      name,
    ]);
  await client.query(
    `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest)
     SELECT 1, 'asset.finder_market', cell, count(*), ${digestSql(['sal'])} FROM asset.finder_market GROUP BY cell`,
  );
  const plan = planStage(take, {}, await Books.read(client, [take]));
  for (const batch of batches(plan.partitions, 1000)) await runBatch(client, take, {}, batch, 1);
  expect((await client.query('SELECT cell, sal FROM asset.taken ORDER BY 1, 2')).rows).toEqual([
    { cell: 1, sal: 'b' },
    { cell: 1, sal: 'c' },
    { cell: 2, sal: 'z' },
  ]);
  const { rows: accounts } = await client.query(
    "SELECT cell, account FROM control.partition WHERE stage = 'take' ORDER BY cell",
  );
  expect(accounts).toMatchObject([
    { cell: 1, account: { in: 4, out: 2, drops: { not_newest: 2 } } },
    { cell: 2, account: { in: 1, out: 1, drops: {} } },
  ]);
});
