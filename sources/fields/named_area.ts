import type { NamedArea } from '../../schema/errors.ts';
import { STATE_NAMES } from '../../schema/states.ts';

const STATE_OF_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(STATE_NAMES).flatMap(([state, name]) => [
    [state, state],
    [name.toUpperCase(), state],
  ]),
);

/** State by the first digit of a postcode. 2 is New South Wales or the ACT, 0 the Northern Territory or a post office box of the ACT. */
const STATE_OF_POSTCODE: Readonly<Record<string, string>> = {
  3: 'VIC',
  4: 'QLD',
  5: 'SA',
  6: 'WA',
  7: 'TAS',
};

/** Returns the state abbreviation of a name or abbreviation; null: none, or not in Australia. */
export function stateOf(text: string): string | null {
  return STATE_OF_NAME.get(text.trim().toUpperCase().replaceAll('.', '')) ?? null;
}

/** Reads four digits; a spreadsheet loses the leading zero of the Northern Territory. Null: not a postcode. */
export function postcodeOf(text: string): string | null {
  const digits = /^(\d{3,4})(\.0+)?$/.exec(text)?.[1];
  return digits === undefined ? null : digits.padStart(4, '0');
}

/**
 * Returns the area of a place without coordinates that names its suburb or postcode; undefined: neither. A state alone is left out, so that
 * one row does not take the answers of a whole state: such rows count towards the limit of rows without a place.
 */
export const addressArea = (row: Parameters<typeof namedArea>[0]): NamedArea | undefined =>
  row.suburb.trim() === '' && postcodeOf(row.postcode.trim()) === null ? undefined : namedArea(row);

/** Returns the area that the texts of a row name; undefined: none. A row without a state takes the state of its postcode. */
export function namedArea(row: { state: string; postcode: string; suburb: string }): NamedArea | undefined {
  const postcode = postcodeOf(row.postcode.trim());
  const state = stateOf(row.state) ?? (postcode === null ? null : (STATE_OF_POSTCODE[postcode[0]!] ?? null));
  const suburb = row.suburb.trim().toUpperCase() || null;
  return state === null && postcode === null && suburb === null ? undefined : { state, postcode, suburb };
}
