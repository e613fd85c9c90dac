import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Reasons for a property without land area of its own. */
const LAND_AREA_REASONS = [
  'not_covered',
  'parcel_not_found',
  'unit_on_shared_parcel',
  'several_addresses_on_parcel',
  'coincident_parcels',
] as const;
export type LandAreaReason = (typeof LAND_AREA_REASONS)[number];

/** Closed vocabulary of dwelling types. */
export const DWELLING_TYPES = [
  'house',
  'unit',
  'townhouse',
  'villa',
  'duplex',
  'land',
  'rural',
  'retirement',
  'other',
] as const;
export type DwellingType = (typeof DWELLING_TYPES)[number];

/** Parts of an address that imply the dwelling type, most certain first. */
const IMPLIED_METHODS = ['flat_type', 'building_name', 'flat', 'parent', 'number', 'lot'] as const;
export type ImpliedMethod = (typeof IMPLIED_METHODS)[number];

/** Rows for basics/land-area-sqm, and the list of all properties: one per live principal address. */
export const propertyTable = table({
  schema: 'serving',
  name: 'property',
  doc: 'One property: a live principal G-NAF address, with its parcel and land area.',
  columns: {
    gnaf_pid: col('text', 'G-NAF ADDRESS_DETAIL_PID.'),
    ...located,
    sal: nullable('text', 'Suburb: canonical ABS SAL name; null: not located.'),
    address: col('text', 'Formatted address, upper case.'),
    building_name: nullable('text', 'Building; null: none stated.'),
    flat_type: nullable('text', 'G-NAF flat type code such as UNIT; null: none stated.'),
    flat_number: nullable('text', 'Flat number with prefix and suffix; null: none stated.'),
    level_number: nullable('text', 'Level; null: none stated.'),
    number_first: nullable('text', 'Street number, or the first of a range; null: none stated.'),
    number_last: nullable('text', 'Last number of a range; null: not a range.'),
    lot_number: nullable('text', 'Lot number of the address; null: none stated.'),
    street: nullable('text', 'Street name, type and suffix; null: no street.'),
    locality: col('text', 'G-NAF locality, upper case; may differ from the SAL.'),
    postcode: nullable('text', 'Four digits; null: none stated.'),
    lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
    lat: nullable('float8', 'Latitude, GDA2020 degrees; null: no coordinates.'),
    geocode_type: nullable('text', 'G-NAF geocode type of the point; null: no coordinates.'),
    is_parcel_position: col(
      'bool',
      'The point lies on the property itself, not only on its street or locality.',
    ),
    confidence: col('int2', 'G-NAF confidence: contributors beyond the first, 0 to 2.'),
    primary_secondary: nullable('text', 'P parent of units, S unit; null: standalone.'),
    dwelling_type: nullable(
      'text',
      'house unit townhouse villa duplex land rural retirement other, as implied by the address; null: not implied, such as a street number in a commercial, industrial or public zone.',
    ),
    dwelling_type_method: nullable(
      'text',
      'Part of the address that implies it: flat_type, building_name, flat, parent (of flats), number (read as a house), lot; null with the type. The type stated by listings is in property_basics and takes precedence.',
    ),
    parcel_id: nullable('text', 'Parcel of the cadastre; null: none found.'),
    parcel_method: col('text', 'legal_id, point_in_parcel, nearest or none.'),
    parcel_distance_m: nullable(
      'float8',
      'Metres from the point to the parcel, 0 inside; null: no parcel or no point.',
    ),
    parcel_addresses: nullable(
      'int4',
      'Live principal addresses on the parcel, including this one; null: no parcel.',
    ),
    land_area_sqm: nullable(
      'int4',
      'Geodesic area of the parcel, whole square metres; null: see land_area_reason.',
    ),
    land_area_reason: nullable(
      'text',
      'Why there is no land area: not_covered (no cadastre covers the place), parcel_not_found (it has no parcel of its own), unit_on_shared_parcel, several_addresses_on_parcel, coincident_parcels (other lots have the same shape); null: there is one.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [
    { columns: ['cell', 'lon', 'lat'] },
    { columns: ['parcel_id'], where: 'parcel_id IS NOT NULL' },
    { columns: ['sal'] },
    { columns: ['state', 'locality', 'number_first'] },
  ],
  checks: {
    property_area: '(land_area_sqm IS NULL) = (land_area_reason IS NOT NULL) AND land_area_sqm >= 0',
    property_dwelling: `dwelling_type IN (${DWELLING_TYPES.map((type) => `'${type}'`).join(', ')})`,
    property_dwelling_method: `(dwelling_type IS NULL) = (dwelling_type_method IS NULL) AND dwelling_type_method IN (${IMPLIED_METHODS.map((each) => `'${each}'`).join(', ')})`,
    property_point: '(lon IS NULL) = (lat IS NULL)',
    property_parcel: "(parcel_id IS NULL) = (parcel_method = 'none')",
  },
});
