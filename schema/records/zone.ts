import { col, nullable, table } from '../table.ts';

/** Closed list of zone categories, normalised across states. An unknown code is listed in the run report, never mapped to `other`. */
export const ZONE_CATEGORIES = [
  'residential_low',
  'residential_medium_high',
  'centre_mixed',
  'industrial',
  'rural',
  'conservation',
  'open_space',
  'infrastructure',
  'water',
  'other',
] as const;
export type ZoneCategory = (typeof ZONE_CATEGORIES)[number];

/** Zones cut into grid cells, for the zoning lookup of a point. Source: state planning layers. */
export const zonePieceRecord = table({
  schema: 'record',
  name: 'zone_piece',
  doc: 'The part of a planning zone in one grid cell.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Feature number in the file, from 1.'),
    cell: col('int4', 'Grid cell.'),
    zone_id: col('text', 'State, a colon, and the publisher’s identifier of the feature (Vicmap: PFI).'),
    code: nullable('text', 'Published code such as NRZ1; null: the council ships none.'),
    name: nullable('text', 'Published description, title-cased where it is all upper case; null: none.'),
    category: nullable(
      'text',
      'One of the normalised categories; null: the code is not in the list (reported).',
    ),
    prevails: col(
      'bool',
      'True: the zone counts before those that do not prevail on the same ground (NSW: of a state policy).',
    ),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'zone_id'],
  tracked: 'zone_id',
});
