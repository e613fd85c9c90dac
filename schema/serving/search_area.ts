import { col, nullable, table } from '../table.ts';

/** Levels of the areas that have properties. */
export const SEARCH_LEVELS = ['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA', 'GCCSA', 'STE'] as const;
export type SearchLevel = (typeof SEARCH_LEVELS)[number];

/** Answers the suburb search and the profiles of regions, and turns the names of areas into codes. */
export const searchAreaTable = table({
  schema: 'serving',
  name: 'search_area',
  doc: 'One suburb, region or state that has a property, by the names under which it is searched.',
  columns: {
    level: col('text', 'SAL SA2 SA3 SA4 LGA POA GCCSA STE.'),
    code: col('text', 'ABS code; of a state its abbreviation.'),
    name: col(
      'text',
      'Canonical ABS name, of a suburb with its parenthesised state when it has one; of a POA its code.',
    ),
    name_key: col(
      'text',
      'Comparable form of the name without its parentheses: upper case, no spaces, compass and common words in one spelling.',
    ),
    state: col('text', 'State abbreviation; of most of its properties, ties to the first by name.'),
    sa2: nullable(
      'text',
      'SA2 of most properties of a suburb, ties to the lowest code; of an SA2 its code; null: another region, or not located.',
    ),
    sa3: nullable('text', 'SA3 of that SA2; of an SA3 its code; null: another region, or not located.'),
    properties: col('int4', 'Number of properties.'),
    by_default: nullable(
      'int4',
      'Number of its rows in property_finder that a search without criteria finds; null: an SA2 or POA, which a search cannot name.',
    ),
    covered: col(
      'text[]',
      'Themes of property_coverage that some source covers at every property of it, sorted.',
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
