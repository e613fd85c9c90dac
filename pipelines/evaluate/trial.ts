import { createHash } from 'node:crypto';
import { buildEvidence, type Evidence } from '../../transforms/avm/evidence.ts';
import { extendLedger } from '../../transforms/avm/ledger.ts';
import type { AvmModel, ValuationKind } from '../../transforms/avm/model.ts';
import type { AvmParams } from '../../transforms/avm/params.ts';
import {
  Calibrator,
  ledgerEntry,
  ledgerOf,
  ledgersOf,
  type RawBatch,
  rawPredictions,
} from '../../transforms/avm/predict.ts';
import { trainingOf } from '../../transforms/avm/train.ts';
import { knownBy, type SaleTable, selectSales } from '../../transforms/property/home_table.ts';
import { baselines } from './baselines.ts';
import type { EvaluatedSale, Labels } from './error_figures.ts';
import type { ForestThreads } from './forest_threads.ts';

/** A trial: sales up to a day train a model, which is evaluated on the sales of the following window. */
export interface TrialTask {
  kind: ValuationKind;
  lag_days: number;
  /** Digest of the file or of the stored sales. */
  snapshot: string;
  region: string;
  /** First evaluated day, and the first day after the window. */
  from_day: number;
  to_day: number;
  /** Whether a sale of the window is evaluated. The others only update the model's known errors, as in service. */
  isJudged: (id: string) => boolean;
  labels: Labels;
}

/** The model and the simple methods compared with it, in table order. */
export const METHODS = {
  model: 'model',
  area_median: 'suburb and type median',
  nearest_five: 'nearest five',
  comparables: 'comparables',
  random_eight: 'eight random within 1 km',
  random_eight_adjusted: 'eight random, time-adjusted',
  hedonic: 'hedonic',
} as const;
export type ValuationMethod = keyof typeof METHODS;

/** Results of one model and of the simple methods on the evaluated sales. */
export interface Trial {
  region: string;
  model: Pick<AvmModel, 'id' | 'gain' | 'trained_sales'>;
  outliers: number;
  from_day: number;
  /** Last day of an evaluated sale. */
  last_day: number;
  /** Prices of evaluated sales, and the estimates of each method; NaN: none. */
  prices: Float64Array;
  estimates: Record<ValuationMethod, Float64Array>;
  /** Sales with an estimate of the model; `row` counts the evaluated sales of the trial. */
  evaluatedSales: EvaluatedSale[];
  /** Number of sales without an estimate, by reason. */
  no_estimate: Record<string, number>;
}

/** Predicts all sales of the window, each as of its own day, and adds their errors to the ledgers. */
function predictLive(
  model: AvmModel,
  evidence: Evidence,
  live: SaleTable,
): { batch: RawBatch; calibrator: Calibrator } {
  const batch = rawPredictions(model, evidence, live, live.day);
  const names = batch.raws.map((raw) => ledgerOf(model, raw));
  const ledgers = Object.fromEntries(
    Object.entries(ledgersOf(model)).map(([name, ledger]) => {
      const entries = batch.raws.flatMap((raw, i) =>
        names[i] === name ? (ledgerEntry(model, raw, live.day[i]!, live.price[i]!) ?? []) : [],
      );
      return [name, extendLedger(ledger, entries)];
    }),
  );
  return { batch, calibrator: new Calibrator(model, ledgers) };
}

const rowsBetween = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Trains as of the first day of the window and estimates its sales as in service, each at its own date. Features, level and interval use
 * only data at least lag_days older. `all`: valid sales in canonical order; later ones are ignored.
 */
export async function tryModel(
  all: SaleTable,
  task: TrialTask,
  base: AvmParams,
  threads: ForestThreads,
): Promise<Trial> {
  const { kind, lag_days, snapshot, from_day, to_day, labels } = task;
  const until = knownBy(all.day, to_day - 1);
  const sales = until === all.length ? all : selectSales(all, rowsBetween(0, until));
  const params: AvmParams = {
    ...base,
    evidence: { ...base.evidence, lag_days },
    calibration: { ...base.calibration, lag_days },
  };
  const training = trainingOf(sales, { kind, as_of: from_day, snapshot, digest }, params);
  const { model } = await threads.run(training);
  const evidence = buildEvidence(sales, params.evidence);
  // Sales that were too new for training are predicted too: their errors become known before the window ends.
  const first = knownBy(sales.day, from_day - lag_days);
  const live = selectSales(sales, rowsBetween(first, sales.length));
  const { batch, calibrator } = predictLive(model, evidence, live);
  const rows = rowsBetween(0, live.length).filter(
    (row) => live.day[row]! >= from_day && task.isJudged(live.id[row]!),
  );
  const test = selectSales(live, rows);
  const estimates: Trial['estimates'] = {
    model: new Float64Array(test.length).fill(NaN),
    ...baselines(evidence, test),
    hedonic: Float64Array.from(rows, (row) => Math.exp(batch.rows.described.anchor[row]!)),
  };
  const evaluated: EvaluatedSale[] = [];
  const no_estimate: Record<string, number> = {};
  rows.forEach((at, row) => {
    const { estimate, reason } = calibrator.value(batch.raws[at]!, test.day[row]!);
    if (estimate === null) {
      no_estimate[reason] = (no_estimate[reason] ?? 0) + 1;
      return;
    }
    estimates.model[row] = estimate.price;
    const { state, sa4 } = labels.get(test.id[row]!) ?? { state: null, sa4: null };
    evaluated.push({
      row,
      price: test.price[row]!,
      dwelling_type: test.dwelling_type[row]!,
      area: test.area[row]!,
      state,
      sa4,
      lon: test.lon[row]!,
      lat: test.lat[row]!,
      estimate,
    });
  });
  return {
    region: task.region,
    model: { id: model.id, gain: model.gain, trained_sales: model.trained_sales },
    outliers: evidence.outliers.length,
    from_day,
    last_day: test.day.at(-1) ?? from_day,
    prices: test.price,
    estimates,
    evaluatedSales: evaluated,
    no_estimate,
  };
}
