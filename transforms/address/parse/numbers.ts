import { numberValue } from './keys.ts';

/** Street number, or the two ends of a range. */
export interface NumberRange {
  first: string;
  /** Null: not a range. */
  last: string | null;
}

const NUMBER = /^(\d{1,5}[A-Z]{0,2})(?:[-&](\d{1,5}[A-Z]{0,2}))?$/;

/** Returns whether a word is a street number or a range. */
export const isStreetNumber = (word: string): boolean => NUMBER.test(word);

/** Completes the end of a range: `350-2` is short for `350-352`. An end that cannot be completed is unchanged. */
function completed(first: string, last: string): string {
  const [from, to] = [numberValue(first), numberValue(last)];
  if (to >= from) return last;
  const digits = String(from);
  const tail = String(to);
  if (tail.length >= digits.length) return last;
  const fullNumber = digits.slice(0, digits.length - tail.length) + last;
  return numberValue(fullNumber) > from ? fullNumber : last;
}

/** Reads a street number. `12-14` and `12&14` are ranges. Null: not a number. */
export function readNumber(word: string): NumberRange | null {
  const match = NUMBER.exec(word);
  if (match === null) return null;
  const [, first, last] = match;
  return { first: first!, last: last === undefined ? null : completed(first!, last) };
}

const SLASHED = /^([A-Z0-9&/-]+)\/(\d{1,5}[A-Z]{0,2}(?:[-&]\d{1,5}[A-Z]{0,2})?)$/;

/** Splits `5/12`, `U5/12-14`, `A/12` into unit and number. Null: another format. */
export function splitSlash(word: string): { unit: string; number: NumberRange } | null {
  const match = SLASHED.exec(word);
  if (match === null) return null;
  return { unit: match[1]!, number: readNumber(match[2]!)! };
}
