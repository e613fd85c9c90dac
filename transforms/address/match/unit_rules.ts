import { unitClass } from '../parse/unit_types.ts';
import { type Addresses, NONE } from './addresses.ts';
import type { AddressQuery } from './query.ts';
import { type MatchPath, step } from './reasons.ts';

const hasUnit = (addresses: Addresses, row: number): boolean =>
  addresses.value('flat', row) !== NONE || addresses.value('flat_type', row) !== NONE;

/** True for a row of a part of a building: it has a unit or a level. */
export const isPart = (addresses: Addresses, row: number): boolean =>
  hasUnit(addresses, row) ||
  addresses.value('level', row) !== NONE ||
  addresses.value('level_type', row) !== NONE;

/** The path with what the levels say; null: they name different storeys. */
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
 * The path with what the kinds of unit say; null: another place. A number without a type is that of a dwelling or a workplace;
 * a shop or a car space must be named as what it is, since its numbers are its own.
 */
function compareTypes(
  query: AddressQuery,
  addresses: Addresses,
  row: number,
  path: MatchPath,
): MatchPath | null {
  const code = addresses.text('flat_type', row);
  const wanted = query.parsed.unit!.type;
  if (wanted === code) return path;
  const [kind, wantedKind] = [unitClass(code), query.unitClass];
  if (wanted === null) {
    if (kind === 'dwelling') return path;
    return kind === 'work' || kind === 'shop' ? step(path, 'unit_type_differs') : null;
  }
  if (kind === wantedKind)
    return kind === 'dwelling' || kind === 'work' ? step(path, 'unit_type_differs', 0.01) : null;
  const pair = `${wantedKind} ${kind}`;
  return pair === 'dwelling work' || pair === 'work dwelling' ? step(path, 'unit_type_differs') : null;
}

/** The path of a row whose number fits, with what its unit and level say; null: it is another place. */
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
    // A storey is a place of its own: the whole building is another.
    return level === query.level && addresses.value('level_type', row) === query.levelType
      ? path
      : step(path, 'unit_absent');
  }
  if (!isPart(addresses, row)) return step(path, 'unit_absent');
  if (addresses.value('flat', row) !== query.unit) return null;
  const typed = compareTypes(query, addresses, row, path);
  return typed === null ? null : compareLevels(query, addresses, row, typed);
}
