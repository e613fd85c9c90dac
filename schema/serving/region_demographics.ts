import { col, nullable, table } from '../table.ts';
import { censusMeasures } from './census_measures.ts';

/** Levels of the served suburbs and regions. */
export const SERVED_LEVELS = ['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA', 'STE'] as const;

/** Rows for the demographics of suburbs and regions. */
export const regionDemographicsTable = table({
  schema: 'serving',
  name: 'region_demographics',
  doc: 'Census shares and medians and the socio-economic indexes of a suburb or region.',
  columns: {
    level: col('text', 'SAL SA2 SA3 SA4 LGA POA STE.'),
    code: col('text', 'ABS code.'),
    name: nullable(
      'text',
      'ABS name, verbatim; for a SAL, the key of the suburb endpoints; null: not in the loaded boundaries.',
    ),
    state: nullable('text', 'State abbreviation; null: the level crosses states.'),
    census_year: col('int2', 'Census year.'),
    ...censusMeasures,
    irsd_score: nullable(
      'float8',
      'SEIFA disadvantage score, national mean 1000; null: excluded or not delivered.',
    ),
    irsd_decile: nullable('int2', 'Its national decile, 1 most disadvantaged; null: no score.'),
    irsad_score: nullable(
      'float8',
      'SEIFA advantage and disadvantage score; null: excluded or not delivered.',
    ),
    irsad_decile: nullable('int2', 'Its national decile; null: no score.'),
    irsad_percentile: nullable('int2', 'Its national percentile; null: no score.'),
    ier_decile: nullable('int2', 'Economic resources, national decile; null: no score.'),
    ieo_decile: nullable('int2', 'Education and occupation, national decile; null: no score.'),
  },
  primaryKey: ['level', 'code'],
});
