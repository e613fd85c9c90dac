import { numberKey, numberValue } from '../parse/keys.ts';
import { unitClass } from '../parse/unit_types.ts';
import type { AddressIndex } from './address_index.ts';
import { NONE } from './addresses.ts';
import type { AddressQuery } from './query.ts';
import { type MatchPath, type Reason, step } from './reasons.ts';
import { compareUnits, isPart } from './unit_rules.ts';

/** Maximum units of one building listed if the text names no unit. */
const MAX_UNITS = 20;

/** Reasons that make a row with the number a different address. */
const OTHER_PLACE: ReadonlySet<Reason> = new Set(['unit_absent', 'unit_not_stated', 'range_differs']);

/** Compares the street numbers and returns the extended path. The text's first number must be an end of the row. */
function compareNumbers(
  query: AddressQuery,
  index: AddressIndex,
  row: number,
  path: MatchPath,
): MatchPath | null {
  const { addresses } = index;
  const [first, last] = [addresses.value('first', row), addresses.value('last', row)];
  if (query.last === NONE) return last === NONE ? path : step(path, 'range_end');
  if (first === query.first && last === query.last) return path;
  return step(path, 'range_differs');
}

/** Adds rows of a street that have the number; returns whether one is the address itself. */
function addNumber(query: AddressQuery, index: AddressIndex, street: number, path: MatchPath): boolean {
  const { addresses } = index;
  let matches = 0;
  let isMatched = false;
  const parents: [row: number, path: MatchPath][] = [];
  for (const row of addresses.withNumber(street, query.first)) {
    const numbered = compareNumbers(query, index, row, path);
    if (numbered === null) continue;
    query.facts.number = true;
    if (!isPart(addresses, row)) parents.push([row, numbered]);
    const unitMatch = compareUnits(query, addresses, row, numbered);
    if (unitMatch === null) continue;
    const isOther = unitMatch.reasons.some((reason) => OTHER_PLACE.has(reason));
    if (isOther && ++matches > MAX_UNITS) continue;
    query.add(row, unitMatch);
    isMatched ||= !isOther;
  }
  if (isMatched || !query.wantsUnit) return isMatched;
  for (const [parent, numbered] of parents)
    for (const row of addresses.unitsOf(parent)) {
      const parentMatch = compareUnits(query, addresses, row, step(numbered, 'unit_of_parent'));
      if (parentMatch === null || !isPart(addresses, row)) continue;
      query.add(row, parentMatch);
      isMatched = true;
    }
  return isMatched;
}

/** Tries `12A` as unit A of 12, and unit A of 12 as `12A`, for registers that only have the other. */
function addLetterUnit(query: AddressQuery, index: AddressIndex, street: number, path: MatchPath): void {
  const { addresses } = index;
  const { parsed } = query;
  if (parsed.number_last !== null || parsed.number_first === null || parsed.level !== null) return;
  const numberAndLetter = /^(\d+)([A-Z])$/.exec(numberKey(parsed.number_first));
  if (numberAndLetter !== null && parsed.unit === null) {
    const [number, letter] = [
      addresses.numbers.find(numberAndLetter[1]!),
      addresses.numbers.find(numberAndLetter[2]!),
    ];
    if (number === NONE || letter === NONE || query.facts.number) return;
    for (const row of addresses.withNumber(street, number))
      if (
        addresses.value('flat', row) === letter &&
        addresses.value('last', row) === NONE &&
        unitClass(addresses.text('flat_type', row)) === 'dwelling'
      )
        query.add(row, step(path, 'letter_unit'));
    return;
  }
  const unit = parsed.unit?.number ?? '';
  if (!/^[A-Z]$/.test(unit) || /[A-Z]/.test(parsed.number_first) || query.unitClass !== 'dwelling') return;
  const number = addresses.numbers.find(numberKey(parsed.number_first) + unit);
  if (number === NONE) return;
  for (const row of addresses.withNumber(street, number))
    if (!isPart(addresses, row) && addresses.value('last', row) === NONE)
      query.add(row, step(path, 'letter_unit'));
}

/** Adds rows by their lot; a row that also has a street number gets the reason `lot`. */
function addLot(query: AddressQuery, index: AddressIndex, street: number, path: MatchPath): void {
  const { addresses } = index;
  const parents = new Set<number>();
  for (const row of addresses.ofStreet(street)) {
    if (addresses.value('lot', row) !== query.lot || parents.has(row)) continue;
    parents.add(row);
    query.facts.number = true;
    const numbered = addresses.value('first', row) === NONE ? path : step(path, 'lot');
    const unitMatch = compareUnits(query, addresses, row, numbered);
    if (unitMatch !== null) query.add(row, unitMatch);
  }
}

/** Adds rows without a number or lot by their building name. */
function addBuilding(query: AddressQuery, index: AddressIndex, street: number, path: MatchPath): void {
  const { addresses } = index;
  if (query.building < 0) return;
  for (const row of addresses.ofStreet(street)) {
    if (addresses.value('building', row) !== query.building) continue;
    query.facts.number = true;
    const unitMatch = compareUnits(query, addresses, row, step(path, 'building'));
    if (unitMatch !== null) query.add(row, unitMatch);
  }
}

/** Adds rows without any number: the text names only the unit, or the street is the whole address. */
function addNumberless(query: AddressQuery, index: AddressIndex, street: number, path: MatchPath): void {
  const { addresses } = index;
  if (!query.wantsUnit) return;
  for (const row of addresses.withNumber(street, NONE)) {
    if (addresses.value('lot', row) !== NONE || !isPart(addresses, row)) continue;
    const unitMatch = compareUnits(query, addresses, row, path);
    if (unitMatch !== null) query.add(row, unitMatch);
  }
}

/** Returns whether a number is inside a range, and on its side of the street if both ends are on one side. */
const isBetween = (value: number, first: number, last: number): boolean =>
  value > first && value < last && (first % 2 !== last % 2 || value % 2 === first % 2);

/** Adds ranges with the number inside: the ends of a range are addresses, the inside is not. */
export function addInsideRange(
  query: AddressQuery,
  index: AddressIndex,
  street: number,
  path: MatchPath,
): void {
  const { addresses } = index;
  if (Number.isNaN(query.value)) return;
  const { number_last } = query.parsed;
  const to = number_last === null ? query.value : numberValue(number_last);
  const ranges = new Set<number>();
  for (const row of addresses.ofStreet(street)) {
    if (addresses.value('last', row) === NONE || ranges.has(row) || isPart(addresses, row)) continue;
    ranges.add(row);
    const first = Number.parseInt(addresses.text('first', row)!, 10);
    const last = Number.parseInt(addresses.text('last', row)!, 10);
    if (!isBetween(query.value, first, last) || to > last) continue;
    const unitMatch = compareUnits(query, addresses, row, step(path, 'inside_range'));
    if (unitMatch !== null) query.add(row, unitMatch);
  }
}

/** Adds the addresses of a street that match the text. */
export function addAddresses(
  query: AddressQuery,
  index: AddressIndex,
  street: number,
  path: MatchPath,
): void {
  if (query.first !== NONE) {
    if (!addNumber(query, index, street, path)) addLetterUnit(query, index, street, path);
  } else if (query.lot !== NONE) addLot(query, index, street, path);
  else if (query.parsed.building !== null) addBuilding(query, index, street, path);
  else addNumberless(query, index, street, path);
}
