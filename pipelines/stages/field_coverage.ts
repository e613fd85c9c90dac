import { fieldCoverageTable } from '../../schema/serving/field_coverage.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyAvmTable } from '../../schema/serving/property_avm.ts';
import { propertyBasicsTable } from '../../schema/serving/property_basics.ts';
import { propertyProfileTable } from '../../schema/serving/property_profile.ts';
import { propertyProximityTable } from '../../schema/serving/property_proximity.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { input } from '../engine/input.ts';
import { sqlStage } from '../engine/sql_stage.ts';

/** Columns that are counted, by serving table. A property without a row there has no value. */
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

/** Every counted field in a fixed order. */
const FIELD_NAMES = Object.entries(FIELDS).flatMap(([table, columns]) =>
  columns.map((column) => `${table}.${column}`),
);

export const serveFieldCoverageStage = sqlStage({
  name: 'serve_field_coverage',
  doc: 'Rows of serving.field_coverage.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'state', 'sal', ...FIELDS.property], { kind: 'all' }),
    property_profile: input(propertyProfileTable, ['gnaf_pid', ...FIELDS.property_profile], { kind: 'all' }),
    property_zoning: input(propertyZoningTable, ['gnaf_pid', ...FIELDS.property_zoning], { kind: 'all' }),
    property_proximity: input(propertyProximityTable, ['gnaf_pid', ...FIELDS.property_proximity], {
      kind: 'all',
    }),
    property_basics: input(propertyBasicsTable, ['gnaf_pid', ...FIELDS.property_basics], { kind: 'all' }),
    property_avm: input(propertyAvmTable, ['gnaf_pid', ...FIELDS.property_avm], { kind: 'all' }),
  },
  output: fieldCoverageTable,
  dropped: { no_suburb: 'sal IS NULL' },
  sql: `
    WITH suburb AS (
      SELECT sal, mode() WITHIN GROUP (ORDER BY state COLLATE "C") AS state, count(*) AS properties,
        ARRAY[${FIELD_NAMES.map((field) => `count(${field})`).join(', ')}] AS filled
      FROM property ${Object.keys(FIELDS)
        .slice(1)
        .map((table) => `LEFT JOIN ${table} USING (gnaf_pid)`)
        .join(' ')}
      WHERE sal IS NOT NULL GROUP BY sal
    )
    SELECT sal, field, state, properties, n AS filled, n::float8 / properties AS share_filled
    FROM suburb, ROWS FROM (unnest(ARRAY[${FIELD_NAMES.map((field) => `'${field}'`).join(', ')}]), unnest(filled)) counted (field, n)`,
});
