import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cellOf, NO_CELL } from '../../../schema/grid.ts';
import { schoolRecord } from '../../../schema/records/school.ts';
import { schoolsAdapter } from '../../../sources/schools/adapter.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';
import { adapterConformance } from '../conformance.ts';
import { claimed, readDataset } from '../read_dataset.ts';
import { datasetOf, type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { type FixtureSheet, xlsxBytes } from '../workbook_fixture.ts';

type Cells = (string | number | null)[];

const LOCATION: Cells = [
  'Calendar Year',
  'ACARA SML ID',
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
  'Statistical Area 1',
];
const PROFILE: Cells = [
  'Calendar Year',
  'ACARA SML ID',
  'School Name',
  'State',
  'School Sector',
  'School Type',
  'Year Range',
  'ICSEA',
  'Total Enrolments',
];

/** A location row; the head is the school itself where none is given. */
const location = (
  id: number,
  more: {
    head?: number;
    type?: string;
    lat?: number | null;
    lon?: number | null;
    postcode?: number | string;
    special?: number;
    name?: string;
  } = {},
): Cells => [
  2025,
  id,
  more.head ?? id,
  more.name ?? `School ${id}`,
  'Darwin City',
  'NT',
  more.postcode ?? 800,
  'Government',
  more.type ?? 'Primary',
  more.special ?? 0,
  'School Single Entity',
  more.lat === undefined ? -12.46 : more.lat,
  more.lon === undefined ? 130.84 : more.lon,
  70101100101,
];
const profile = (id: number, year: number, icsea: number | null, enrolments: number | null): Cells => [
  year,
  id,
  `School ${id}`,
  'NT',
  'Government',
  'Primary',
  'Prep-6',
  icsea,
  enrolments,
];

const DICTIONARY: FixtureSheet = {
  name: 'DataDictionary',
  rows: [['ACARA SML ID', 'School Name is here too']],
};
const locations = (rows: Cells[]): Promise<Buffer> =>
  xlsxBytes([DICTIONARY, { name: 'SchoolLocations 2025', rows: [LOCATION, ...rows] }]);
const profiles = (rows: Cells[]): Promise<Buffer> =>
  xlsxBytes([DICTIONARY, { name: 'SchoolProfile 2008-2025', rows: [PROFILE, ...rows] }]);

async function acaraFolder(): Promise<ReleaseFolder> {
  const folder = await releaseFolder();
  await folder.write(
    'School Location 2025.xlsx',
    await locations([
      location(40_001),
      location(40_002, { type: 'Secondary', special: 1 }),
      location(40_003, { head: 40_002, lat: null, lon: null }),
      location(40_001, { name: 'Again' }),
      location(40_004, { lat: 12.46 }),
      location(40_005, { head: 77_777, postcode: '2600' }),
    ]),
  );
  await folder.write(
    'School Profile 2025.xlsx',
    await profiles([
      profile(40_001, 2024, 990, 100),
      profile(40_001, 2025, 1001, 120),
      profile(40_003, 2025, 950, 80),
      profile(40_009, 2023, 900, 50),
      profile(40_010, 2025, 1010, null),
      [2025, 'x', 'Bad', 'NT', 'Government', 'Primary', '', null, null],
      [2025, 40_011, 'Bad', 'NT', 'Government', 'Primary', '', 1e9, null],
    ]),
  );
  return folder;
}

adapterConformance('schools', async () => {
  const folder = await acaraFolder();
  return { adapter: schoolsAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('ACARA workbooks', () => {
  let folder: ReleaseFolder;
  beforeAll(async () => {
    folder = await acaraFolder();
  });
  afterAll(() => folder.remove());

  it('join figures to locations, roll them to the head, and leave out closed and repeated schools', async () => {
    const result = await readDataset(schoolsAdapter, await folder.dataset());
    const schools = new Map(result.rowsOf(schoolRecord).map((row) => [row.school_id, row]));
    expect([...schools.keys()]).toEqual([40_001, 40_002, 40_003, 40_005, 40_010]);
    expect(schools.get(40_001)).toMatchObject({
      source_no: 2,
      cell: cellOf(130.84, -12.46),
      head_id: 40_001,
      name: 'School 40001',
      level: 'Primary',
      sector: 'Government',
      is_special: false,
      year_range: 'Prep-6',
      state: 'NT',
      postcode: '0800',
      sa1: '70101100101',
      icsea: 1001,
      enrolments: 120,
    });
    expect(schools.get(40_002)).toMatchObject({ is_special: true, icsea: 950, enrolments: 80 });
    expect(schools.get(40_003)).toMatchObject({ head_id: 40_002, cell: NO_CELL, lon: null, lat: null });
    expect(schools.get(40_005)).toMatchObject({ head_id: 40_005, postcode: '2600' });
    expect(schools.get(40_010)).toMatchObject({ cell: NO_CELL, icsea: 1010, enrolments: null });
    expect(result.drops).toEqual({ duplicate_school: 1, other_year: 1, closed_school: 1 });
    expect(result.rejects.map(({ code, at }) => `${code} ${at}`)).toEqual([
      'outside_australia line 6',
      'bad_number line 7',
      'bad_number line 8',
    ]);
    expect(claimed(result, schoolRecord)).toBe(schools.size);
    expect(result.release.id).toBe('2025');
    expect(result.notes).toEqual([
      expect.stringContaining('states no coverage of school'),
      expect.stringContaining('1 campuses name a head'),
    ]);
  });

  it('give the figures of a configured year', async () => {
    const dataset = await folder.dataset({ options: { year: 2024 } });
    const profileOnly = { ...dataset, files: dataset.files.filter(({ path }) => path.includes('Profile')) };
    const result = await readDataset(schoolsAdapter, profileOnly);
    expect(result.rowsOf(schoolRecord)).toMatchObject([{ school_id: 40_001, icsea: 990, enrolments: 100 }]);
    expect(result.drops).toEqual({ other_year: 4 });
  });

  it('are the same for any order of their files', async () => {
    const dataset = await folder.dataset();
    const reversed = { ...dataset, files: [...dataset.files].reverse() };
    const [one, two] = [
      await readDataset(schoolsAdapter, dataset),
      await readDataset(schoolsAdapter, reversed),
    ];
    expect(two.rowsOf(schoolRecord)).toEqual(one.rowsOf(schoolRecord));
  });

  it('names the missing columns of the closest map before reading rows', async () => {
    const header =
      'Education_Sector,Entity_Type,SCHOOL_NO,Title,School_Type,School_Status,Address_Town,Address_State,X,Y';
    const path = await folder.write('list.csv', `${header}\nGovernment,1,1,A,Primary,O,Town,VIC,145,-37.8\n`);
    const dataset = {
      id: 'schools',
      files: [{ path, bytes: 0, sha256: '' }],
      release: null,
      crs: null,
      options: {},
    };
    await expect(schoolsAdapter.discover(dataset)).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringContaining('School_Name'),
    });
  });

  it.each([
    ['a workbook without schools', 'a.xlsx', () => xlsxBytes([DICTIONARY]), 'missing_sheet'],
    [
      'a sheet without identifiers',
      'a.xlsx',
      () => xlsxBytes([{ name: 'SchoolLocations', rows: [['Name', 'Suburb']] }]),
      'missing_column',
    ],
    [
      'longitude without latitude',
      'a.csv',
      async () => 'ACARA SML ID,School Name,Longitude\n1,a,130\n',
      'missing_column',
    ],
    ['an empty CSV', 'a.csv', async () => '', 'missing_column'],
    ['no workbook', 'a.xlsx', async () => 'plain text', 'bad_archive'],
  ])('are refused: %s', async (_what, name, make, code) => {
    const other = await releaseFolder();
    try {
      await other.write(name, await make());
      await expect(readDataset(schoolsAdapter, await other.dataset())).rejects.toMatchObject({
        code,
        message: expect.stringContaining(name),
      });
    } finally {
      await other.remove();
    }
  });
});

describe('a CSV with titles above its header', () => {
  it('is read from the header on', async () => {
    const folder = await releaseFolder();
    try {
      await folder.write(
        'asl.csv',
        'Australian Schools List,,,\n' +
          'ACARA School ID,School Name,School Type,State\n' +
          '40001,Hill Primary School,Primary,VIC\n' +
          '40002,Short\n',
      );
      const { rowsOf, rejects } = await readDataset(schoolsAdapter, await folder.dataset());
      expect(rowsOf(schoolRecord)).toMatchObject([{ school_id: 40001, name: 'Hill Primary School' }]);
      expect(rejects.map(({ code, at }) => [code, at])).toEqual([['short_row', 'line 4']]);
    } finally {
      await folder.remove();
    }
  });
});

describe('a list with a field map of its own', () => {
  it('keeps numbers of states apart from SML IDs, and closed schools out', async () => {
    const folder = await releaseFolder();
    try {
      await folder.write(
        'schools.csv',
        'code,title,kind,lng,lat,state_now,pc,campus_of\n' +
          '12,"Hill, North",High School,151.2,-33.8,OPEN,2060,\n' +
          '13,Hill Annexe,Infants School,151.21,-33.81,open,2060,12\n' +
          '14,Gone,Primary,151,-33,CLOSED,2000,\n' +
          '15,Distant School of the Air,Central School,151,-33,OPEN,2000,\n' +
          '16,Half,Primary,151,,OPEN,2000,\n' +
          '17,Short\n' +
          ',No number,Primary,151,-33,OPEN,2000,\n' +
          '18,,Primary,151,-33,OPEN,2000,\n' +
          '13,Hill Annexe,Infants School,151.21,-33.81,open,2060,12\n' +
          '13,Hill Annexe,Infants School,151.4,-33.9,open,2060,12\n',
      );
      const columns = {
        school_id: 'code',
        name: 'title',
        level: 'kind',
        lon: 'lng',
        lat: 'lat',
        head_id: 'campus_of',
      };
      const field_map = { ...columns, status: 'state_now', postcode: ['postcode', 'pc'], open: ['Open'] };
      const dataset = await folder.dataset({ options: { state: 'NSW', field_map } });
      const result = await readDataset(schoolsAdapter, dataset);
      expect(result.rowsOf(schoolRecord)).toMatchObject([
        { school_id: 100_000_012, name: 'Hill, North', level: 'Secondary', is_special: false, state: 'NSW' },
        { school_id: 100_000_013, head_id: 100_000_012, level: 'Primary', postcode: '2060' },
        { school_id: 100_000_015, level: 'Combined', is_special: true },
      ]);
      expect(result.drops).toEqual({ closed_school: 1, duplicate_school: 1 });
      const place = [151, -33, 151, -33];
      expect(result.rejects.map(({ code, extent }) => [code, extent])).toEqual([
        ['bad_coordinate', undefined],
        ['short_row', undefined],
        ['missing_key', place],
        ['missing_value', place],
        ['duplicate_key', [151.4, -33.9, 151.4, -33.9]],
      ]);
      await expect(
        schoolsAdapter.discover({ ...dataset, options: { field_map: 'nowhere' } }),
      ).rejects.toMatchObject({ code: 'bad_option', message: expect.stringContaining('acara, vic') });
    } finally {
      await folder.remove();
    }
  });
});

describe.skipIf(!hasSharedData('Victorian school locations'))('Victorian school locations', () => {
  it('are all read, except one whose latitude has lost its sign', async () => {
    const dataset = await datasetOf(sharedPath('yarra/schools'), {}, /school_locations\.csv$/);
    const result = await readDataset(schoolsAdapter, dataset);
    const schools = result.rowsOf(schoolRecord);
    expect(schools).toHaveLength(2298);
    expect(new Set(schools.map(({ school_id }) => school_id)).size).toBe(2298);
    expect(result.rejects).toMatchObject([{ code: 'outside_australia', at: 'line 2289' }]);
    expect(result.drops).toEqual({});
    const count = (of: (school: (typeof schools)[number]) => unknown) =>
      Object.fromEntries(
        [...new Set(schools.map(of))].map((key) => [key, schools.filter((s) => of(s) === key).length]),
      );
    expect(count(({ level }) => level)).toEqual({
      Primary: 1577,
      Secondary: 352,
      Combined: 246,
      Special: 123,
    });
    expect(count(({ sector }) => sector)).toEqual({ Government: 1569, Catholic: 499, Independent: 230 });
    expect(schools.filter(({ cell }) => cell === NO_CELL)).toMatchObject([
      { name: 'St Ignatius College Geelong', lon: null },
    ]);
    expect(schools.find(({ name }) => name === 'Virtual School Victoria')).toMatchObject({
      level: 'Combined',
      is_special: true,
    });
    // Number 26 is a government school and a Catholic one; the name of the latter is in windows-1252.
    expect(schools.find(({ school_id }) => school_id === 210_000_026)).toMatchObject({
      name: 'Belmont Primary School',
    });
    expect(schools.find(({ school_id }) => school_id === 220_000_026)).toMatchObject({
      name: 'St Mary’s College Melbourne',
      lon: 144.997,
      lat: -37.85936,
      postcode: '3183',
    });
  });
});
