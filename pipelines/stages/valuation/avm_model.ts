import { createHash } from 'node:crypto';
import {
  avmModelAsset,
  avmPooledModelAsset,
  HOME_EXTRA,
  modelEvidenceAsset,
  VALUATION_KINDS,
  valuationDayAsset,
} from '../../../schema/assets/valuation.ts';
import { modelPartition } from '../../../schema/model_partition.ts';
import type { Row } from '../../../schema/table.ts';
import { packModel } from '../../../transforms/avm/artefact.ts';
import { packEvidence } from '../../../transforms/avm/day_evidence.ts';
import { POOLED, type ValuationKind } from '../../../transforms/avm/model.ts';
import { type PromotionResult, promoteModel } from '../../../transforms/avm/promote.ts';
import { SALE_RULES, validateSales } from '../../../transforms/avm/validate_sales.ts';
import { dayNumber, isoOfDay } from '../../../transforms/stats/calendar.ts';
import { input } from '../../engine/input.ts';
import { type StageResult, stage } from '../../engine/stage.ts';
import { SALE_COLUMNS, saleKey, saleTableOf } from './home_columns.ts';
import { pooledSales } from './pooled_sales.ts';

type TrainingSaleRow = Parameters<typeof saleTableOf>[0][number] &
  Pick<Row<typeof modelEvidenceAsset>, 'kind'>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the valid sales of a region, and the number of invalid ones by reason. */
function validOf(kind: ValuationKind, rows: readonly TrainingSaleRow[], as_of: string) {
  return validateSales(saleTableOf(rows), {}, dayNumber(as_of), SALE_RULES[kind]);
}

/** Lists the sales given that a model does not use, each with its reason (`UNUSED_REASONS`), in the order given. */
function leftOut(
  rows: readonly TrainingSaleRow[],
  { sales, excluded }: ReturnType<typeof validOf>,
  { model, evidence }: Pick<PromotionResult, 'model' | 'evidence'>,
): [gnaf_pid: string, event_id: string, reason: string][] {
  const reasons = new Map<string, string>(evidence.outliers.map((id) => [id, 'outlier']));
  const last = model.as_of - model.params.evidence.lag_days;
  sales.id.forEach((id, i) => {
    if (sales.day[i]! > last) reasons.set(id, 'too_recent');
  });
  return rows.flatMap((row, i): [string, string, string][] => {
    const reason = excluded.get(i) ?? reasons.get(saleKey(row));
    return reason === undefined ? [] : [[row.gnaf_pid, row.event_id, reason]];
  });
}

/** Trains the model of a region; null: it has too few sales. */
function trainRegion(
  kind: ValuationKind,
  region: string,
  rows: readonly TrainingSaleRow[],
  valid: ReturnType<typeof validOf>,
  as_of: string,
): Omit<Row<typeof avmModelAsset>, 'model_partition'> | null {
  if (valid.sales.length === 0) return null;
  const promoted = promoteModel(valid.sales, { kind, as_of: dayNumber(as_of), digest: sha256 });
  const { model, evidence, outcome, challenger_id, figures, failures } = promoted;
  if (model.trained_sales === 0) return null;
  return {
    kind,
    region,
    model_id: model.id,
    as_of: isoOfDay(model.as_of),
    outcome,
    challenger_id,
    figures,
    failures,
    trained_sales: model.trained_sales,
    left_out: leftOut(rows, valid, promoted),
    gain: model.gain,
    artefact: packModel(model),
    evidence: packEvidence(evidence, model.as_of),
  };
}

interface ModelKey {
  model_partition: number;
  kind: ValuationKind;
  region: string;
}

/** Trains and emits the model of a region, if it has enough sales. All sales of a partition are of one kind. */
function trainPartition(
  { model_partition, kind, region }: ModelKey,
  sale: readonly TrainingSaleRow[],
  as_of: string,
  emit: (row: Row<typeof avmModelAsset>) => void,
): StageResult {
  const valid = validOf(kind, sale, as_of);
  const model = trainRegion(kind, region, sale, valid, as_of);
  const drops = Object.fromEntries(Object.entries(valid.counts).filter(([, n]) => n > 0));
  if (model) emit({ model_partition, ...model });
  return { account: { in: sale.length, out: valid.sales.length, drops } };
}

export const avmModelStage = stage({
  name: 'avm_model',
  version: 11,
  doc: 'A valuation model of sales and one of rents for each state with enough of them, each in its own partition; retrained when the valuation month changes, and in service only if it passes its gates.',
  subject: 'sale',
  isBatchedAlone: true,
  inputs: {
    sale: input(modelEvidenceAsset, SALE_COLUMNS),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: avmModelAsset,
  params: () => ({ HOME_EXTRA, VALUATION_KINDS }),
  compute({ sale, day }, { cell, emit }) {
    // All sales of a partition are of one kind and state.
    const { kind, state } = sale[0]!;
    const key = { model_partition: cell, kind: kind as ValuationKind, region: state };
    return trainPartition(key, sale, day[0]!.as_of, emit);
  },
});

export const avmPooledModelStage = stage({
  name: 'avm_pooled_model',
  version: 11,
  doc: 'The national valuation models of sales and of rents, for states with sales but no model of their own.',
  subject: 'day',
  isBatchedAlone: true,
  inputs: {
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
    model: input(avmModelAsset, ['kind', 'region'], { kind: 'resource' }),
    sale: input(modelEvidenceAsset, SALE_COLUMNS, { kind: 'resource' }),
  },
  output: avmPooledModelAsset,
  params: () => ({ HOME_EXTRA, VALUATION_KINDS }),
  resource: {
    keyOf: () => '',
    /** Reads the training sales of the national model, by kind; none if every state with sales has its own model. */
    async build(reader) {
      const models = await reader.rows('model');
      const sales = new Map<ValuationKind, TrainingSaleRow[]>();
      for (const kind of VALUATION_KINDS) {
        const regions = new Set(models.filter((row) => row.kind === kind).map(({ region }) => region));
        const readSales = (state: string) => reader.batches('sale', { where: { kind, state } });
        sales.set(kind, await pooledSales(readSales, regions));
      }
      return sales;
    },
  },
  compute({ day }, { resource, emit }) {
    for (const [kind, sale] of resource) {
      const key = { model_partition: modelPartition(kind, ''), kind, region: POOLED };
      if (sale.length > 0) trainPartition(key, sale, day[0]!.as_of, emit);
    }
    return { account: { in: day.length, out: day.length, drops: {} } };
  },
});
