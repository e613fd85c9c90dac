import { FINDER_DEFAULTS } from '../../schema/serving/finder_defaults.ts';
import type { DwellingType } from '../../schema/serving/property.ts';
import type { FinderType } from '../../schema/serving/property_finder.ts';

/** Dwelling types of each finder type; all others are land, or not lived in. */
const TYPES: Readonly<Record<FinderType, readonly DwellingType[]>> = {
  house: ['house', 'duplex', 'rural'],
  unit: ['unit', 'townhouse', 'villa', 'retirement'],
};

/** SQL expression: the finder type of a dwelling type (SQL too). Null: neither, or unknown. */
export const finderTypeSql = (type: string): string =>
  `CASE ${Object.entries(TYPES)
    .map(([kind, types]) => `WHEN ${type} IN (${types.map((each) => `'${each}'`).join(', ')}) THEN '${kind}'`)
    .join(' ')} END`;

/** SQL expression: whole dollars per square metre. Null: price or land area is unknown, the land area is 0, or the result is below half a dollar. */
export const PRICE_PER_SQM =
  'CASE WHEN land_area_sqm > 0 THEN NULLIF(floor(price::float8 / land_area_sqm + 0.5), 0) END';

/** Address columns of the street line. */
export const STREET_COLUMNS = ['flat_number', 'number_first', 'number_last', 'lot_number', 'street'] as const;

/** SQL expression: numbers and street of an address line without the locality: `5/12-14 SMITH STREET`. Null: no street. */
export const STREET_LINE = `COALESCE(NULLIF(concat_ws('/', flat_number,
    COALESCE(number_first || COALESCE('-' || number_last, ''), 'LOT ' || lot_number)), '') || ' ', '') || street`;

const { min_price, max_distance_to_school, max_distance_to_public_housing } = FINDER_DEFAULTS;

/** SQL expression: a distance in metres as a share of a bound, at most 1; `unknown` is the SQL for an unknown distance. */
const shareOf = (metres: string, bound: number, unknown: string): string =>
  `LEAST(1, COALESCE(${metres} / ${bound}::float8, ${unknown}))`;

/**
 * SQL expression: score of a property in a search without criteria, 0 to 100 with one decimal. It is the mean of how well price,
 * school and public housing meet their defaults; unknown counts 0. Null: such a search excludes it, like everything that is neither
 * house nor unit.
 */
export const DEFAULT_SCORE = `CASE
    WHEN property_type IS NULL OR price < ${min_price} OR school_m > ${max_distance_to_school} OR school_m IS NULL AND lon IS NOT NULL THEN NULL
    ELSE floor(1000 * (CASE WHEN price IS NULL THEN 0 ELSE 1 END
      + (1 - ${shareOf('school_m', max_distance_to_school, '1')})
      + ${shareOf('public_housing_m', max_distance_to_public_housing, 'public_housing_covered::int')}) / 3 + 0.5) / 10 END`;
