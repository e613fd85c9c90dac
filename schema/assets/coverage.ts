import { col, nullable, table } from '../table.ts';

/** Value of `state` for an area in any state. */
export const ANY_STATE = '*';

/** Output of the stage unread_area. */
export const unreadAreaAsset = table({
  schema: 'asset',
  name: 'unread_area',
  doc: 'Where rows of a covered dataset could not be read: there, no feature of the theme does not mean that there is none.',
  columns: {
    dataset: col('text', 'Dataset of the configuration.'),
    theme: col('text', 'zoning, overlay, school, transport, amenity or a hazard layer.'),
    part: col('text', 'Part of the release; empty: all of them.'),
    gap_no: col('int4', 'Number of the gap in the part, from 1.'),
    state: col('text', `State of the area; ${ANY_STATE}: any.`),
    west: nullable(
      'float8',
      'West edge of its box, GDA2020 degrees; null: all that the dataset covers in the state.',
    ),
    south: nullable('float8', 'South edge; null: as west.'),
    east: nullable('float8', 'East edge; null: as west.'),
    north: nullable('float8', 'North edge; null: as west.'),
    reason: nullable('text', 'The row that could not be read, and why; null: the row has a box of its own.'),
  },
  primaryKey: ['dataset', 'theme', 'part', 'gap_no', 'state'],
});
