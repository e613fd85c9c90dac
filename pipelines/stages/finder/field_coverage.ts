import { propertyTallyAsset } from '../../../schema/assets/api.ts';
import { fieldCoverageTable } from '../../../schema/serving/field_coverage.ts';
import { FINDER_AREA_COLUMN } from '../../../schema/serving/finder_levels.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyAvmTable } from '../../../schema/serving/property_avm.ts';
import { propertyBasicsTable } from '../../../schema/serving/property_basics.ts';
import { propertyFinderTable } from '../../../schema/serving/property_finder.ts';
import { propertyProfileTable } from '../../../schema/serving/property_profile.ts';
import { propertyProximityTable } from '../../../schema/serving/property_proximity.ts';
import { propertyZoningTable } from '../../../schema/serving/property_zoning.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { SANDBOX_FIELDS } from './sandbox_sample.ts';

/** Counted columns by serving table. A property without a row there has no value. */
const FIELDS = {
  property: ['lon', 'parcel_id', 'land_area_sqm', 'dwelling_type', 'postcode'],
  property_profile: ['mesh_block', 'sa2', 'lga', 'poa'],
  property_zoning: ['code', 'category'],
  property_proximity: [
    'school_m',
    'supermarket_m',
    'park_m',
    'restaurant_m',
    'beach_m',
    'railway_m',
    'train_m',
    'tram_m',
    'bus_m',
    'ferry_m',
    'public_housing_m',
  ],
  property_basics: [
    'bedrooms',
    'bathrooms',
    'parking',
    'floor_area_sqm',
    'year_built',
    'features_date',
    'listing_date',
    'sale_price',
    'rent_pw',
  ],
  property_avm: ['predicted_price', 'rent_aud_pw'],
} as const;

/** Every counted field, in a fixed order. */
const FIELD_NAMES = Object.entries(FIELDS).flatMap(([table, columns]) =>
  columns.map((column) => `${table}.${column}`),
);

const AREAS = Object.values(FINDER_AREA_COLUMN);

export const propertyTallyStage = sqlStage({
  name: 'property_tally',
  doc: 'The fields of each property that national counts read.',
  subject: 'finder',
  inputs: {
    finder: input(propertyFinderTable, [
      'gnaf_pid',
      'cell',
      ...AREAS,
      'lon',
      'default_score',
      ...SANDBOX_FIELDS,
    ]),
    property: input(propertyTable, ['gnaf_pid', ...FIELDS.property]),
    property_profile: input(propertyProfileTable, ['gnaf_pid', ...FIELDS.property_profile]),
    property_zoning: input(propertyZoningTable, ['gnaf_pid', ...FIELDS.property_zoning]),
    property_proximity: input(propertyProximityTable, ['gnaf_pid', ...FIELDS.property_proximity]),
    property_basics: input(propertyBasicsTable, ['gnaf_pid', ...FIELDS.property_basics]),
    property_avm: input(propertyAvmTable, ['gnaf_pid', ...FIELDS.property_avm]),
  },
  output: propertyTallyAsset,
  sql: `
    SELECT gnaf_pid, finder.cell, ${AREAS.map((column) => `finder.${column}`).join(', ')}, default_score IS NOT NULL AS is_default,
      CASE WHEN finder.sal IS NOT NULL AND finder.lon IS NOT NULL
        THEN num_nonnulls(${SANDBOX_FIELDS.map((column) => `finder.${column}`).join(', ')})::int2 END AS known,
      concat(${FIELD_NAMES.map((field) => `num_nonnulls(${field})`).join(', ')}) AS filled
    FROM finder ${Object.keys(FIELDS)
      .map((table) => `LEFT JOIN ${table} USING (gnaf_pid)`)
      .join(' ')}`,
});

export const serveFieldCoverageStage = sqlStage({
  name: 'serve_field_coverage',
  doc: 'Rows of serving.field_coverage.',
  subject: 'property',
  inputs: {
    property: input(propertyTallyAsset, ['state', 'sal', 'filled'], { kind: 'all' }),
  },
  output: fieldCoverageTable,
  dropped: { no_suburb: 'sal IS NULL' },
  sql: `
    WITH alike AS (
      SELECT sal, state, filled, count(*) AS n FROM property WHERE sal IS NOT NULL GROUP BY sal, state, filled
    ), suburb AS (
      SELECT sal, (array_agg(state ORDER BY n DESC, state COLLATE "C"))[1] AS state, sum(n) AS properties
      FROM (SELECT sal, state, sum(n) AS n FROM alike GROUP BY sal, state) of_state GROUP BY sal
    ), counted AS (
      SELECT sal, ARRAY[${FIELD_NAMES.map((_, i) => `COALESCE(sum(n) FILTER (WHERE substr(filled, ${i + 1}, 1) = '1'), 0)`).join(', ')}] AS filled
      FROM alike GROUP BY sal
    )
    SELECT sal, field, state, properties, n AS filled, n::float8 / properties::float8 AS share_filled
    FROM suburb JOIN counted USING (sal),
      ROWS FROM (unnest(ARRAY[${FIELD_NAMES.map((field) => `'${field}'`).join(', ')}]), unnest(filled)) of_field (field, n)`,
});
