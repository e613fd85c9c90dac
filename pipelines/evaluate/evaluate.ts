import { EtlError } from '../../schema/errors.ts';
import { append } from '../../schema/group_by.ts';
import { CONFIDENCE_BANDS, confidenceBand } from '../../transforms/avm/confidence.ts';
import { featureGroup } from '../../transforms/avm/feature_set.ts';
import { TIERS, type ValuationKind } from '../../transforms/avm/model.ts';
import { AVM, type AvmParams } from '../../transforms/avm/params.ts';
import { knownBy, type SaleTable, selectSales } from '../../transforms/property/home_table.ts';
import { isoOfDay } from '../../transforms/stats/calendar.ts';
import {
  type EvaluatedSale,
  errorSpread,
  figuresBy,
  type GroupFigures,
  groupFigures,
  type Labels,
  type MethodFigures,
  methodFigures,
  TERCILES,
  tercileBy,
  withoutEquity,
} from './error_figures.ts';
import type { ForestThreads } from './forest_threads.ts';
import { METHODS, type Trial, type TrialTask, tryModel, type ValuationMethod } from './trial.ts';

/** Settings of an evaluation. */
export interface EvaluateOptions {
  kind: ValuationKind;
  /** Share of the valid sales that is evaluated, the latest ones. */
  split: number;
  /** Number of time windows that this share is divided into; each starts with newly trained models. */
  folds: number;
  lag_days: number;
  /** Digest of the file or of the stored sales. */
  snapshot: string;
  /** Number of rows excluded earlier, by reason, for the error about too few sales. */
  excluded?: Readonly<Record<string, number>>;
}

/** Regions of sales: a region with enough sales gets its own models. */
export interface Regions {
  /** State and SA4 of each sale, by id. If empty, all sales are one region. */
  labels: Labels;
  /** Name of the region of all sales, whose model values states with too few of their own. */
  pooled: string;
}

/** A group of features and its share of the total gain, percent. */
interface FeatureGain {
  group: string;
  gain_pct: number;
  features: { name: string; gain_pct: number }[];
}

/** A model of an evaluation, for one region and time window. */
export interface TriedModel {
  region: string;
  model_id: string;
  train_until: string;
  test_from: string;
  test_until: string;
  train: number;
  test: number;
  outliers: number;
}

/** Accuracy of models on sales that they were not trained on. */
export interface Evaluation {
  kind: ValuationKind;
  models: TriedModel[];
  split: { train_until: string; test_from: string; test_until: string; train: number; test: number };
  lag_days: number;
  outliers: number;
  methods: MethodFigures[];
  overall: GroupFigures;
  /** Time windows by their first day, each judged by models trained before it, and the spread of their metrics. */
  by_window: GroupFigures[];
  spread: ReturnType<typeof errorSpread>;
  by_type: GroupFigures[];
  by_price_tercile: GroupFigures[];
  by_predicted_tercile: GroupFigures[];
  by_type_and_predicted_tercile: GroupFigures[];
  by_confidence: GroupFigures[];
  by_tier: GroupFigures[];
  /** States, and SA4s with at least MIN_AREA test sales. Empty for sales of a file. */
  by_state: GroupFigures[];
  by_sa4: GroupFigures[];
  /** Suburbs with at least MIN_AREA test sales. */
  by_area: GroupFigures[];
  /** Test sales without an estimate, by reason. */
  no_estimate: Record<string, number>;
  feature_gain: FeatureGain[];
  /** How much smaller the error of the best eight comparables is than the error of eight random sales, percent. */
  comparables_better_pct: number;
}

/** Minimum test sales of an area in the report. */
const MIN_AREA = 10;
/** Minimum sales on either side of the split. */
const MIN_SALES = 50;

/** Returns shares of the gain by group and feature: the mean over models, weighted by their training sales. */
function gainsOf(trials: readonly Trial[]): FeatureGain[] {
  const shares = new Map<string, number>();
  let weights = 0;
  for (const { model } of trials) {
    const total = model.gain.reduce((sum, { gain }) => sum + gain, 0);
    if (!(total > 0)) continue;
    weights += model.trained_sales;
    for (const { name, gain } of model.gain)
      shares.set(name, (shares.get(name) ?? 0) + (model.trained_sales * 100 * gain) / total);
  }
  const groups = new Map<string, FeatureGain>();
  for (const [name, share] of shares) {
    const group = featureGroup(name);
    const worth = groups.get(group) ?? { group, gain_pct: 0, features: [] };
    groups.set(group, worth);
    const gain_pct = share / weights;
    worth.gain_pct += gain_pct;
    worth.features.push({ name, gain_pct });
  }
  for (const { features } of groups.values()) features.sort((a, b) => b.gain_pct - a.gain_pct);
  return [...groups.values()].sort((a, b) => b.gain_pct - a.gain_pct);
}

function tooFew(sales: number, test: number, excluded: EvaluateOptions['excluded'] = {}): EtlError {
  const reasons = Object.entries(excluded).map(([reason, n]) => `${n} ${reason}`);
  return new EtlError(
    'evaluate_few_sales',
    `${sales} valid sales, ${test} of them after the split: at least ${MIN_SALES} are needed on each side. Rows excluded: ${reasons.join(', ') || 'none'}.`,
  );
}

/** An evaluation with its evaluated sales. */
export interface Evaluated {
  evaluation: Evaluation;
  evaluatedSales: EvaluatedSale[];
}

/** Returns the first day of each window, and the day after the last window. Sales on the day that reaches a share are after the split. */
function windowDays(sales: SaleTable, { split, folds }: EvaluateOptions): number[] {
  const days = Array.from(
    { length: folds },
    (_, k) => sales.day[Math.floor(sales.length * (1 - split * (1 - k / folds)))]!,
  );
  return [...new Set(days), sales.day.at(-1)! + 1];
}

/** Training sales of one model; `isJudged` selects the sales that it is evaluated on. */
interface RegionSales {
  region: string;
  sales: SaleTable;
  isJudged: (id: string) => boolean;
}

/** Returns the regions of one window: states with enough sales on both sides, and all sales together for the other states. */
function regionsOf(
  sales: SaleTable,
  from_day: number,
  to_day: number,
  { labels, pooled }: Regions,
): RegionSales[] {
  const enough = (table: SaleTable): boolean => {
    const before = knownBy(table.day, from_day - 1);
    return before >= MIN_SALES && knownBy(table.day, to_day - 1) - before >= MIN_SALES;
  };
  const stateOf = (id: string): string => labels.get(id)?.state ?? '';
  const states = new Map<string, number[]>();
  sales.id.forEach((id, row) => {
    append(states, stateOf(id), row);
  });
  if (states.size <= 1)
    return enough(sales)
      ? [{ region: [...states.keys()][0] || pooled, sales, isJudged: (): boolean => true }]
      : [];
  const regions: RegionSales[] = [];
  const singleStates = new Set<string>();
  for (const state of [...states.keys()].sort()) {
    const stateSales = selectSales(sales, states.get(state)!);
    if (!enough(stateSales)) continue;
    singleStates.add(state);
    regions.push({ region: state, sales: stateSales, isJudged: () => true });
  }
  const isJudged = (id: string): boolean => !singleStates.has(stateOf(id));
  const window = sales.id.slice(knownBy(sales.day, from_day - 1), knownBy(sales.day, to_day - 1));
  if (enough(sales) && window.some(isJudged)) regions.push({ region: pooled, sales, isJudged });
  return regions;
}

/** Returns the metrics of evaluated sales by group. */
function breakdown(sales: readonly EvaluatedSale[]) {
  const predicted = tercileBy(sales, (sale) => sale.estimate.price);
  const paid = tercileBy(sales, (sale) => sale.price);
  const bands = CONFIDENCE_BANDS.map(({ name }) => name);
  const isLarge = ({ n }: GroupFigures): boolean => n >= MIN_AREA;
  return {
    overall: groupFigures('all', sales),
    by_type: figuresBy(sales, (sale) => sale.dwelling_type),
    by_price_tercile: withoutEquity(figuresBy(sales, paid, TERCILES)),
    by_predicted_tercile: withoutEquity(figuresBy(sales, predicted, TERCILES)),
    by_type_and_predicted_tercile: withoutEquity(
      figuresBy(sales, (sale) => `${sale.dwelling_type}, ${predicted(sale)}`),
    ),
    by_confidence: figuresBy(sales, ({ estimate }) => confidenceBand(estimate.confidence), bands),
    by_tier: figuresBy(sales, ({ estimate }) => estimate.tier, TIERS),
    by_state: figuresBy(sales, (sale) => sale.state),
    by_sa4: figuresBy(sales, (sale) => sale.sa4).filter(isLarge),
    by_area: figuresBy(sales, (sale) => sale.area).filter(isLarge),
  };
}

function concat(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Joins the evaluated sales of all trials; `row` then counts over all trials. */
function allJudged(trials: readonly Trial[]): EvaluatedSale[] {
  let before = 0;
  return trials.flatMap(({ evaluatedSales, prices }) => {
    const shifted = evaluatedSales.map((sale) => ({ ...sale, row: before + sale.row }));
    before += prices.length;
    return shifted;
  });
}

/** Compares the model and the simple methods in one table. */
function methodsOf(trials: readonly Trial[]): MethodFigures[] {
  const prices = concat(trials.map((trial) => trial.prices));
  return (Object.keys(METHODS) as ValuationMethod[])
    .map((method) =>
      methodFigures(METHODS[method], concat(trials.map(({ estimates }) => estimates[method])), prices),
    )
    .filter(({ n }) => n > 0);
}

const triedModel = (trial: Trial, lag_days: number): TriedModel => ({
  region: trial.region,
  model_id: trial.model.id,
  train_until: isoOfDay(trial.from_day - lag_days),
  test_from: isoOfDay(trial.from_day),
  test_until: isoOfDay(trial.last_day),
  train: trial.model.trained_sales,
  test: trial.prices.length,
  outliers: trial.outliers,
});

const NO_REGIONS: Regions = { labels: new Map(), pooled: 'all' };

/**
 * Evaluates models window by window, forward in time. At the start of each window, a model of each region is trained on earlier sales and
 * evaluated on the window's sales. An estimate uses only data dated at least lag_days before the sale. `sales` must be valid and in
 * canonical order.
 * @throws EtlError `evaluate_few_sales`
 */
export async function evaluate(
  sales: SaleTable,
  options: EvaluateOptions,
  threads: ForestThreads,
  params: AvmParams = AVM,
  regions: Regions = NO_REGIONS,
): Promise<Evaluated> {
  if (sales.length === 0) throw tooFew(0, 0, options.excluded);
  const { kind, lag_days, snapshot } = options;
  const days = windowDays(sales, options);
  const trials: Trial[] = [];
  for (const [k, from_day] of days.slice(0, -1).entries()) {
    const to_day = days[k + 1]!;
    for (const { sales: own, region, isJudged } of regionsOf(sales, from_day, to_day, regions)) {
      const { labels } = regions;
      const task: TrialTask = { kind, lag_days, snapshot, region, from_day, to_day, isJudged, labels };
      trials.push(await tryModel(own, task, params, threads));
    }
  }
  const allSales = allJudged(trials);
  const after = sales.length - knownBy(sales.day, days[0]! - 1);
  if (allSales.length === 0) throw tooFew(sales.length, after, options.excluded);
  const models = trials.map((trial) => triedModel(trial, lag_days));
  const sum = (of: (model: TriedModel) => number): number => models.reduce((all, own) => all + of(own), 0);
  const no_estimate: Record<string, number> = {};
  for (const trial of trials)
    for (const [reason, n] of Object.entries(trial.no_estimate))
      no_estimate[reason] = (no_estimate[reason] ?? 0) + n;
  const methods = methodsOf(trials);
  const by_window = days.slice(0, -1).flatMap((from_day) => {
    const ofDay = trials
      .filter((trial) => trial.from_day === from_day)
      .flatMap((trial) => trial.evaluatedSales);
    return ofDay.length === 0 ? [] : [groupFigures(isoOfDay(from_day), ofDay)];
  });
  const errorOf = (name: ValuationMethod): number =>
    methods.find(({ method }) => method === METHODS[name])?.median_abs_error_pct ?? NaN;
  const evaluation: Evaluation = {
    kind,
    models,
    split: {
      train_until: models[0]!.train_until,
      test_from: models[0]!.test_from,
      test_until: models
        .map(({ test_until }) => test_until)
        .sort()
        .at(-1)!,
      train: sum((own) => own.train),
      test: sum((own) => own.test),
    },
    lag_days,
    outliers: sum((own) => own.outliers),
    methods,
    ...breakdown(allSales),
    by_window,
    spread: errorSpread(by_window),
    no_estimate,
    feature_gain: gainsOf(trials),
    comparables_better_pct: 100 * (1 - errorOf('comparables') / errorOf('random_eight')),
  };
  return { evaluation, evaluatedSales: allSales };
}
