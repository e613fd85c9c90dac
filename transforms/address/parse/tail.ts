import { CORNER, NOISE } from './place_words.ts';
import { streetTypes } from './street_types.ts';
import { unitType } from './unit_types.ts';
import { attachedUnit, isUnitNumber, levelAt, type UnitOrLevel } from './unit_words.ts';
import { BREAK } from './words.ts';

/** Words after the street number: street, then locality, with the breaks before them. */
export interface AddressTail {
  words: string[];
  breaks: number[];
  /** A unit or level after the street: `12 Smith St, Unit 5`. */
  unit: UnitOrLevel | null;
  level: UnitOrLevel | null;
}

const SALE: ReadonlySet<string> = new Set(['SALE', 'LEASE', 'RENT', 'AUCTION']);

/** Returns whether the following words are an advertisement, not an address. */
function isNoise(words: readonly string[], breaks: readonly number[], at: number): boolean {
  const [word, next] = [words[at]!, words[at + 1] ?? ''];
  if (word === 'FOR' && SALE.has(next)) return true;
  if (word === 'CONTACT' && next === 'AGENT') return true;
  return breaks[at] !== BREAK.none && NOISE.has(word) && streetTypes(next) === undefined;
}

/** Returns the length in words of `CNR JONES ST`, up to the next break or street type. */
function cornerLength(words: readonly string[], breaks: readonly number[], at: number): number {
  let i = at + 1;
  while (i < words.length && breaks[i] === BREAK.none) {
    i++;
    if (i - at > 2 && streetTypes(words[i - 1]!) !== undefined) break;
  }
  return i - at;
}

/** Reads the words after the street number: extracts units and corners, and cuts off advertisements. */
export function readTail(
  words: readonly string[],
  breaks: readonly number[],
  from: number,
  isCorner: boolean,
): AddressTail {
  const tail: AddressTail = { words: [], breaks: [], unit: null, level: null };
  let pending = 0;
  for (let i = from; i < words.length; ) {
    const word = words[i]!;
    pending = Math.max(pending, breaks[i]!);
    if (tail.words.length > 0) {
      if (isNoise(words, breaks, i)) break;
      const unitEnd = takeUnit(tail, words, i);
      if (unitEnd > 0) {
        i += unitEnd;
        pending = Math.max(pending, BREAK.comma);
        continue;
      }
      const startsCorner = CORNER.has(word) || (isCorner && (word === '&' || word === 'AND'));
      if (startsCorner && words[i + 1] !== undefined) {
        i += cornerLength(words, breaks, i);
        pending = Math.max(pending, BREAK.comma);
        continue;
      }
    }
    tail.words.push(word);
    tail.breaks.push(tail.words.length === 1 ? BREAK.none : pending);
    pending = BREAK.none;
    i++;
  }
  return tail;
}

/** Extracts a unit or level that starts at a word; returns the number of words read. */
function takeUnit(tail: AddressTail, words: readonly string[], at: number): number {
  const word = words[at]!;
  const attached = attachedUnit(word);
  if (attached !== null && /^[A-Z]{2,}/.test(word)) {
    tail.unit ??= attached;
    return 1;
  }
  const next = words[at + 1];
  const type = unitType(word);
  const isNumber = word.length === 1 ? /^\d+[A-Z]?$/ : /\d/;
  if (type !== undefined && next !== undefined && isNumber.test(next) && isUnitNumber(next)) {
    tail.unit ??= { type, number: next };
    return 2;
  }
  const level = word.length > 1 ? levelAt(words, at) : null;
  if (level === null || level.level.number === null) return 0;
  tail.level ??= level.level;
  return level.length;
}
