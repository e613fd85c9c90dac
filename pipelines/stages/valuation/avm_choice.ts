import {
  avmChoiceAsset,
  avmModelAsset,
  avmPooledModelAsset,
  VALUATION_KINDS,
  valuationDayAsset,
} from '../../../schema/assets/valuation.ts';
import { modelPartition } from '../../../schema/model_partition.ts';
import { STATE_NAMES } from '../../../schema/states.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

const MODEL_COLUMNS = ['kind', 'region', 'model_id', 'artefact', 'evidence'] as const;

const WANTED = VALUATION_KINDS.flatMap((kind) =>
  Object.keys(STATE_NAMES).map((state) => `(${modelPartition(kind, state)}, '${kind}', '${state}')`),
).join(', ');

export const avmChoiceStage = sqlStage({
  name: 'avm_choice',
  doc: 'The model that values the properties of each state, for sale and rent, so that a cell depends only on the models of its own states.',
  subject: 'day',
  inputs: {
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
    model: input(avmModelAsset, MODEL_COLUMNS, { kind: 'all' }),
    pooled: input(avmPooledModelAsset, MODEL_COLUMNS, { kind: 'all' }),
  },
  output: avmChoiceAsset,
  sql: `SELECT w.model_partition, w.kind, w.state, m.region, m.model_id, m.artefact, m.evidence
    FROM (VALUES ${WANTED}) w (model_partition, kind, state)
    JOIN LATERAL (
      SELECT * FROM (SELECT * FROM model WHERE region = w.state UNION ALL SELECT * FROM pooled) every_model
      WHERE every_model.kind = w.kind ORDER BY region <> w.state LIMIT 1) m ON true`,
});
