import { col, nullable, table } from '../table.ts';

/** Levels of the areas that have properties. */
const SEARCH_LEVELS = ['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA', 'GCCSA', 'STE'] as const;

/** Rows for the suburb search and the profiles of regions; maps names of areas to codes. */
export const searchAreaTable = table({
  schema: 'serving',
  name: 'search_area',
  doc: 'One suburb, region or state with a property, with its search names.',
  columns: {
    level: col('text', 'SAL SA2 SA3 SA4 LGA POA GCCSA STE.'),
    code: col('text', 'ABS code; for a state, its abbreviation.'),
    name: col(
      'text',
      'Canonical ABS name, for a suburb with its parenthesised state if it has one; for a POA, its code.',
    ),
    name_key: col(
      'text',
      'Comparable form of the name without its parentheses: upper case, no spaces, compass and common words in one spelling.',
    ),
    state: col('text', 'State abbreviation of most of its properties; ties go to the first by name.'),
    sa2: nullable(
      'text',
      'SA2 of most properties of a suburb, ties to the lowest code; for an SA2, its code; null: another region, or not located.',
    ),
    sa3: nullable('text', 'SA3 of that SA2; for an SA3, its code; null: another region, or not located.'),
    sa4: nullable('text', 'SA4 of that SA2; null: not a suburb, or not located.'),
    gccsa: nullable('text', 'GCCSA of that SA2; null: not a suburb, or not located.'),
    lga: nullable(
      'text',
      'LGA of most properties of a suburb, ties to the lowest code; null: not a suburb, or not located.',
    ),
    properties: col('int4', 'Number of properties.'),
    by_default: nullable(
      'int4',
      'Number of its property_finder rows that a search without criteria finds; null: an SA2 or POA, which the finder does not search.',
    ),
    covered: col(
      'text[]',
      'Themes of property_coverage that a source covers at every one of its properties, sorted.',
    ),
    min_lon: nullable('float8', 'West edge of their points, GDA2020 degrees; null: none has coordinates.'),
    min_lat: nullable('float8', 'South edge.'),
    max_lon: nullable('float8', 'East edge.'),
    max_lat: nullable('float8', 'North edge.'),
  },
  primaryKey: ['level', 'code'],
  indexes: [{ columns: ['name_key'] }, { columns: ['level', 'name'] }],
  checks: {
    search_area_level: `level IN (${SEARCH_LEVELS.map((level) => `'${level}'`).join(', ')})`,
    search_area_properties: 'properties > 0',
  },
});
