import type { DwellingType } from '../schema/serving/property.ts';

/** G-NAF flat types that name a kind of dwelling; every other one that is not listed as a workplace is a unit. */
const DWELLINGS: Readonly<Record<string, DwellingType>> = {
  TNHS: 'townhouse',
  VLLA: 'villa',
  DUPL: 'duplex',
  HSE: 'house',
  CTGE: 'house',
  BNGW: 'house',
};

/** G-NAF flat types that nobody lives in. */
const NOT_DWELLINGS: ReadonlySet<string> = new Set(
  'ATM ANT BBQ BTSD CAGE CARP CARS CLUB COOL FCTY GRGE HALL KSK LBBY LSE MBTH OFFC RESV ROOM SE SHED SHOP SHRM SIGN SITE STLL STOR SUBS TNCY VLT WARD WHSE WKSH'.split(
    ' ',
  ),
);

/**
 * The kind of dwelling that an address implies, or null where it implies none. A numbered address without a flat is taken as
 * a house, the parent address of a building as `other`, an address of a lot alone as land.
 */
export function impliedDwellingType(address: {
  flat_type: string | null;
  flat_number: string | null;
  primary_secondary: string | null;
  number_first: string | null;
  lot_number: string | null;
}): DwellingType | null {
  const { flat_type, flat_number, primary_secondary, number_first, lot_number } = address;
  if (flat_type !== null && NOT_DWELLINGS.has(flat_type)) return 'other';
  if (flat_type !== null && flat_type in DWELLINGS) return DWELLINGS[flat_type]!;
  if (flat_type !== null || flat_number !== null || primary_secondary === 'S') return 'unit';
  if (primary_secondary === 'P') return 'other';
  if (number_first !== null) return 'house';
  return lot_number !== null ? 'land' : null;
}
