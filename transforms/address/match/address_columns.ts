/** Marks a missing number, type or link. */
export const NONE = -1;
/** Marks missing coordinates. Coordinates are in millionths of a degree (0.1 m). */
export const NO_PLACE = 2 ** 31 - 1;
export const MICRODEGREES = 1e6;

/** Integer columns that the index keeps per address. */
export const ADDRESS_COLUMNS = [
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
export type ColumnName = (typeof ADDRESS_COLUMNS)[number];

/** Columns whose values are ids in `numbers`: `12A`, `G1`. */
export const NUMBER_COLUMNS: ReadonlySet<ColumnName> = new Set(['first', 'last', 'flat', 'level', 'lot']);
/** Columns whose values are ids in `texts`. */
export const TEXT_COLUMNS: ReadonlySet<ColumnName> = new Set([
  'flat_type',
  'level_type',
  'building',
  'postcode',
]);
