import { col, nullable, type Table, table } from '../table.ts';
import { HAZARD_LAYERS } from './hazard.ts';
import { provenance } from './piece.ts';

/** Themes that a source can cover: parcels, zoning, overlays, schools, stops of public transport, amenities, and each hazard layer. */
export const COVERAGE_THEMES = [
  'parcel',
  'zoning',
  'overlay',
  'school',
  'transport',
  'amenity',
  ...HAZARD_LAYERS,
] as const;
export type CoverageTheme = (typeof COVERAGE_THEMES)[number];

/** Value of `area` for a whole state. */
export const WHOLE_STATE = '*';

/** Coverage by state or council, as stated in the dataset's configuration. */
export const coverageAreaRecord = table({
  schema: 'record',
  name: 'coverage_area',
  doc: 'A state or council in which a dataset knows of every feature of a theme: no feature there means that there is none.',
  columns: {
    ...provenance,
    dataset: col('text', 'Dataset of the configuration.'),
    theme: col('text', 'zoning, overlay, school, transport, amenity or a hazard layer.'),
    state: col('text', 'State abbreviation.'),
    area: col('text', `LGA code, or ${WHOLE_STATE} for the whole state.`),
  },
  primaryKey: ['dataset', 'theme', 'state', 'area'],
});

/** Coverage by geometry: the outline that a publisher mapped, cut into grid cells. */
export const coveragePieceRecord = table({
  schema: 'record',
  name: 'coverage_piece',
  doc: 'The part in one grid cell of the outline within which a dataset knows of every feature of a theme.',
  columns: {
    ...provenance,
    cell: col('int4', 'Grid cell.'),
    dataset: col('text', 'Dataset of the configuration.'),
    theme: col('text', 'zoning, overlay, school, transport, amenity or a hazard layer.'),
    outline_no: col('int4', 'Number of the outline in the dataset, from 1.'),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'dataset', 'theme', 'outline_no'],
});

/** Areas without data in a dataset although its coverage claims them. */
export const coverageGapRecord = table({
  schema: 'record',
  name: 'coverage_gap',
  doc: 'Where a feature of a dataset could not be read: no feature of the theme there does not mean that there is none.',
  columns: {
    ...provenance,
    dataset: col('text', 'Dataset of the configuration.'),
    theme: col('text', 'zoning, overlay, school, transport, amenity or a hazard layer.'),
    part: col('text', 'Part of the release.'),
    gap_no: col('int4', 'Number of the gap in the part, from 1.'),
    west: nullable(
      'float8',
      'West edge of the box around the feature, GDA2020 degrees; null: the row has no shape.',
    ),
    south: nullable('float8', 'South edge; null: as west.'),
    east: nullable('float8', 'East edge; null: as west.'),
    north: nullable('float8', 'North edge; null: as west.'),
    state: nullable('text', 'State that a row without a shape names; null: none.'),
    postcode: nullable('text', 'Postcode that it names; null: none.'),
    suburb: nullable('text', 'Suburb that it names, upper case; null: none.'),
    reason: nullable(
      'text',
      'Row and reason of a gap without a box. Without a box and a name, the gap is all that the dataset covers. Null: the gap has a box.',
    ),
  },
  primaryKey: ['dataset', 'theme', 'part', 'gap_no'],
});

/** Rows of a covered dataset, and how many of them are rejected and name no area. */
export const coverageCountRecord = table({
  schema: 'record',
  name: 'coverage_count',
  doc: 'How many rows of a file were read, and how many rejected rows state neither a shape nor an area. Too many of them void the coverage of the dataset.',
  columns: {
    ...provenance,
    dataset: col('text', 'Dataset of the configuration.'),
    theme: col('text', 'zoning, overlay, school, transport, amenity or a hazard layer.'),
    part: col('text', 'Part of the release.'),
    count_no: col('int4', 'Number of the row account in the part, from 1.'),
    kind: col('text', 'Record table that the rows become; empty: they only add to other records.'),
    rows: col('int4', 'Rows read.'),
    unplaced: col('int4', 'Rejected rows that state no place.'),
    example: nullable('text', 'The first of them, with the reason; null: there is none.'),
    kinds: col(
      'text[]',
      'State and kind of the overlays in the part, at most two; in its first count. Empty: no overlays.',
    ),
  },
  primaryKey: ['dataset', 'theme', 'part', 'count_no'],
});

/** Record tables of a dataset that states its coverage. */
export const COVERAGE_RECORDS: readonly Table[] = [
  coverageAreaRecord,
  coveragePieceRecord,
  coverageGapRecord,
  coverageCountRecord,
];

/** Returns whether the rows of a table are what a dataset delivers, not how complete it is. */
export const isFeatureTable = (table: Table): boolean => !COVERAGE_RECORDS.includes(table);
