import { searchAreaTable } from '../serving/search_area.ts';
import { col, nullable, table } from '../table.ts';

/** Output of the stage finder_market. */
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
  tracked: 'sal',
});

/** Output of the stage property_tally. */
export const propertyTallyAsset = table({
  schema: 'asset',
  name: 'property_tally',
  doc: 'What counts over the whole country take from a property, so that a night of events reads one narrow row of each.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    cell: col('int4', 'Home cell.'),
    state: col('text', 'State abbreviation.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    sa4: nullable('text', 'SA4 code; null: not located.'),
    gccsa: nullable('text', 'GCCSA code; null: not located.'),
    lga: nullable('text', 'LGA code; null: not located.'),
    sal: nullable('text', 'Suburb: canonical ABS SAL name; null: not located.'),
    is_default: col('bool', 'A search of the finder without criteria finds it.'),
    known: nullable(
      'int2',
      'Of the fields of property_finder that a sandbox sample should have, those with a value; null: it has no coordinates or no suburb.',
    ),
    filled: col(
      'text',
      'For each field of field_coverage, in their order, 1: it has a value, 0: it has none.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
});

const { by_default: _byDefault, name_key: _nameKey, ...ofProperties } = searchAreaTable.columns;

/** Output of the stage search_place. */
export const searchPlaceAsset = table({
  schema: 'asset',
  name: 'search_place',
  doc: 'An area as its properties make it: all of search_area that no event changes.',
  columns: ofProperties,
  primaryKey: ['level', 'code'],
});
