import type { AddressIndex } from './address_index.ts';
import { NONE } from './addresses.ts';
import { addAddresses } from './number_rules.ts';
import type { AddressQuery } from './query.ts';
import { type MatchPath, step, typoCost } from './reasons.ts';
import { NOTHING } from './street_index.ts';
import type { StreetReading } from './street_words.ts';
import { isDoubtful } from './typo.ts';

/** A possible street of a reading, with its path. */
export interface FoundStreet {
  readonly street: number;
  readonly path: MatchPath;
}

/** Compares the types of a reading with an entry's type and returns the extended path; other types are kept as other streets. */
function compareTypes(
  index: AddressIndex,
  reading: StreetReading,
  entry: number,
  path: MatchPath,
): MatchPath {
  const type = index.streets.typeOf(entry);
  if (reading.types === null) return type === NOTHING ? path : step(path, 'missing_street_type');
  if (type === NOTHING) return step(path, reading.isComplete ? 'other_street_type' : 'type_not_in_gnaf');
  return reading.types.includes(index.streets.types.text(type)) ? path : step(path, 'other_street_type');
}

function compareSuffixes(
  index: AddressIndex,
  reading: StreetReading,
  entry: number,
  hasPlain: boolean,
  path: MatchPath,
): MatchPath {
  const suffix = index.streets.suffixes.text(index.streets.suffixOf(entry));
  if (suffix === reading.suffix) return path;
  const left_out = reading.suffix === '' && !hasPlain;
  return step(path, left_out ? 'missing_suffix' : 'other_suffix');
}

const isOther = (path: MatchPath): boolean =>
  path.reasons.includes('other_street_type') || path.reasons.includes('other_suffix');

/** Returns the streets of a locality with one name, compared by type and suffix. */
function underName(
  index: AddressIndex,
  reading: StreetReading,
  locality: number,
  name: number,
  path: MatchPath,
): FoundStreet[] {
  const { streets } = index;
  const entries = streets.entries(locality, name);
  const fits = (entry: number): boolean => !isOther(compareTypes(index, reading, entry, reading.path));
  const hasPlain = entries.some((entry) => streets.suffixOf(entry) === NOTHING && fits(entry));
  return entries.map((entry) => {
    let typePath = compareTypes(index, reading, entry, path);
    typePath = compareSuffixes(index, reading, entry, hasPlain, typePath);
    if (streets.isAlias(entry)) typePath = step(typePath, 'street_alias');
    return { street: streets.streetOf(entry), path: typePath };
  });
}

const joinPaths = (path: MatchPath, further: MatchPath): MatchPath =>
  further.reasons.length === 0
    ? path
    : { cost: path.cost + further.cost, reasons: [...path.reasons, ...further.reasons] };

/** Returns the streets of a locality by the exact name of any reading, each street once by its cheapest path. */
export function streetsNamed(
  index: AddressIndex,
  readings: readonly StreetReading[],
  locality: number,
  path: MatchPath,
): FoundStreet[] {
  const best = new Map<number, FoundStreet>();
  for (const reading of readings) {
    const name = index.streets.names.find(reading.key);
    if (name === NONE) continue;
    for (const candidate of underName(index, reading, locality, name, joinPaths(path, reading.path))) {
      const bestSoFar = best.get(candidate.street);
      if (bestSoFar === undefined || candidate.path.cost < bestSoFar.path.cost)
        best.set(candidate.street, candidate);
    }
  }
  return [...best.values()];
}

/** Cost if a presumed typo is itself a street name elsewhere: it is then probably right, and the street missing from the register. */
const KNOWN_NAME_COST = 0.15;
/** Cost if a typo leaves few letters: the coordinates must confirm the street, and they are enough. */
const DOUBTFUL_COST = 0.1;

/** Returns the streets of a locality whose name may be a typo of a reading's. */
export function streetsWithTypo(
  index: AddressIndex,
  readings: readonly StreetReading[],
  locality: number,
  path: MatchPath,
): FoundStreet[] {
  const streets: FoundStreet[] = [];
  for (const reading of readings) {
    if (!reading.isName) continue;
    const isKnown = index.streets.names.find(reading.key) !== NONE;
    for (const { name, edits } of index.streets.similar(locality, reading.key)) {
      const length = Math.max(reading.key.length, index.streets.names.text(name).length);
      const doubt = (isKnown ? KNOWN_NAME_COST : 0) + (isDoubtful(edits, length) ? DOUBTFUL_COST : 0);
      const cost = typoCost(edits, length) + doubt;
      const typed = step(joinPaths(path, reading.path), 'street_typo', cost);
      streets.push(...underName(index, reading, locality, name, typed));
    }
  }
  return streets;
}

/** Returns whether a street is the one in the text by name, type and suffix. */
export const isSameStreet = (street: FoundStreet): boolean => !isOther(street.path);

export function addFrom(query: AddressQuery, index: AddressIndex, streets: readonly FoundStreet[]): void {
  for (const { street, path } of streets) addAddresses(query, index, street, path);
}
