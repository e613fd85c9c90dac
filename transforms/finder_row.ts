import { FINDER_DEFAULTS } from '../schema/serving/finder_defaults.ts';
import type { DwellingType } from '../schema/serving/property.ts';
import type { FinderType } from '../schema/serving/property_finder.ts';

/** The finder's kind of each dwelling type; null: land, or what nobody lives in. */
const TYPES: Readonly<Record<DwellingType, FinderType | null>> = {
  house: 'house',
  duplex: 'house',
  rural: 'house',
  unit: 'unit',
  townhouse: 'unit',
  villa: 'unit',
  retirement: 'unit',
  land: null,
  other: null,
};

/** The finder's kind of a dwelling type; null: neither, or the type is not known. */
export const finderType = (type: string | null): FinderType | null => TYPES[type as DwellingType] ?? null;

/** Whole dollars by square metre; null: one of them is not known, there is no land, or it is less than half a dollar. */
export function pricePerSqm(price: number | null, area_sqm: number | null): number | null {
  if (price === null || area_sqm === null || area_sqm <= 0) return null;
  return Math.round(price / area_sqm) || null;
}

/** Numbers and names of an address line without the locality: `5/12-14 SMITH STREET`; null: no street. */
export function streetLine(row: {
  flat_number: string | null;
  number_first: string | null;
  number_last: string | null;
  lot_number: string | null;
  street: string | null;
}): string | null {
  const { flat_number, number_first, number_last, lot_number, street } = row;
  if (street === null) return null;
  const range = number_last === null ? number_first : `${number_first}-${number_last}`;
  const number = range ?? (lot_number === null ? null : `LOT ${lot_number}`);
  if (number === null) return flat_number === null ? street : `${flat_number} ${street}`;
  return `${flat_number === null ? '' : `${flat_number}/`}${number} ${street}`;
}

/** What the finder's defaults judge. */
export interface DefaultFacts {
  lon: number | null;
  price: number | null;
  school_m: number | null;
  public_housing_m: number | null;
  public_housing_covered: boolean;
}

/** A share of a bound, not over 1. */
const shareOf = (metres: number, bound: number): number => Math.min(1, metres / bound);

/**
 * Score of a property in a search without criteria, 0 to 100 with one decimal: the mean of how well price, school and public housing
 * meet their defaults, an unknown one counting 0. Null: such a search leaves it out.
 */
export function defaultScore(row: DefaultFacts): number | null {
  const { price, school_m, public_housing_m } = row;
  const { min_price, max_distance_to_school, max_distance_to_public_housing } = FINDER_DEFAULTS;
  if (price !== null && price < min_price) return null;
  if (school_m === null ? row.lon !== null : school_m > max_distance_to_school) return null;
  const school = school_m === null ? 0 : 1 - shareOf(school_m, max_distance_to_school);
  const away = public_housing_m === null ? null : shareOf(public_housing_m, max_distance_to_public_housing);
  const housing = away ?? (row.public_housing_covered ? 1 : 0);
  const sum = (price === null ? 0 : 1) + school + housing;
  return Math.floor((1000 * sum) / 3 + 0.5) / 10;
}
