import { col, nullable, table } from '../table.ts';

/** The datasets behind what is served, for pages of sources and licences. A view over the books, written at each publication. */
export const datasetCatalogueTable = table({
  schema: 'serving',
  name: 'dataset_catalogue',
  doc: 'One dataset as it was loaded when the last publication was made, with its licence and how fresh it is.',
  columns: {
    dataset: col('text', 'Name in the configuration.'),
    adapter: col('text', 'Source adapter.'),
    title: col('text', 'What it is.'),
    publisher: col('text', 'Who publishes it.'),
    release: col('text', 'Release label.'),
    release_date: nullable(
      'date',
      'Day that the label states, the first of a month or year; null: it states none.',
    ),
    crs: col('text', 'CRS of the files, as applied.'),
    parts: col('text[]', 'Parts that were read, such as states, sorted.'),
    records: col('float8', 'Rows that became records.'),
    rejects: col('float8', 'Rows that were set aside as wrong.'),
    left_out: col('float8', 'Rows that were left out on purpose.'),
    coverage: col(
      'jsonb',
      'Where it knows of every feature: a list of theme, state and areas, * for a whole state.',
    ),
    licence: col('text', 'Licence under which it is used.'),
    attribution: col('text', 'Text to show.'),
    cadence: col('text', 'How often the publisher delivers.'),
    cadence_days: nullable('int4', 'Days after which a release is late; null: no fixed rhythm.'),
    loaded_at: col('text', 'When it was loaded, UTC, ISO 8601.'),
    age_days: col(
      'int4',
      'Days since the release date, or since it was loaded where the label states none, as of the reading.',
    ),
    is_late: nullable('bool', 'The age is more than the cadence allows; null: no fixed rhythm.'),
  },
  primaryKey: ['dataset'],
});
