/** Parts of an address as written. Null or empty: not stated. */
export interface LabelParts {
  /** Name, not code: LEVEL, GROUND, LOWER GROUND FLOOR. */
  level_type: string | null;
  level_number: string | null;
  /** Name, not code: UNIT, APARTMENT, CARSPACE. */
  flat_type: string | null;
  flat_number: string | null;
  building_name: string | null;
  lot_number: string | null;
  number_first: string | null;
  number_last: string | null;
  /** As formatStreet returns it. */
  street: string | null;
  /** Replaces the street if there is none. */
  location_description: string | null;
  locality_name: string;
  state: string;
  postcode: string | null;
}

/** Returns the street as written: name, long type and suffix name, for example `ARMSTRONG STREET NORTH`. */
export function formatStreet(name: string, type: string | null, suffix: string | null): string {
  let street = name;
  if (type) street += ` ${type}`;
  if (suffix) street += ` ${suffix}`;
  return street;
}

const pair = (type: string | null, number: string | null): string =>
  type ? (number ? `${type} ${number}` : type) : (number ?? '');

/** Returns the street number or range, else `LOT n`, else an empty text. */
function formatNumber(parts: LabelParts): string {
  const { number_first: first, number_last: last, lot_number: lot } = parts;
  if (first) return last ? `${first}-${last}` : first;
  if (last) return last;
  return lot ? `LOT ${lot}` : '';
}

/**
 * Formats an address in upper case: `LEVEL 3, SUITE 11A, COMO CENTRE, 299 TOORAK ROAD, SOUTH YARRA VIC 3141`.
 * Level, flat, building, number with street, and locality with state and postcode are joined by `, `; unstated parts are left out.
 * Names are long: STREET, UNIT, NORTH. A lot only appears without a street number.
 * A flat type may appear without a number (`REAR`). A flat number without a type goes before the street number (`5/17 ALEXANDER
 * STREET`), or on its own if there is none.
 */
export function formatLabel(parts: LabelParts): string {
  let label = '';
  const level = pair(parts.level_type, parts.level_number);
  if (level) label = `${level}, `;
  const number = formatNumber(parts);
  const slashed = !parts.flat_type && parts.flat_number && number;
  const flat = slashed ? '' : pair(parts.flat_type, parts.flat_number);
  if (flat) label += `${flat}, `;
  if (parts.building_name) label += `${parts.building_name}, `;
  if (slashed) label += `${parts.flat_number}/`;
  label += number;
  const street = parts.street || parts.location_description;
  if (street) label += number ? ` ${street}, ` : `${street}, `;
  else if (number) label += ', ';
  label += `${parts.locality_name} ${parts.state}`;
  if (parts.postcode) label += ` ${parts.postcode}`;
  return label.toUpperCase();
}
