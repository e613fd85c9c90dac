import { extent } from '../records/piece.ts';
import { col, nullable, table } from '../table.ts';
import { regionsOfAddress } from './address.ts';

/** Output of the stage address_home. */
export const addressHomeAsset = table({
  schema: 'asset',
  name: 'address_home',
  doc: 'Each live principal address: where it lies, its parcel, its regions, and what the address file says of it. It is looked for in its home.',
  columns: {
    cell: col('int4', 'Grid cell of the point; -1 without coordinates.'),
    home: col(
      'int4',
      'Home: the home cell of its parcel, else the cell of its point, else that of the point of its locality; -1: none of them is known.',
    ),
    gnaf_pid: col('text', 'Address.'),
    state: col('text', 'State abbreviation.'),
    lon: nullable('float8', 'Longitude of the geocode, GDA2020 degrees; null: without coordinates.'),
    lat: nullable('float8', 'Latitude of it; null: without coordinates.'),
    is_parcel_position: col('bool', 'The geocode lies on the property itself, not on a street or locality.'),
    parcel_id: nullable('text', 'Parcel; null: method none.'),
    parcel_area_sqm: nullable('float8', 'Geodesic area of the parcel; null: no parcel.'),
    parcel_method: col('text', 'legal_id, point_in_parcel, nearest or none.'),
    parcel_distance_m: nullable(
      'float8',
      'Metres from the point to the parcel, 0 inside; null: no parcel or no point.',
    ),
    is_unit: col('bool', 'The address names a flat, or is a G-NAF secondary.'),
    min_lon: nullable(
      'float8',
      'West edge of the box around its point and its parcel; null: it has neither.',
    ),
    min_lat: nullable('float8', 'South edge.'),
    max_lon: nullable('float8', 'East edge.'),
    max_lat: nullable('float8', 'North edge.'),
    postcode: nullable('text', 'Postcode; null: the address file has none.'),
    ...regionsOfAddress,
    label: col('text', 'Formatted address, upper case.'),
    building_name: nullable('text', 'Null: none stated.'),
    flat_type: nullable('text', 'FLAT_TYPE_AUT code; null: none stated.'),
    flat_number: nullable('text', 'Null: none stated.'),
    level_number: nullable('text', 'Null: none stated.'),
    number_first: nullable('text', 'Null: none stated.'),
    number_last: nullable('text', 'Null: not a range.'),
    lot_number: nullable('text', 'Null: none stated.'),
    street: nullable('text', 'Name, type and suffix of the street; null: no street.'),
    locality: col('text', 'Locality name, upper case.'),
    geocode_type: nullable('text', 'GEOCODE_TYPE_AUT code of the point; null: no coordinates.'),
    confidence: col('int2', 'Contributors beyond the first.'),
    primary_secondary: nullable('text', 'P parent of units, S unit; null: standalone.'),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell'] }, { columns: ['home', 'gnaf_pid'] }],
  home: 'home',
  extent: ['min_lon', 'min_lat', 'max_lon', 'max_lat'],
  tracked: 'gnaf_pid',
});

/** Output of the stage parcel_address. */
export const parcelAddressAsset = table({
  schema: 'asset',
  name: 'parcel_address',
  doc: 'The addresses on each parcel that has some.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    units: col('int4', 'Flats and other parts of a building among its addresses.'),
    others: col('int4', 'Its other addresses.'),
  },
  primaryKey: ['parcel_id'],
  tracked: 'parcel_id',
  indexes: [{ columns: ['cell', 'parcel_id'] }],
});

/** Output of the stage cadastre_home. */
export const cadastreHomeAsset = table({
  schema: 'asset',
  name: 'cadastre_home',
  doc: 'The homes that a cadastre covers: it has no gaps, so that where one address has a parcel, it covers the others.',
  columns: { cell: col('int4', 'Home.') },
  primaryKey: ['cell'],
});

/** Output of the stage home_of. */
export const homeOfAsset = table({
  schema: 'asset',
  name: 'home_of',
  doc: 'The home of each address of asset.address_home, and nothing else of it: a stage that looks addresses up depends on all rows of the table.',
  columns: {
    cell: col('int4', 'Home.'),
    gnaf_pid: col('text', 'Address.'),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
});

/** Output of the stage parcel_form. */
export const parcelFormAsset = table({
  schema: 'asset',
  name: 'parcel_form',
  doc: 'The form of a parcel, and whether another one has the same ground.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    compactness: col(
      'float8',
      '4π · area / perimeter²: 1 of a circle, 0.785 of a square, little of a battle-axe.',
    ),
    width_m: col('float8', 'Shorter side of the smallest rectangle around it, metres.'),
    frontage_m: col(
      'float8',
      'Boundary that no other parcel adjoins, metres: to roads, water and reserves; long on corners.',
    ),
    coincides: col(
      'bool',
      'Another parcel has the same ground: a lot drawn with the footprint of its building.',
    ),
  },
  primaryKey: ['parcel_id'],
  tracked: 'parcel_id',
  indexes: [{ columns: ['cell', 'parcel_id'] }],
});

/** Output of the stage public_housing_area. */
export const publicHousingPieceAsset = table({
  schema: 'asset',
  name: 'public_housing_piece',
  doc: 'The part in one grid cell of an SA1 whose share of public housing reaches the threshold.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    sa1: col('text', 'SA1 code.'),
    share: col('float8', 'Share of public housing, a fraction of dwellings.'),
    ...extent,
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'sa1'],
});
