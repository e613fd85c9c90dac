import {
  givenEvidenceAsset,
  home,
  modelEvidenceAsset,
  valuationDayAsset,
  valuationSaleAsset,
} from '../../../schema/assets/valuation.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

type EvidenceColumn = Exclude<keyof typeof modelEvidenceAsset.columns, 'as_of'>;

const COLUMNS: readonly EvidenceColumn[] = [
  'model_partition',
  'kind',
  'event_id',
  'date',
  'price',
  ...(Object.keys(home) as (keyof typeof home)[]),
];

/** SQL rank of a partition's rows by date, newest first, from 1. Ties: gnaf_pid, event_id. */
const RANK = `row_number() OVER (PARTITION BY model_partition ORDER BY date DESC, gnaf_pid COLLATE "C", event_id COLLATE "C") AS rank`;

/**
 * Maximum training sales of a model, newest first; a thread holds 3 kB for each while it trains. At current sales rates this covers two
 * years in the largest state and all ten years in most others.
 */
export const MOST_SALES = 300_000;

/** Declares the stage. `most`: maximum sales of a partition, newest first. */
export const modelEvidence = (most: number) =>
  sqlStage({
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
    dropped: {
      not_newest: `(model_partition, gnaf_pid, event_id) IN (
      SELECT model_partition, gnaf_pid, event_id FROM (SELECT model_partition, gnaf_pid, event_id, ${RANK} FROM sale) ranked WHERE rank > ${most})`,
    },
    sql: `WITH taken AS (SELECT given.* FROM given JOIN day USING (as_of)),
    evidence AS (
      SELECT * FROM taken
      UNION ALL
      SELECT ${COLUMNS.join(', ')}, day.as_of FROM sale, day
      WHERE model_partition NOT IN (SELECT model_partition FROM taken))
    SELECT ${COLUMNS.join(', ')}, as_of FROM (SELECT *, ${RANK} FROM evidence) ranked WHERE rank <= ${most}`,
  });

export const modelEvidenceStage = modelEvidence(MOST_SALES);
