/** Names of the columns that are read, in the numbering of a RowCursor, and the number of each. */
export interface WantedColumns<N extends string> {
  readonly names: readonly N[];
  readonly at: Readonly<Record<N, number>>;
}

function columnNames<const N extends string>(...names: N[]): WantedColumns<N> {
  return { names, at: Object.fromEntries(names.map((name, i) => [name, i])) as Record<N, number> };
}

/** Columns that are read of each table `<ST>_<TABLE>_psv.psv`. Source: G-NAF table creation scripts. */
export const TABLES = {
  ADDRESS_DETAIL: columnNames(
    'ADDRESS_DETAIL_PID',
    'DATE_RETIRED',
    'BUILDING_NAME',
    'LOT_NUMBER_PREFIX',
    'LOT_NUMBER',
    'LOT_NUMBER_SUFFIX',
    'FLAT_TYPE_CODE',
    'FLAT_NUMBER_PREFIX',
    'FLAT_NUMBER',
    'FLAT_NUMBER_SUFFIX',
    'LEVEL_TYPE_CODE',
    'LEVEL_NUMBER_PREFIX',
    'LEVEL_NUMBER',
    'LEVEL_NUMBER_SUFFIX',
    'NUMBER_FIRST_PREFIX',
    'NUMBER_FIRST',
    'NUMBER_FIRST_SUFFIX',
    'NUMBER_LAST_PREFIX',
    'NUMBER_LAST',
    'NUMBER_LAST_SUFFIX',
    'STREET_LOCALITY_PID',
    'LOCATION_DESCRIPTION',
    'LOCALITY_PID',
    'ALIAS_PRINCIPAL',
    'POSTCODE',
    'LEGAL_PARCEL_ID',
    'CONFIDENCE',
    'ADDRESS_SITE_PID',
    'LEVEL_GEOCODED_CODE',
    'PRIMARY_SECONDARY',
  ),
  ADDRESS_DEFAULT_GEOCODE: columnNames(
    'ADDRESS_DEFAULT_GEOCODE_PID',
    'DATE_CREATED',
    'DATE_RETIRED',
    'ADDRESS_DETAIL_PID',
    'GEOCODE_TYPE_CODE',
    'LONGITUDE',
    'LATITUDE',
  ),
  ADDRESS_SITE_GEOCODE: columnNames(
    'ADDRESS_SITE_GEOCODE_PID',
    'DATE_RETIRED',
    'ADDRESS_SITE_PID',
    'GEOCODE_TYPE_CODE',
    'LONGITUDE',
    'LATITUDE',
  ),
  ADDRESS_ALIAS: columnNames('DATE_RETIRED', 'PRINCIPAL_PID', 'ALIAS_PID', 'ALIAS_TYPE_CODE'),
  PRIMARY_SECONDARY: columnNames('PRIMARY_PID', 'SECONDARY_PID', 'DATE_RETIRED', 'PS_JOIN_TYPE_CODE'),
  LOCALITY: columnNames('LOCALITY_PID', 'LOCALITY_NAME', 'PRIMARY_POSTCODE', 'LOCALITY_CLASS_CODE'),
  LOCALITY_POINT: columnNames(
    'LOCALITY_POINT_PID',
    'DATE_CREATED',
    'DATE_RETIRED',
    'LOCALITY_PID',
    'LONGITUDE',
    'LATITUDE',
  ),
  LOCALITY_ALIAS: columnNames(
    'LOCALITY_ALIAS_PID',
    'DATE_RETIRED',
    'LOCALITY_PID',
    'NAME',
    'POSTCODE',
    'ALIAS_TYPE_CODE',
  ),
  LOCALITY_NEIGHBOUR: columnNames('DATE_RETIRED', 'LOCALITY_PID', 'NEIGHBOUR_LOCALITY_PID'),
  STREET_LOCALITY: columnNames(
    'STREET_LOCALITY_PID',
    'STREET_CLASS_CODE',
    'STREET_NAME',
    'STREET_TYPE_CODE',
    'STREET_SUFFIX_CODE',
    'LOCALITY_PID',
  ),
  STREET_LOCALITY_ALIAS: columnNames(
    'STREET_LOCALITY_ALIAS_PID',
    'DATE_RETIRED',
    'STREET_LOCALITY_PID',
    'STREET_NAME',
    'STREET_TYPE_CODE',
    'STREET_SUFFIX_CODE',
    'ALIAS_TYPE_CODE',
  ),
} as const;

export type TableName = keyof typeof TABLES;

/** Tables that every state must have. */
export const REQUIRED_TABLES: readonly TableName[] = [
  'ADDRESS_DETAIL',
  'ADDRESS_DEFAULT_GEOCODE',
  'LOCALITY',
  'STREET_LOCALITY',
];

/** Returns the columns of ADDRESS_MESH_BLOCK_<year>, in the numbering of a RowCursor. */
export const meshBlockLinkColumns = (year: number): readonly string[] => [
  'DATE_CREATED',
  'DATE_RETIRED',
  'ADDRESS_DETAIL_PID',
  `MB_${year}_PID`,
];

/** Returns the columns of MB_<year>, in the numbering of a RowCursor. */
export const meshBlockColumns = (year: number): readonly string[] => [`MB_${year}_PID`, `MB_${year}_CODE`];

/** Authority tables that are read, `Authority_Code_<TABLE>_psv.psv`, each with CODE and NAME. */
export const AUTHORITY_TABLES = [
  'FLAT_TYPE_AUT',
  'LEVEL_TYPE_AUT',
  'STREET_SUFFIX_AUT',
  'STREET_TYPE_AUT',
] as const;

export type AuthorityTable = (typeof AUTHORITY_TABLES)[number];
