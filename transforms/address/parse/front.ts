import { isStreetNumber, type NumberRange, readNumber, splitSlash } from './numbers.ts';
import { CORNER, MEASURES, suffixCode } from './place_words.ts';
import { streetTypes } from './street_types.ts';
import { unitClass, unitType } from './unit_types.ts';
import { attachedUnit, isNumberWord, isUnitNumber, levelAt, type UnitOrLevel } from './unit_words.ts';
import { BREAK } from './words.ts';

/** A unit as written. Type null: only a number, as in `5/12`. */
export interface WrittenUnit {
  type: string | null;
  number: string | null;
}

/** Parts before the street name. */
export interface AddressFront {
  unit: WrittenUnit | null;
  level: UnitOrLevel | null;
  lot: string | null;
  number: NumberRange | null;
  building: string[];
  is_corner: boolean;
  /** First word of a street written before its number (`SMITH ST 12, FITZROY`). Null: the street follows the number. */
  streetStart: number | null;
  /** First word after the number. Without a number, all remaining words are in `building`. */
  tailStart: number;
}

const UNIT_RANGE = /^\d+[A-Z]?[-&]\d+[A-Z]?$/;
const LOT_ATTACHED = /^LOT(\d+[A-Z]?)$/;
const LOT_NUMBER = /^[A-Z]{0,2}\d{1,5}[A-Z]{0,2}$|^[A-Z]$/;

/** Unit words that also end the name of a business or building: `THE BIKE SHED 23 HIGH STREET`, `ROSE COTTAGE 5/12 PARK ROAD`. */
const NAME_ENDINGS: ReadonlySet<string> = new Set(
  'HOUSE COTTAGE VILLA LOFT STUDIO SHED STORE GARAGE HALL WARD ROOM SITE'.split(' '),
);
/** The same, if no street number follows: `ROSAS COFFEE SHOP 12 HIGH STREET`. Units of their own are numbered before a slash. */
const NAME_ENDINGS_ALONE: ReadonlySet<string> = new Set(
  'SHOP OFFICE FACTORY WAREHOUSE WORKSHOP SHOWROOM KIOSK BUILDING TOWER BLOCK'.split(' '),
);

/** Reads the words before the street name, left to right. */
class FrontReader {
  readonly front: AddressFront = {
    unit: null,
    level: null,
    lot: null,
    number: null,
    building: [],
    is_corner: false,
    streetStart: null,
    tailStart: 0,
  };
  readonly words: readonly string[];
  readonly breaks: readonly number[];

  constructor(words: readonly string[], breaks: readonly number[]) {
    this.words = words;
    this.breaks = breaks;
  }

  read(): AddressFront {
    let at = 0;
    while (at < this.words.length && this.front.number === null) at += this.#take(at);
    this.front.tailStart = at;
    return this.front;
  }

  /** Reads the part that starts at a word; returns the number of words read. */
  #take(at: number): number {
    const word = this.words[at]!;
    if (CORNER.has(word)) {
      this.front.is_corner = true;
      return 1;
    }
    const level = levelAt(this.words, at);
    if (level !== null) {
      this.front.level = level.level;
      return level.length;
    }
    return (
      this.#lot(at) || this.#labelledUnit(at) || this.#slashed(at) || this.#number(at) || this.#other(at)
    );
  }

  #other(at: number): number {
    const word = this.words[at]!;
    if (!(isNumberWord(word) && isStreetNumber(this.words[at + 1] ?? ''))) this.front.building.push(word);
    return 1;
  }

  /** Returns the word after a label. Empty if a comma separates them, because then it is not a label: `MONARC APARTMENTS, 74 QUEENS ROAD`. */
  #next(at: number): string {
    return this.breaks[at + 1] === BREAK.none ? this.words[at + 1]! : '';
  }

  #lot(at: number): number {
    const attached = LOT_ATTACHED.exec(this.words[at]!);
    if (attached !== null) {
      this.front.lot = attached[1]!;
      return 1;
    }
    const next = this.#next(at);
    if (this.words[at] !== 'LOT' && this.words[at] !== 'ALLOTMENT') return 0;
    if (LOT_NUMBER.test(next)) {
      this.front.lot = next;
      return 2;
    }
    const slash = splitSlash(next);
    if (slash === null) return 0;
    this.front.lot = slash.unit;
    this.front.number = slash.number;
    return 2;
  }

  #labelledUnit(at: number): number {
    const word = this.words[at]!;
    const attached = attachedUnit(word);
    if (attached !== null) {
      this.#unit(attached.type, attached.number);
      return 1;
    }
    const next = this.#next(at);
    const type = word === 'FL' && next.includes('/') ? 'FLAT' : unitType(word);
    if (type === undefined) return 0;
    const slash = splitSlash(next);
    if (this.#endsName(at, slash !== null)) return 0;
    if (slash !== null) {
      this.#unit(type, attachedUnit(slash.unit)?.number ?? slash.unit);
      this.front.number = slash.number;
      return 2;
    }
    if (type === 'REAR') {
      this.#unit(type, null);
      return this.words[at + 1] === 'OF' ? 2 : 1;
    }
    const isNumber =
      word.length === 1 ? /^\d+[A-Z]?$/.test(next) : isUnitNumber(next) || UNIT_RANGE.test(next);
    if (!isNumber) return 0;
    this.#unit(type, attachedUnit(next)?.number ?? next);
    return 2;
  }

  /** Returns whether a unit word ends a name: it follows a word of one, and the number after it is the street's. */
  #endsName(at: number, isSlashed: boolean): boolean {
    const word = this.words[at]!;
    const isKnown = NAME_ENDINGS.has(word) || (!isSlashed && NAME_ENDINGS_ALONE.has(word));
    if (!isKnown || this.breaks[at] !== BREAK.none) return false;
    const before = this.words[at - 1];
    if (before === undefined || !(before === this.front.building.at(-1) || CORNER.has(before))) return false;
    const after = this.words[at + 2] ?? '';
    return isSlashed || !(isStreetNumber(after) || splitSlash(after) !== null);
  }

  /** A numbered building (`TOWER 2`) is replaced by a unit in it. */
  #unit(type: string | null, number: string | null): void {
    const before = this.front.unit;
    if (before !== null && unitClass(before.type) === 'building')
      this.front.building.push(`${before.type} ${before.number ?? ''}`.trim());
    else if (before !== null && unitClass(type) === 'building') {
      this.front.building.push(`${type} ${number ?? ''}`.trim());
      return;
    }
    this.front.unit = { type, number };
  }

  #slashed(at: number): number {
    const slash = splitSlash(this.words[at]!);
    if (slash === null) return 0;
    this.front.streetStart = this.#streetBefore(at);
    const attached = attachedUnit(slash.unit);
    this.#unit(attached?.type ?? null, attached?.number ?? slash.unit);
    this.front.number = slash.number;
    return 1;
  }

  #number(at: number): number {
    const number = readNumber(this.words[at]!);
    const next = this.words[at + 1];
    if (number === null) return 0;
    const streetStart = this.#streetBefore(at);
    if (streetStart !== null) {
      this.front.streetStart = streetStart;
      this.front.number = number;
      return 1;
    }
    if (next === undefined || this.#isMeasure(at + 1)) return 0;
    if (isStreetNumber(next) || splitSlash(next) !== null) {
      this.#unit(null, this.words[at]!);
      return 1;
    }
    if (!this.#hasTypeInSegment(at + 1) && this.#numberLater(at + 1)) return 0;
    this.front.number = number;
    const after = this.words[at + 2];
    const isLetter = /^[A-Z]$/.test(next) && this.breaks[at + 1] === BREAK.none && number.last === null;
    if (!isLetter || /[A-Z]$/.test(number.first) || after === undefined) return 1;
    // `12 A Street` is number 12 of A Street; `12 A Park Street` is 12A of Park Street.
    if (streetTypes(after) !== undefined && !this.#hasTypeInSegment(at + 2)) return 1;
    if (this.breaks[at + 2] !== BREAK.none) return 1;
    this.front.number = { first: number.first + next, last: null };
    return 2;
  }

  /** Returns the first word of the street before a number at the end of a segment. Null: the street follows the number. */
  #streetBefore(at: number): number | null {
    const { words, breaks, front } = this;
    const type = suffixCode(words[at - 1] ?? '') === undefined ? at - 1 : at - 2;
    if (type < 1 || breaks[at] !== BREAK.none || streetTypes(words[type]!) === undefined) return null;
    if (at + 1 < words.length && breaks[at + 1] === BREAK.none) return null;
    // A later street type with words after it means that the street follows: `COMO COURT 5, SMITH ST, FITZROY`. `CLIFTON HILL` at the end is a suburb.
    for (let i = at + 2; i + 1 < words.length; i++)
      if (breaks[i] === BREAK.none && streetTypes(words[i]!) !== undefined) return null;
    let start = at - 1;
    while (start > 0 && breaks[start] === BREAK.none) start--;
    const street = words.slice(start, at);
    const streetWords = front.building.splice(-street.length);
    if (street.length >= 2 && street.join() === streetWords.join()) return start;
    front.building.push(...streetWords);
    return null;
  }

  /** `3 BED`, but not `3 BATH STREET`. */
  #isMeasure(at: number): boolean {
    return MEASURES.has(this.words[at]!) && streetTypes(this.words[at + 1] ?? '') === undefined;
  }

  /** Returns whether a street type follows a word before the next break. */
  #hasTypeInSegment(from: number): boolean {
    for (let i = from; i < this.words.length && (i === from || this.breaks[i] === BREAK.none); i++)
      if (i > from && streetTypes(this.words[i]!) !== undefined) return true;
    return false;
  }

  /** Returns whether a later segment starts with a number and a street with a type: the number here then belongs to a building. */
  #numberLater(from: number): boolean {
    for (let i = from + 1; i < this.words.length; i++) {
      if (this.breaks[i] === BREAK.none) continue;
      const word = this.words[i]!;
      if ((isStreetNumber(word) || splitSlash(word) !== null) && this.#hasTypeInSegment(i + 1)) return true;
    }
    return false;
  }
}

/** Reads unit, level, lot, number and building name at the start of an address. */
export const readFront = (words: readonly string[], breaks: readonly number[]): AddressFront =>
  new FrontReader(words, breaks).read();
