/** Fields that a school list can have. */
export const SCHOOL_FIELDS = [
  'school_id',
  'head_id',
  'group',
  'name',
  'level',
  'special',
  'sector',
  'year_range',
  'state',
  'suburb',
  'postcode',
  'sa1',
  'icsea',
  'enrolments',
  'lon',
  'lat',
  'year',
  'status',
] as const;
export type SchoolField = (typeof SCHOOL_FIELDS)[number];

/** Columns of one publisher's list for each field of a school: aliases, without case; an empty list: none. */
export interface SchoolFieldMap {
  readonly columns: Readonly<Record<SchoolField, readonly string[]>>;
  /** Values of the column `status` of open schools; empty: all schools of the list are open. */
  readonly open: readonly string[];
  /**
   * `acara`: identifiers are ACARA SML IDs. `state`: they are a state's own numbers, unique within `group`; the digit of the state keeps
   * them apart from SML IDs (`stateSchoolId`).
   */
  readonly ids: 'acara' | 'state';
  /** Sector of every school, if the list has only one; null: its column states it. */
  readonly sector: 'Government' | null;
}

const none = Object.fromEntries(SCHOOL_FIELDS.map((field) => [field, []])) as unknown as Record<
  SchoolField,
  readonly string[]
>;

/** ACARA School Location and School Profile, workbooks or CSV. */
const acara: SchoolFieldMap = {
  columns: {
    ...none,
    school_id: ['ACARA SML ID', 'ACARA School ID', 'ACARA ID'],
    head_id: ['Rolled School ID', 'Rolled Reporting School ID'],
    name: ['School Name'],
    level: ['School Type'],
    special: ['Special school', 'Special School Indicator'],
    sector: ['School Sector', 'Sector'],
    year_range: ['Year Range'],
    state: ['State'],
    suburb: ['Suburb'],
    postcode: ['Postcode', 'Post Code'],
    sa1: ['Statistical Area 1', 'Statistical Area Level 1', 'SA1'],
    icsea: ['ICSEA'],
    enrolments: ['Total Enrolments', 'Total Enrolment'],
    lon: ['Longitude'],
    lat: ['Latitude'],
    year: ['Calendar Year', 'Year'],
    status: ['School Status', 'Status'],
  },
  open: ['Open', 'O'],
  ids: 'acara',
  sector: null,
};

/** Victoria's school locations (DataVic): numbers are unique within government (1) and non-government (2) schools. */
const vic: SchoolFieldMap = {
  columns: {
    ...none,
    school_id: ['SCHOOL_NO'],
    group: ['Entity_Type'],
    name: ['School_Name'],
    level: ['School_Type'],
    sector: ['Education_Sector'],
    state: ['Address_State'],
    suburb: ['Address_Town'],
    postcode: ['Address_Postcode'],
    lon: ['X'],
    lat: ['Y'],
    status: ['School_Status'],
  },
  open: ['O', 'Open'],
  ids: 'state',
  sector: null,
};

/** Master dataset of NSW government schools. Its environmental education centres and "other schools" are not schools to attend. */
const nsw: SchoolFieldMap = {
  columns: {
    ...none,
    school_id: ['School_code'],
    name: ['School_name'],
    level: ['Level_of_schooling'],
    year_range: ['School_subtype'],
    suburb: ['Town_suburb'],
    postcode: ['Postcode'],
    icsea: ['ICSEA_value'],
    enrolments: ['latest_year_enrolment_FTE'],
    lon: ['Longitude'],
    lat: ['Latitude'],
  },
  open: [],
  ids: 'state',
  sector: 'Government',
};

/** Field maps by the name in the option field_map. */
export const SCHOOL_FIELD_MAPS: Readonly<Record<string, SchoolFieldMap>> = { acara, vic, nsw };

/** Completes an inline map of the configuration: columns that it does not name are not read. */
export function fieldMapOf(
  configured: Readonly<Partial<Record<SchoolField, string | readonly string[]>>>,
  open: readonly string[],
  ids: 'acara' | 'state',
): SchoolFieldMap {
  const columns = { ...none };
  for (const field of SCHOOL_FIELDS) {
    const names = configured[field];
    if (names !== undefined) columns[field] = [names].flat();
  }
  return { columns, open, ids, sector: null };
}
