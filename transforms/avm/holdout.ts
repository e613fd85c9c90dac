import { ratioStudy } from '../stats/ratio_study.ts';
import { type Calibration, calibrate, calibrationAsOf, levelsThen } from './calibration.ts';
import { forecastSd, MAX_FSD } from './confidence.ts';
import type { AvmModel } from './model.ts';
import type { ModelFigures } from './model_gates.ts';

/** Minimum known errors of an interval to be evaluated: with fewer it is hardly calibrated. */
const MIN_SCORES = 100;
/** Minimum evaluated sales for meaningful metrics. */
const MIN_JUDGED = 100;

/** A holdout sale with the estimate as it would have been served. */
export interface HeldSale {
  day: number;
  price: number;
  /** Null: too uncertain to be served. */
  estimate: { price: number; low: number; high: number } | null;
}

/**
 * Returns a boosted model's predictions of its holdout sales, each calibrated with the errors known on its day. The first sales,
 * before enough errors were known, are left out. Ascending by day.
 */
export function heldSales({ ledgers, params }: AvmModel): HeldSale[] {
  const ledger = ledgers.boosted;
  const levels = levelsThen(ledger, params.calibration);
  const heldOut: HeldSale[] = [];
  let day = -Infinity;
  let calibration: Calibration | null = null;
  for (let i = 0; i < ledger.day.length; i++) {
    if (ledger.day[i] !== day) {
      day = ledger.day[i]!;
      calibration = calibrationAsOf(ledger, levels, day, ledger.generation[i]!, params.calibration);
    }
    if (calibration === null || calibration.scores < MIN_SCORES) continue;
    const { log_predicted, log_low, log_high } = calibrate(
      {
        dwelling_type: ledger.dwelling_type[i]!,
        log_predicted: ledger.log_predicted[i]!,
        low: ledger.low[i]!,
        high: ledger.high[i]!,
      },
      calibration,
    );
    const [price, low, high] = [Math.exp(log_predicted), Math.exp(log_low), Math.exp(log_high)];
    const isServed = forecastSd(price, low, high) <= MAX_FSD;
    heldOut.push({
      day,
      price: Math.exp(ledger.log_price[i]!),
      estimate: isServed ? { price, low, high } : null,
    });
  }
  return heldOut;
}

/** Returns the metrics of holdout sales. Null: too few sales. */
export function holdoutFigures(sales: readonly HeldSale[]): ModelFigures | null {
  const served = sales.flatMap(({ price, estimate }) => (estimate ? [{ paid: price, ...estimate }] : []));
  if (served.length < MIN_JUDGED) return null;
  const inside = served.filter(({ paid, low, high }) => paid >= low && paid <= high).length;
  return {
    study: ratioStudy(
      Float64Array.from(served, ({ price }) => price),
      Float64Array.from(served, ({ paid }) => paid),
    ),
    coverage_pct: (100 * inside) / served.length,
    hit_pct: (100 * served.length) / sales.length,
  };
}
