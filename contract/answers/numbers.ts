import { z } from 'zod';

/** Decimals of a coordinate in degrees: about a centimetre, finer than any source. */
export const DEGREE_DECIMALS = 7;

/** A number rounded to a maximum of decimals, because further digits are not known. */
export const decimals = (most: number) => {
  const unit = 10 ** most;
  return z.number().overwrite((value) => Math.round(value * unit) / unit);
};

/** Longitude or latitude. */
export const degrees = decimals(DEGREE_DECIMALS);
/** A share or rank from 0 to 1. */
export const fraction = decimals(4).min(0).max(1);
/** Per cent. */
export const percent = decimals(2);
