import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coloured, takesColour } from '../../cli/colour.ts';
import { renderDoctor } from '../../cli/commands/doctor.ts';
import { withSetUp } from '../../cli/commands/inspect.ts';
import { barLine } from '../../cli/progress.ts';
import { renderReport } from '../../cli/render.ts';
import { explanationText, statusText } from '../../cli/render_brief.ts';
import { renderRun } from '../../cli/render_run.ts';
import { explain } from '../../pipelines/explain/explain.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { readReportBefore } from '../../pipelines/views/run_reports.ts';
import { status } from '../../pipelines/views/status.ts';
import type { TestDatabase } from '../database.ts';
import { refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { configWith } from './fixture.ts';

const lines = (text: string): string[] => text.split('\n');

describe('the brief report of a refresh', () => {
  let database: TestDatabase;
  let dir: string;
  const connected = async <T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> =>
    withSetUp(database.url, await configWith(), work);
  const brief = (report: RunReport): Promise<string> =>
    connected(async (client) => renderRun(report, await readReportBefore(client, report.run_id)));

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('takes at most five lines after an unchanged run, and lists drops only in full', async () => {
    const report = await refreshSample(database, dir);
    const text = await brief(report);
    expect(lines(text).length).toBeLessThanOrEqual(5);
    expect(text).toMatch(/^run 2: unchanged, [\d.]+ s/);
    expect(text).toMatch(/datasets: \d+ unchanged; stages: all \d+ unchanged/);
    expect(text).toMatch(/earlier rejects: [1-9]/);
    expect(text).not.toMatch(/left out|duplicate_key/);
    expect(renderReport(report)).toMatch(/left out: /);
  });

  it('says what a first run loaded, computed, rejected and published', async () => {
    const first = await connected((client) => readReportBefore(client, 2));
    const text = renderRun(first!, null);
    expect(text).toMatch(/loaded +gnaf +\S.* records +\d+ rejected/);
    expect(text).toMatch(/gnaf +duplicate_key/);
    expect(text).toMatch(/publication 1: \d+ of \d+ tables changed/);
    expect(text).toMatch(/longest: \w+ [\d.]+ s/);
  });

  it('names every failed partition with its attempts, code and message', async () => {
    const report = (await connected((client) => readReportBefore(client, 2)))!;
    const partition = {
      stage: 'parcel_form',
      partition: 'cell 7',
      attempts: 3,
      code: 'internal',
      message: 'x',
    };
    const failed: RunReport = {
      ...report,
      state: 'failed',
      stages: report.stages.map((stage) => ({ ...stage, partitions_run: 0 })),
      set_aside: [partition, { ...partition, partition: 'cell 8', attempts: 1 }],
      error: { code: 'partition_failed', message: 'y', kind: 'permanent', details: null },
    };
    for (const text of [renderRun(failed, null), renderReport(failed)]) {
      expect(text).toMatch(/parcel_form +cell 7 +3 attempts +internal +x/);
      expect(text).toMatch(/parcel_form +cell 8 +1 attempt +internal +x/);
      expect(text).not.toMatch(/all \d+ unchanged/);
    }
  });

  it('names every check that refused, and what to type', async () => {
    const report = await refreshSample(database, dir, [
      'gates.tables.property.rows_min=1000',
      'parcel.nearest_m=0',
    ]);
    expect(report.state).toBe('refused');
    const text = await brief(report);
    for (const check of report.audit.filter((each) => each.status === 'fail'))
      expect(text).toContain(check.message);
    expect(text).toContain('publish --accept <check>');
    // Nothing was loaded, so that nothing is said again of rejects that are known.
    expect(text).not.toMatch(/duplicate_key/);
  });

  it('names a dataset that could not be read, each night again', async () => {
    const zip = (await readdir(join(dir, 'gnaf'))).find((name) => name.endsWith('.zip'))!;
    await truncate(join(dir, 'gnaf', zip), 100);
    for (let night = 0; night < 2; night++) {
      const report = await refreshSample(database, dir);
      const text = await brief(report);
      expect(text).toMatch(/datasets: 1 kept/);
      expect(text).toMatch(/^ +kept +gnaf +\S/m);
    }
    const found = await connected((client) => status(client));
    expect(statusText(found, false)).toMatch(/kept +gnaf +\S/);
    expect(lines(statusText(found, false)).length).toBeLessThan(lines(statusText(found, true)).length);
  });

  it('explains a property on a screen', async () => {
    const [{ gnaf_pid }] = (await database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property WHERE parcel_id IS NOT NULL ORDER BY 1 LIMIT 1',
    )) as [{ gnaf_pid: string }];
    const found = await connected(async (client) => explain(client, await configWith(), gnaf_pid));
    const text = explanationText(found, false);
    expect(lines(text).length).toBeLessThanOrEqual(40);
    for (const word of [found.address!.place, found.parcel!.place, 'property_profile'])
      expect(text).toContain(word);
    expect(lines(explanationText(found, true)).length).toBeGreaterThan(60);
  });
});

describe('doctor in short', () => {
  const check = (status: 'pass' | 'warn' | 'fail', i: number) => ({
    check: `check ${i}`,
    status,
    message: `found ${i}\nhow to mend ${i}`,
  });
  it('shows all that fails, the worst first, and counts the rest', () => {
    const many = [...Array(30).keys()];
    const checks = [
      ...many.map((i) => check('pass', i)),
      ...many.map((i) => check('warn', 100 + i)),
      ...many.map((i) => check('fail', 200 + i)),
    ];
    const text = renderDoctor(null, [{ path: 'workers', value: 0, origin: 'default' }], checks, false);
    for (const i of many) expect(text).toContain(`how to mend ${200 + i}`);
    expect(text.indexOf('found 200')).toBeLessThan(text.indexOf('found 100'));
    expect(text).toContain('20 more warnings');
    expect(text).not.toContain('found 7');
    expect(lines(text).at(-1)).toBe('30 passed, 30 warned, 30 failed');
  });
});

describe('the progress bar', () => {
  const parts = {
    name: 'stage serve_property_neighbour',
    done: 1234,
    total: 5000,
    rate: '2,003 rows/s',
    remaining: '12 s left',
  };
  it.each([200, 100, 80, 60, 40, 20])('fits a terminal of %d columns', (width) => {
    const line = barLine(parts, width);
    expect(line.length).toBeLessThan(width);
    expect(line).toContain('1234/5000');
    if (width >= 60) expect(line).toContain('12 s left');
  });
  it('stays in its place while its numbers grow', () => {
    const places = [
      { ...parts, done: 0, rate: '', remaining: '' },
      { ...parts, done: 7, rate: '9 rows/s' },
      { ...parts, done: 5000, rate: '1,002,003 rows/s', remaining: '100 s left' },
    ].map((each) => [80, 120].map((width) => barLine(each, width).search(/[█░]/)));
    expect(new Set(places.map(String)).size).toBe(1);
    expect(places[0]![0]).toBeGreaterThan(0);
  });
});

describe('colours', () => {
  it('are those of a terminal, and none with NO_COLOR or in a pipe', () => {
    expect(takesColour({ isTTY: true }, {})).toBe(true);
    expect(takesColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(takesColour({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
    expect(takesColour({}, {})).toBe(false);
  });

  it('highlight failures, and do not alter the text', () => {
    const text =
      'run 3: refused, 1.2 s\n  fail  rows:property  too few\n  failing_dataset  fail\nerror missing_file: x';
    const found = coloured(text);
    expect(found.replaceAll(/\u001b\[\d+m/g, '')).toBe(text);
    expect(found).toContain('\u001b[31mrefused\u001b[39m');
    expect(found).toContain('  \u001b[31mfail\u001b[39m  rows:property');
    expect(found).toContain('\n  failing_dataset  fail\n');
  });
});
