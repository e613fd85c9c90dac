import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { openWorkbook } from '../../../sources/formats/table/workbook.ts';
import { writeWorkbook } from '../../../tools/sample/formats/workbook_writer.ts';
import { TOWN } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { editZip } from '../edit_release.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

const LIST = 'schools/School Location 2025.xlsx';

describe('one row that cannot be read', () => {
  let database: TestDatabase;
  let dir: string;
  let rows: (string | null)[][];
  let sheet: string;

  const refresh = (): Promise<RunReport> => refreshSample(database, dir, [...OPEN_GATES]);
  /** Homes of each state for which a theme is assessed. */
  const covered = async (theme: string): Promise<Record<string, number>> => {
    const found = await database.query<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM serving.property_coverage WHERE $1 = ANY (covered) GROUP BY state ORDER BY state',
      [theme],
    );
    return Object.fromEntries(found.map(({ state, n }) => [state, n]));
  };
  const writeSchools = (added: (string | null)[][]): Promise<void> =>
    writeWorkbook(join(dir, LIST), [{ name: sheet, rows: [...rows, ...added] }]);
  const column = (name: string): number => rows[0]!.indexOf(name);
  /** The first school of Victoria under another identifier, with some cells changed. */
  const school = (changes: Record<string, string | null>): (string | null)[] => {
    const known = rows.find((row) => row[column('State')] === 'VIC')!;
    const row = [...known];
    for (const [name, value] of Object.entries({ 'ACARA SML ID': '59999', ...changes }))
      row[column(name)] = value;
    return row;
  };

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
    const workbook = await openWorkbook(join(dir, LIST), LIST);
    sheet = workbook.sheets.find((name) => /^school ?location/i.test(name))!;
    rows = (await workbook.read(sheet)).map(({ cells }) => cells.map((cell) => cell || null));
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('leaves the schools of every home assessed if it is a note below the list', async () => {
    const before = await covered('school');
    await writeSchools([[null], ['© Australian Curriculum, Assessment and Reporting Authority']]);
    const report = await refresh();
    expect(report.error).toBeNull();
    expect(await covered('school')).toEqual(before);
    expect(JSON.stringify(report.datasets)).toContain('"footnote":1');
  });

  it('voids only the surroundings of its suburb if its latitude has no sign', async () => {
    const before = await covered('school');
    await writeSchools([school({ Latitude: '37.8' })]);
    expect((await refresh()).error).toBeNull();
    const after = await covered('school');
    expect({ ...after, VIC: 0 }).toEqual({ ...before, VIC: 0 });
    expect(after.VIC ?? 0).toBeLessThan(before.VIC!);
  });

  it('voids its state if it states nothing else, and the report names it', async () => {
    const before = await covered('school');
    await writeSchools([school({ Latitude: '37.8', Suburb: null, Postcode: null })]);
    const report = await refresh();
    expect(report.error).toBeNull();
    const after = await covered('school');
    expect({ ...after, VIC: 0 }).toEqual({ ...before, VIC: 0 });
    expect(Object.keys(before).length).toBeGreaterThan(1);
    expect(after.VIC).toBeUndefined();
    expect(report.notes.join('\n')).toMatch(
      /Dataset schools: its coverage of school does not count in VIC, .* line \d+: outside_australia, school 59999/,
    );
  });

  it('takes nothing from the transport of a state if it is one trip of thousands of rows', async () => {
    await writeSchools([]);
    const before = await covered('transport');
    // The rows are repeated, so that one is less than 0.5 % of them.
    await editZip(join(dir, 'transport/national/gtfs.zip'), /stop_times\.txt$/, (text) => {
      const [header, ...lines] = text.trimEnd().split('\n');
      return [header, ...Array.from({ length: 50 }, () => lines).flat(), 'no such trip', ''].join('\n');
    });
    const report = await refresh();
    expect(report.error).toBeNull();
    const rejects = report.datasets.find(({ dataset }) => dataset === 'gtfs')!;
    expect(rejects.accounts.reduce((sum, account) => sum + account.rejects, 0)).toBeGreaterThan(0);
    expect(await covered('transport')).toEqual(before);
  });
});
