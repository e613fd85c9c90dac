/** Half width of the middle 80 % of a standard normal distribution. */
const HALF_80 = 1.2816;
/** Forecast standard deviation at which the confidence is 100 / e. */
const FSD_SCALE = 0.22;

/** Maximum forecast standard deviation of a published estimate. */
export const MAX_FSD = 0.4;

/** Returns the forecast standard deviation implied by the 80 % interval if errors are normal, as a fraction of the price. */
export function forecastSd(price: number, low: number, high: number): number {
  return (high - low) / (2 * HALF_80 * price);
}

/** Returns the confidence, 0 to 100. Estimates above MAX_FSD are not published. */
export function confidenceOf(fsd: number): number {
  return Math.round(100 * Math.exp(-((fsd / FSD_SCALE) ** 1.5)));
}

/**
 * Maximum ratio between an estimate and the price level of its most similar sales. Beyond it the estimate is disputed: its error is twice
 * the usual, yet it is closer to the price than the comparables are.
 */
export const DISPUTE_FACTOR = 1.5;

/** Confidence bands, highest first: minimum score and name. */
export const CONFIDENCE_BANDS: readonly { least: number; name: string }[] = [
  { least: 80, name: '80-100' },
  { least: 65, name: '65-79' },
  { least: 50, name: '50-64' },
  { least: 35, name: '35-49' },
  { least: 0, name: '0-34' },
];

/** Returns the name of a score's band. */
export function confidenceBand(score: number): string {
  return CONFIDENCE_BANDS.find(({ least }) => score >= least)!.name;
}
