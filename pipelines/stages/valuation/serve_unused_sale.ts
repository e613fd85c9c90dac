import {
  avmModelAsset,
  avmPooledModelAsset,
  modelEvidenceAsset,
  valuationSaleAsset,
} from '../../../schema/assets/valuation.ts';
import { unusedSaleTable } from '../../../schema/serving/unused_sale.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { MOST_SALES } from './model_evidence.ts';

const MODEL_COLUMNS = ['model_partition', 'kind', 'left_out'] as const;

export const serveUnusedSaleStage = sqlStage({
  name: 'serve_unused_sale',
  doc: 'Rows of serving.unused_sale: the sales and rents that are no evidence of the model of their state.',
  subject: 'sale',
  without: 'used_by_model',
  inputs: {
    sale: input(valuationSaleAsset, ['model_partition', 'kind', 'gnaf_pid', 'event_id', 'date']),
    evidence: input(modelEvidenceAsset, ['model_partition', 'gnaf_pid', 'event_id', 'date']),
    model: input(avmModelAsset, MODEL_COLUMNS),
    pooled: input(avmPooledModelAsset, MODEL_COLUMNS, { kind: 'all' }),
  },
  output: unusedSaleTable,
  sql: `
    WITH own AS (
      SELECT model_partition, item ->> 0 AS gnaf_pid, item ->> 1 AS event_id, item ->> 2 AS reason
      FROM model, jsonb_array_elements(left_out) l (item)
    ), of_country AS (
      SELECT kind, item ->> 0 AS gnaf_pid, item ->> 1 AS event_id, item ->> 2 AS reason
      FROM pooled, jsonb_array_elements(left_out) l (item)
    ), taken AS (
      SELECT model_partition, count(*) AS n, min(date) AS oldest FROM evidence GROUP BY model_partition
    ), judged AS (
      SELECT s.model_partition, s.kind, s.gnaf_pid, s.event_id,
        CASE
          WHEN e.gnaf_pid IS NULL AND t.n >= ${MOST_SALES} AND s.date <= t.oldest THEN 'not_newest'
          WHEN e.gnaf_pid IS NULL THEN 'arrived_later'
          WHEN m.kind IS NOT NULL THEN own.reason
          WHEN p.kind IS NOT NULL THEN of_country.reason
          ELSE 'no_model'
        END AS reason
      FROM sale s
        LEFT JOIN taken t ON t.model_partition = s.model_partition
        LEFT JOIN evidence e ON (e.model_partition, e.gnaf_pid, e.event_id) = (s.model_partition, s.gnaf_pid, s.event_id)
        LEFT JOIN model m ON m.model_partition = s.model_partition
        LEFT JOIN pooled p ON p.kind = s.kind
        LEFT JOIN own ON (own.model_partition, own.gnaf_pid, own.event_id) = (s.model_partition, s.gnaf_pid, s.event_id)
        LEFT JOIN of_country ON (of_country.kind, of_country.gnaf_pid, of_country.event_id) = (s.kind, s.gnaf_pid, s.event_id)
    )
    SELECT model_partition, kind, gnaf_pid, event_id, reason FROM judged WHERE reason IS NOT NULL`,
});
