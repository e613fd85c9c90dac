import { col, nullable, table } from '../table.ts';
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
      'West edge of the box around the feature, GDA2020 degrees; null: its place is not known, so the gap is all that the dataset covers.',
    ),
    south: nullable('float8', 'South edge; null: as west.'),
    east: nullable('float8', 'East edge; null: as west.'),
    north: nullable('float8', 'North edge; null: as west.'),
  },
  primaryKey: ['dataset', 'theme', 'part', 'gap_no'],
});
