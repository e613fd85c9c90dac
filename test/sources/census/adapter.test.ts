import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { censusCountRecord, censusFigures, censusRegionRecord } from '../../../schema/records/census.ts';
import { censusAdapter } from '../../../sources/census/adapter.ts';
import { FIGURES, LETTERS } from '../../../sources/census/figures.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';
import { adapterConformance } from '../conformance.ts';
import { claimed, readDataset } from '../read_dataset.ts';
import { datasetOf, type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { zipBytes } from '../zip_writer.ts';

type Line = readonly (string | number)[];

/** A table with every column that its figures need, and further ones; `values` gives the value of a column in a row. */
function tableOf(
  table: string,
  codeColumn: string,
  codes: readonly string[],
  values: (column: string, row: number) => string | number,
  more: readonly string[] = [],
): string {
  const figures = Object.values(FIGURES).filter((figure) => figure.table === table);
  const columns = [...new Set([...figures.flatMap((f) => f.columns.map((names) => names[0]!)), ...more])];
  const lines: Line[] = codes.map((code, row) => [code, ...columns.map((column) => values(column, row))]);
  return [[codeColumn, ...columns], ...lines].map((line) => line.join(',')).join('\r\n');
}

const COUNTS: Readonly<Record<string, readonly string[]>> = {
  G08: ['Chinese_Tot_resp', 'Tot_P_Tot_resp'],
  G09: ['P_Sri_Lanka_Tot', 'P_COB_NS_Tot', 'P_Tot_Tot', 'P_Tot_25_34'],
  G49: ['P_Cert_Lev_Tot_Total', 'P_Lev_Edu_NS_Total'],
  G54: ['P_Mining_Tot', 'P_Tot_Tot'],
  G60: ['P_Tot_Managers', 'P_Tot_15_19', 'P_Tot_Tot'],
};

/** All tables of a level; letters of a wide table share its columns. */
function packOf(level: string, codes: readonly string[], extent = 'AUST'): Record<string, string> {
  const files: Record<string, string> = {};
  for (const table of new Set([...Object.values(FIGURES).map((f) => f.table), ...Object.keys(COUNTS)])) {
    const text = tableOf(
      table,
      `${level}_CODE_2021`,
      codes,
      (column, row) => column.length + 100 * row,
      COUNTS[table],
    );
    const [header, ...lines] = text.split('\r\n').map((line) => line.split(','));
    const letters = LETTERS[table] ?? '';
    if (letters === '') files[`2021Census_${table}_${extent}_${level}.csv`] = text;
    [...letters].forEach((letter, i) => {
      const own = (cells: readonly string[]) =>
        cells.filter((_, at) => at === 0 || at % letters.length === i).join(',');
      files[`2021Census_${table}${letter}_${extent}_${level}.csv`] = [header!, ...lines]
        .map(own)
        .join('\r\n');
    });
  }
  return files;
}

async function zipFolder(packs: Readonly<Record<string, string>>): Promise<ReleaseFolder> {
  const folder = await releaseFolder();
  const members = Object.entries(packs).map(([name, text]) => ({
    name: `2021 Census GCP All Geographies for AUS/X/AUS/${name}`,
    bytes: Buffer.from(text),
  }));
  const other = { name: 'Metadata/Metadata_2021_GCP_DataPack_R1_R2.xlsx', bytes: Buffer.from('x') };
  await folder.write('2021_GCP_all_for_AUS_short-header.zip', await zipBytes([other, ...members]));
  return folder;
}

async function plainFolder(files: Readonly<Record<string, string>>): Promise<ReleaseFolder> {
  const folder = await releaseFolder();
  await mkdir(join(folder.path, 'SA2'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, 'SA2', name), text);
  return folder;
}

const SALS = ['SAL10001', 'SAL10002', 'SAL20002'];

adapterConformance('census', async () => {
  const sa1 = packOf(
    'SA1',
    Array.from({ length: 3000 }, (_, i) => String(10_102_100_701 + i)),
  );
  const folder = await zipFolder({ ...packOf('SAL', SALS), ...sa1 });
  return { adapter: censusAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('a DataPack', () => {
  it('gives a row for each region with all figures, and a row for each count', async () => {
    const folder = await zipFolder(packOf('SAL', SALS));
    try {
      const result = await readDataset(censusAdapter, await folder.dataset());
      const regions = result.rowsOf(censusRegionRecord);
      expect(regions.map(({ code }) => code)).toEqual(['10001', '10002', '20002']);
      expect(claimed(result, censusRegionRecord)).toBe(3);
      expect(result.parts).toEqual(['2021 SAL']);
      expect(result.notes).toEqual([]);
      expect(Object.entries(regions[0]!).filter(([, value]) => value === null)).toEqual([]);
      expect(regions[1]).toMatchObject({
        year: 2021,
        edition: 3,
        level: 'SAL',
        source_no: 3,
        population: 107,
        rented_from_state: 100 + 'R_ST_h_auth_Total'.length,
        // Four columns of two files.
        personal_income_1_499: 400 + 'P_1_149_Tot'.length + 3 * 'P_150_299_Tot'.length,
      });
      const counts = result.rowsOf(censusCountRecord).filter(({ code }) => code === '10002');
      const of = (subject: string) =>
        counts.filter((row) => row.subject === subject).map(({ category, kind }) => `${category} (${kind})`);
      expect(of('ancestry')).toEqual(['Chinese (part)', 'Total (total)']);
      expect(of('birthplace').sort()).toEqual([
        'Not stated (not_stated)',
        'Sri Lanka (part)',
        'Total (total)',
      ]);
      expect(of('education')).toEqual(['Certificate (subtotal)', 'Not stated (not_stated)']);
      expect(of('occupation')).toEqual(['Managers (part)', 'Total (total)']);
      expect(of('age')).toHaveLength(11);
      expect(of('age').at(-1)).toBe('85 and over (part)');
      expect(of('rent')).toContain('$950 or more (part)');
      expect(of('tenure')).toEqual(
        expect.arrayContaining([
          'Owned outright (part)',
          'Rented (subtotal)',
          'Rented from a community housing provider (part)',
          'Not stated (not_stated)',
          'Total (total)',
        ]),
      );
      expect(of('household').sort()).toEqual([
        'Family households (part)',
        'Group households (part)',
        'Households of one person (part)',
        'Total (total)',
      ]);
      expect(of('personal_income')).toEqual(
        expect.arrayContaining(['$1,000 to $1,249 (part)', 'Nil or negative income (part)', 'Total (total)']),
      );
    } finally {
      await folder.remove();
    }
  });

  it('takes state packs together, a region once, and codes of every level without their prefix', async () => {
    const folder = await plainFolder({
      ...packOf('POA', ['POA2000', 'POA0800'], 'NSW'),
      ...packOf('POA', ['POA3000', 'POA2000'], 'VIC'),
      ...packOf('AUS', ['AUS']),
      ...packOf('STE', ['1', '9']),
    });
    try {
      const result = await readDataset(censusAdapter, await folder.dataset());
      const codes = result.rowsOf(censusRegionRecord).map(({ level, code }) => `${level} ${code}`);
      expect(codes).toEqual(['POA 2000', 'POA 0800', 'POA 3000', 'STE 1', 'STE 9', 'AUS AUS']);
      const files = Object.keys(packOf('POA', ['x'])).length;
      expect(result.drops).toEqual({ repeated_region: files });
    } finally {
      await folder.remove();
    }
  });

  it('reads a blank, two dots and an unavailable 0 as null, and writes no row for a count of 0', async () => {
    const special: Record<string, string> = {
      Median_rent_weekly: '0',
      Median_age_persons: '..',
      Tot_P_P: '',
      Age_0_4_yr_P: '0',
      Age_5_14_yr_P: '..',
    };
    const files = packOf('SA2', ['101021007']);
    for (const table of ['G01', 'G02'])
      files[`2021Census_${table}_AUST_SA2.csv`] = tableOf(
        table,
        'SA2_CODE_2021',
        ['101021007'],
        (column) => special[column] ?? 7,
      );
    const folder = await plainFolder(files);
    try {
      const result = await readDataset(censusAdapter, await folder.dataset());
      const [region] = result.rowsOf(censusRegionRecord);
      expect(region).toMatchObject({
        median_rent_aud_pw: null,
        median_age: null,
        population: null,
        age_0_4: 0,
        age_5_14: null,
      });
      expect(result.drops).toEqual({ zero_count: 1, not_available: 1 });
      expect(result.rowsOf(censusCountRecord).filter(({ subject }) => subject === 'age')).toHaveLength(9);
    } finally {
      await folder.remove();
    }
  });

  it('rejects malformed rows, and keeps the figures of other tables for the region', async () => {
    const files = packOf('SA2', ['101021007', '101021008']);
    const name = '2021Census_G37_AUST_SA2.csv';
    const [header, first, second] = files[name]!.split('\r\n');
    files[name] = [
      header,
      first,
      second!.replace(/,\d+/, ',1e9x'),
      '101021009,-1',
      `,${first!.slice(first!.indexOf(',') + 1)}`,
      first!.replace('101021007', 'nowhere!'),
      first!.replace('101021007', '101021010').replace(/,\d+/, ',99999999999'),
    ].join('\n');
    const folder = await plainFolder(files);
    try {
      const result = await readDataset(censusAdapter, await folder.dataset());
      expect(result.rejects.map(({ code, at, file }) => [code, at, file])).toEqual([
        ['bad_number', 'line 3', name],
        ['short_row', 'line 4', name],
        ['missing_key', 'line 5', name],
        ['bad_code', 'line 6', name],
        ['bad_number', 'line 7', name],
      ]);
      const regions = result.rowsOf(censusRegionRecord);
      expect(regions.map(({ code }) => code)).toEqual(['101021007', '101021008']);
      expect(regions[1]).toMatchObject({ population: 107, tenure_total: null });
    } finally {
      await folder.remove();
    }
  });

  it('reads counts of SA1s only on request', async () => {
    const folder = await zipFolder(packOf('SA1', ['10102100701']));
    try {
      const dataset = await folder.dataset();
      expect((await readDataset(censusAdapter, dataset)).rowsOf(censusCountRecord)).toEqual([]);
      const all = { ...dataset, options: { count_levels: ['SA1'] } };
      expect((await readDataset(censusAdapter, all)).rowsOf(censusCountRecord).length).toBeGreaterThan(50);
    } finally {
      await folder.remove();
    }
  });

  it('fails if a table lacks a column, and notes missing tables', async () => {
    const files = packOf('SA2', ['101021007']);
    const { '2021Census_G01_AUST_SA2.csv': people, '2021Census_G17C_AUST_SA2.csv': _c, ...rest } = files;
    const without = await plainFolder(rest);
    const misspelt = await plainFolder({
      ...files,
      '2021Census_G01_AUST_SA2.csv': people!.replace('Tot_P_P', 'Tot_PP'),
    });
    try {
      const result = await readDataset(censusAdapter, await without.dataset());
      expect(result.rowsOf(censusRegionRecord)[0]).toMatchObject({
        population: null,
        personal_income_total: null,
      });
      expect(result.notes).toEqual([
        expect.stringContaining('no part C of G17'),
        expect.stringContaining('no table G01'),
      ]);
      await expect(censusAdapter.discover(await misspelt.dataset())).rejects.toMatchObject({
        code: 'missing_column',
        message: expect.stringMatching(/2021Census_G01_AUST_SA2\.csv.*Tot_P_P/s),
      });
    } finally {
      await without.remove();
      await misspelt.remove();
    }
  });

  it.each([
    ['2021Census_G01_AUST_SA2.csv', 'region,Tot_P_P\n1,2\n', 'missing_column'],
    ['2021Census_G01_AUST_SA2.csv', 'SA3_CODE_2021,Tot_P_P\n1,2\n', 'missing_column'],
    ['2019Census_G01_AUST_SA2.csv', 'SA2_CODE_2019,Tot_P_P\n1,2\n', 'unknown_census_year'],
    ['2021Census_G02_AUST_SA2.csv', '', 'missing_column'],
    ['census.csv', 'SA2_CODE_2021,Tot_P_P\n1,2\n', 'missing_file'],
  ])('is refused: %s beginning with %j', async (name, text, code) => {
    const folder = await plainFolder({ [name]: text });
    try {
      await expect(censusAdapter.discover(await folder.dataset())).rejects.toMatchObject({ code });
    } finally {
      await folder.remove();
    }
  });

  it('has a source for every figure that is declared', () => {
    expect(Object.keys(FIGURES).sort()).toEqual(Object.keys(censusFigures).sort());
  });
});

describe.skipIf(!hasSharedData('Census of Victoria'))('the Census of Victoria at SA2', () => {
  it('is what an independent reading of its files gives', async () => {
    const result = await readDataset(
      censusAdapter,
      await datasetOf(sharedPath('yarra/census'), {}, /\.csv$/),
    );
    const regions = new Map(result.rowsOf(censusRegionRecord).map((row) => [row.code, row]));
    expect(regions.size).toBe(524);
    expect(result.rejects).toEqual([]);
    const rowsOf = (table: string) =>
      parse(readFileSync(sharedPath(`yarra/census/2021Census_${table}_VIC_SA2.csv`)), {
        columns: true,
      }) as Record<string, string>[];
    for (const row of rowsOf('G02')) {
      const known = (column: string) => Number(row[column]) || null;
      expect(regions.get(row.SA2_CODE_2021!)).toMatchObject({
        median_age: known('Median_age_persons'),
        median_rent_aud_pw: known('Median_rent_weekly'),
        median_household_income_aud_pw: known('Median_tot_hhd_inc_weekly'),
        household_size: known('Average_household_size'),
        persons_per_bedroom: known('Average_num_psns_per_bedroom'),
      });
    }
    const incomes = rowsOf('G17B');
    for (const row of incomes) {
      const low = ['P_1_149_Tot', 'P_150_299_Tot', 'P_300_399_Tot', 'P_400_499_Tot'];
      expect(regions.get(row.SA2_CODE_2021!)).toMatchObject({
        personal_income_nil: Number(row.P_Neg_Nil_income_Tot),
        personal_income_1_499: low.reduce((sum, column) => sum + Number(row[column]), 0),
        personal_income_500_999: null,
        population: null,
      });
    }
    const columns = [
      'P_Neg_Nil_income_Tot',
      'P_1_149_Tot',
      'P_150_299_Tot',
      'P_300_399_Tot',
      'P_400_499_Tot',
      'P_500_649_Tot',
    ];
    const zeros = incomes.flatMap((row) => columns.filter((column) => row[column] === '0')).length;
    expect(result.drops).toEqual({ zero_count: zeros });
    expect(result.rowsOf(censusCountRecord)).toHaveLength(524 * columns.length - zeros);
  });
});
