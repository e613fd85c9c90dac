import { describe, expect, it } from 'vitest';
import { seifaRecord } from '../../../schema/records/seifa.ts';
import { seifaAdapter } from '../../../sources/seifa/adapter.ts';
import { adapterConformance } from '../conformance.ts';
import { claimed, readDataset } from '../read_dataset.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { type FixtureSheet, xlsxBytes } from '../workbook_fixture.ts';

type Cells = (string | number | null)[];

const TITLES = [
  'Index of Relative Socio-economic Disadvantage',
  'Index of Relative Socio-economic Advantage and Disadvantage',
  'Index of Economic Resources',
  'Index of Education and Occupation',
];
const HEAD: Cells[] = [
  ['            Australian Bureau of Statistics'],
  ['Socio-Economic Indexes for Areas (SEIFA), 2021'],
  ['Released at 11.30am (Canberra time) 27 April 2023'],
];
const FOOT: Cells[] = [[], ['© Commonwealth of Australia 2023']];

/** Table 1 as the ABS lays it out: names of indexes over pairs of repeated columns. */
const summary = (code: string, rows: Cells[]): FixtureSheet => ({
  name: 'Table 1',
  rows: [
    ...HEAD,
    ['Table 1: Statistical Area Level 2 (SA2) SEIFA Summary, 2021'],
    [
      code,
      'Name',
      TITLES[0]!,
      null,
      TITLES[1]!,
      null,
      TITLES[2]!,
      null,
      TITLES[3]!,
      null,
      'Usual Resident Population',
    ],
    [null, null, 'Score', 'Decile', 'Score', 'Decile', 'Score', 'Decile', 'Score', 'Decile', null],
    ...rows,
    ...FOOT,
  ],
});

/** Tables 2 to 5: ranks in Australia, then in the state, under the same names. */
const detail = (index: number, code: string, rows: Cells[]): FixtureSheet => ({
  name: `Table ${index + 2}`,
  rows: [
    ...HEAD,
    [`Table ${index + 2}: Statistical Area Level 2 (SA2) ${TITLES[index]}, 2021`],
    [
      null,
      null,
      null,
      null,
      null,
      'Ranking within Australia',
      null,
      null,
      null,
      null,
      'Ranking within State or Territory',
    ],
    [
      code,
      'Name',
      'Usual Resident Population',
      'Score',
      null,
      'Rank',
      'Decile',
      'Percentile',
      null,
      'State',
      'Rank',
      'Decile',
      'Percentile',
    ],
    ...rows,
    ...FOOT,
  ],
});

const SA2 = '2021 Statistical Area Level 2  (SA2) 9-Digit Code';
const SA2_FILE = 'Statistical Area Level 2, Indexes, SEIFA 2021.xlsx';

const sa2Sheets = (): FixtureSheet[] => [
  { name: 'Contents', rows: [...HEAD, ['Table 1 Summary']] },
  summary(SA2, [
    [101021007, 'Braidwood', 1024, 6, 1001, 6, 1027, 7, 1008, 6, 4343],
    [101021008, 'Karabar', '-', '-', '-', '-', '-', '-', 994, 5, 12],
    ['1010210O9', 'Typo', 1000, 5, 1000, 5, 1000, 5, 1000, 5, 100],
    [101021010, 'Text', 'high', 5, 1000, 5, 1000, 5, 1000, 5, 100],
    [101021007, 'Braidwood', 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ]),
  detail(0, SA2, [[101021007, 'Braidwood', 4343, 1024, null, 1300, 6, 55, null, 'NSW', 340, 6, 57]]),
  detail(1, SA2, [[101021007, 'Braidwood', 4343, 1001, null, 1310, 6, 56, null, 'NSW', 345, 5, 58]]),
  { name: 'Table 6', rows: [['Excluded areas'], [SA2, 'Usual Resident Population'], [101031013, 0]] },
];

async function folderWith(files: Record<string, readonly FixtureSheet[]>): Promise<ReleaseFolder> {
  const folder = await releaseFolder();
  for (const [name, sheets] of Object.entries(files)) await folder.write(name, await xlsxBytes(sheets));
  return folder;
}

adapterConformance('seifa', async () => {
  const poa = [summary('2021 Postal Area (POA) Code', [[800, '0800', 1, 1, 2, 1, 3, 1, 4, 1, 7]])];
  const folder = await folderWith({ [SA2_FILE]: sa2Sheets(), 'Postal Area, Indexes, SEIFA 2021.xlsx': poa });
  return { adapter: seifaAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('a workbook of indexes', () => {
  it('gives score, ranks, deciles and percentiles of the nation and the state', async () => {
    const folder = await folderWith({ [SA2_FILE]: sa2Sheets() });
    try {
      const result = await readDataset(seifaAdapter, await folder.dataset());
      const rows = result.rowsOf(seifaRecord);
      expect(rows.map(({ code }) => code)).toEqual(['101021007', '101021008']);
      expect(rows[0]).toMatchObject({
        year: 2021,
        edition: 3,
        level: 'SA2',
        source_no: 7,
        population: 4343,
        irsd_score: 1024,
        irsd_rank: 1300,
        irsd_decile: 6,
        irsd_percentile: 55,
        irsd_state_rank: 340,
        irsd_state_decile: 6,
        irsd_state_percentile: 57,
        irsad_score: 1001,
        irsad_percentile: 56,
        irsad_state_percentile: 58,
        ier_score: 1027,
        ier_decile: 7,
        ier_rank: null,
        ieo_score: 1008,
      });
      expect(rows[1]).toMatchObject({ population: 12, irsd_score: null, irsad_decile: null, ieo_score: 994 });
      expect(claimed(result, seifaRecord)).toBe(2);
      expect(result.rejects.map(({ code, at }) => `${code} ${at}`)).toEqual([
        'bad_code line 9',
        'bad_number line 10',
      ]);
      expect(result.drops).toEqual({ footnote: 3, repeated_region: 1 });
      expect(result.notes).toEqual([expect.stringContaining('Contents, Table 6')]);
    } finally {
      await folder.remove();
    }
  });

  it('has codes of postal areas with their leading zero', async () => {
    const sheets = [
      detail(3, '2021 Postal Area (POA) Code', [[800, 'x', 7243, 1010, null, 9, 1, 2, null, 'NT', 1, 1, 1]]),
    ];
    const folder = await folderWith({ 'POA SEIFA 2021.xlsx': sheets });
    try {
      const [row] = (await readDataset(seifaAdapter, await folder.dataset())).rowsOf(seifaRecord);
      expect(row).toMatchObject({ level: 'POA', code: '0800', ieo_score: 1010, ieo_state_rank: 1 });
    } finally {
      await folder.remove();
    }
  });

  it.each([
    ['Suburbs of somewhere 2021.xlsx', sa2Sheets(), 'unknown_region_level'],
    ['Statistical Area Level 2.xlsx', sa2Sheets(), 'unknown_census_year'],
    [SA2_FILE, sa2Sheets().slice(0, 1), 'missing_sheet'],
  ])('is refused: %s', async (name, sheets, code) => {
    const folder = await folderWith({ [name]: sheets });
    try {
      await expect(readDataset(seifaAdapter, await folder.dataset())).rejects.toMatchObject({
        code,
        message: expect.stringContaining(name),
      });
    } finally {
      await folder.remove();
    }
  });

  it('is refused if another covers the same level and year', async () => {
    const folder = await folderWith({ [SA2_FILE]: sa2Sheets(), 'SA2 SEIFA 2021.xlsx': sa2Sheets() });
    try {
      await expect(seifaAdapter.discover(await folder.dataset())).rejects.toMatchObject({
        code: 'repeated_file',
      });
    } finally {
      await folder.remove();
    }
  });
});
