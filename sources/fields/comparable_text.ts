/** Hyphens, dashes and the minus sign with the blanks around them: publishers mix them, even within one file. */
const DASH = /\s*[-\u00ad\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]\s*/g;

/**
 * A text as lists, filters and ranks compare it: lower case, single blanks, every dash a hyphen without blanks around it, so
 * that `Item – General`, `Item - General` and `ITEM-GENERAL` are one value.
 */
export function comparable(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').replace(DASH, '-').toLowerCase();
}
