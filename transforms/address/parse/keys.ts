import { COMPASS, NAME_WORDS, PLACE_WORDS } from './place_words.ts';

const SINGLE_QUOTES = /['’‘`´]/g;
const NOT_WORD = /[^A-Z0-9&]+/g;
const MARKS = /[\u0300-\u036f]/g;
const ASCII = /^[ -~]*$/;

/** Returns upper case without accents and apostrophes: `O’Grady` is `OGRADY`. */
export function plainUpper(text: string): string {
  const flat = ASCII.test(text) ? text : text.normalize('NFKD').replace(MARKS, '');
  return flat.toUpperCase().replace(SINGLE_QUOTES, '');
}

/** Returns the words of a name, upper case, without punctuation. */
export const nameWords = (text: string): string[] =>
  plainUpper(text).replace(NOT_WORD, ' ').trim().split(' ').filter(Boolean);

/** Returns a comparable key of street-name words: one spelling for `SAINT` and `ST`, no spaces (`MC KEAN` is `MCKEAN`). */
export function streetKey(words: readonly string[], from = 0, to = words.length): string {
  let key = '';
  for (let i = from; i < to; i++) {
    const word = words[i]!;
    key += NAME_WORDS[word] ?? word;
  }
  return key;
}

/** Returns a comparable key of place-name words: as for streets, with one spelling of compass words and `HTS`, `GDNS` …. */
export function placeKey(words: readonly string[], from = 0, to = words.length): string {
  let key = '';
  for (let i = from; i < to; i++) {
    const word = words[i]!;
    key += COMPASS[word] ?? PLACE_WORDS[word] ?? NAME_WORDS[word] ?? word;
  }
  return key;
}

/** Returns the key with the compass word at the other end: `NORTH FITZROY` for `FITZROY NORTH`. Null: no compass word, or no other word. */
export function swappedPlaceKey(words: readonly string[], from = 0, to = words.length): string | null {
  if (to - from < 2) return null;
  const first = COMPASS[words[from]!];
  if (first !== undefined) return placeKey(words, from + 1, to) + first;
  const last = COMPASS[words[to - 1]!];
  return last === undefined ? null : last + placeKey(words, from, to - 1);
}

const NOT_NUMBER = /[^A-Z0-9]+/g;
/** Numbers that are already their comparable key. */
const PLAIN_NUMBER = /^[1-9]\d*[A-Z]*$/;
const LEADING_ZEROS = /^([A-Z]*)0+(?=\d)/;

/** Returns a comparable key of a number with letters: `012a` is `12A`, `G01` is `G1`. */
export const numberKey = (text: string): string =>
  PLAIN_NUMBER.test(text) ? text : text.toUpperCase().replace(NOT_NUMBER, '').replace(LEADING_ZEROS, '$1');

/** Returns the digits of a number key as a number; NaN: none. */
export function numberValue(key: string): number {
  const digits = /\d+/.exec(key);
  return digits === null ? Number.NaN : Number(digits[0]);
}
