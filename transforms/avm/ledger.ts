/**
 * Predictions made before the sale was known, with the sale price, in canonical order of the sales. `generation` separates models:
 * errors only correct the level of their own model.
 */
export interface Ledger {
  readonly day: Int32Array;
  readonly dwelling_type: readonly string[];
  readonly generation: Int32Array;
  /** Log dollars, before the level correction. */
  readonly log_predicted: Float64Array;
  readonly log_price: Float64Array;
  /** Predicted quantiles of the log error, before calibration. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** One prediction of a ledger. */
export type LedgerEntry = { [K in keyof Ledger]: Ledger[K][number] };

/** Builds a ledger from entries, sorted by day; entries of one day keep their order. */
export function makeLedger(entries: readonly LedgerEntry[]): Ledger {
  const sorted = [...entries].sort((a, b) => a.day - b.day);
  return {
    day: Int32Array.from(sorted, (entry) => entry.day),
    dwelling_type: sorted.map((entry) => entry.dwelling_type),
    generation: Int32Array.from(sorted, (entry) => entry.generation),
    log_predicted: Float64Array.from(sorted, (entry) => entry.log_predicted),
    log_price: Float64Array.from(sorted, (entry) => entry.log_price),
    low: Float64Array.from(sorted, (entry) => entry.low),
    high: Float64Array.from(sorted, (entry) => entry.high),
  };
}

function ledgerEntries(ledger: Ledger): LedgerEntry[] {
  return Array.from(ledger.day, (day, i) => ({
    day,
    dwelling_type: ledger.dwelling_type[i]!,
    generation: ledger.generation[i]!,
    log_predicted: ledger.log_predicted[i]!,
    log_price: ledger.log_price[i]!,
    low: ledger.low[i]!,
    high: ledger.high[i]!,
  }));
}

export const extendLedger = (ledger: Ledger, entries: readonly LedgerEntry[]): Ledger =>
  makeLedger([...ledgerEntries(ledger), ...entries]);
