import { col, nullable, type Row, table } from '../table.ts';

/** Source: G-NAF ADDRESS_DETAIL joined with its street, locality, default geocode and mesh block. */
export const addressRecord = table({
  schema: 'record',
  name: 'address',
  doc: 'One G-NAF address: principals and aliases, live and retired. Serving takes live principals, matching takes all.',
  columns: {
    load_id: col('int4', 'Load that brought the row; leads to dataset, release and file.'),
    source_no: col('int4', 'Line of ADDRESS_DETAIL, the header being line 1.'),
    cell: col('int4', 'Grid cell of the point; -1 without coordinates.'),
    gnaf_pid: col('text', 'ADDRESS_DETAIL_PID.'),
    state: col('text', 'State or territory abbreviation: ACT NSW NT OT QLD SA TAS VIC WA.'),
    label: col('text', 'Formatted address, upper case.'),
    building_name: nullable('text', 'Null: none stated.'),
    lot_number: nullable('text', 'Prefix, number and suffix in one; null: none stated.'),
    flat_type: nullable('text', 'FLAT_TYPE_AUT code such as UNIT or SHOP; null: none stated.'),
    flat_number: nullable('text', 'Prefix, number and suffix in one; null: none stated.'),
    level_type: nullable('text', 'LEVEL_TYPE_AUT code; null: none stated.'),
    level_number: nullable('text', 'Prefix, number and suffix in one; null: none stated.'),
    number_first: nullable('text', 'Street number, or the first of a range; null: none stated.'),
    number_last: nullable('text', 'Last number of a range; null: not a range.'),
    street_pid: nullable('text', 'STREET_LOCALITY_PID; null: the address has no street.'),
    street_name: nullable('text', 'Street name without its type; null: no street.'),
    street_type: nullable('text', 'Long form such as STREET; null: the street has no type.'),
    street_suffix: nullable('text', 'Suffix name such as NORTH; null: none.'),
    locality_pid: col('text', 'LOCALITY_PID.'),
    locality_name: col('text', 'Locality name, upper case, without a state.'),
    postcode: nullable('text', 'Four digits as text; null: none stated.'),
    legal_parcel_id: nullable('text', 'LEGAL_PARCEL_ID as published; null: none stated.'),
    lot_plan: nullable(
      'text',
      'legal_parcel_id normalised by the rules of its state; null: none, or not normalisable.',
    ),
    confidence: col('int2', 'Contributors beyond the first: 2, 1, 0; -1 is retired.'),
    alias_principal: col('text', 'P principal or A alias.'),
    primary_secondary: nullable('text', 'P parent of units, S unit; null: standalone.'),
    is_live: col('bool', 'confidence ≥ 0 and no retirement date.'),
    geocode_type: nullable('text', 'GEOCODE_TYPE_AUT code of the point used; null: no coordinates.'),
    geocode_level: col('int2', 'LEVEL_GEOCODED_CODE, bits 1 address, 2 street, 4 locality.'),
    lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
    lat: nullable('float8', 'Latitude, GDA2020 degrees; null: no coordinates.'),
    mesh_block: nullable('text', '11-digit mesh block; null: the release has no mesh-block table or no row.'),
    mesh_block_year: nullable(
      'int2',
      'Year of the mesh-block table used, for example 2021; null with mesh_block.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell'] }],
  tracked: 'gnaf_pid',
});

/** Source: G-NAF ADDRESS_ALIAS. */
export const addressAliasRecord = table({
  schema: 'record',
  name: 'address_alias',
  doc: 'An alias address and its principal.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of ADDRESS_ALIAS.'),
    alias_pid: col('text', 'gnaf_pid of the alias.'),
    principal_pid: col('text', 'gnaf_pid of the principal.'),
    alias_type: col('text', 'ADDRESS_ALIAS_TYPE_AUT code: SYN, RA, LD …'),
  },
  primaryKey: ['alias_pid', 'principal_pid', 'alias_type'],
});

/** Source: G-NAF PRIMARY_SECONDARY. */
export const addressParentRecord = table({
  schema: 'record',
  name: 'address_parent',
  doc: 'A unit (secondary) and the address of its building (primary).',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of PRIMARY_SECONDARY.'),
    secondary_pid: col('text', 'gnaf_pid of the unit.'),
    primary_pid: col('text', 'gnaf_pid of the parent.'),
    join_type: nullable('int2', 'PS_JOIN_TYPE_CODE; null: not stated.'),
  },
  primaryKey: ['secondary_pid', 'primary_pid'],
});

/** Source: G-NAF LOCALITY with LOCALITY_POINT. */
export const localityRecord = table({
  schema: 'record',
  name: 'locality',
  doc: 'A G-NAF locality of any class; class G (gazetted) is a suburb.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of LOCALITY.'),
    locality_pid: col('text', 'LOCALITY_PID.'),
    state: col('text', 'State abbreviation.'),
    name: col('text', 'Upper case, without a state.'),
    class: col('text', 'LOCALITY_CLASS_AUT code.'),
    postcode: nullable('text', 'PRIMARY_POSTCODE, mostly null.'),
    lon: nullable('float8', 'Longitude of the locality point, GDA2020; null: no point.'),
    lat: nullable('float8', 'Latitude of the locality point, GDA2020; null: no point.'),
  },
  primaryKey: ['locality_pid'],
});

/** Source: G-NAF LOCALITY_ALIAS. */
export const localityAliasRecord = table({
  schema: 'record',
  name: 'locality_alias',
  doc: 'Another name of a locality.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of LOCALITY_ALIAS.'),
    alias_id: col('text', 'LOCALITY_ALIAS_PID.'),
    locality_pid: col('text', 'LOCALITY_PID.'),
    name: col('text', 'Upper case.'),
    postcode: nullable('text', 'Null: not stated.'),
    alias_type: nullable('text', 'LOCALITY_ALIAS_TYPE_AUT code; null: not stated.'),
  },
  primaryKey: ['alias_id'],
});

/** Source: G-NAF LOCALITY_NEIGHBOUR. */
export const localityNeighbourRecord = table({
  schema: 'record',
  name: 'locality_neighbour',
  doc: 'Two localities that share a border; both directions are listed.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of LOCALITY_NEIGHBOUR.'),
    locality_pid: col('text', 'LOCALITY_PID.'),
    neighbour_pid: col('text', 'LOCALITY_PID of the neighbour.'),
  },
  primaryKey: ['locality_pid', 'neighbour_pid'],
});

/** Source: G-NAF STREET_LOCALITY. */
export const streetRecord = table({
  schema: 'record',
  name: 'street',
  doc: 'A street within one locality.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of STREET_LOCALITY.'),
    street_pid: col('text', 'STREET_LOCALITY_PID.'),
    locality_pid: col('text', 'LOCALITY_PID.'),
    name: col('text', 'Name without type, upper case.'),
    type: nullable('text', 'Long form such as STREET; null: none.'),
    suffix: nullable('text', 'STREET_SUFFIX_AUT code; null: none.'),
    class: col('text', 'C confirmed or U unconfirmed.'),
  },
  primaryKey: ['street_pid'],
});

/** Source: G-NAF STREET_LOCALITY_ALIAS. */
export const streetAliasRecord = table({
  schema: 'record',
  name: 'street_alias',
  doc: 'Another name of a street.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Line of STREET_LOCALITY_ALIAS.'),
    alias_id: col('text', 'STREET_LOCALITY_ALIAS_PID.'),
    street_pid: col('text', 'STREET_LOCALITY_PID.'),
    name: col('text', 'Name without type, upper case.'),
    type: nullable('text', 'Long form such as STREET; null: none.'),
    suffix: nullable('text', 'STREET_SUFFIX_AUT code; null: none.'),
    alias_type: nullable('text', 'STREET_LOCALITY_ALIAS_TYPE_AUT code; null: not stated.'),
  },
  primaryKey: ['alias_id'],
});

export type AddressRecord = Row<typeof addressRecord>;
