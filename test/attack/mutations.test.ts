import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunReport } from '../../pipelines/report/report.ts';
import { PUBLIC_CODES } from '../../schema/error_codes.ts';
import type { Country } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { refreshInChild } from '../pipelines/child_run.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { below, mutate, randomOf } from './mutate.ts';

/** Hostile files of the run; ATTACK_FILES, ATTACK_SEED and ATTACK_SECONDS make it longer, other, or end it earlier. */
const FILES = Number(process.env.ATTACK_FILES ?? 180);
const SEED = Number(process.env.ATTACK_SEED ?? 20261123);
const SECONDS = Number(process.env.ATTACK_SECONDS ?? 240);
/** Files of one delivery that are hostile at once: datasets are judged one by one. */
const AT_ONCE = 60;
/** Of its own: every file of it is read again for each that is damaged, so that it is as small as one with every dataset can be. */
const COUNTRY: Country = { properties: 120, seed: 3, datasets: 'all' };
/** What a refresh of so small a country may take, whatever it is given. */
const MEMORY_MAX_MB = 2500;

const CODES = new Set(PUBLIC_CODES.map(({ code }) => code));
let parent: string;
let sample: string;
let database: TestDatabase;
let whole: string;
const args = ['--json', '--workers', '1', ...OPEN_GATES.flatMap((gate) => ['--set', gate])];

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'attack-'));
  ({ database, dir: sample } = await publishedSample(COUNTRY));
  whole = await digestOf(database);
});
afterAll(async () => {
  await database?.drop();
  for (const dir of [sample, parent]) rmSync(dir, { recursive: true, force: true });
});

/** Every input file of a sample country. */
const inputs = (): string[] =>
  readdirSync(sample, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'config.yaml' && !entry.parentPath.includes('/truth'))
    .map((entry) => join(entry.parentPath, entry.name).slice(sample.length + 1))
    .sort();

/** A delivery of which some files are hostile; gives what was done to which. */
function hostile(dir: string, seed: number): string[] {
  cpSync(sample, dir, { recursive: true });
  const random = randomOf(seed);
  const names = inputs();
  const done: string[] = [];
  for (let i = 0; i < AT_ONCE && names.length > 0; i++) {
    const [name] = names.splice(below(random, names.length), 1);
    const { how, bytes } = mutate(readFileSync(join(sample, name!)), random);
    writeFileSync(join(dir, name!), bytes);
    done.push(`${name}: ${how}`);
  }
  return done;
}

/** What must hold of a report, whatever went in. */
function check(report: RunReport): void {
  const failures = [
    ...(report.error ? [report.error] : []),
    ...report.set_aside,
    ...report.datasets.flatMap(({ action, reason }) =>
      action === 'kept' ? [{ code: reason.split(':')[0]!, message: reason }] : [],
    ),
  ];
  for (const { code, message } of failures) {
    expect(code, message).not.toMatch(/^(internal|postgres_or_system_|worker_crashed)/);
    expect(CODES.has(code), `${code}: ${message}`).toBe(true);
  }
  for (const { code } of report.rejects) expect(CODES.has(code), code).toBe(true);
  for (const { dataset, accounts } of report.datasets)
    for (const { file, rows_in, records, rejects, drops } of accounts) {
      const dropped = Object.values(drops).reduce((a, b) => a + b, 0);
      expect(records + rejects + dropped, `${dataset} ${file}`).toBe(rows_in);
    }
  expect(report.peak_memory_mb).toBeLessThan(MEMORY_MAX_MB);
}

it(
  'hostile files of every format end in rejects, kept datasets or errors with a name, and heal',
  async () => {
    const began = performance.now();
    let files = 0;
    const states: Record<string, number> = {};
    for (let round = 0; files < FILES && performance.now() - began < SECONDS * 1000; round++) {
      const dir = join(parent, `round-${round}`);
      const done = hostile(dir, SEED + round);
      files += done.length;
      const run = refreshInChild(database.url, dir, args);
      const { code } = await run.ended;
      const told = `seed ${SEED + round}\n${done.join('\n')}\n${run.output().slice(-3000)}`;
      expect([0, 1, 3, 4], told).toContain(code);
      const report = JSON.parse(run.stdout()) as RunReport;
      try {
        check(report);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${told}`);
      }
      const kept = report.datasets.filter(({ action }) => action === 'kept').length;
      states[report.state] = (states[report.state] ?? 0) + 1;
      console.info(`round ${round}: ${done.length} files, ${report.state}, ${kept} datasets kept`);
      rmSync(dir, { recursive: true });
    }
    expect((await refreshSample(database, sample, OPEN_GATES)).error).toBeNull();
    expect(await digestOf(database)).toBe(whole);
    console.info(`${files} hostile files, seed ${SEED}: ${JSON.stringify(states)}`);
  },
  (SECONDS + 600) * 1000,
);
