import { unitClass } from '../parse/unit_types.ts';
import { type Addresses, NONE } from './addresses.ts';
import type { AddressQuery } from './query.ts';
import { type MatchPath, step } from './reasons.ts';

const hasUnit = (addresses: Addresses, row: number): boolean =>
  addresses.value('flat', row) !== NONE || addresses.value('flat_type', row) !== NONE;

/** Returns whether a row is a part of a building: it has a unit or a level. */
export const isPart = (addresses: Addresses, row: number): boolean =>
  hasUnit(addresses, row) ||
  addresses.value('level', row) !== NONE ||
  addresses.value('level_type', row) !== NONE;

/** Compares the levels and returns the extended path. Null: different storeys. */
function compareLevels(
  query: AddressQuery,
  addresses: Addresses,
  row: number,
  path: MatchPath,
): MatchPath | null {
  if (query.parsed.level === null) return path;
  const [type, number] = [addresses.value('level_type', row), addresses.value('level', row)];
  if (type === NONE && number === NONE) return step(path, 'level_not_in_gnaf');
  return number === query.level && type === query.levelType ? path : null;
}

/**
 * Compares the kinds of unit and returns the extended path. Null: another address. A number without a type is a dwelling or
 * workplace; a shop or car space must be named as such, because it has its own numbering.
 */
function compareTypes(
  query: AddressQuery,
  addresses: Addresses,
  row: number,
  path: MatchPath,
): MatchPath | null {
  const code = addresses.text('flat_type', row);
  const unitType = query.parsed.unit!.type;
  if (unitType === code) return path;
  const [kind, wantedKind] = [unitClass(code), query.unitClass];
  if (unitType === null) {
    if (kind === 'dwelling') return path;
    return kind === 'work' || kind === 'shop' ? step(path, 'unit_type_differs') : null;
  }
  if (kind === wantedKind)
    return kind === 'dwelling' || kind === 'work' ? step(path, 'unit_type_differs', 0.01) : null;
  const pair = `${wantedKind} ${kind}`;
  return pair === 'dwelling work' || pair === 'work dwelling' ? step(path, 'unit_type_differs') : null;
}

/** Compares unit and level of a row with the right number and returns the extended path. Null: another address. */
export function compareUnits(
  query: AddressQuery,
  addresses: Addresses,
  row: number,
  path: MatchPath,
): MatchPath | null {
  if (!query.wantsUnit) {
    if (hasUnit(addresses, row)) return step(path, 'unit_not_stated');
    const level = addresses.value('level', row);
    if (query.parsed.level === null) return level === NONE ? path : step(path, 'unit_not_stated');
    // A storey is an address of its own: the whole building is another one.
    return level === query.level && addresses.value('level_type', row) === query.levelType
      ? path
      : step(path, 'unit_absent');
  }
  if (!isPart(addresses, row)) return step(path, 'unit_absent');
  if (addresses.value('flat', row) !== query.unit) return null;
  const typed = compareTypes(query, addresses, row, path);
  return typed === null ? null : compareLevels(query, addresses, row, typed);
}
