import { type Calibration, calibrate, calibrationAsOf, levelsThen } from './calibration.ts';
import type { AvmModel } from './model.ts';

/** Ledgers, best first. The first one with evaluated sales is used: all ledgers of a model cover the same sales. */
const PARTS: readonly (keyof AvmModel['ledgers'])[] = ['boosted', 'ridge_local', 'area_median', 'bare'];

/** A sale that a model valued before it saw the price. */
export interface JudgedSale {
  /** Day number of the sale (transforms/stats/calendar.ts). */
  day: number;
  dwelling_type: string;
  /** Dollars, or dollars per week. */
  price: number;
  estimate: number;
  /** Whether the price is in the 80 % interval as known then. Null: no interval. */
  is_inside: boolean | null;
}

/** Returns the sales that a model was evaluated on, by day. */
export function judgedSales({ ledgers, params }: AvmModel): JudgedSale[] {
  const part = PARTS.find((name) => ledgers[name].day.length > 0);
  if (part === undefined) return [];
  const ledger = ledgers[part];
  const levels = levelsThen(ledger, params.calibration);
  const cache = new Map<string, Calibration | null>();
  return Array.from(ledger.day, (day, i) => {
    const generation = ledger.generation[i]!;
    const key = `${day}|${generation}`;
    const calibration = cache.has(key)
      ? cache.get(key)!
      : calibrationAsOf(ledger, levels, day, generation, params.calibration);
    cache.set(key, calibration);
    const [log_predicted, log_price] = [ledger.log_predicted[i]!, ledger.log_price[i]!];
    const dwelling_type = ledger.dwelling_type[i]!;
    const raw = { dwelling_type, log_predicted, low: ledger.low[i]!, high: ledger.high[i]! };
    const interval = calibration === null ? null : calibrate(raw, calibration);
    return {
      day,
      dwelling_type,
      price: Math.exp(log_price),
      estimate: Math.exp(log_predicted + levels[i]!),
      is_inside: interval === null ? null : log_price >= interval.log_low && log_price <= interval.log_high,
    };
  });
}

/** Returns a key that identifies a sale without its address: day, price and kind of dwelling. */
export const saleMark = (day: string, price: number, type: string): string =>
  `${day}|${Math.round(price)}|${type}`;
