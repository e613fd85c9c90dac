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

/** Rows by how new they are, from 1, in the order that decides which are kept. */
const RANK = `row_number() OVER (PARTITION BY model_partition ORDER BY date DESC, gnaf_pid COLLATE "C", event_id COLLATE "C") AS rank`;

/**
 * Newest sales that a model is made from: a thread holds them, three kilobytes each while it trains. At the nation's rate they are those of
 * two years in the largest state, and of all ten in most.
 */
const MOST_SALES = 300_000;

/** `most`: sales of a partition that are taken, the newest first. */
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
