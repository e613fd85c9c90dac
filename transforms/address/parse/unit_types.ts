/** Class of a flat type. Each class has its own numbering: shop 3, unit 3 and car space 3 of one building are three addresses. */
export type UnitClass = 'dwelling' | 'work' | 'shop' | 'storage' | 'building' | 'other';

/** G-NAF flat type code, its class and its spellings. Source: FLAT_TYPE_AUT, and spellings from advertisements. */
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

/** Returns the flat type code of a word, also of `U` and `F`. Undefined: none. */
export const unitType = (word: string): string | undefined => BY_WRITING.get(word);

/** Returns the class of a flat type code; a number without a type is a dwelling, an unlisted code is `other`. */
export const unitClass = (code: string | null): UnitClass =>
  code === null ? 'dwelling' : (CLASS_OF.get(code) ?? 'other');

/** Words for a level with the G-NAF level type code; those in LONE_LEVELS need no number. */
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

/** Returns the level type code of a word. Undefined: not a level. */
export const levelType = (word: string): string | undefined => LEVELS[word];
/** Returns whether a level needs no number, such as a mezzanine. */
export const isLoneLevel = (word: string): boolean => LONE_LEVELS.has(word);

/** Returns one code for equal levels: `FL` (floor) and `L` (level) of G-NAF are both storeys. */
export const canonicalLevel = (code: string): string => (code === 'FL' ? 'L' : code);
