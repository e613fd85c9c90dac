import { afterAll, beforeAll, expect, it } from 'vitest';
import { avmChoiceStage } from '../../../../pipelines/stages/valuation/avm_choice.ts';
import { modelOfPartition } from '../../../../schema/model_partition.ts';
import { STATE_NAMES } from '../../../../schema/states.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

const model = (kind: 'sale' | 'rent', region: string) => ({
  kind,
  region,
  model_id: `${kind} of ${region}`,
  artefact: '\\x01',
  evidence: '\\x02',
});

it('is the model of a state, else that of the whole country, else none', async () => {
  const chosen = (await statementRows(database, avmChoiceStage, {
    day: [{ as_of: '2026-11-01' }],
    model: [model('sale', 'NSW'), model('rent', 'NSW')],
    pooled: [model('sale', 'AU')],
  })) as { kind: string; state: string; model_partition: number; model_id: string }[];
  const idOf = (kind: string, state: string) =>
    chosen.find((row) => row.kind === kind && row.state === state)?.model_id;
  for (const state of Object.keys(STATE_NAMES)) {
    expect(idOf('sale', state)).toBe(state === 'NSW' ? 'sale of NSW' : 'sale of AU');
    expect(idOf('rent', state)).toBe(state === 'NSW' ? 'rent of NSW' : undefined);
  }
  for (const { kind, state, model_partition } of chosen)
    expect(modelOfPartition(model_partition)).toEqual({ kind, state });
  expect(chosen.find(({ state }) => state === 'TAS')).toMatchObject({ artefact: '\\x01', evidence: '\\x02' });
});
