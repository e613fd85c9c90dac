import { LEAST_SCORE } from '../cma/distance.ts';

/** Half width of the middle 80 percent of a standard normal distribution. */
const HALF_80 = 1.2816;
/** Forecast standard deviation at which the confidence is 100 / e. */
const FSD_SCALE = 0.22;

/** Estimates with a forecast standard deviation above this are not published. */
export const MAX_FSD = 0.4;

/** Forecast standard deviation: what the 80 % interval would be of a normal error, as a fraction of the price. */
export function forecastSd(price: number, low: number, high: number): number {
  return (high - low) / (2 * HALF_80 * price);
}

/** Confidence from 0 to 100; see MAX_FSD for where estimates end. */
export function confidenceOf(fsd: number): number {
  return Math.round(100 * Math.exp(-((fsd / FSD_SCALE) ** 1.5)));
}

/** Score of the best comparable from which on it does not hold the confidence down. */
const ALIKE_SCORE = 0.5;

/** Highest confidence of an estimate whose most alike sale has this score: none at the least score. NaN, no places known: any. */
export function confidenceAllowed(best_score: number): number {
  const share = (best_score - LEAST_SCORE) / (ALIKE_SCORE - LEAST_SCORE);
  return Number.isNaN(share) ? 100 : Math.round(100 * Math.max(0, Math.min(1, share)));
}

/** How many times an estimate may differ from what the most alike sales sold for before it is in dispute. */
export const DISPUTE_FACTOR = 1.5;
/** Highest confidence of an estimate in dispute: of such ones the estimate is nearer, and twice as far off as others. */
export const DISPUTED_CONFIDENCE = 34;

/** Bands of confidence from the surest: least score and name. */
export const CONFIDENCE_BANDS: readonly { least: number; name: string }[] = [
  { least: 80, name: '80-100' },
  { least: 65, name: '65-79' },
  { least: 50, name: '50-64' },
  { least: 35, name: '35-49' },
  { least: 0, name: '0-34' },
];

/** Name of the band of a score. */
export function confidenceBand(score: number): string {
  return CONFIDENCE_BANDS.find(({ least }) => score >= least)!.name;
}
