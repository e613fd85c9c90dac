import { byCodeUnit, type HomeTable, pickNumbers, type SaleTable } from '../property/home_table.ts';
import {
  type DescribedHomes,
  describe,
  selectBins,
  selectDescribed,
  type ViewRows,
  viewRows,
} from './described_rows.ts';
import type { Evidence } from './evidence.ts';
import { featureMatrix, VIEWS, viewOffset } from './feature_set.ts';
import { makeBinning } from './gbt/bins.ts';
import type { BoostParams, TrainingSet } from './gbt/boost.ts';
import { type Forest, gainByFeature, predictForest } from './gbt/forest.ts';
import type { ForestTask, Growing } from './gbt/growing.ts';
import { hasOwnPoint, PLACE_SPREAD } from './home_positions.ts';
import { intervalMatrix, predictInterval, type ScoredRows, stack, trainInterval } from './interval.ts';
import { type Ledger, type LedgerEntry, makeLedger } from './ledger.ts';
import { bareHomes, isComplete, isValuedByAttributes, maskedHomes, type Needs } from './mask.ts';
import type { BoostedPart, ModelVariant, ViewForests } from './model.ts';
import type { AvmParams, MaskedAttribute } from './params.ts';
import { spreadOf, widened } from './spread.ts';
import { type BlankedSales, ledgerKey } from './unknown.ts';

/** Input for training the boosted part. Row numbers refer to `sales`. */
interface BoostedTrainingInput {
  evidence: Evidence;
  sales: SaleTable;
  log_price: Float64Array;
  extra: readonly string[];
  needed: readonly MaskedAttribute[];
  params: AvmParams;
  /** Variants trained together; they use the binning of the first. */
  modelVariants: readonly ModelVariant[];
  /** Rows that trial models train on, and the later holdout rows that stop and calibrate them; both ascending. */
  train: Int32Array;
  holdout: Int32Array;
}

/** One value per variant of a task. */
type OfHalves<T> = Partial<Record<ModelVariant, T>>;

const ofHalves = <T>(
  { modelVariants: halves }: BoostedTrainingInput,
  make: (variant: ModelVariant) => T,
): OfHalves<T> => Object.fromEntries(halves.map((half) => [half, make(half)]));

/** One view with its binned rows and forests. */
interface Trained extends ViewForests {
  rows: OfHalves<ViewRows>;
  /** Number of rounds chosen by early stopping. */
  rounds: OfHalves<number>;
  /** Predictions of the holdout rows by trial forests that have not seen them, log dollars. */
  tried: OfHalves<Float64Array>;
  trial: OfHalves<Forest>;
}

/** One trained part of a boosted model. */
export interface TrainedPart {
  part: BoostedPart;
  /** Errors of the holdout rows by models that had not seen them; generation 0. */
  entries: LedgerEntry[];
  /** The same for sales with facts hidden, by hidden facts. */
  hidden: [unknown: number, entries: LedgerEntry[]][];
  gain: { name: string; gain: number }[];
}

/** Additional seeds, different from the seed of the point forests. */
const MASK_SEED = 11;
const BARE_SEED = 12;
const FOLD_SEED = 31;
/** Trial forests, which only show the number of rounds and the size of errors, learn twice as fast in half the rounds. */
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

/** Returns the binned rows of one view, without forests. */
function prepareView(
  task: BoostedTrainingInput,
  views: OfHalves<DescribedHomes>,
  view: (typeof VIEWS)[number],
): Trained {
  const { evidence, extra, params } = task;
  const { homes, described } = views[task.modelVariants[0]!]!;
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

/** Returns every variant of every view. */
const halvesOf = (
  { modelVariants: halves }: BoostedTrainingInput,
  views: readonly Trained[],
): { own: Trained; half: ModelVariant }[] => views.flatMap((own) => halves.map((half) => ({ own, half })));

/** Trains trial forests to find each variant's number of rounds and its predictions of the holdout rows. */
function* tryViews(task: BoostedTrainingInput, views: readonly Trained[]): Growing<void> {
  const { params, train, holdout: held } = task;
  const trying = tryingParams(task, params.boost.rounds);
  const variants = halvesOf(task, views).map(({ own, half }) => ({
    own,
    half,
    stopping: labelled(task, own.rows[half]!, held),
    learning: labelled(task, own.rows[half]!, train),
  }));
  const tried = yield variants.map(({ own, stopping, learning }) => ({
    train: learning,
    binning: own.binning,
    params: trying,
    seed: params.seed,
    stopping,
  }));
  variants.forEach(({ own, half, stopping }, k) => {
    const { forest, rounds } = tried[k]!;
    const { offset } = own.rows[half]!;
    own.rounds[half] = TRIAL_SPEED * rounds;
    own.trial[half] = forest;
    own.tried[half] = predictForest(forest, stopping.data).map((value, i) => value + offset[held[i]!]!);
  });
}

/** One fold of a variant's train rows: the rows that its forest has not seen, and that forest's task. */
interface ForestFold {
  half: ModelVariant;
  fold: number;
  unseen: Int32Array;
  task: ForestTask;
}

function foldsOf(
  task: BoostedTrainingInput,
  { binning, rows, rounds }: Trained,
  variant: ModelVariant,
): ForestFold[] {
  const { params, train } = task;
  const trying = tryingParams(task, rounds[variant]!);
  return Array.from({ length: params.folds }, (_, fold) => {
    const otherRows = train.filter((_row, k) => k % params.folds !== fold);
    const learning = labelled(task, rows[variant]!, otherRows);
    return {
      half: variant,
      fold,
      unseen: train.filter((_row, k) => k % params.folds === fold),
      task: { train: learning, binning, params: trying, seed: FOLD_SEED + fold },
    };
  });
}

/**
 * Fits each variant's forests on all rows with the rounds found. Returns out-of-fold predictions of the train rows in the first
 * view, log dollars.
 */
function* fitViews(task: BoostedTrainingInput, views: readonly Trained[]): Growing<OfHalves<Float64Array>> {
  const { params, train, holdout: held } = task;
  const all = new Int32Array(train.length + held.length);
  all.set(train);
  all.set(held, train.length);
  const [first] = views;
  const variants = halvesOf(task, views);
  const fits = variants.map(({ own, half }): ForestTask => {
    const everything = labelled(task, own.rows[half]!, all);
    const fitted = { ...params.boost, rounds: own.rounds[half]! };
    return { train: everything, binning: own.binning, params: fitted, seed: params.seed };
  });
  const folds = task.modelVariants.flatMap((half) => foldsOf(task, first!, half));
  const grown = yield [...fits, ...folds.map((fold) => fold.task)];
  variants.forEach(({ own, half }, k) => {
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
  variant: ModelVariant,
  rows: Int32Array,
  predicted: Float64Array,
): ScoredRows {
  const { evidence, extra, log_price } = task;
  const picked = selectDescribed(views[variant]!, rows);
  return {
    matrix: intervalMatrix(evidence, picked, extra, predicted, () => variant === 'masked'),
    errors: Float64Array.from(rows, (row, k) => log_price[row]! - predicted[k]!),
  };
}

/** Returns the gain by feature over all point forests; both views count equally. */
function gains(views: readonly Trained[]): { name: string; gain: number }[] {
  const { names } = views[0]!.binning;
  const sums = mean(views.map((view) => gainByFeature(Object.values(view.forests), names.length)));
  return names.map((name, f) => ({ name, gain: sums[f]! }));
}

const forestsOf = ({ view, binning, forests }: Trained): ViewForests => ({ view, binning, forests });

/** Returns the ledger entries of one variant; `rows` are row numbers in `sales`. */
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

/** Views of the variants of a task, and how their mean becomes a value and its range. */
type TrainedViews = Pick<BoostedPart, 'spread' | 'interval'> & { views: readonly Trained[] };

/** Returns the ledger entries of holdout sales with facts hidden, by forests that have not seen them. */
function hiddenEntries(
  { evidence, extra, modelVariants: halves }: BoostedTrainingInput,
  { views, spread, interval }: TrainedViews,
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

/** Returns predictions and prices of the holdout rows of all variants, log dollars above the market level. */
function aboveLevel(
  { modelVariants: halves, holdout: held, log_price }: BoostedTrainingInput,
  tried: OfHalves<Float64Array>,
  level: OfHalves<Float64Array>,
): [predicted: Float64Array, paid: Float64Array] {
  const all = (of: (variant: ModelVariant, row: number, k: number) => number): Float64Array =>
    Float64Array.from(halves.flatMap((half) => Array.from(held, (row, k) => of(half, row, k))));
  return [
    all((half, row, k) => tried[half]![k]! - level[half]![row]!),
    all((half, row) => log_price[row]! - level[half]![row]!),
  ];
}

/** Returns the variant that values a property in service. Null: none of this part. */
type HalfOf = (homes: HomeTable, row: number) => ModelVariant | null;

/** Trains the variants of a task on their descriptions in `described`. `halfOf` returns the variant that values a sale as it is. */
function* trainPart(
  task: BoostedTrainingInput,
  described: OfHalves<DescribedHomes>,
  halfOf: (row: number) => ModelVariant,
  blanked: readonly BlankedSales[],
  halfOfBlanked: HalfOf,
): Growing<TrainedPart> {
  const { sales, modelVariants: halves } = task;
  const views = VIEWS.map((view) => prepareView(task, described, view));
  yield* tryViews(task, views);
  const unseen = yield* fitViews(task, views);
  const mean_tried = ofHalves(task, (half) => mean(views.map((own) => own.tried[half]!)));
  const level = ofHalves(task, (half) => viewOffset(described[half]!.described, 'level'));
  const spread = spreadOf(...aboveLevel(task, mean_tried, level));
  const widen = (variant: ModelVariant, rows: Int32Array, predicted: Float64Array): Float64Array =>
    widened(predicted, pickNumbers(level[variant]!, rows), spread);
  const tried = ofHalves(task, (half) => widen(half, task.holdout, mean_tried[half]!));
  const learnt = halves.map((half) =>
    judge(task, described, half, task.train, widen(half, task.train, unseen[half]!)),
  );
  const heldFigures = halves.map((half) => judge(task, described, half, task.holdout, tried[half]!));
  const interval = yield* trainInterval(learnt.reduce(stack), heldFigures.reduce(stack), task.params);
  const ranges = ofHalves(task, (half) =>
    predictInterval(interval, heldFigures[halves.indexOf(half)]!.matrix),
  );
  const of_half = ofHalves(task, (half) => entriesOf(sales, task.holdout, tried[half]!, ranges[half]!));
  const entries = Array.from(task.holdout, (row, k) => of_half[halfOf(row)]![k]!);
  const hidden = blanked.map((own): TrainedPart['hidden'][number] => [
    own.unknown,
    hiddenEntries(task, { views, spread, interval }, own, halfOfBlanked),
  ]);
  const part: BoostedPart = { extra: [...task.extra], views: views.map(forestsOf), spread, interval };
  return { part, entries, hidden, gain: gains(views) };
}

/** Returns the index of the first holdout sale of the usable sales. */
export const firstHeld = ({ length }: SaleTable, { calibration_share }: AvmParams): number =>
  Math.floor(length * (1 - calibration_share));

const hiddenLedgers = (ledger: string, { hidden }: TrainedPart): [string, Ledger][] =>
  hidden.map(([unknown, entries]) => [ledgerKey(ledger, unknown), makeLedger(entries)]);

/** Usable sales in canonical order, and what of them the boosted parts are trained with. */
interface UsableSales {
  sales: SaleTable;
  full: DescribedHomes;
  /** Holdout sales whose errors go to `by_unknown`. */
  blanked: readonly BlankedSales[];
  /** Names of the extra features. */
  extra: readonly string[];
  needed: readonly MaskedAttribute[];
  needs: Needs;
  params: AvmParams;
}

/**
 * Trains the boosted parts on usable sales, in canonical order. The last `calibration_share` of them is the holdout: it stops the
 * boosting and the interval and fills the ledger; then the point forests are fitted on all sales.
 * The `told` part trains on sales with their own point; the bare part on all sales, with points and attributes hidden.
 */
export function* trainBoosted(
  evidence: Evidence,
  { sales, full, blanked, extra, needed, needs, params }: UsableSales,
): Growing<{ told: TrainedPart; bare: TrainedPart; by_unknown: [string, Ledger][] }> {
  const split = firstHeld(sales, params);
  const rows = Int32Array.from({ length: sales.length }, (_, row) => row);
  const log_price = Float64Array.from(sales.price, Math.log);
  const pointed = rows.filter((row) => hasOwnPoint(full.homes, row));
  const locatedRows = pointed.length >= params.min_boost_sales ? pointed : rows;
  const fullInput: BoostedTrainingInput = {
    ...{ evidence, sales, log_price, needed, params, extra: [...extra].sort(byCodeUnit) },
    modelVariants: ['full', 'masked'],
    train: locatedRows.filter((row) => row < split),
    holdout: locatedRows.filter((row) => row >= split),
  };
  const hidden = maskedHomes(sales, params.mask, MASK_SEED);
  const described = { full, masked: describe(evidence, hidden, sales.day) };
  const toldBy = (homes: HomeTable, row: number): ModelVariant =>
    isComplete(homes, row, needed) ? 'full' : 'masked';
  const of_told = yield* trainPart(
    fullInput,
    described,
    (row) => toldBy(sales, row),
    blanked,
    (homes, row) => (isValuedByAttributes(homes, row, needs) ? toldBy(homes, row) : null),
  );
  const bare: BoostedTrainingInput = {
    ...fullInput,
    extra: [...extra, PLACE_SPREAD].sort(byCodeUnit),
    modelVariants: ['bare'],
    train: rows.slice(0, split),
    holdout: rows.slice(split),
  };
  const without = bareHomes(sales, params.bare, params.mask, BARE_SEED);
  const stripped = describe(evidence, without.homes, sales.day, without.hidden);
  const of_bare = yield* trainPart(
    bare,
    { bare: stripped },
    () => 'bare',
    blanked,
    (homes, row) => (isValuedByAttributes(homes, row, needs) ? null : 'bare'),
  );
  const by_unknown = [...hiddenLedgers('boosted', of_told), ...hiddenLedgers('bare', of_bare)];
  return { told: of_told, bare: of_bare, by_unknown };
}
