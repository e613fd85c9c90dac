import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VICTORIA } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { embeddedStatus, stopEmbedded } from '../../embedded_status.ts';
import { publishedSample } from '../../published_sample.ts';
import { PATIENT } from '../../waiting.ts';
import { gives, pipeline, refreshInChild, seeded, sessionsGone, until } from '../child_run.ts';
import { digestOf, refreshSample } from '../sample_run.ts';

/** A moment of a run, by what its database shows then. */
interface Moment {
  name: string;
  sql: string;
}

const loading = (dataset: string): Moment => ({
  name: `${dataset} is being read`,
  sql: `SELECT 1 FROM control.load WHERE dataset = '${dataset}' AND state = 'loading'`,
});
const loaded = (dataset: string): Moment => ({
  name: `a part of ${dataset} is read`,
  sql: `SELECT 1 FROM control.load WHERE dataset = '${dataset}' AND state = 'loaded'`,
});
const active = (dataset: string): Moment => ({
  name: `${dataset} is active`,
  sql: `SELECT 1 FROM control.load WHERE dataset = '${dataset}' AND state = 'active'`,
});
const computed = (stage: string): Moment => ({
  name: `${stage} has begun`,
  sql: `SELECT 1 FROM control.partition WHERE stage = '${stage}'`,
});
const publishing: Moment = {
  name: 'the publication is being written',
  sql: `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'changed_|delta_'`,
};
const published: Moment = { name: 'the publication is made', sql: 'SELECT 1 FROM control.publication' };
const begun: Moment = {
  name: 'the run has begun',
  sql: `SELECT 1 FROM control.run WHERE state = 'running'`,
};

/** Each list is the kills of one database, one run after the other. */
const KILLS: readonly (readonly Moment[])[] = [
  [begun, loaded('gnaf'), computed('address_home'), computed('serve_property'), publishing],
  [loading('cadastre_vic'), active('gnaf'), computed('parcel_form'), computed('serve_suburb'), published],
];

interface Recorded {
  stage: string;
  cell: number;
  run_id: number;
  computed_at: string;
}

const recordedIn = (database: TestDatabase): Promise<Recorded[]> =>
  database.query<
    { stage: string; cell: number; run_id: number; computed_at: string } & Record<string, unknown>
  >('SELECT stage, cell, run_id, computed_at::text FROM control.partition ORDER BY stage, cell');

/** What a finished database must not hold of the runs that died. */
async function remains(database: TestDatabase): Promise<Record<string, unknown>> {
  const [row] = await database.query<Record<string, unknown>>(
    `SELECT
       ARRAY(SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'record'::regnamespace AND c.relkind = 'r'
         AND substring(c.relname FROM '_l([0-9]+)$')::int NOT IN (SELECT load_id FROM control.load)) AS orphans,
       (SELECT count(*)::int FROM control.load WHERE state <> 'active') AS unfinished,
       (SELECT count(*)::int FROM control.run WHERE state = 'running') AS running,
       (SELECT count(*)::int FROM control.partition WHERE staged) AS staged,
       (SELECT count(*)::int FROM control.publication) AS publications`,
  );
  return row!;
}

const CLEAN = { orphans: [], unfinished: 0, running: 0, staged: 0, publications: 1 };

/** Two databases at a time: one run alone leaves a core idle. */
const lane = pLimit(2);

let dir: string;
/** Digest of what an undisturbed run serves. */
let whole: string;

beforeAll(async () => {
  const { database, ...sample } = await publishedSample(VICTORIA);
  ({ dir } = sample);
  whole = await digestOf(database);
  await database.drop();
});

afterAll(() => rm(dir, { recursive: true, force: true }));

describe.concurrent('a run that is killed', () => {
  const databases: TestDatabase[] = [];
  const fresh = async (): Promise<TestDatabase> => {
    const database = await createDatabase();
    databases.push(database);
    return database;
  };

  afterAll(async () => {
    for (const database of databases) await database.drop();
  });

  /** Kills a run some milliseconds after a moment. Returns what was recorded, or null where the run ended first. */
  async function kill(
    database: TestDatabase,
    moment: Moment,
    delay: number,
    signal: NodeJS.Signals,
  ): Promise<Recorded[] | null> {
    // The lists go on from where the run before was killed: only a run of its own counts as a new moment.
    const own =
      moment === begun || moment === publishing || moment === published
        ? moment.sql
        : `${moment.sql} AND run_id = (SELECT max(run_id) FROM control.run WHERE state = 'running')`;
    const before = await database
      .query<{ n: number }>('SELECT COALESCE(max(run_id), 0)::int AS n FROM control.run')
      .then((rows) => rows[0]!.n)
      .catch(() => 0);
    const started = gives(database, `SELECT 1 FROM control.run WHERE run_id > ${before}`);
    const run = refreshInChild(database.url, dir, ['--workers', '1', '--set', 'batch_rows=40']);
    const hit = (await until(run, started)) && (await until(run, gives(database, own)));
    if (hit) await sleep(delay);
    run.child.kill(signal);
    const { code, signal: by } = await run.ended;
    await sessionsGone(database);
    if (!hit || (by === null && code !== 130)) return null;
    if (signal === 'SIGTERM') expect(code).toBe(130);
    return recordedIn(database);
  }

  it.each(KILLS.map((moments, i) => [moments.map((moment) => moment.name).join('; '), moments, i] as const))(
    'ends with the content of an undisturbed run: killed when %s',
    (_, moments, i) =>
      lane(async () => {
        const database = await fresh();
        const random = seeded(100 + i);
        let kept: Recorded[] = [];
        let killed = 0;
        for (const moment of moments) {
          const recorded = await kill(database, moment, Math.floor(random() * 25), 'SIGKILL');
          if (recorded === null) continue;
          killed++;
          expect(recorded, `after ${moment.name}`).toEqual(expect.arrayContaining(kept));
          kept = recorded;
        }
        expect(killed, 'runs that were killed before they ended').toBeGreaterThanOrEqual(moments.length - 1);
        expect((await refreshSample(database, dir)).error).toBeNull();
        expect(await digestOf(database)).toBe(whole);
        expect(await remains(database)).toEqual(CLEAN);
        expect(await recordedIn(database)).toEqual(expect.arrayContaining(kept));
        console.log(`resume: ${killed} kills, ${kept.length} partitions kept`);
      }),
    240_000,
  );

  it(
    'stops with exit code 130 on SIGTERM, and goes on',
    () =>
      lane(async () => {
        const database = await fresh();
        expect(await kill(database, active('asgs'), 5, 'SIGTERM')).not.toBeNull();
        const report = await refreshSample(database, dir);
        expect(report.state).toBe('published');
        expect(report.datasets.find(({ dataset }) => dataset === 'asgs')?.action).toBe('unchanged');
        expect(await digestOf(database)).toBe(whole);
        expect(await remains(database)).toEqual(CLEAN);
      }),
    240_000,
  );
});

describe('an embedded server that is killed', () => {
  afterAll(() => stopEmbedded(join(dir, 'data', 'postgres')));

  it('fails the run with a clear error, and the next one ends with the same content', async () => {
    const dataDir = join(dir, 'data');
    const args = ['-c', join(dir, 'config.yaml'), '--data-dir', dataDir];
    const killed = pipeline(['refresh', ...args, '--verbose', '--workers', '1']);
    expect(await until(killed, () => killed.output().includes('load ')), killed.output()).toBe(true);
    killed.child.kill('SIGKILL');
    await killed.ended;
    for (const line of ['load gnaf', 'stage address_home']) {
      const run = pipeline(['refresh', ...args, '--verbose', '--workers', '1', '--set', 'batch_rows=40']);
      expect(await until(run, () => run.output().includes(line)), run.output()).toBe(true);
      process.kill(embeddedStatus(join(dataDir, 'postgres')).pid!, 'SIGKILL');
      const { code } = await run.ended;
      expect(code, run.output()).toBe(1);
      expect(run.output()).toContain('database_lost');
      expect(run.output()).toContain('Check that the server runs');
    }
    const last = pipeline(['refresh', ...args]);
    expect((await last.ended).code, last.output()).toBe(0);
    const digest = pipeline(['digest', ...args, '--json']);
    expect((await digest.ended).code, digest.output()).toBe(0);
    await expect.poll(() => embeddedStatus(join(dataDir, 'postgres')).running, PATIENT).toBe(false);
    const lines = JSON.parse(digest.stdout()) as { table: string; rows: number; digest: string }[];
    expect(lines.map((line) => `${line.table} ${line.rows} ${line.digest}`).join('\n')).toBe(whole);
  });
});
