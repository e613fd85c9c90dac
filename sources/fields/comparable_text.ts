/** Hyphens, dashes and the minus sign with the blanks around them: publishers mix them, even within one file. */
const DASH = /\s*[-\u00ad\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]\s*/g;

/**
 * Normalises a text for comparison in lists, filters and ranks: lower case, single blanks, every dash a hyphen without blanks around it.
 * `Item – General`, `Item - General` and `ITEM-GENERAL` are equal values.
 */
export function comparable(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').replace(DASH, '-').toLowerCase();
}
