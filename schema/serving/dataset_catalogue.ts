import { col, nullable, table } from '../table.ts';

/** Datasets behind the served data, for pages of sources and licences. A view over the control tables, written at each publication. */
export const datasetCatalogueTable = table({
  schema: 'serving',
  name: 'dataset_catalogue',
  doc: 'One dataset as loaded at the last publication, with its licence and freshness.',
  columns: {
    dataset: col('text', 'Name in the configuration.'),
    adapter: col('text', 'Source adapter.'),
    title: col('text', 'Title of the dataset.'),
    publisher: col('text', 'Publisher.'),
    release: col('text', 'Release label.'),
    release_date: nullable(
      'date',
      'Date in the release label, the first day of a month or year; null: the label has none.',
    ),
    crs: col('text', 'CRS of the files, as applied.'),
    parts: col('text[]', 'Parts read, such as states, sorted.'),
    records: col('float8', 'Rows that became records.'),
    rejects: col('float8', 'Rows rejected as wrong.'),
    left_out: col('float8', 'Rows left out on purpose.'),
    coverage: col(
      'jsonb',
      'Where the dataset is complete: a list of theme, state and areas, * for a whole state.',
    ),
    licence: col('text', 'Licence under which it is used.'),
    attribution: col('text', 'Attribution to display.'),
    cadence: col('text', 'How often the publisher delivers.'),
    cadence_days: nullable('int4', 'Days after which a release is overdue; null: no fixed release cycle.'),
    loaded_at: col('text', 'Time of loading, UTC, ISO 8601.'),
    age_days: col(
      'int4',
      'Days since the release date, or since loading where the label has no date, at query time.',
    ),
    is_late: nullable('bool', 'The release is overdue; null: no fixed release cycle.'),
  },
  primaryKey: ['dataset'],
});
