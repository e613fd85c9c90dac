/** Stands for a number, type or link that an address does not have. */
export const NONE = -1;
/** Coordinates are kept in millionths of a degree (0.1 m); this stands for none. */
export const NO_PLACE = 2 ** 31 - 1;
export const MICRODEGREES = 1e6;

/** Columns of whole numbers that the index keeps of each address. */
export const COLUMNS = [
  'street',
  'first',
  'last',
  'flat_type',
  'flat',
  'level_type',
  'level',
  'lot',
  'building',
  'postcode',
  'live',
  'lon',
  'lat',
] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** Columns whose values are numbers of `numbers`: `12A`, `G1`. */
export const NUMBER_COLUMNS: ReadonlySet<ColumnName> = new Set(['first', 'last', 'flat', 'level', 'lot']);
/** Columns whose values are numbers of `texts`. */
export const TEXT_COLUMNS: ReadonlySet<ColumnName> = new Set([
  'flat_type',
  'level_type',
  'building',
  'postcode',
]);
