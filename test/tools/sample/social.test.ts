import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CENSUS_LEVELS,
  CENSUS_SUBJECTS,
  censusCountRecord,
  censusRegionRecord,
} from '../../../schema/records/census.ts';
import { schoolMeasureRecord, schoolRecord } from '../../../schema/records/school.ts';
import { seifaRecord } from '../../../schema/records/seifa.ts';
import type { SourceAdapter } from '../../../sources/adapter.ts';
import { censusAdapter } from '../../../sources/census/adapter.ts';
import { schoolMeasuresAdapter } from '../../../sources/school_measures/adapter.ts';
import { schoolsAdapter } from '../../../sources/schools/adapter.ts';
import { seifaAdapter } from '../../../sources/seifa/adapter.ts';
import { writeSampleConfig } from '../../../tools/sample/config.ts';
import { generateSampleCountry } from '../../../tools/sample/generate.ts';
import { publicHousingShare } from '../../../transforms/regions/demographics.ts';
import { adapterConformance } from '../../sources/conformance.ts';
import { readDataset } from '../../sources/read_dataset.ts';
import { datasetOf } from '../../sources/release_folder.ts';
import { truthOf } from './sample_files.ts';

const out = mkdtempSync(join(tmpdir(), 'sample-social-'));
beforeAll(async () => {
  await generateSampleCountry({ properties: 6000, seed: 11, out });
});
afterAll(() => rmSync(out, { recursive: true }));

const DATASETS: readonly (readonly [SourceAdapter, folder: string, pattern: RegExp])[] = [
  [schoolsAdapter, 'schools', /\.xlsx$/],
  [schoolMeasuresAdapter, 'schools', /\.csv$/],
  [censusAdapter, 'census', /\.zip$/],
  [seifaAdapter, 'seifa', /\.xlsx$/],
];
const dataset = ([, folder, pattern]: (typeof DATASETS)[number]) =>
  datasetOf(join(out, folder), { id: folder }, pattern);
const read = async (adapter: SourceAdapter) =>
  readDataset(adapter, await dataset(DATASETS.find((each) => each[0] === adapter)!));

describe.each(DATASETS)('$name on the sample country', (...each) => {
  const [adapter, folder, pattern] = each;
  adapterConformance(`${adapter.name} sample`, async () => ({ adapter, dataset: await dataset(each) }));

  it('drops and rejects exactly what the truth says', async () => {
    const result = await readDataset(adapter, await dataset(each));
    const wanted = (table: string, key: string) =>
      truthOf(out, table)
        .filter(({ file }) => file!.startsWith(`${folder}/`) && pattern.test(file!.split(' › ')[0]!))
        .map((row) => `${row.file!.slice(folder.length + 1)} ${row[key]} ${row.rows}`)
        .sort();
    const drops = result.accounts.flatMap(({ file, drops }) =>
      Object.entries(drops).map(([name, count]) => `${file} ${name} ${count}`),
    );
    expect(drops.sort()).toEqual(wanted('drops', 'name'));
    const rejects = new Map<string, number>();
    for (const { file, code } of result.rejects)
      rejects.set(`${file} ${code}`, (rejects.get(`${file} ${code}`) ?? 0) + 1);
    expect([...rejects].map(([key, count]) => `${key} ${count}`).sort()).toEqual(wanted('rejects', 'code'));
  });
});

describe('the sample country as the adapters read it', () => {
  it('are its schools with the figures of their heads', async () => {
    const schools = (await read(schoolsAdapter)).rowsOf(schoolRecord);
    const text = (value: unknown): string => (value === null ? '' : String(value));
    const names = [
      'school_id',
      'head_id',
      'name',
      'level',
      'sector',
      'is_special',
      'state',
      'suburb',
      'postcode',
      'sa1',
      'lon',
      'lat',
      'icsea',
      'enrolments',
    ] as const;
    const truth = truthOf(out, 'schools');
    expect(schools.map((row) => names.map((name) => text(row[name])))).toEqual(
      truth.map((row) => names.map((name) => row[name])),
    );
    expect(truth.some(({ lon }) => lon === '') || truth.length < 18).toBe(true);
    expect(truth.some(({ school_id, head_id }) => school_id !== head_id)).toBe(true);
    const measures = (await read(schoolMeasuresAdapter)).rowsOf(schoolMeasureRecord);
    const latest = new Map(
      measures.filter(({ year }) => year === 2025).map((row) => [String(row.school_id), row]),
    );
    for (const { school_id, attendance_rate, naplan_mean } of truth.filter((row) => row.naplan_mean !== ''))
      expect(latest.get(school_id!)).toMatchObject({
        attendance_rate: Number(attendance_rate),
        naplan_mean: Number(naplan_mean),
      });
  });

  it('are its people at every level', async () => {
    const result = await read(censusAdapter);
    const regions = new Map(
      result.rowsOf(censusRegionRecord).map((row) => [`${row.level} ${row.code}`, row]),
    );
    const truth = truthOf(out, 'census');
    expect(regions.size).toBe(truth.length);
    for (const row of truth) {
      // The first SAL stands twice in G37, the second time with other values.
      expect(regions.get(`${row.level} ${row.code}`), row.code).toMatchObject({
        population: Number(row.population),
        rented_from_state: Number(row.rented_from_state),
        rented_from_community: Number(row.rented_from_community),
        tenure_total: Number(row.tenure_total),
        tenure_not_stated: Number(row.tenure_not_stated),
        median_age: Number(row.median_age) || null,
      });
    }
    const sa1s = [...regions.values()].filter(({ level }) => level === 'SA1');
    expect(sa1s.some((row) => (publicHousingShare(row) ?? 0) > 0.2)).toBe(true);
    const counts = result.rowsOf(censusCountRecord);
    expect(new Set(counts.map(({ subject }) => subject)).size).toBe(CENSUS_SUBJECTS.length);
    expect(new Set(counts.map(({ level }) => level))).toEqual(
      new Set(CENSUS_LEVELS.filter((level) => level !== 'SA1')),
    );
    expect(result.notes.map((note) => note.slice(-5))).toEqual(CENSUS_LEVELS.map(() => 'G17A.'));
  });

  it('are its indexes, with excluded areas', async () => {
    const rows = new Map(
      (await read(seifaAdapter)).rowsOf(seifaRecord).map((row) => [`${row.level} ${row.code}`, row]),
    );
    const truth = truthOf(out, 'seifa');
    expect(rows.size).toBe(truth.length);
    for (const { level, code, irsad_percentile } of truth)
      expect(rows.get(`${level} ${code}`)?.irsad_percentile, code).toBe(
        irsad_percentile === '' ? null : Number(irsad_percentile),
      );
  });

  it('are datasets of its configuration', async () => {
    await writeSampleConfig(out, { properties: 6000, seed: 11 });
    const config = readFileSync(join(out, 'config.yaml'), 'utf8');
    for (const [{ name }] of DATASETS) expect(config).toContain(`adapter: ${name}\n`);
  });
});
