import { streetKey } from '../parse/keys.ts';
import { suffixCode } from '../parse/place_words.ts';
import { longStreetTypes, streetTypes, typeKey } from '../parse/street_types.ts';
import { EXACT, type MatchPath, step } from './reasons.ts';
import { editDistance, letterMask, mayBeNear } from './typo.ts';

const TYPE_MASKS = Int32Array.from(longStreetTypes, letterMask);

/** One way to read the words of a street. */
export interface StreetReading {
  /** Comparable key of the name. */
  readonly key: string;
  /** Comparable keys of the types that the word may mean. Null: none stated. */
  readonly types: readonly string[] | null;
  /** Suffix code; empty: none stated. */
  readonly suffix: string;
  /** Whether the key is the name alone: no word of it is a type or suffix in another reading. Only such a name may have typos. */
  readonly isName: boolean;
  /** Whether the name needs no type, like `THE ESPLANADE` and `BROADWAY`: an added type makes it another street. */
  readonly isComplete: boolean;
  readonly path: MatchPath;
}

/** Returns the suffix at the end of the words, after at least `least` others, and its number of words. */
function suffixAt(words: readonly string[], least: number): { code: string; length: number } | null {
  const n = words.length;
  const two = n - 2 >= least ? suffixCode(words[n - 2]! + words[n - 1]!) : undefined;
  if (two !== undefined) return { code: two, length: 2 };
  const one = n - 1 >= least ? suffixCode(words[n - 1]!) : undefined;
  return one === undefined ? null : { code: one, length: 1 };
}

/** Returns the ways to read the words of a street. The whole text as a name comes last, for `THE ESPLANADE` and `BROADWAY`. */
export function streetReadings(words: readonly string[]): StreetReading[] {
  const n = words.length;
  const readings: StreetReading[] = [];
  const type = n >= 2 ? streetTypes(words[n - 1]!) : undefined;
  if (type !== undefined) readings.push(readingOf(words, n - 1, type, '', true));
  const suffix = suffixAt(words, 1);
  if (suffix !== null) {
    const end = n - suffix.length;
    const before = end >= 2 ? streetTypes(words[end - 1]!) : undefined;
    if (before !== undefined) readings.push(readingOf(words, end - 1, before, suffix.code, true));
    readings.push(readingOf(words, end, null, suffix.code, before === undefined));
  }
  readings.push(readingOf(words, n, null, '', readings.length === 0));
  return readings;
}

const readingOf = (
  words: readonly string[],
  to: number,
  types: readonly string[] | null,
  suffix: string,
  isName: boolean,
): StreetReading => ({
  key: streetKey(words, 0, to),
  types,
  suffix,
  // A letter before a name may belong to the number: `12 A Park St` is not a typo of Park St.
  isName: isName && words[0]?.length !== 1,
  isComplete: words[0] === 'THE' || (to > 0 && streetTypes(words[to - 1]!) !== undefined),
  path: EXACT,
});

/** Returns the reading with a misspelt street type (`STRET`) and all its nearest types. Null: the last word is not similar to a type. */
export function misspeltType(words: readonly string[]): StreetReading | null {
  const last = words[words.length - 1];
  if (last === undefined || words.length < 2 || last.length < 4 || streetTypes(last) !== undefined)
    return null;
  let limit = last.length < 7 ? 1 : 2;
  let nearest: string[] = [];
  const mask = letterMask(last);
  for (let i = 0; i < longStreetTypes.length; i++) {
    if (!mayBeNear(mask, TYPE_MASKS[i]!, limit)) continue;
    const long = longStreetTypes[i]!;
    const edits = editDistance(last, long, limit);
    if (edits > limit) continue;
    if (edits < limit) nearest = [];
    nearest.push(typeKey(long));
    limit = edits;
  }
  if (nearest.length === 0) return null;
  return { ...readingOf(words, words.length - 1, nearest, '', true), path: step(EXACT, 'type_typo') };
}
