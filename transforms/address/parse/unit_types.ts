/**
 * What kind of part of a building a flat type names. Numbers are counted apart in each: shop 3, unit 3 and car space 3 of
 * one building are three places.
 */
export type UnitClass = 'dwelling' | 'work' | 'shop' | 'storage' | 'building' | 'other';

/** G-NAF flat type code, its class, and the ways it is written. Source: FLAT_TYPE_AUT, and forms seen in advertisements. */
const TYPES: readonly (readonly [code: string, kind: UnitClass, writings: string])[] = [
  ['UNIT', 'dwelling', 'UNIT UNITS U UN UNT UT'],
  ['FLAT', 'dwelling', 'FLAT FLATS F FLT'],
  ['APT', 'dwelling', 'APARTMENT APARTMENTS APT APTS APPT APMT AP'],
  ['TNHS', 'dwelling', 'TOWNHOUSE TNHS TH THSE TOWNHSE'],
  ['VLLA', 'dwelling', 'VILLA VLLA VIL'],
  ['STU', 'dwelling', 'STUDIO STU'],
  ['DUPL', 'dwelling', 'DUPLEX DUPL'],
  ['HSE', 'dwelling', 'HOUSE HSE'],
  ['MSNT', 'dwelling', 'MAISONETTE MSNT'],
  ['PTHS', 'dwelling', 'PENTHOUSE PTHS PH'],
  ['CTGE', 'dwelling', 'COTTAGE CTGE'],
  ['BNGW', 'dwelling', 'BUNGALOW BNGW'],
  ['LOFT', 'dwelling', 'LOFT'],
  ['SE', 'work', 'SUITE SUITES STE SE'],
  ['OFFC', 'work', 'OFFICE OFF OFFC OFC'],
  ['FCTY', 'work', 'FACTORY FCTY FY FACT'],
  ['WHSE', 'work', 'WAREHOUSE WHSE WSE'],
  ['WKSH', 'work', 'WORKSHOP WKSH'],
  ['TNCY', 'work', 'TENANCY TNCY TEN'],
  ['SHRM', 'work', 'SHOWROOM SHRM'],
  ['SHOP', 'shop', 'SHOP SHOPS SHP'],
  ['KSK', 'shop', 'KIOSK KSK'],
  ['STLL', 'shop', 'STALL STLL'],
  ['CARS', 'storage', 'CARSPACE CARS'],
  ['CARP', 'storage', 'CARPARK CARP'],
  ['GRGE', 'storage', 'GARAGE GRGE'],
  ['STOR', 'storage', 'STORE STOR STORAGE'],
  ['SHED', 'storage', 'SHED'],
  ['BTSD', 'storage', 'BOATSHED BTSD'],
  ['MBTH', 'storage', 'MBTH BERTH'],
  ['CAGE', 'storage', 'CAGE'],
  ['BLDG', 'building', 'BUILDING BLDG BLD'],
  ['BLCK', 'building', 'BLOCK BLCK BLK'],
  ['TWR', 'building', 'TOWER TWR'],
  ['ROOM', 'other', 'ROOM RM'],
  ['SITE', 'other', 'SITE'],
  ['REAR', 'other', 'REAR'],
  ['WARD', 'other', 'WARD'],
  ['HALL', 'other', 'HALL'],
  ['ATM', 'other', 'ATM'],
];

const BY_WRITING = new Map(TYPES.flatMap(([code, , writings]) => writings.split(' ').map((w) => [w, code])));
const CLASS_OF = new Map<string, UnitClass>(TYPES.map(([code, kind]) => [code, kind]));

/** Flat type code of a word; undefined: it is none. `U` and `F` are among them. */
export const unitType = (word: string): string | undefined => BY_WRITING.get(word);

/** Class of a flat type code; a number without a type counts as a dwelling, an unlisted code as `other`. */
export const unitClass = (code: string | null): UnitClass =>
  code === null ? 'dwelling' : (CLASS_OF.get(code) ?? 'other');

/** Words that name a level, with the G-NAF level type code; those in LONE_LEVELS stand without a number. */
const LEVELS: Readonly<Record<string, string>> = {
  LEVEL: 'L',
  LEVELS: 'L',
  LVL: 'L',
  LEV: 'L',
  LV: 'L',
  FLOOR: 'L',
  FLR: 'L',
  FL: 'L',
  L: 'L',
  BASEMENT: 'B',
  MEZZANINE: 'M',
  MEZZ: 'M',
  ROOFTOP: 'RT',
  PODIUM: 'PDM',
};
const LONE_LEVELS: ReadonlySet<string> = new Set(['BASEMENT', 'MEZZANINE', 'MEZZ', 'ROOFTOP', 'PODIUM']);

/** Level type code of a word; undefined: it names no level. */
export const levelType = (word: string): string | undefined => LEVELS[word];
/** True for a level that needs no number, such as a mezzanine. */
export const isLoneLevel = (word: string): boolean => LONE_LEVELS.has(word);

/** One code for those that mean the same: `FL` (floor) and `L` (level) of G-NAF are both storeys. */
export const canonicalLevel = (code: string): string => (code === 'FL' ? 'L' : code);
