import { type Calibration, calibrate, calibrationAsOf, levelsThen } from './calibration.ts';
import type { AvmModel } from './model.ts';

/** The best part of a model that has judged sales; parts of a model judge the same ones. */
const PARTS: readonly (keyof AvmModel['ledgers'])[] = ['boosted', 'ridge_local', 'area_median', 'bare'];

/** A sale that a model had valued before it saw it. */
export interface JudgedSale {
  /** Day of the sale (transforms/stats/calendar.ts). */
  day: number;
  dwelling_type: string;
  /** Dollars, or dollars a week. */
  price: number;
  estimate: number;
  /** The price lies in the 80 % interval as it was known then; null: none was. */
  is_inside: boolean | null;
}

/** The sales that a model has judged, by day. */
export function judgedSales({ ledgers, params }: AvmModel): JudgedSale[] {
  const part = PARTS.find((name) => ledgers[name].day.length > 0);
  if (part === undefined) return [];
  const ledger = ledgers[part];
  const levels = levelsThen(ledger, params.calibration);
  const known = new Map<string, Calibration | null>();
  return Array.from(ledger.day, (day, i) => {
    const generation = ledger.generation[i]!;
    const key = `${day}|${generation}`;
    const calibration = known.has(key)
      ? known.get(key)!
      : calibrationAsOf(ledger, levels, day, generation, params.calibration);
    known.set(key, calibration);
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

/** What tells a sale where it is not said of which home it was: its day, price and kind of dwelling. */
export const saleMark = (day: string, price: number, type: string): string =>
  `${day}|${Math.round(price)}|${type}`;
