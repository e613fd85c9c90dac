import { col, nullable, table } from '../table.ts';

/** ABS regions that contain an address. */
export const regionsOfAddress = {
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
  sal_name: nullable('text', 'SAL name, verbatim; null: not located.'),
  lga: nullable('text', 'LGA code; null: not located.'),
  lga_name: nullable('text', 'LGA name.'),
  poa: nullable('text', 'ABS postal area; null: not located.'),
  edition: nullable('int2', 'ASGS edition of the chain; null: not located.'),
  method: col('text', 'mesh_block: chain of the address file’s mesh block; point: point in polygon; none.'),
  agrees: nullable(
    'bool',
    'The mesh block’s SA1 (or finest common level) is the one the point lies in; null: only one way was possible.',
  ),
} as const;

/** Output of the stage address_region. */
export const addressRegionAsset = table({
  schema: 'asset',
  name: 'address_region',
  doc: 'The ABS regions of each live principal address.',
  columns: {
    cell: col('int4', 'Grid cell of the point; -1 without coordinates.'),
    gnaf_pid: col('text', 'Address.'),
    ...regionsOfAddress,
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell', 'gnaf_pid'] }],
  tracked: 'gnaf_pid',
});

/** Output of the stage address_parcel. */
export const addressParcelAsset = table({
  schema: 'asset',
  name: 'address_parcel',
  doc: 'The parcel that each live principal address has if no address of another number is on it.',
  columns: {
    cell: col('int4', 'Grid cell of the point; -1 without coordinates.'),
    gnaf_pid: col('text', 'Address.'),
    site: nullable(
      'text',
      'Street and number, which the units of a building share with their parent; null: it has no number.',
    ),
    point_cell: col(
      'int4',
      'Cell of the point, else that of the point of its locality; -1: neither is known.',
    ),
    is_parcel_position: col('bool', 'The geocode lies on the property itself, not on a street or locality.'),
    parcel_id: nullable('text', 'Parcel; null: method none.'),
    method: col('text', 'legal_id, point_in_parcel, nearest or none.'),
    distance_m: nullable(
      'float8',
      'Metres from the point to the parcel, 0 inside; null: no parcel or no point.',
    ),
    holder_ids: nullable(
      'text[]',
      'Parcels that hold a point on the property, the smallest first, one of each shape; null: none.',
    ),
    parcel_cell: nullable('int4', 'Home cell of the parcel; null: no parcel.'),
    area_sqm: nullable('float8', 'Geodesic area of the parcel; null: no parcel.'),
    west: nullable('float8', 'Western edge of the parcel, GDA2020 degrees; null: no parcel.'),
    south: nullable('float8', 'Southern edge.'),
    east: nullable('float8', 'Eastern edge.'),
    north: nullable('float8', 'Northern edge.'),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell', 'gnaf_pid'] }],
  tracked: 'gnaf_pid',
});

/** Output of the stage parcel_site. */
export const parcelSiteAsset = table({
  schema: 'asset',
  name: 'parcel_site',
  doc: 'The parcels that addresses of a cell are on, of those that are the nearest of other addresses there.',
  columns: {
    cell: col('int4', 'Cell of the addresses.'),
    parcel_id: col('text', 'Parcel.'),
    site: nullable(
      'text',
      'Street and number of all addresses on it; null: they have several, or one has none.',
    ),
  },
  primaryKey: ['cell', 'parcel_id'],
  tracked: 'parcel_id',
  indexes: [],
});
