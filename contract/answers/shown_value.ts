/** Minimum confidence of an estimate that is shown to the dollar. */
const SURE = 50;

/** An estimate as people see it. */
export interface ShownValue {
  /** Whole dollars: exact if the estimate is confident, else of two significant digits. */
  value: number;
  /** True if the confidence is low, so that the value is rounded and marked. */
  is_rounded: boolean;
}

/** Rounds an estimate, or an end of its interval, as its confidence allows. Console, report, map and terminal show this. */
export function shownValue(exact: number, confidence: number | null): ShownValue {
  if ((confidence ?? 0) >= SURE) return { value: Math.round(exact), is_rounded: false };
  if (exact <= 0) return { value: 0, is_rounded: true };
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  return { value: Math.round(exact / unit) * unit, is_rounded: true };
}
