import {
  avmChoiceAsset,
  avmModelAsset,
  avmPooledModelAsset,
  VALUATION_KINDS,
  valuationDayAsset,
} from '../../schema/assets/valuation.ts';
import { modelPartition } from '../../schema/model_partition.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

const MODEL_COLUMNS = ['kind', 'region', 'model_id'] as const;

export const avmChoiceStage = stage({
  name: 'avm_choice',
  version: 1,
  doc: 'The model that values the homes of each state, sale and rent: what a cell is valued by is told apart state by state.',
  subject: 'day',
  by: 'whole',
  inputs: {
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
    model: input(avmModelAsset, MODEL_COLUMNS, { kind: 'all' }),
    pooled: input(avmPooledModelAsset, MODEL_COLUMNS, { kind: 'all' }),
  },
  output: avmChoiceAsset,
  params: () => ({ VALUATION_KINDS }),
  compute({ day, model, pooled }, { emit }) {
    for (const kind of VALUATION_KINDS) {
      for (const state of Object.keys(STATE_NAMES)) {
        const own = model.find((row) => row.kind === kind && row.region === state);
        const chosen = own ?? pooled.find((row) => row.kind === kind);
        if (!chosen) continue;
        const { region, model_id } = chosen;
        emit({ model_partition: modelPartition(kind, state), kind, state, region, model_id });
      }
    }
    return { account: { in: day.length, out: day.length, drops: {} } };
  },
});
