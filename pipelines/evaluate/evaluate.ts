import { createHash } from 'node:crypto';
import { EtlError } from '../../schema/errors.ts';
import { CONFIDENCE_BANDS, confidenceBand } from '../../transforms/avm/confidence.ts';
import { buildEvidence, type Evidence } from '../../transforms/avm/evidence.ts';
import { featureGroup } from '../../transforms/avm/feature_set.ts';
import { type SaleTable, selectSales } from '../../transforms/avm/home_table.ts';
import { extendLedger } from '../../transforms/avm/ledger.ts';
import { type AvmModel, TIERS, type ValuationKind } from '../../transforms/avm/model.ts';
import { AVM, type AvmParams } from '../../transforms/avm/params.ts';
import {
  Calibrator,
  LEDGER_OF,
  ledgerEntry,
  type RawBatch,
  rawPredictions,
} from '../../transforms/avm/predict.ts';
import { trainAvm } from '../../transforms/avm/train.ts';
import { isoOfDay } from '../../transforms/stats/calendar.ts';
import { baselines } from './baselines.ts';
import {
  figuresBy,
  type GroupFigures,
  groupFigures,
  type Judged,
  type MethodFigures,
  methodFigures,
  TERCILES,
  tercileBy,
} from './figures.ts';

/** Settings of an evaluation. */
export interface EvaluateOptions {
  kind: ValuationKind;
  /** Last share of the valid sales that is judged. */
  split: number;
  lag_days: number;
  /** Identity of the input: the digest of the file. */
  snapshot: string;
}

/** A group of features and its share of the gain of all splits, percent. */
export interface FeatureGain {
  group: string;
  gain_pct: number;
  features: { name: string; gain_pct: number }[];
}

/** What a model is worth on sales that it had not seen. */
export interface Evaluation {
  kind: ValuationKind;
  model_id: string;
  split: { train_until: string; test_from: string; test_until: string; train: number; test: number };
  lag_days: number;
  outliers: number;
  methods: MethodFigures[];
  overall: GroupFigures;
  by_type: GroupFigures[];
  by_price_tercile: GroupFigures[];
  by_predicted_tercile: GroupFigures[];
  by_type_and_predicted_tercile: GroupFigures[];
  by_confidence: GroupFigures[];
  by_tier: GroupFigures[];
  /** Areas with at least MIN_AREA test sales. */
  by_area: GroupFigures[];
  /** Test sales without an estimate, by reason. */
  no_estimate: Record<string, number>;
  feature_gain: FeatureGain[];
  /** Price of the best eight comparables against eight random sales: 1 - error over error, percent. */
  comparables_better_pct: number;
}

const COMPARABLES_METHOD = 'comparables';
const RANDOM_METHOD = 'eight random within 1 km';
/** Fewest test sales of an area that is listed. */
const MIN_AREA = 10;
/** Fewest sales on either side of the split. */
const MIN_SALES = 50;

/** First row of the test sales: sales of the day on which the share is reached are all test sales. */
function splitRow(sales: SaleTable, share: number): number {
  let row = Math.floor(sales.length * (1 - share));
  while (row > 0 && sales.day[row - 1] === sales.day[row]) row--;
  return row;
}

/** Predictions of all sales from `first` on, each as of its own day, and the errors known by then in the ledgers. */
function predictLive(
  model: AvmModel,
  evidence: Evidence,
  live: SaleTable,
): { batch: RawBatch; calibrator: Calibrator } {
  const batch = rawPredictions(model, evidence, live, live.day);
  const ledgers = { ...model.ledgers };
  for (const name of Object.keys(ledgers) as (keyof typeof ledgers)[]) {
    const entries = batch.raws.flatMap((raw, i) =>
      raw.tier !== null && LEDGER_OF[raw.tier] === name
        ? (ledgerEntry(model, raw, live.day[i]!, live.price[i]!) ?? [])
        : [],
    );
    ledgers[name] = extendLedger(ledgers[name], entries);
  }
  return { batch, calibrator: new Calibrator(model, ledgers) };
}

function gainsOf(model: AvmModel): FeatureGain[] {
  const total = model.gain.reduce((sum, { gain }) => sum + gain, 0);
  const groups = new Map<string, FeatureGain>();
  for (const { name, gain } of model.gain) {
    const group = featureGroup(name);
    const own = groups.get(group) ?? { group, gain_pct: 0, features: [] };
    groups.set(group, own);
    const gain_pct = (100 * gain) / total;
    own.gain_pct += gain_pct;
    own.features.push({ name, gain_pct });
  }
  for (const { features } of groups.values()) features.sort((a, b) => b.gain_pct - a.gain_pct);
  return [...groups.values()].sort((a, b) => b.gain_pct - a.gain_pct);
}

function tooFew(sales: number, test: number): EtlError {
  return new EtlError(
    'evaluate_few_sales',
    `${sales} valid sales, ${test} of them after the split: at least ${MIN_SALES} are needed on either side. Read why rows were excluded.`,
  );
}

/** An evaluation and the judged sales behind it. */
export interface Evaluated {
  evaluation: Evaluation;
  judged: Judged[];
}

/** Sales after the split, and those before it that were too new for the model. */
interface Live {
  /** Meets the model as in service, each sale as of its own day. */
  sales: SaleTable;
  /** Row of the first test sale among them. */
  from: number;
  batch: RawBatch;
  calibrator: Calibrator;
}

/** Training and what follows it, as in service. */
interface Trial {
  model: AvmModel;
  evidence: Evidence;
  live: Live;
  test: SaleTable;
  as_of: number;
}

function tryModel(
  sales: SaleTable,
  { kind, lag_days, snapshot, split }: EvaluateOptions,
  base: AvmParams,
): Trial {
  const from = splitRow(sales, split);
  const count = sales.length - from;
  if (from < MIN_SALES || count < MIN_SALES) throw tooFew(sales.length, count);
  const params: AvmParams = {
    ...base,
    evidence: { ...base.evidence, lag_days },
    calibration: { ...base.calibration, lag_days },
  };
  const as_of = sales.day[from]!;
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const { model } = trainAvm(sales, { kind, as_of, snapshot, digest }, params);
  const evidence = buildEvidence(sales, params.evidence);
  let first = from;
  while (first > 0 && sales.day[first - 1]! > as_of - lag_days) first--;
  const rowsFrom = (start: number): SaleTable =>
    selectSales(
      sales,
      Array.from({ length: sales.length - start }, (_, i) => start + i),
    );
  const live = rowsFrom(first);
  const predicted = predictLive(model, evidence, live);
  return {
    model,
    evidence,
    live: { sales: live, from: from - first, ...predicted },
    test: rowsFrom(from),
    as_of,
  };
}

/** The test sales with an estimate, and the number of those without by reason. */
function judge({ live, test }: Trial): { judged: Judged[]; no_estimate: Record<string, number> } {
  const judged: Judged[] = [];
  const no_estimate: Record<string, number> = {};
  for (let row = 0; row < test.length; row++) {
    const { estimate, reason } = live.calibrator.value(live.batch.raws[live.from + row]!, test.day[row]!);
    if (estimate === null) {
      no_estimate[reason] = (no_estimate[reason] ?? 0) + 1;
      continue;
    }
    judged.push({
      row,
      price: test.price[row]!,
      dwelling_type: test.dwelling_type[row]!,
      area: test.area[row]!,
      lon: test.lon[row]!,
      lat: test.lat[row]!,
      estimate,
    });
  }
  return { judged, no_estimate };
}

/** The model and the simple methods, in one table. */
function methodsOf({ evidence, live, test }: Trial, judged: readonly Judged[]): MethodFigures[] {
  const estimates = new Float64Array(test.length).fill(NaN);
  for (const { row, estimate } of judged) estimates[row] = estimate.price;
  const simple = baselines(evidence, test);
  const hedonic = live.batch.rows.described.anchor.slice(live.from).map(Math.exp);
  const all: [string, Float64Array][] = [
    ['model', estimates],
    ['suburb and type median', simple.area_median],
    ['nearest five', simple.nearest_five],
    [COMPARABLES_METHOD, simple.comparables],
    [RANDOM_METHOD, simple.random_eight],
    ['eight random, time-adjusted', simple.random_eight_adjusted],
    ['hedonic', hedonic],
  ];
  return all.map(([name, values]) => methodFigures(name, values, test.price)).filter(({ n }) => n > 0);
}

/** Figures of the judged sales by what can be known of them. */
function breakdown(judged: readonly Judged[]) {
  const predicted = tercileBy(judged, (sale) => sale.estimate.price);
  const paid = tercileBy(judged, (sale) => sale.price);
  const bands = CONFIDENCE_BANDS.map(({ name }) => name);
  return {
    overall: groupFigures('all', judged),
    by_type: figuresBy(judged, (sale) => sale.dwelling_type),
    by_price_tercile: figuresBy(judged, paid, TERCILES),
    by_predicted_tercile: figuresBy(judged, predicted, TERCILES),
    by_type_and_predicted_tercile: figuresBy(judged, (sale) => `${sale.dwelling_type}, ${predicted(sale)}`),
    by_confidence: figuresBy(judged, ({ estimate }) => confidenceBand(estimate.confidence), bands),
    by_tier: figuresBy(judged, ({ estimate }) => estimate.tier, TIERS),
    by_area: figuresBy(judged, (sale) => sale.area).filter(({ n }) => n >= MIN_AREA),
  };
}

/**
 * Trains on the sales before the split and judges on those after it, in time: the model is trained as of the first test day,
 * and everything known of a sale, features, level and interval alike, is dated at least lag_days before it. `sales` must be
 * valid and in canonical order. Throws EtlError `evaluate_few_sales`.
 */
export function evaluate(sales: SaleTable, options: EvaluateOptions, params: AvmParams = AVM): Evaluated {
  const trial = tryModel(sales, options, params);
  const { model, evidence, test, as_of } = trial;
  const { judged, no_estimate } = judge(trial);
  if (judged.length === 0) throw tooFew(sales.length, test.length);
  const methods = methodsOf(trial, judged);
  const errorOf = (name: string): number =>
    methods.find(({ method }) => method === name)?.median_abs_error_pct ?? NaN;
  const evaluation: Evaluation = {
    kind: options.kind,
    model_id: model.id,
    split: {
      train_until: isoOfDay(as_of - options.lag_days),
      test_from: isoOfDay(as_of),
      test_until: isoOfDay(test.day.at(-1)!),
      train: model.trained_sales,
      test: test.length,
    },
    lag_days: options.lag_days,
    outliers: evidence.outliers.length,
    methods,
    ...breakdown(judged),
    no_estimate,
    feature_gain: gainsOf(model),
    comparables_better_pct: 100 * (1 - errorOf(COMPARABLES_METHOD) / errorOf(RANDOM_METHOD)),
  };
  return { evaluation, judged };
}
