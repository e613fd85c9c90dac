import { findAnchor } from './anchor.ts';
import { type AddressFront, readFront, type WrittenUnit } from './front.ts';
import { numberKey, plainUpper } from './keys.ts';
import type { LegalLot } from './legal_lot.ts';
import { inOrder } from './order.ts';
import { stateOf } from './place_words.ts';
import { streetTypes } from './street_types.ts';
import { type AddressTail, readTail } from './tail.ts';
import type { UnitOrLevel } from './unit_words.ts';
import { BREAK, splitWords } from './words.ts';

/** An address as a text states it. Upper case; null: not stated. */
export interface ParsedAddress {
  building: string | null;
  level: UnitOrLevel | null;
  unit: WrittenUnit | null;
  lot: string | null;
  legal_lot: LegalLot | null;
  number_first: string | null;
  number_last: string | null;
  /** The words after the number: street, then locality. Where one ends needs the names of a gazetteer. */
  tail: readonly string[];
  /** BREAK before each word of `tail`. */
  tail_breaks: readonly number[];
  /** Suburb that was given as a field of its own. */
  suburb: string | null;
  state: string | null;
  postcode: string | null;
  /** An intersection is named. */
  is_corner: boolean;
}

/** An address in fields, any of which may be absent or empty. `number` may be a range, or hold the unit (`5/12`). */
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

/** Without a number, the street starts at the first segment that has a street type; what stands before is a building. */
function numberlessTail(words: string[], breaks: number[]): number {
  let start = 0;
  for (let i = 0; i < words.length; i++) {
    if (breaks[i] !== BREAK.none) start = i;
    if (i > start && streetTypes(words[i]!) !== undefined) return start;
  }
  return 0;
}

/** Words that the front did not take, with their breaks, where there is no number. */
function untaken(
  front: AddressFront,
  words: readonly string[],
  breaks: readonly number[],
): [string[], number[]] {
  const kept: [string[], number[]] = [[], []];
  let next = 0;
  let pending = 0;
  for (let i = 0; i < words.length; i++) {
    pending = Math.max(pending, breaks[i]!);
    if (words[i] !== front.building[next]) continue;
    kept[0].push(words[i]!);
    kept[1].push(pending);
    pending = BREAK.none;
    next++;
  }
  return kept;
}

/** What follows the number; a street that stands before it is put there. */
function tailOf(front: AddressFront, words: string[], breaks: number[]): AddressTail {
  const { streetStart: start, tailStart: after, is_corner } = front;
  if (start === null) return readTail(words, breaks, after, is_corner);
  const moved = [...words.slice(start, after - 1), ...words.slice(after)];
  const movedBreaks = [...breaks.slice(start, after - 1), ...breaks.slice(after)];
  return readTail(moved, movedBreaks, 0, is_corner);
}

/** Reads a free text. Any text is read; what it does not state is null. At most 400 characters are looked at. */
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

const stated = (value: string | null | undefined): string | null => {
  const text = value?.trim();
  return text ? text : null;
};

/** The fields before the suburb as one text. */
function streetText(fields: AddressFields): string {
  const unit = stated(fields.unit);
  const type = stated(fields.unit_type);
  const number = stated(fields.number);
  const parts: string[] = [];
  const building = stated(fields.building);
  const level = stated(fields.level);
  if (building !== null) parts.push(`${building},`);
  if (level !== null) parts.push(/^\d/.test(level) ? `LEVEL ${level},` : `${level},`);
  const plain = unit !== null && /^\w+$/.test(unit) && type === null;
  if (unit !== null && !(plain && number !== null)) parts.push(`${type ?? ''} ${unit},`);
  if (stated(fields.lot) !== null) parts.push(`LOT ${stated(fields.lot)!.replace(/^lot\s*/i, '')},`);
  if (number !== null) parts.push(plain ? `${unit}/${number}` : number);
  parts.push(stated(fields.street) ?? '', stated(fields.street_type) ?? '');
  return parts.join(' ');
}

/** What stands before the street, from fields alone: a street of one letter stands in for the street. */
function frontOfFields({ unit_type, unit, level, lot, number }: AddressFields): ParsedAddress {
  const at = stated(number) ?? (stated(unit) === null && stated(level) === null ? null : '1');
  return parseText(streetText({ unit_type, unit, level, lot, number: at, street: 'X ST' }));
}

/** Two units that are not the same name none that an address has: better no match than the wrong one. */
function oneUnit(ofText: WrittenUnit | null, ofField: WrittenUnit | null): WrittenUnit | null {
  if (ofText === null || ofField === null) return ofText ?? ofField;
  const differ = numberKey(ofText.number ?? '') !== numberKey(ofField.number ?? '');
  return differ ? { ...ofText, number: `${ofText.number}&${ofField.number}` } : ofText;
}

/** Fills what a text leaves out from the fields before the street. */
function completed(parsed: ParsedAddress, fields: AddressFields): ParsedAddress {
  const { unit, level, lot, number } = fields;
  if ([unit, level, lot, number].every((value) => stated(value) === null)) return parsed;
  const front = frontOfFields(fields);
  const hasNumber = parsed.number_first !== null || stated(number) === null;
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
 * Reads an address that comes in fields. With `text` the fields add what it leaves out; suburb, state and postcode of the
 * fields go before those of the text, and a unit must be the same in both.
 */
export function parseAddress(input: AddressFields & { text?: string | null }): ParsedAddress {
  const text = stated(input.text);
  const parsed = text === null ? parseText(streetText(input)) : completed(parseText(text), input);
  const [suburb, state, postcode] = [stated(input.suburb), stated(input.state), stated(input.postcode)];
  return {
    ...parsed,
    suburb: suburb === null ? null : plainUpper(suburb.slice(0, 100)),
    state:
      state === null ? parsed.state : (stateOf(plainUpper(state).replace(/[^A-Z]/g, '')) ?? parsed.state),
    postcode: /^\d{3,4}$/.test(postcode ?? '') ? postcode!.padStart(4, '0') : parsed.postcode,
  };
}
