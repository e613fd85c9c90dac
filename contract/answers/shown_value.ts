/** Minimum confidence of an estimate that is shown to three digits. */
const SURE = 50;

/** An estimate as people see it. */
export interface ShownValue {
  /** Dollars to three significant digits if the estimate is confident, else to two. */
  value: number;
  /** True if the confidence is low, so that the value is marked. */
  is_uncertain: boolean;
}

/** Rounds an estimate, or an end of its interval, as its confidence allows. Console, report, map and terminal show this. */
export function shownValue(exact: number, confidence: number | null): ShownValue {
  const is_uncertain = (confidence ?? 0) < SURE;
  if (exact <= 0) return { value: 0, is_uncertain };
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - (is_uncertain ? 1 : 2));
  return { value: Math.round(exact / unit) * unit, is_uncertain };
}
