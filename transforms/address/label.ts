/** The parts of an address as they are written. Null or an empty text: not stated. */
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
  /** As formatStreet writes it. */
  street: string | null;
  /** Stands for the street where there is none. */
  location_description: string | null;
  locality_name: string;
  state: string;
  postcode: string | null;
}

/** Street as it is written: name, long type and suffix name, for example `ARMSTRONG STREET NORTH`. */
export function formatStreet(name: string, type: string | null, suffix: string | null): string {
  let street = name;
  if (type) street += ` ${type}`;
  if (suffix) street += ` ${suffix}`;
  return street;
}

const pair = (type: string | null, number: string | null): string =>
  type ? (number ? `${type} ${number}` : type) : (number ?? '');

/** Number or range of the street, `LOT n` where there is no number, empty where there is neither. */
function formatNumber(parts: LabelParts): string {
  const { number_first: first, number_last: last, lot_number: lot } = parts;
  if (first) return last ? `${first}-${last}` : first;
  if (last) return last;
  return lot ? `LOT ${lot}` : '';
}

/**
 * Formatted address, upper case: `LEVEL 3, SUITE 11A, COMO CENTRE, 299 TOORAK ROAD, SOUTH YARRA VIC 3141`.
 * Level, flat, building, number with street, locality with state and postcode, joined by `, `; what is not stated is left
 * out. Long forms throughout: STREET, UNIT, NORTH. A lot shows only where there is no street number. A flat type may stand
 * without a number (`REAR`); a flat number without a type goes before the street number (`5/17 ALEXANDER STREET`), and
 * stands alone where there is none.
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
