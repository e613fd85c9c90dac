import type { Evidence } from './evidence.ts';
import { featureMatrix, VIEWS } from './feature_set.ts';
import { applyBinning, type BinnedMatrix, type FeatureMatrix, makeBinning } from './gbt/bins.ts';
import type { Labelled } from './gbt/boost.ts';
import { gainByFeature, predictForests } from './gbt/forest.ts';
import type { ForestTask, Growing } from './gbt/growing.ts';
import { byCodeUnit, type SaleTable } from './home_table.ts';
import { intervalMatrix } from './interval.ts';
import type { LedgerEntry } from './ledger.ts';
import { bareHomes, isComplete, maskedHomes } from './mask.ts';
import type { BoostedPart, Half, IntervalForests, ViewForests } from './model.ts';
import type { AvmParams, MaskedAttribute } from './params.ts';
import { hasOwnPoint, PLACE_SPREAD } from './places.ts';
import {
  type DescribedHomes,
  describe,
  selectBins,
  selectDescribed,
  type ViewRows,
  viewRows,
} from './rows.ts';

/** What training the boosted part needs. Rows count the sales given. */
interface Task {
  evidence: Evidence;
  sales: SaleTable;
  log_price: Float64Array;
  extra: readonly string[];
  needed: readonly MaskedAttribute[];
  params: AvmParams;
  /** Halves that are trained together; the binning is that of the first. */
  halves: readonly Half[];
  /** One forest for each of them in each half and view. */
  seeds: readonly number[];
  /** Rows that models are tried with, and those after them that stop and calibrate them; both ascending. */
  train: Int32Array;
  held: Int32Array;
}

/** Something of each half of a task. */
type OfHalves<T> = Partial<Record<Half, T>>;

const ofHalves = <T>({ halves }: Task, make: (half: Half) => T): OfHalves<T> =>
  Object.fromEntries(halves.map((half) => [half, make(half)]));

/** One view: its binned rows and forests. */
interface Trained extends ViewForests {
  rows: OfHalves<ViewRows>;
  /** Rounds that early stopping chose. */
  rounds: OfHalves<number>;
  /** Predictions of the held rows by forests that have not seen them, log dollars. */
  tried: OfHalves<Float64Array>;
}

/** One part of a boosted model as it was trained. */
export interface TrainedPart {
  part: BoostedPart;
  /** Errors of the held rows, predicted by models that had not seen them; generation 0. */
  entries: LedgerEntry[];
  gain: { name: string; gain: number }[];
}

/** Extra seeds, apart from those of the point forests. */
const MASK_SEED = 11;
const BARE_SEED = 12;
const INTERVAL_SEED = 21;
const FOLD_SEED = 31;
/** Out-of-fold forests learn twice as fast in half the rounds: they only show how far errors go. */
const FOLD_SPEED = 2;

const targetsOf = ({ log_price }: Task, offset: Float64Array, rows: Int32Array): Float64Array =>
  Float64Array.from(rows, (row) => log_price[row]! - offset[row]!);

const mean = (all: readonly Float64Array[]): Float64Array =>
  all[0]!.map((_, i) => all.reduce((sum, own) => sum + own[i]!, 0) / all.length);

/** Binned rows of one view, before any forest. */
function prepareView(task: Task, views: OfHalves<DescribedHomes>, view: (typeof VIEWS)[number]): Trained {
  const { evidence, extra, params } = task;
  const { homes, described } = views[task.halves[0]!]!;
  const binning = makeBinning(featureMatrix(evidence.design, homes, described, extra, view), params.bins);
  return {
    view,
    binning,
    forests: {},
    rows: ofHalves(task, (half) => viewRows(evidence, views[half]!, extra, view, binning)),
    rounds: {},
    tried: {},
  };
}

const labelled = (task: Task, { data, offset }: ViewRows, rows: Int32Array): Labelled => ({
  data: selectBins(data, rows),
  targets: targetsOf(task, offset, rows),
});

/** Every half of every view. */
const halvesOf = ({ halves }: Task, views: readonly Trained[]): { own: Trained; half: Half }[] =>
  views.flatMap((own) => halves.map((half) => ({ own, half })));

/** Tries the views on the held rows: how many rounds each half takes, and what it says of those rows. */
function* tryViews(task: Task, views: readonly Trained[]): Growing<void> {
  const { params, seeds, train, held } = task;
  const halves = halvesOf(task, views).map(({ own, half }) => ({
    own,
    half,
    stopping: labelled(task, own.rows[half]!, held),
    learning: labelled(task, own.rows[half]!, train),
  }));
  const tried = yield halves.flatMap(({ own, stopping, learning }) =>
    seeds.map((seed) => ({
      train: learning,
      binning: own.binning,
      params: params.boost,
      seed,
      stopping,
    })),
  );
  halves.forEach(({ own, half, stopping }, k) => {
    const mine = tried.slice(k * seeds.length, (k + 1) * seeds.length);
    own.rounds[half] = Math.round(mine.reduce((sum, { rounds }) => sum + rounds, 0) / mine.length);
    const forests = mine.map(({ forest }) => forest);
    const { offset } = own.rows[half]!;
    own.tried[half] = predictForests(forests, stopping.data).map((value, i) => value + offset[held[i]!]!);
  });
}

/** One fold of the train rows of a half: the rows that its forest has not seen, and that forest's task. */
interface Fold {
  half: Half;
  fold: number;
  unseen: Int32Array;
  task: ForestTask;
}

function foldsOf(task: Task, { binning, rows, rounds }: Trained, half: Half): Fold[] {
  const { params, train } = task;
  const fitted = {
    ...params.boost,
    rounds: Math.ceil(rounds[half]! / FOLD_SPEED),
    learning_rate: params.boost.learning_rate * FOLD_SPEED,
  };
  return Array.from({ length: params.folds }, (_, fold) => {
    const rest = train.filter((_row, k) => k % params.folds !== fold);
    const learning = labelled(task, rows[half]!, rest);
    return {
      half,
      fold,
      unseen: train.filter((_row, k) => k % params.folds === fold),
      task: { train: learning, binning, params: fitted, seed: FOLD_SEED + fold },
    };
  });
}

/**
 * Fits the forests of each half on all rows with the rounds found. Returns the predictions of the train rows by forests of the
 * first view that have not seen them, log dollars.
 */
function* fitViews(task: Task, views: readonly Trained[]): Growing<OfHalves<Float64Array>> {
  const { params, seeds, train, held } = task;
  const all = new Int32Array(train.length + held.length);
  all.set(train);
  all.set(held, train.length);
  const [first] = views;
  const halves = halvesOf(task, views);
  const fits = halves.flatMap(({ own, half }): ForestTask[] => {
    const everything = labelled(task, own.rows[half]!, all);
    const fitted = { ...params.boost, rounds: own.rounds[half]! };
    return seeds.map((seed) => ({ train: everything, binning: own.binning, params: fitted, seed }));
  });
  const folds = task.halves.flatMap((half) => foldsOf(task, first!, half));
  const grown = yield [...fits, ...folds.map((fold) => fold.task)];
  halves.forEach(({ own, half }, k) => {
    own.forests[half] = grown.slice(k * seeds.length, (k + 1) * seeds.length).map(({ forest }) => forest);
  });
  const predicted = ofHalves(task, () => new Float64Array(train.length));
  folds.forEach(({ half, fold, unseen }, k) => {
    const { data, offset } = first!.rows[half]!;
    const { forest } = grown[fits.length + k]!;
    predictForests([forest], selectBins(data, unseen)).forEach((value, i) => {
      predicted[half]![i * params.folds + fold] = value + offset[unseen[i]!]!;
    });
  });
  return predicted;
}

/** Rows of one half with their predictions, as the interval learns from them. */
interface Judged {
  matrix: FeatureMatrix;
  errors: Float64Array;
}

function judge(
  task: Task,
  views: OfHalves<DescribedHomes>,
  half: Half,
  rows: Int32Array,
  predicted: Float64Array,
): Judged {
  const { evidence, extra, log_price } = task;
  const picked = selectDescribed(views[half]!, rows);
  return {
    matrix: intervalMatrix(evidence, picked, extra, predicted, () => half === 'masked'),
    errors: Float64Array.from(rows, (row, k) => log_price[row]! - predicted[k]!),
  };
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Rows of two matrices, one behind the other. */
function stack(a: Judged, b: Judged): Judged {
  const rows = a.matrix.rows + b.matrix.rows;
  const values = new Float64Array(rows * a.matrix.names.length);
  a.matrix.names.forEach((_, f) => {
    values.set(a.matrix.values.subarray(f * a.matrix.rows, (f + 1) * a.matrix.rows), f * rows);
    values.set(
      b.matrix.values.subarray(f * b.matrix.rows, (f + 1) * b.matrix.rows),
      f * rows + a.matrix.rows,
    );
  });
  return {
    matrix: { names: a.matrix.names, rows, values },
    errors: joined(a.errors, b.errors),
  };
}

function* trainInterval(task: Task, learnt: Judged, stopping: Judged): Growing<IntervalForests> {
  const { params } = task;
  const binning = makeBinning(learnt.matrix, params.bins);
  const label = ({ matrix, errors }: Judged) => ({ data: applyBinning(binning, matrix), targets: errors });
  const train = label(learnt);
  const held = label(stopping);
  const side = (alpha: number): ForestTask => ({
    train,
    binning,
    params: { ...params.interval, objective: { kind: 'quantile', alpha } },
    seed: INTERVAL_SEED,
    stopping: held,
  });
  const [low, high] = yield [side(params.calibration.tail), side(1 - params.calibration.tail)];
  return { binning, low: low!.forest, high: high!.forest };
}

/** Predicted quantiles of the log error of rows. */
export function predictInterval(
  { binning, low, high }: IntervalForests,
  matrix: FeatureMatrix,
): { low: Float64Array; high: Float64Array } {
  const data: BinnedMatrix = applyBinning(binning, matrix);
  return { low: predictForests([low], data), high: predictForests([high], data) };
}

/** Gain by feature over all point forests, in whole prices and relative ones alike. */
function gains(views: readonly Trained[]): { name: string; gain: number }[] {
  const { names } = views[0]!.binning;
  const sums = mean(views.map((view) => gainByFeature(Object.values(view.forests).flat(), names.length)));
  return names.map((name, f) => ({ name, gain: sums[f]! }));
}

const forestsOf = ({ view, binning, forests }: Trained): ViewForests => ({ view, binning, forests });

/** Trains the halves of a task, described as `described` has them; `halfOf` names the one that values a sale in service. */
function* trainPart(
  task: Task,
  described: OfHalves<DescribedHomes>,
  halfOf: (row: number) => Half,
): Growing<TrainedPart> {
  const { sales, log_price, halves } = task;
  const views = VIEWS.map((view) => prepareView(task, described, view));
  yield* tryViews(task, views);
  const unseen = yield* fitViews(task, views);
  const tried = ofHalves(task, (half) => mean(views.map((own) => own.tried[half]!)));
  const learnt = halves.map((half) => judge(task, described, half, task.train, unseen[half]!));
  const held = halves.map((half) => judge(task, described, half, task.held, tried[half]!));
  const interval = yield* trainInterval(task, learnt.reduce(stack), held.reduce(stack));
  const ranges = ofHalves(task, (half) => predictInterval(interval, held[halves.indexOf(half)]!.matrix));
  const entries = Array.from(task.held, (row, k): LedgerEntry => {
    const half = halfOf(row);
    return {
      day: sales.day[row]!,
      dwelling_type: sales.dwelling_type[row]!,
      generation: 0,
      log_predicted: tried[half]![k]!,
      log_price: log_price[row]!,
      low: ranges[half]!.low[k]!,
      high: ranges[half]!.high[k]!,
    };
  });
  const part: BoostedPart = { extra: [...task.extra], views: views.map(forestsOf), interval };
  return { part, entries, gain: gains(views) };
}

/**
 * Trains the boosted parts on usable sales, in canonical order. The last `calibration_share` of them is held back first: it
 * stops the boosting, stops the interval and fills the ledger; then the point forests are fitted on all of them. The part of homes that
 * are told of is trained on sales with a point of their own; the bare one on all, their points and attributes hidden.
 */
export function* trainBoosted(
  evidence: Evidence,
  sales: SaleTable,
  full: DescribedHomes,
  extra: readonly string[],
  needed: readonly MaskedAttribute[],
  params: AvmParams,
): Growing<{ told: TrainedPart; bare: TrainedPart }> {
  const split = Math.floor(sales.length * (1 - params.calibration_share));
  const rows = Int32Array.from({ length: sales.length }, (_, row) => row);
  const log_price = Float64Array.from(sales.price, Math.log);
  const pointed = rows.filter((row) => hasOwnPoint(full.homes, row));
  const known = pointed.length >= params.min_boost_sales ? pointed : rows;
  const told: Task = {
    ...{ evidence, sales, log_price, needed, params, extra: [...extra].sort(byCodeUnit) },
    halves: ['full', 'masked'],
    seeds: params.seeds,
    train: known.filter((row) => row < split),
    held: known.filter((row) => row >= split),
  };
  const hidden = maskedHomes(sales, params.mask, MASK_SEED);
  const described = { full, masked: describe(evidence, hidden, sales.day) };
  const of_told = yield* trainPart(told, described, (row) =>
    isComplete(sales, row, needed) ? 'full' : 'masked',
  );
  const bare: Task = {
    ...told,
    extra: [...extra, PLACE_SPREAD].sort(byCodeUnit),
    halves: ['bare'],
    seeds: params.seeds.slice(0, 1),
    train: rows.slice(0, split),
    held: rows.slice(split),
  };
  const without = bareHomes(sales, params.bare, params.mask, BARE_SEED);
  const stripped = describe(evidence, without.homes, sales.day, without.hidden);
  const of_bare = yield* trainPart(bare, { bare: stripped }, () => 'bare');
  return { told: of_told, bare: of_bare };
}
