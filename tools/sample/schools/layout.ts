/** Columns of ACARA's School Location workbook. */
export const LOCATION_COLUMNS = [
  'Calendar Year',
  'ACARA SML ID',
  'Location AGE ID',
  'School AGE ID',
  'Rolled School ID',
  'School Name',
  'Suburb',
  'State',
  'Postcode',
  'School Sector',
  'School Type',
  'Special school',
  'Campus Type',
  'Latitude',
  'Longitude',
  'ABS Remoteness Area',
  'ABS Remoteness Area Name',
  'Meshblock',
  'Statistical Area 1',
  'Statistical Area 2',
  'Statistical Area 2 Name',
] as const;

/** Columns of ACARA's School Profile workbook, as far as the sample has values for them. */
export const PROFILE_COLUMNS = [
  'Calendar Year',
  'ACARA SML ID',
  'AGE ID',
  'School Name',
  'Suburb',
  'State',
  'Postcode',
  'School Sector',
  'School Type',
  'Campus Type',
  'Rolled Reporting Description',
  'School URL',
  'Governing Body',
  'Year Range',
  'Geolocation',
  'ICSEA',
  'ICSEA Percentile',
  'Total Enrolments',
  'Girls Enrolments',
  'Boys Enrolments',
] as const;

/** Years of the profile; the last one is that of the locations. */
export const PROFILE_YEARS = [2023, 2024, 2025] as const;

/** A campus of the sample. */
export interface SampleSchool {
  readonly school_id: number;
  readonly head_id: number;
  readonly name: string;
  readonly level: string;
  readonly sector: string;
  readonly is_special: boolean;
  readonly state: string;
  readonly suburb: string;
  readonly postcode: string;
  readonly meshBlock: string;
  readonly sa1: string;
  readonly sa2: { readonly code: string; readonly name: string };
  /** Null: the publisher states no coordinates. */
  readonly point: readonly [lon: number, lat: number] | null;
  readonly icsea: number;
  readonly enrolments: number;
}

type Cells = (string | number | null)[];

const campusType = ({ school_id, head_id }: SampleSchool, heads: ReadonlySet<number>): string => {
  if (school_id !== head_id) return 'School Sub-Campus';
  return heads.has(school_id) ? 'School Head Campus' : 'School Single Entity';
};

/** Row of the location workbook. Postcodes and codes are numbers, as the publisher's are. */
export function locationRow(school: SampleSchool, heads: ReadonlySet<number>): Cells {
  const { school_id, head_id, name, suburb, state, postcode, sector, level, is_special } = school;
  return [
    PROFILE_YEARS.at(-1)!,
    school_id,
    school_id + 1000,
    school_id + 2000,
    head_id,
    name,
    suburb,
    state,
    Number(postcode),
    sector,
    level,
    is_special ? 1 : 0,
    campusType(school, heads),
    school.point?.[1] ?? null,
    school.point?.[0] ?? null,
    0,
    'Major Cities of Australia',
    Number(school.meshBlock),
    Number(school.sa1),
    Number(school.sa2.code),
    school.sa2.name,
  ];
}

/** Row of the profile workbook; figures of earlier years are lower. */
export function profileRow(school: SampleSchool, year: number, heads: ReadonlySet<number>): Cells {
  const { school_id, name, suburb, state, postcode, sector, level } = school;
  const before = PROFILE_YEARS.at(-1)! - year;
  const enrolments = Math.max(1, school.enrolments - 7 * before);
  return [
    year,
    school_id,
    school_id + 1000,
    name,
    suburb,
    state,
    Number(postcode),
    sector,
    level,
    campusType(school, heads),
    null,
    null,
    `${sector} schools`,
    level === 'Primary' ? 'Prep-6' : level === 'Secondary' ? '7-12' : 'Prep-12',
    'Major Cities',
    school.icsea - 3 * before,
    Math.min(100, Math.max(1, Math.round((school.icsea - 800) / 4))),
    enrolments,
    Math.floor(enrolments / 2),
    enrolments - Math.floor(enrolments / 2),
  ];
}
