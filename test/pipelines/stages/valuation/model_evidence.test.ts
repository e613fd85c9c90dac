import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBatch } from '../../../../pipelines/engine/run_batch.ts';
import { setUp } from '../../../../pipelines/run/set_up.ts';
import { modelEvidence } from '../../../../pipelines/stages/valuation/model_evidence.ts';
import { configSchema } from '../../../../schema/config.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { planned } from '../../engine/planned.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await setUp(client, configSchema.parse({ datasets: {} }));
  await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
  await client.query(`INSERT INTO asset.valuation_day (as_of) VALUES ('2026-06-01')`);
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

it('has the newest sales of each model, of one day those of the lowest ids, and drops the others', async () => {
  const sales = [
    [1, 'GA1', '2021-01-01'],
    [1, 'GA2', '2024-01-01'],
    [1, 'GA4', '2023-01-01'],
    [1, 'GA3', '2023-01-01'],
    [2, 'GA9', '2001-01-01'],
  ].map(([model_partition, gnaf_pid, date]) => ({
    cell: 7,
    model_partition,
    kind: 'sale',
    event_id: `E-${gnaf_pid}`,
    date,
    price: 500_000,
    gnaf_pid,
    state: 'VIC',
    area: [],
    dwelling_type: 'house',
    overlays: 0,
  }));
  await client.query(
    'INSERT INTO asset.valuation_sale SELECT * FROM jsonb_populate_recordset(NULL::asset.valuation_sale, $1)',
    [JSON.stringify(sales)],
  );
  await runBatch(client, modelEvidence(2), {}, { partitions: [1, 2].map(planned), runId: 1 });
  expect(
    await database.query(
      'SELECT model_partition, gnaf_pid, as_of::text FROM asset.model_evidence ORDER BY 1, 2',
    ),
  ).toEqual([
    { model_partition: 1, gnaf_pid: 'GA2', as_of: '2026-06-01' },
    { model_partition: 1, gnaf_pid: 'GA3', as_of: '2026-06-01' },
    { model_partition: 2, gnaf_pid: 'GA9', as_of: '2026-06-01' },
  ]);
  expect(
    await database.query(
      `SELECT cell, account FROM control.partition WHERE stage = 'model_evidence' ORDER BY cell`,
    ),
  ).toMatchObject([
    { cell: 1, account: { in: 4, out: 2, drops: { not_newest: 2 } } },
    { cell: 2, account: { in: 1, out: 1, drops: {} } },
  ]);
});
