import { isLoneLevel, levelType, unitType } from './unit_types.ts';

/** Words before a number other than units and levels. */
const LABELS: ReadonlySet<string> = new Set(['LOT', 'NO', 'NUMBER', 'NUM', 'ALLOTMENT']);

/** Returns whether a word announces a number: `UNIT`, `LEVEL`, `LOT`, `NO`. */
export const isNumberLabel = (word: string): boolean =>
  LABELS.has(word) || (unitType(word) !== undefined && word.length > 1) || levelType(word) !== undefined;

/** Returns whether a word announces a street number. */
export const isNumberWord = (word: string): boolean => word === 'NO' || word === 'NUMBER' || word === 'NUM';

export interface UnitOrLevel {
  /** Flat or level type code; `REAR` may have no number. */
  type: string;
  /** As written, upper case. Null: none. */
  number: string | null;
}

const ATTACHED = /^([A-Z]{1,9})(\d{1,5}[A-Z]?)$/;
const PLAIN = /^(?:\d{1,5}[A-Z]{0,2}|[A-Z]{1,2}\d{1,4}[A-Z]?)$/;
/** Letters that mean a unit if written together with its number: `U5`, `APT505`. `G5`, `A5` are numbers. */
const ATTACHED_UNITS: ReadonlySet<string> = new Set([
  'U',
  'UN',
  'UNIT',
  'F',
  'FLAT',
  'APT',
  'AP',
  'SHOP',
  'SUITE',
  'STE',
  'TH',
  'VILLA',
  'STUDIO',
  'FACTORY',
  'OFFICE',
]);

/** Reads a unit written together with its number, such as `U5` or `APT505`. Null: another format. */
export function attachedUnit(word: string): UnitOrLevel | null {
  const match = ATTACHED.exec(word);
  if (match === null || !ATTACHED_UNITS.has(match[1]!)) return null;
  return { type: unitType(match[1]!) ?? 'UNIT', number: match[2]! };
}

/** Reads `L3` or `LEVEL3`. Null: another format. */
function attachedLevel(word: string): UnitOrLevel | null {
  const match = ATTACHED.exec(word);
  if (match === null) return null;
  const type = levelType(match[1]!);
  return type === undefined ? null : { type, number: match[2]! };
}

/** Returns whether a word can be the number of a unit or level: digits with letters, or one letter. */
export const isUnitNumber = (word: string): boolean => PLAIN.test(word) || /^[A-Z]$/.test(word);

const ORDINAL = /^(\d{1,2})(?:ST|ND|RD|TH)$/;
const ORDINAL_WORDS: Readonly<Record<string, string>> = {
  FIRST: '1',
  SECOND: '2',
  THIRD: '3',
  FOURTH: '4',
  FIFTH: '5',
};
const GROUND: ReadonlySet<string> = new Set(['GROUND', 'GRD', 'GND', 'G', 'LOWER', 'UPPER']);

/** Returns a level that starts at a word, and its number of words. Null: none. */
export function levelAt(words: readonly string[], at: number): { level: UnitOrLevel; length: number } | null {
  const word = words[at]!;
  const next = words[at + 1];
  const ordinal = ORDINAL.exec(word)?.[1] ?? ORDINAL_WORDS[word];
  if (ordinal !== undefined && (next === 'FLOOR' || next === 'LEVEL' || next === 'FLR'))
    return { level: { type: 'L', number: ordinal }, length: 2 };
  if (GROUND.has(word)) {
    const ground = word === 'LOWER' ? 'LG' : word === 'UPPER' ? 'UG' : 'G';
    if (next === 'FLOOR' || next === 'LEVEL' || next === 'FLR')
      return { level: { type: ground, number: null }, length: 2 };
    if (next === 'GROUND' && (words[at + 2] === 'FLOOR' || words[at + 2] === 'LEVEL'))
      return { level: { type: ground, number: null }, length: 3 };
    return null;
  }
  const attached = attachedLevel(word);
  if (attached !== null) return { level: attached, length: 1 };
  const type = levelType(word);
  if (type === undefined) return null;
  if (next !== undefined && /^(?:\d{1,3}[A-Z]?|B\d|P\d|G|LG|UG)$/.test(next))
    return { level: { type, number: next }, length: 2 };
  return isLoneLevel(word) ? { level: { type, number: null }, length: 1 } : null;
}
