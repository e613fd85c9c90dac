import { byCodeUnit, type HomeTable, pickNumbers, type SaleTable } from '../property/home_table.ts';
import type { Evidence } from './evidence.ts';
import { featureMatrix, VIEWS, viewOffset } from './feature_set.ts';
import { makeBinning } from './gbt/bins.ts';
import type { BoostParams, TrainingSet } from './gbt/boost.ts';
import { type Forest, gainByFeature, predictForest } from './gbt/forest.ts';
import type { ForestTask, Growing } from './gbt/growing.ts';
import { intervalMatrix, predictInterval, type ScoredRows, stack, trainInterval } from './interval.ts';
import { type Ledger, type LedgerEntry, makeLedger } from './ledger.ts';
import { bareHomes, isComplete, isTold, maskedHomes, type Needs } from './mask.ts';
import type { BoostedPart, IntervalForests, ModelVariant, ViewForests } from './model.ts';
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
import { type Spread, spreadOf, widened } from './spread.ts';
import { type BlankedSales, unknownKey } from './unknown.ts';

/** What training the boosted part needs. Rows count the sales given. */
interface BoostedTrainingInput {
  evidence: Evidence;
  sales: SaleTable;
  log_price: Float64Array;
  extra: readonly string[];
  needed: readonly MaskedAttribute[];
  params: AvmParams;
  /** Halves that are trained together; the binning is that of the first. */
  halves: readonly ModelVariant[];
  /** Rows that models are tried with, and those after them that stop and calibrate them; both ascending. */
  train: Int32Array;
  held: Int32Array;
}

/** Something of each half of a task. */
type OfHalves<T> = Partial<Record<ModelVariant, T>>;

const ofHalves = <T>({ halves }: BoostedTrainingInput, make: (half: ModelVariant) => T): OfHalves<T> =>
  Object.fromEntries(halves.map((half) => [half, make(half)]));

/** One view: its binned rows and forests. */
interface Trained extends ViewForests {
  rows: OfHalves<ViewRows>;
  /** Rounds that early stopping chose. */
  rounds: OfHalves<number>;
  /** Predictions of the held rows by forests that have not seen them, log dollars. */
  tried: OfHalves<Float64Array>;
  /** That forest. */
  trial: OfHalves<Forest>;
}

/** One part of a boosted model as it was trained. */
export interface TrainedPart {
  part: BoostedPart;
  /** Errors of the held rows, predicted by models that had not seen them; generation 0. */
  entries: LedgerEntry[];
  /** The same of sales of which facts were hidden, by what was. */
  hidden: [unknown: number, entries: LedgerEntry[]][];
  gain: { name: string; gain: number }[];
}

/** Extra seeds, apart from that of the point forests. */
const MASK_SEED = 11;
const BARE_SEED = 12;
const FOLD_SEED = 31;
/** Forests that only show how many rounds to take and how far errors go learn twice as fast in half the rounds. */
const TRIAL_SPEED = 2;

const tryingParams = ({ params: { boost } }: BoostedTrainingInput, rounds: number): BoostParams => ({
  ...boost,
  rounds: Math.ceil(rounds / TRIAL_SPEED),
  patience: Math.ceil(boost.patience / TRIAL_SPEED),
  learning_rate: boost.learning_rate * TRIAL_SPEED,
});

const targetsOf = (
  { log_price }: BoostedTrainingInput,
  offset: Float64Array,
  rows: Int32Array,
): Float64Array => Float64Array.from(rows, (row) => log_price[row]! - offset[row]!);

const mean = (all: readonly Float64Array[]): Float64Array =>
  all[0]!.map((_, i) => all.reduce((sum, own) => sum + own[i]!, 0) / all.length);

/** Binned rows of one view, before any forest. */
function prepareView(
  task: BoostedTrainingInput,
  views: OfHalves<DescribedHomes>,
  view: (typeof VIEWS)[number],
): Trained {
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
    trial: {},
  };
}

const labelled = (task: BoostedTrainingInput, { data, offset }: ViewRows, rows: Int32Array): TrainingSet => ({
  data: selectBins(data, rows),
  targets: targetsOf(task, offset, rows),
});

/** Every half of every view. */
const halvesOf = (
  { halves }: BoostedTrainingInput,
  views: readonly Trained[],
): { own: Trained; half: ModelVariant }[] => views.flatMap((own) => halves.map((half) => ({ own, half })));

/** Tries the views on the held rows: how many rounds each half takes, and what it says of those rows. */
function* tryViews(task: BoostedTrainingInput, views: readonly Trained[]): Growing<void> {
  const { params, train, held } = task;
  const trying = tryingParams(task, params.boost.rounds);
  const halves = halvesOf(task, views).map(({ own, half }) => ({
    own,
    half,
    stopping: labelled(task, own.rows[half]!, held),
    learning: labelled(task, own.rows[half]!, train),
  }));
  const tried = yield halves.map(({ own, stopping, learning }) => ({
    train: learning,
    binning: own.binning,
    params: trying,
    seed: params.seed,
    stopping,
  }));
  halves.forEach(({ own, half, stopping }, k) => {
    const { forest, rounds } = tried[k]!;
    const { offset } = own.rows[half]!;
    own.rounds[half] = TRIAL_SPEED * rounds;
    own.trial[half] = forest;
    own.tried[half] = predictForest(forest, stopping.data).map((value, i) => value + offset[held[i]!]!);
  });
}

/** One fold of the train rows of a half: the rows that its forest has not seen, and that forest's task. */
interface ForestFold {
  half: ModelVariant;
  fold: number;
  unseen: Int32Array;
  task: ForestTask;
}

function foldsOf(
  task: BoostedTrainingInput,
  { binning, rows, rounds }: Trained,
  half: ModelVariant,
): ForestFold[] {
  const { params, train } = task;
  const trying = tryingParams(task, rounds[half]!);
  return Array.from({ length: params.folds }, (_, fold) => {
    const rest = train.filter((_row, k) => k % params.folds !== fold);
    const learning = labelled(task, rows[half]!, rest);
    return {
      half,
      fold,
      unseen: train.filter((_row, k) => k % params.folds === fold),
      task: { train: learning, binning, params: trying, seed: FOLD_SEED + fold },
    };
  });
}

/**
 * Fits the forests of each half on all rows with the rounds found. Returns the predictions of the train rows by forests of the
 * first view that have not seen them, log dollars.
 */
function* fitViews(task: BoostedTrainingInput, views: readonly Trained[]): Growing<OfHalves<Float64Array>> {
  const { params, train, held } = task;
  const all = new Int32Array(train.length + held.length);
  all.set(train);
  all.set(held, train.length);
  const [first] = views;
  const halves = halvesOf(task, views);
  const fits = halves.map(({ own, half }): ForestTask => {
    const everything = labelled(task, own.rows[half]!, all);
    const fitted = { ...params.boost, rounds: own.rounds[half]! };
    return { train: everything, binning: own.binning, params: fitted, seed: params.seed };
  });
  const folds = task.halves.flatMap((half) => foldsOf(task, first!, half));
  const grown = yield [...fits, ...folds.map((fold) => fold.task)];
  halves.forEach(({ own, half }, k) => {
    own.forests[half] = grown[k]!.forest;
  });
  const predicted = ofHalves(task, () => new Float64Array(train.length));
  folds.forEach(({ half, fold, unseen }, k) => {
    const { data, offset } = first!.rows[half]!;
    const { forest } = grown[fits.length + k]!;
    predictForest(forest, selectBins(data, unseen)).forEach((value, i) => {
      predicted[half]![i * params.folds + fold] = value + offset[unseen[i]!]!;
    });
  });
  return predicted;
}

function judge(
  task: BoostedTrainingInput,
  views: OfHalves<DescribedHomes>,
  half: ModelVariant,
  rows: Int32Array,
  predicted: Float64Array,
): ScoredRows {
  const { evidence, extra, log_price } = task;
  const picked = selectDescribed(views[half]!, rows);
  return {
    matrix: intervalMatrix(evidence, picked, extra, predicted, () => half === 'masked'),
    errors: Float64Array.from(rows, (row, k) => log_price[row]! - predicted[k]!),
  };
}

/** Gain by feature over all point forests, in whole prices and relative ones alike. */
function gains(views: readonly Trained[]): { name: string; gain: number }[] {
  const { names } = views[0]!.binning;
  const sums = mean(views.map((view) => gainByFeature(Object.values(view.forests), names.length)));
  return names.map((name, f) => ({ name, gain: sums[f]! }));
}

const forestsOf = ({ view, binning, forests }: Trained): ViewForests => ({ view, binning, forests });

/** Entries of sales of one half: `sales` has them at `rows`. */
function entriesOf(
  { day, dwelling_type, price }: SaleTable,
  rows: ArrayLike<number>,
  predicted: Float64Array,
  range: ReturnType<typeof predictInterval>,
): LedgerEntry[] {
  return Array.from(rows, (row, k) => ({
    day: day[row]!,
    dwelling_type: dwelling_type[row]!,
    generation: 0,
    log_predicted: predicted[k]!,
    log_price: Math.log(price[row]!),
    low: range.low[k]!,
    high: range.high[k]!,
  }));
}

/** Entries of held sales of which facts are hidden, by forests that have not seen them. */
function hiddenEntries(
  { evidence, extra, halves }: BoostedTrainingInput,
  views: readonly Trained[],
  spread: Spread,
  interval: IntervalForests,
  { sales, described }: BlankedSales,
  halfOf: HalfOf,
): LedgerEntry[] {
  return halves.flatMap((half) => {
    const rows = Array.from(sales.day.keys()).filter((row) => halfOf(described.homes, row) === half);
    if (rows.length === 0) return [];
    const picked = selectDescribed(described, rows);
    const mean_tried = mean(
      views.map(({ view, binning, trial }) => {
        const { data, offset } = viewRows(evidence, picked, extra, view, binning);
        return predictForest(trial[half]!, data).map((value, k) => value + offset[k]!);
      }),
    );
    const predicted = widened(mean_tried, viewOffset(picked.described, 'level'), spread);
    const matrix = intervalMatrix(evidence, picked, extra, predicted, () => half === 'masked');
    return entriesOf(sales, rows, predicted, predictInterval(interval, matrix));
  });
}

/** Predictions and prices of the held rows of all halves, log dollars above the level of the market. */
function aboveLevel(
  { halves, held, log_price }: BoostedTrainingInput,
  tried: OfHalves<Float64Array>,
  level: OfHalves<Float64Array>,
): [predicted: Float64Array, paid: Float64Array] {
  const all = (of: (half: ModelVariant, row: number, k: number) => number): Float64Array =>
    Float64Array.from(halves.flatMap((half) => Array.from(held, (row, k) => of(half, row, k))));
  return [
    all((half, row, k) => tried[half]![k]! - level[half]![row]!),
    all((half, row) => log_price[row]! - level[half]![row]!),
  ];
}

/** The half that values a home in service; null: none of the part's. */
type HalfOf = (homes: HomeTable, row: number) => ModelVariant | null;

/** Trains the halves of a task, described as `described` has them; `halfOf` names the one that values a sale as it is. */
function* trainPart(
  task: BoostedTrainingInput,
  described: OfHalves<DescribedHomes>,
  halfOf: (row: number) => ModelVariant,
  blanked: readonly BlankedSales[],
  halfOfBlanked: HalfOf,
): Growing<TrainedPart> {
  const { sales, halves } = task;
  const views = VIEWS.map((view) => prepareView(task, described, view));
  yield* tryViews(task, views);
  const unseen = yield* fitViews(task, views);
  const mean_tried = ofHalves(task, (half) => mean(views.map((own) => own.tried[half]!)));
  const level = ofHalves(task, (half) => viewOffset(described[half]!.described, 'level'));
  const spread = spreadOf(...aboveLevel(task, mean_tried, level));
  const widen = (half: ModelVariant, rows: Int32Array, predicted: Float64Array): Float64Array =>
    widened(predicted, pickNumbers(level[half]!, rows), spread);
  const tried = ofHalves(task, (half) => widen(half, task.held, mean_tried[half]!));
  const learnt = halves.map((half) =>
    judge(task, described, half, task.train, widen(half, task.train, unseen[half]!)),
  );
  const held = halves.map((half) => judge(task, described, half, task.held, tried[half]!));
  const interval = yield* trainInterval(learnt.reduce(stack), held.reduce(stack), task.params);
  const ranges = ofHalves(task, (half) => predictInterval(interval, held[halves.indexOf(half)]!.matrix));
  const of_half = ofHalves(task, (half) => entriesOf(sales, task.held, tried[half]!, ranges[half]!));
  const entries = Array.from(task.held, (row, k) => of_half[halfOf(row)]![k]!);
  const hidden = blanked.map((own): TrainedPart['hidden'][number] => [
    own.unknown,
    hiddenEntries(task, views, spread, interval, own, halfOfBlanked),
  ]);
  const part: BoostedPart = { extra: [...task.extra], views: views.map(forestsOf), spread, interval };
  return { part, entries, hidden, gain: gains(views) };
}

/** The first of the usable sales that are held back from the forests that are tried. */
export const firstHeld = ({ length }: SaleTable, { calibration_share }: AvmParams): number =>
  Math.floor(length * (1 - calibration_share));

const hiddenLedgers = (ledger: string, { hidden }: TrainedPart): [string, Ledger][] =>
  hidden.map(([unknown, entries]) => [unknownKey(ledger, unknown), makeLedger(entries)]);

/**
 * Trains the boosted parts on usable sales, in canonical order. The last `calibration_share` of them is held back first: it
 * stops the boosting, stops the interval and fills the ledger; then the point forests are fitted on all of them. The part of homes that
 * are told of is trained on sales with a point of their own; the bare one on all, their points and attributes hidden. `blanked` are
 * held sales, whose errors are in `by_unknown`.
 */
export function* trainBoosted(
  evidence: Evidence,
  sales: SaleTable,
  full: DescribedHomes,
  blanked: readonly BlankedSales[],
  extra: readonly string[],
  needed: readonly MaskedAttribute[],
  needs: Needs,
  params: AvmParams,
): Growing<{ told: TrainedPart; bare: TrainedPart; by_unknown: [string, Ledger][] }> {
  const split = firstHeld(sales, params);
  const rows = Int32Array.from({ length: sales.length }, (_, row) => row);
  const log_price = Float64Array.from(sales.price, Math.log);
  const pointed = rows.filter((row) => hasOwnPoint(full.homes, row));
  const known = pointed.length >= params.min_boost_sales ? pointed : rows;
  const told: BoostedTrainingInput = {
    ...{ evidence, sales, log_price, needed, params, extra: [...extra].sort(byCodeUnit) },
    halves: ['full', 'masked'],
    train: known.filter((row) => row < split),
    held: known.filter((row) => row >= split),
  };
  const hidden = maskedHomes(sales, params.mask, MASK_SEED);
  const described = { full, masked: describe(evidence, hidden, sales.day) };
  const toldBy = (homes: HomeTable, row: number): ModelVariant =>
    isComplete(homes, row, needed) ? 'full' : 'masked';
  const of_told = yield* trainPart(
    told,
    described,
    (row) => toldBy(sales, row),
    blanked,
    (homes, row) => (isTold(homes, row, needs) ? toldBy(homes, row) : null),
  );
  const bare: BoostedTrainingInput = {
    ...told,
    extra: [...extra, PLACE_SPREAD].sort(byCodeUnit),
    halves: ['bare'],
    train: rows.slice(0, split),
    held: rows.slice(split),
  };
  const without = bareHomes(sales, params.bare, params.mask, BARE_SEED);
  const stripped = describe(evidence, without.homes, sales.day, without.hidden);
  const of_bare = yield* trainPart(
    bare,
    { bare: stripped },
    () => 'bare',
    blanked,
    (homes, row) => (isTold(homes, row, needs) ? null : 'bare'),
  );
  const by_unknown = [...hiddenLedgers('boosted', of_told), ...hiddenLedgers('bare', of_bare)];
  return { told: of_told, bare: of_bare, by_unknown };
}
