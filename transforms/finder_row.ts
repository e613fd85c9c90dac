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

/** Whole dollars by square metre; null: one of them is not known, or there is no land. */
export function pricePerSqm(price: number | null, area_sqm: number | null): number | null {
  return price === null || area_sqm === null || area_sqm <= 0 ? null : Math.round(price / area_sqm);
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
