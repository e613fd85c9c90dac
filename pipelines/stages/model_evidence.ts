import {
  givenEvidenceAsset,
  home,
  modelEvidenceAsset,
  valuationDayAsset,
  valuationSaleAsset,
} from '../../schema/assets/valuation.ts';
import { input } from '../engine/input.ts';
import { sqlStage } from '../engine/sql_stage.ts';

type Column = Exclude<keyof typeof modelEvidenceAsset.columns, 'as_of'>;

const COLUMNS: readonly Column[] = [
  'model_partition',
  'kind',
  'event_id',
  'date',
  'price',
  ...(Object.keys(home) as (keyof typeof home)[]),
];

export const modelEvidenceStage = sqlStage({
  name: 'model_evidence',
  doc: 'The sales and rents that the models of a month are trained on: recorded by the first run of the month and kept until the next, so that corrections within a month change no model.',
  subject: 'sale',
  frozenBy: 'day',
  inputs: {
    sale: input(valuationSaleAsset, COLUMNS),
    given: input(givenEvidenceAsset, [...COLUMNS, 'as_of']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: modelEvidenceAsset,
  sql: `WITH taken AS (SELECT given.* FROM given JOIN day USING (as_of))
    SELECT * FROM taken
    UNION ALL
    SELECT ${COLUMNS.join(', ')}, day.as_of FROM sale, day
    WHERE model_partition NOT IN (SELECT model_partition FROM taken)`,
});
