import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { runBatch } from '../../../pipelines/engine/run_batch.ts';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { avmChoiceStage } from '../../../pipelines/stages/avm_choice.ts';
import { modelOfPartition, modelPartition } from '../../../schema/model_partition.ts';
import { WHOLE } from '../../../schema/partition.ts';
import { STATE_NAMES } from '../../../schema/states.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { planned } from '../engine/planned.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { config } = await loadConfig({}, {});
  await setUp(client, config);
  await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const put = (table: string, row: Record<string, unknown>) =>
  client.query(`INSERT INTO asset.${table} SELECT * FROM jsonb_populate_record(NULL::asset.${table}, $1)`, [
    JSON.stringify(row),
  ]);

const model = (kind: 'sale' | 'rent', region: string) => ({
  model_partition: modelPartition(kind, region === 'AU' ? '' : region),
  kind,
  region,
  model_id: `${kind} of ${region}`,
  challenger_id: 'c',
  as_of: '2026-11-01',
  outcome: 'promoted',
  failures: [],
  trained_sales: 1,
  gain: {},
  artefact: '\\x01',
  evidence: '\\x02',
});

it('is the model of a state, else that of the whole country, else none', async () => {
  await put('valuation_day', { as_of: '2026-11-01' });
  await put('avm_model', model('sale', 'NSW'));
  await put('avm_model', model('rent', 'NSW'));
  await put('avm_pooled_model', model('sale', 'AU'));
  await runBatch(client, avmChoiceStage, {}, [planned(WHOLE)], 1);
  const chosen = await database.query<{
    kind: string;
    state: string;
    model_partition: number;
    model_id: string;
  }>('SELECT * FROM asset.avm_choice');
  const idOf = (kind: string, state: string) =>
    chosen.find((row) => row.kind === kind && row.state === state)?.model_id;
  for (const state of Object.keys(STATE_NAMES)) {
    expect(idOf('sale', state)).toBe(state === 'NSW' ? 'sale of NSW' : 'sale of AU');
    expect(idOf('rent', state)).toBe(state === 'NSW' ? 'rent of NSW' : undefined);
  }
  for (const { kind, state, model_partition } of chosen)
    expect(modelOfPartition(model_partition)).toEqual({ kind, state });
  expect(
    await database.query(
      "SELECT encode(artefact, 'hex') AS artefact, encode(evidence, 'hex') AS evidence FROM asset.avm_choice WHERE state = 'TAS'",
    ),
  ).toEqual([{ artefact: '01', evidence: '02' }]);
});
