import { col, nullable, table } from './table.ts';

/** Made by the stage address_parcel. */
export const addressParcelAsset = table({
  schema: 'asset',
  name: 'address_parcel',
  doc: 'The parcel of each live principal address.',
  columns: {
    cell: col('int4', 'Grid cell of the address.'),
    gnaf_pid: col('text', 'Address.'),
    parcel_id: nullable('text', 'Parcel; null: method none.'),
    parcel_area_sqm: nullable('float8', 'Geodesic area of the parcel; null: no parcel.'),
    method: col('text', 'legal_id, point_in_parcel, nearest or none.'),
    distance_m: nullable(
      'float8',
      'Metres from the point to the parcel, 0 inside; null: no parcel or no point.',
    ),
    is_unit: col('bool', 'The address names a flat, or is a G-NAF secondary.'),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage parcel_neighbour. */
export const parcelNeighbourAsset = table({
  schema: 'asset',
  name: 'parcel_neighbour',
  doc: 'Ordered pairs of parcels whose boundaries touch within the tolerance.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    neighbour_parcel_id: col('text', 'Parcel that adjoins it.'),
    shared_m: col('float8', 'Length of the shared boundary, metres.'),
    is_corner: col(
      'bool',
      'They meet at a corner only: the shared length is at most the least that makes neighbours.',
    ),
  },
  primaryKey: ['parcel_id', 'neighbour_parcel_id'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage address_region. */
export const addressRegionAsset = table({
  schema: 'asset',
  name: 'address_region',
  doc: 'The ABS regions of each live principal address.',
  columns: {
    cell: col('int4', 'Grid cell of the address.'),
    gnaf_pid: col('text', 'Address.'),
    mesh_block: nullable('text', 'Mesh block; null: neither the address file nor the boundaries have one.'),
    sa1: nullable('text', 'SA1 code; null: not located.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa2_name: nullable('text', 'SA2 name.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    sa3_name: nullable('text', 'SA3 name.'),
    sa4: nullable('text', 'SA4 code; null: not located.'),
    sa4_name: nullable('text', 'SA4 name.'),
    gccsa: nullable('text', 'GCCSA code; null: not located.'),
    gccsa_name: nullable('text', 'GCCSA name.'),
    sal: nullable('text', 'SAL code; null: not located.'),
    sal_name: nullable('text', 'SAL name, verbatim.'),
    lga: nullable('text', 'LGA code; null: not located.'),
    lga_name: nullable('text', 'LGA name.'),
    poa: nullable('text', 'ABS postal area; null: not located.'),
    edition: nullable('int2', 'ASGS edition of the chain; null: not located.'),
    method: col('text', 'mesh_block: chain of the address file’s mesh block; point: point in polygon; none.'),
    agrees: nullable(
      'bool',
      'The mesh block’s SA1 (or finest common level) is the one the point lies in; null: only one way was possible.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage address_zone. */
export const addressZoneAsset = table({
  schema: 'asset',
  name: 'address_zone',
  doc: 'The planning zone at the point of each live principal address that has one.',
  columns: {
    cell: col('int4', 'Grid cell of the address.'),
    gnaf_pid: col('text', 'Address.'),
    zone_id: col('text', 'Zone feature.'),
    code: nullable('text', 'Published code; null: the council ships none.'),
    name: nullable('text', 'Published description; null: none.'),
    category: nullable('text', 'Normalised category; null: the code is not in the list.'),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage suburb_part. */
export const suburbPartAsset = table({
  schema: 'asset',
  name: 'suburb_part',
  doc: 'Properties per suburb, SA2 and grid cell: the partial sums of the suburb table.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    sal: col('text', 'SAL code.'),
    sal_name: col('text', 'SAL name.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    state: col('text', 'State abbreviation.'),
    properties: col('int4', 'Number of properties.'),
    min_lon: nullable('float8', 'West edge of their points; null: none has coordinates.'),
    min_lat: nullable('float8', 'South edge.'),
    max_lon: nullable('float8', 'East edge.'),
    max_lat: nullable('float8', 'North edge.'),
  },
  primaryKey: ['cell', 'sal', 'sa2', 'state'],
  indexes: [{ columns: ['cell'] }],
});

/** Every asset table that is not itself a serving table. */
export const ASSET_TABLES = [
  addressParcelAsset,
  parcelNeighbourAsset,
  addressRegionAsset,
  addressZoneAsset,
  suburbPartAsset,
] as const;
