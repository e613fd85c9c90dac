import { col, nullable, table } from '../table.ts';

/** Rows for demographics by category: age, tenure, household, ancestry, birthplace, education, occupation, incomes and others. */
export const regionCensusTable = table({
  schema: 'serving',
  name: 'region_census',
  doc: 'The counts of one Census subject in a suburb or region by category, with their Census names. The ABS adjusts counts by small random amounts.',
  columns: {
    level: col('text', 'SAL SA2 SA3 SA4 LGA POA STE.'),
    code: col('text', 'ABS code.'),
    subject: col(
      'text',
      'age, ancestry, birthplace, personal_income, household_income, mortgage, rent, tenure, household, education, industry or occupation.',
    ),
    state: nullable('text', 'State abbreviation; null: the level crosses states.'),
    census_year: col('int2', 'Census year.'),
    counted: nullable(
      'int4',
      'Number that answered: persons; for ancestry, responses; for household_income and household, households; for mortgage, rent and tenure, dwellings; null: no total.',
    ),
    categories: col(
      'jsonb',
      'List of {category, census_name, persons, share}, largest first; share is a fraction of counted, null where counted is below 30. Counts of 0 are absent.',
    ),
  },
  primaryKey: ['level', 'code', 'subject'],
});
