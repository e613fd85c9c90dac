import { col, nullable, table } from '../table.ts';

/** Made by the stage search_area_part. */
export const searchAreaPartAsset = table({
  schema: 'asset',
  name: 'search_area_part',
  doc: 'Properties of one grid cell in each area that a search may name: the partial sums of search_area.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    level: col('text', 'SAL SA2 SA3 SA4 LGA POA GCCSA STE.'),
    code: col('text', 'ABS code; of a state its abbreviation.'),
    name: col('text', 'ABS name, verbatim; of a POA its code.'),
    state: col('text', 'State abbreviation.'),
    sa2: col(
      'text',
      'SA2 of a suburb’s properties, or the SA2 itself; empty: another region, or not located.',
    ),
    sa3: col('text', 'SA3 of that SA2, or the SA3 itself; empty: another region, or not located.'),
    properties: col('int4', 'Number of properties.'),
    covered: col('text[]', 'Themes that some source covers at every one of them, sorted.'),
    min_lon: nullable('float8', 'West edge of their points; null: none has coordinates.'),
    min_lat: nullable('float8', 'South edge.'),
    max_lon: nullable('float8', 'East edge.'),
    max_lat: nullable('float8', 'North edge.'),
  },
  primaryKey: ['cell', 'level', 'code', 'state', 'sa2'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage finder_count. */
export const finderCountAsset = table({
  schema: 'asset',
  name: 'finder_count',
  doc: 'Properties of one grid cell that a search without criteria finds in each area: the partial sums of search_area.by_default.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    level: col('text', 'SAL SA3 SA4 LGA GCCSA STE.'),
    area: col('text', 'Name of a SAL; code of another region; abbreviation of a state.'),
    found: col('int4', 'Number of properties.'),
  },
  primaryKey: ['cell', 'level', 'area'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage sandbox_candidate. */
export const sandboxCandidateAsset = table({
  schema: 'asset',
  name: 'sandbox_candidate',
  doc: 'The property with data on most endpoints of each state in one grid cell.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    state: col('text', 'State abbreviation.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    sal: col('text', 'Suburb.'),
    gnaf_pid: col('text', 'Property.'),
    subjects: col('text[]', 'What there is data on, sorted.'),
  },
  primaryKey: ['cell', 'state'],
});

/** Made by the stage field_coverage_part. */
export const fieldCoveragePartAsset = table({
  schema: 'asset',
  name: 'field_coverage_part',
  doc: 'Properties of a suburb in one grid cell, and how many of them have a value of each field.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    sal: col('text', 'Suburb.'),
    state: col('text', 'State abbreviation.'),
    properties: col('int4', 'Number of properties.'),
    filled: col('int4[]', 'Properties with a value, in the order of the fields of the stage.'),
  },
  primaryKey: ['cell', 'sal', 'state'],
});

/** Made by the stage finder_market. */
export const finderMarketAsset = table({
  schema: 'asset',
  name: 'finder_market',
  doc: 'Growth of the market of the suburbs of one grid cell: a change of a suburb’s figures reaches the cells that it lies in, and no other.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    sal: col('text', 'Suburb.'),
    market: col('text', 'house or unit.'),
    growth_percent: nullable('float8', 'Growth of the median price over a year; null: suppressed.'),
    growth_forecast_percent: nullable('float8', 'Forecast of it for the next year; null: none.'),
  },
  primaryKey: ['cell', 'sal', 'market'],
});
