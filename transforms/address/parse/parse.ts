import { findAnchor } from './anchor.ts';
import { type AddressFront, readFront, type WrittenUnit } from './front.ts';
import { numberKey, plainUpper } from './keys.ts';
import type { LegalLot } from './legal_lot.ts';
import { inOrder } from './order.ts';
import { stateOfWord } from './place_words.ts';
import { streetTypes } from './street_types.ts';
import { type AddressTail, readTail } from './tail.ts';
import type { UnitOrLevel } from './unit_words.ts';
import { BREAK, splitWords } from './words.ts';

/** An address as stated in a text, upper case. Null: not stated. */
export interface ParsedAddress {
  building: string | null;
  level: UnitOrLevel | null;
  unit: WrittenUnit | null;
  lot: string | null;
  legal_lot: LegalLot | null;
  number_first: string | null;
  number_last: string | null;
  /** Words after the number: street, then locality. A gazetteer is needed to divide them. */
  tail: readonly string[];
  /** BREAK before each word of `tail`. */
  tail_breaks: readonly number[];
  /** Suburb from the suburb field. */
  suburb: string | null;
  state: string | null;
  postcode: string | null;
  /** Whether an intersection is named. */
  is_corner: boolean;
}

/** An address in fields, each optional or empty. `number` may be a range, or include the unit (`5/12`). */
export interface AddressFields {
  building?: string | null;
  level?: string | null;
  unit_type?: string | null;
  unit?: string | null;
  lot?: string | null;
  number?: string | null;
  street?: string | null;
  street_type?: string | null;
  suburb?: string | null;
  state?: string | null;
  postcode?: string | null;
}

/** Without a number, the street starts at the first segment with a street type; the words before are a building. */
function numberlessTail(words: string[], breaks: number[]): number {
  let start = 0;
  for (let i = 0; i < words.length; i++) {
    if (breaks[i] !== BREAK.none) start = i;
    if (i > start && streetTypes(words[i]!) !== undefined) return start;
  }
  return 0;
}

/** Returns the words and breaks that the front of an address without a number did not read. */
function untaken(
  front: AddressFront,
  words: readonly string[],
  breaks: readonly number[],
): [string[], number[]] {
  const keptParts: [string[], number[]] = [[], []];
  let next = 0;
  let pending = 0;
  for (let i = 0; i < words.length; i++) {
    pending = Math.max(pending, breaks[i]!);
    if (words[i] !== front.building[next]) continue;
    keptParts[0].push(words[i]!);
    keptParts[1].push(pending);
    pending = BREAK.none;
    next++;
  }
  return keptParts;
}

/** Returns the words after the number; a street before the number is moved there. */
function tailOf(front: AddressFront, words: string[], breaks: number[]): AddressTail {
  const { streetStart: start, tailStart: after, is_corner } = front;
  if (start === null) return readTail(words, breaks, after, is_corner);
  const moved = [...words.slice(start, after - 1), ...words.slice(after)];
  const movedBreaks = [...breaks.slice(start, after - 1), ...breaks.slice(after)];
  return readTail(moved, movedBreaks, 0, is_corner);
}

/** Parses a free text of any content; parts not stated are null. Reads at most 400 characters. */
export function parseText(text: string): ParsedAddress {
  const split = inOrder(splitWords(text));
  const anchor = findAnchor(split);
  const words = split.words.slice(0, anchor.end);
  const breaks = split.breaks.slice(0, anchor.end);
  const front = readFront(words, breaks);
  let tail = tailOf(front, words, breaks);
  let building = front.building;
  if (front.number === null) {
    const [restWords, restBreaks] = untaken(front, words, breaks);
    const start = numberlessTail(restWords, restBreaks);
    building = restWords.slice(0, start);
    tail = readTail(restWords, restBreaks, start, front.is_corner);
  }
  return {
    building: building.length > 0 ? building.join(' ') : null,
    level: front.level ?? tail.level,
    unit: front.unit ?? tail.unit,
    lot: front.lot,
    legal_lot: split.legalLot,
    number_first: front.number?.first ?? null,
    number_last: front.number?.last ?? null,
    tail: tail.words,
    tail_breaks: tail.breaks,
    suburb: null,
    state: anchor.state,
    postcode: anchor.postcode,
    is_corner: front.is_corner,
  };
}

const textOrNull = (value: string | null | undefined): string | null => {
  const text = value?.trim();
  return text ? text : null;
};

/** Joins the fields before the suburb to one text. */
function streetText(fields: AddressFields): string {
  const unit = textOrNull(fields.unit);
  const type = textOrNull(fields.unit_type);
  const number = textOrNull(fields.number);
  const parts: string[] = [];
  const building = textOrNull(fields.building);
  const level = textOrNull(fields.level);
  if (building !== null) parts.push(`${building},`);
  if (level !== null) parts.push(/^\d/.test(level) ? `LEVEL ${level},` : `${level},`);
  const plain = unit !== null && /^\w+$/.test(unit) && type === null;
  if (unit !== null && !(plain && number !== null)) parts.push(`${type ?? ''} ${unit},`);
  if (textOrNull(fields.lot) !== null) parts.push(`LOT ${textOrNull(fields.lot)!.replace(/^lot\s*/i, '')},`);
  if (number !== null) parts.push(plain ? `${unit}/${number}` : number);
  parts.push(textOrNull(fields.street) ?? '', textOrNull(fields.street_type) ?? '');
  return parts.join(' ');
}

/** Parses the fields before the street alone; a one-letter street is the placeholder. */
function frontOfFields({ unit_type, unit, level, lot, number }: AddressFields): ParsedAddress {
  const at = textOrNull(number) ?? (textOrNull(unit) === null && textOrNull(level) === null ? null : '1');
  return parseText(streetText({ unit_type, unit, level, lot, number: at, street: 'X ST' }));
}

/** Combines two different units to one that no address has: no match is better than a wrong one. */
function oneUnit(ofText: WrittenUnit | null, ofField: WrittenUnit | null): WrittenUnit | null {
  if (ofText === null || ofField === null) return ofText ?? ofField;
  const differ = numberKey(ofText.number ?? '') !== numberKey(ofField.number ?? '');
  return differ ? { ...ofText, number: `${ofText.number}&${ofField.number}` } : ofText;
}

/** Completes a parsed text from the fields before the street. */
function completed(parsed: ParsedAddress, fields: AddressFields): ParsedAddress {
  const { unit, level, lot, number } = fields;
  if ([unit, level, lot, number].every((value) => textOrNull(value) === null)) return parsed;
  const front = frontOfFields(fields);
  const hasNumber = parsed.number_first !== null || textOrNull(number) === null;
  return {
    ...parsed,
    unit: oneUnit(parsed.unit, front.unit),
    level: parsed.level ?? front.level,
    lot: parsed.lot ?? front.lot,
    number_first: hasNumber ? parsed.number_first : front.number_first,
    number_last: hasNumber ? parsed.number_last : front.number_last,
  };
}

/**
 * Parses an address in fields. With `text`, the fields add what it leaves out. The suburb, state and postcode fields have priority
 * over the text; a unit must be the same in both.
 */
export function parseAddress(input: AddressFields & { text?: string | null }): ParsedAddress {
  const text = textOrNull(input.text);
  const parsed = text === null ? parseText(streetText(input)) : completed(parseText(text), input);
  const [suburb, state, postcode] = [
    textOrNull(input.suburb),
    textOrNull(input.state),
    textOrNull(input.postcode),
  ];
  return {
    ...parsed,
    suburb: suburb === null ? null : plainUpper(suburb.slice(0, 100)),
    state:
      state === null ? parsed.state : (stateOfWord(plainUpper(state).replace(/[^A-Z]/g, '')) ?? parsed.state),
    postcode: /^\d{3,4}$/.test(postcode ?? '') ? postcode!.padStart(4, '0') : parsed.postcode,
  };
}
