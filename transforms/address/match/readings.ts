import { placeKey, swappedPlaceKey } from '../parse/keys.ts';
import type { ParsedAddress } from '../parse/parse.ts';
import { suffixCode } from '../parse/place_words.ts';
import { streetTypes } from '../parse/street_types.ts';
import { BREAK } from '../parse/words.ts';
import type { LocalityIndex } from './locality_index.ts';
import { EXACT, type MatchPath, step } from './reasons.ts';

/** One way to divide the words after the number into street and locality. */
export interface AddressReading {
  readonly street: readonly string[];
  /** Null: the text names no locality. */
  readonly placeKey: string | null;
  /** Locality as written. */
  readonly locality: string | null;
  /** Whether the gazetteer has the locality. */
  readonly isKnown: boolean;
  readonly path: MatchPath;
}

/** Maximum words of a locality name. */
const MAX_PLACE_WORDS = 5;

/** Returns the ends of a tail's segments: a break or the end of the words follows. */
function segmentEnds(breaks: readonly number[]): number[] {
  const ends: number[] = [];
  for (let i = 1; i < breaks.length; i++) if (breaks[i] !== BREAK.none) ends.push(i);
  ends.push(breaks.length);
  return ends;
}

function reading(
  words: readonly string[],
  from: number,
  to: number,
  street: number,
  isKnown: boolean,
): AddressReading {
  return {
    street: words.slice(0, street),
    placeKey: placeKey(words, from, to),
    locality: words.slice(from, to).join(' '),
    isKnown: isKnown,
    path: EXACT,
  };
}

/** Returns readings with a locality of the gazetteer: at the end of the first segment, or as a whole later segment. */
function knownReadings(parsed: ParsedAddress, localities: LocalityIndex): AddressReading[] {
  const { tail: words, tail_breaks: breaks, state } = parsed;
  const ends = segmentEnds(breaks);
  const readings: AddressReading[] = [];
  const first = ends[0]!;
  for (let from = Math.max(1, first - MAX_PLACE_WORDS); from < first; from++) {
    if (!localities.knows(placeKey(words, from, first), state)) continue;
    const each = reading(words, from, first, from, true);
    readings.push(readings.length === 0 ? each : { ...each, path: step(EXACT, 'shorter_suburb') });
  }
  for (let s = 1; s < ends.length; s++) {
    const [from, to] = [ends[s - 1]!, ends[s]!];
    if (to - from <= MAX_PLACE_WORDS && localities.knows(placeKey(words, from, to), state))
      readings.push(reading(words, from, to, first, true));
  }
  return readings;
}

/** Returns the reading without a locality. */
const streetAlone = (street: readonly string[]): AddressReading => ({
  street,
  placeKey: null,
  locality: null,
  isKnown: false,
  path: EXACT,
});

/**
 * Returns readings without a known locality: the words after the first break, else after the street type, as the locality.
 * Otherwise the last words may be the locality, or none is stated.
 */
function guessedReadings(parsed: ParsedAddress, localities: LocalityIndex): AddressReading[] {
  const { tail: words, tail_breaks: breaks } = parsed;
  const ends = segmentEnds(breaks);
  // `34, Richmond` has no street: a lone locality name is the locality.
  if (ends[0]! > 0 && localities.knows(placeKey(words, 0, ends[0]!), parsed.state))
    return [reading(words, 0, ends[0]!, 0, true)];
  if (ends.length > 1) return [reading(words, ends[0]!, ends[1]!, ends[0]!, false)];
  const readings: AddressReading[] = [];
  for (let i = 1; i < words.length; i++) {
    if (streetTypes(words[i]!) === undefined) continue;
    const suffix = i + 1 < words.length && suffixCode(words[i + 1]!) !== undefined;
    if (suffix && i + 2 === words.length) readings.push(streetAlone(words));
    else if (suffix) readings.push(reading(words, i + 2, words.length, i + 2, false));
    if (i + 1 < words.length) readings.push(reading(words, i + 1, words.length, i + 1, false));
  }
  if (readings.length > 0) return readings.reverse();
  for (const from of [words.length - 2, words.length - 1])
    if (from > 0) readings.push(reading(words, from, words.length, from, false));
  return [...readings, streetAlone(words)];
}

/** Returns the street words without the suburb field at their end. */
function withoutSuburb(words: readonly string[], suburb: readonly string[]): readonly string[] {
  const from = words.length - suburb.length;
  if (from < 1) return words;
  const [key, tail] = [placeKey(suburb), placeKey(words, from)];
  return tail === key || tail === swappedPlaceKey(suburb) ? words.slice(0, from) : words;
}

/** Returns the reading with the suburb of the suburb field. */
function fieldReading(parsed: ParsedAddress, localities: LocalityIndex): AddressReading | null {
  if (parsed.suburb === null) return null;
  const suburb = parsed.suburb
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()
    .split(' ');
  const key = placeKey(suburb);
  const first = segmentEnds(parsed.tail_breaks)[0]!;
  const street = withoutSuburb(parsed.tail.slice(0, first), suburb);
  const isKnownPlace = localities.knows(key, parsed.state);
  return { street, placeKey: key, locality: suburb.join(' '), isKnown: isKnownPlace, path: EXACT };
}

const sameReading = (a: AddressReading, b: AddressReading): boolean =>
  a.placeKey === b.placeKey && a.street.length === b.street.length;

/** Returns the readings of a text as its breaks divide it, likeliest first. */
function dividedReadings(parsed: ParsedAddress, localities: LocalityIndex): AddressReading[] {
  const field = fieldReading(parsed, localities);
  const placeReadings = parsed.tail.length === 0 ? [] : knownReadings(parsed, localities);
  if (field !== null && !placeReadings.some((each) => sameReading(each, field))) placeReadings.unshift(field);
  if (placeReadings.some((each) => each.isKnown)) return placeReadings.filter((each) => each.isKnown);
  return field !== null ? placeReadings : guessedReadings(parsed, localities);
}

/** Returns the text with dashes between words as part of the name around them. */
const withoutDashes = (parsed: ParsedAddress): ParsedAddress => ({
  ...parsed,
  tail_breaks: parsed.tail_breaks.map((each) => (each === BREAK.dash ? BREAK.none : each)),
});

/**
 * Returns the ways to read the words after the number, likeliest first: all readings with a locality of the gazetteer, else the
 * guesses. If the text names no locality, the street alone. A dash between words divides, or is part of a name.
 */
export function readingsOf(parsed: ParsedAddress, localities: LocalityIndex): AddressReading[] {
  const divided = dividedReadings(parsed, localities);
  if (!parsed.tail_breaks.includes(BREAK.dash)) return divided;
  const joinedReadings = dividedReadings(withoutDashes(parsed), localities);
  return [...divided, ...joinedReadings.filter((each) => !divided.some((other) => sameReading(each, other)))];
}
