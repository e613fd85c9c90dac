import { col, nullable, table } from '../table.ts';

/** Supported ABS levels, finest first; SAL, LGA and POA are outside the main structure. */
const REGION_LEVELS = ['MB', 'SA1', 'SA2', 'SA3', 'SA4', 'GCCSA', 'STE', 'SAL', 'LGA', 'POA'] as const;
export type RegionLevel = (typeof REGION_LEVELS)[number];

const identity = {
  load_id: col('int4', 'Load that brought the row.'),
  source_no: col('int4', 'Feature number in the file, from 1.'),
  edition: col(
    'int2',
    'ASGS edition: 3 for 2021 to 2025 boundaries, 4 from 2026. Codes of two editions never join.',
  ),
  year: col('int2', 'Year of the boundaries of this level, for example 2021, or 2022 for an LGA file.'),
  level: col('text', 'MB SA1 SA2 SA3 SA4 GCCSA STE SAL LGA POA.'),
  code: col('text', 'ABS code within edition and level; codes repeat across levels.'),
  name: nullable(
    'text',
    'ABS name, verbatim (a SAL keeps its parenthesised state); null: the level has no names.',
  ),
} as const;

const parents = {
  sa1: nullable('text', 'Code of the SA1 above; null: not above this level, or not stated.'),
  sa2: nullable('text', 'Code of the SA2 above (own code on an SA2); null: not stated.'),
  sa2_name: nullable('text', 'Name of that SA2.'),
  sa3: nullable('text', 'Code of the SA3 above (own code on an SA3).'),
  sa3_name: nullable('text', 'Name of that SA3.'),
  sa4: nullable('text', 'Code of the SA4 above (own code on an SA4).'),
  sa4_name: nullable('text', 'Name of that SA4.'),
  gccsa: nullable('text', 'Code of the GCCSA above (own code on a GCCSA).'),
  gccsa_name: nullable('text', 'Name of that GCCSA.'),
  ste: nullable('text', 'State digit 1 to 9; null: the level crosses states (POA) or is outside Australia.'),
} as const;

/** Source: ABS ASGS digital boundary files. */
export const regionRecord = table({
  schema: 'record',
  name: 'region',
  doc: 'One ABS region with the regions above it, special-purpose codes without a shape included.',
  columns: {
    ...identity,
    ...parents,
    mb_category: nullable('text', 'Mesh block category such as Residential; null on other levels.'),
    area_sqkm: nullable(
      'float8',
      'Area as published, square kilometres; null: not stated (special-purpose codes).',
    ),
    has_geometry: col('bool', 'False for special-purpose codes (no usual address, migratory …).'),
    outline: nullable(
      'bytea',
      'WKB multipolygon simplified for maps, within about 20 m, GDA2020 degrees; null: no geometry, or a mesh block, SA1 or a level above SA4.',
    ),
  },
  primaryKey: ['edition', 'level', 'year', 'code'],
  indexes: [{ columns: ['level', 'code'] }],
});

/** Regions cut into grid cells, for point-in-polygon lookups. */
export const regionPieceRecord = table({
  schema: 'record',
  name: 'region_piece',
  doc: 'The part of a region in one grid cell, with the attributes that a located point takes from it.',
  columns: {
    ...identity,
    ...parents,
    cell: col('int4', 'Grid cell.'),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'edition', 'level', 'year', 'code'],
});
