import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTaskExecutor } from '../../jobs/task_executor.ts';
import { silent } from '../../pipelines/report/progress.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { refresh } from '../../pipelines/run/refresh.ts';
import type { Config } from '../../schema/config.ts';
import { PROGRAM } from '../../store/database.ts';
import { findFiles } from '../../store/loads/files.ts';
import type { TestDatabase } from '../database.ts';
import { until } from '../waiting.ts';
import { digestsOf, makeSample, type Sample } from './sample.ts';
import { named, ready, startWorkerChild, type WorkerChild } from './worker_child.ts';

let sample: Sample;
/** The files of the sample in another place, as another machine has them. */
let elsewhere: string;
/** What was recorded of the loads that threads of one process made. */
let alone: unknown[];

/** What is recorded of the loads of a database, but for their numbers and paths. */
const loadsOf = (database: TestDatabase): Promise<unknown[]> =>
  database.query(
    `SELECT dataset, part, release, part_fingerprint, state, crs, accounts, notes,
       (SELECT jsonb_agg(jsonb_build_array(code, at, message) ORDER BY code, at, message) FROM control.reject r WHERE r.load_id = l.load_id) AS rejects,
       (SELECT jsonb_agg(jsonb_build_array(table_name, cell, rows, digest, extent) ORDER BY table_name, cell)
        FROM control.load_digest d WHERE d.load_id = l.load_id) AS digests
     FROM control.load l ORDER BY dataset, part`,
  );

beforeAll(async () => {
  sample = await makeSample();
  elsewhere = await mkdtemp(join(tmpdir(), 'parts-elsewhere-'));
  await cp(sample.dir, elsewhere, { recursive: true });
  alone = await loadsOf(sample.published);
});
afterAll(async () => {
  await rm(elsewhere, { recursive: true, force: true });
  await sample.remove();
});

describe('parts of datasets on several machines', () => {
  let database: TestDatabase;
  let config: Config;
  let workers: WorkerChild[];

  beforeEach(async () => {
    database = await sample.published.copy();
    const queue = { ...sample.config.queue, cron: null, distribute: true, lease_s: 5 };
    config = { ...sample.config, queue, retry: { ...sample.config.retry, backoff_ms: 20 } };
    workers = [];
  });
  afterEach(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await database.drop();
  });

  const start = async (dir: string, datasets: Config['datasets']): Promise<WorkerChild> => {
    const worker = startWorkerChild(database.url, config, dir, datasets);
    workers.push(worker);
    await ready(worker);
    return worker;
  };

  /** Loads every part again, since none has the fingerprint that it had, and computes nothing, since all rows are the same. */
  async function loadAgain(): Promise<RunReport> {
    await database.query(`UPDATE control.load SET fingerprint = '', part_fingerprint = ''`);
    return refresh({
      url: database.url,
      config,
      base: sample.dir,
      progress: silent,
      command: 'test',
      openExecutor: (here) => openTaskExecutor(database.url, config, here),
    });
  }
  async function expectAsAlone(report: RunReport): Promise<void> {
    expect([report.state, report.error]).toEqual(['unchanged', null]);
    expect(report.datasets.map(({ action }) => action)).toEqual(report.datasets.map(() => 'loaded'));
    for (const { dataset, rows } of report.datasets) {
      const bar = report.timeline!.pieces.find(({ name }) => name === `load ${dataset}`);
      expect(bar, dataset).toMatchObject({ rows, done: bar!.total });
    }
    expect(await loadsOf(database)).toEqual(alone);
    expect(await digestsOf(database.url)).toEqual(sample.expected);
    expect(await database.query('SELECT * FROM control.loading')).toEqual([]);
  }

  /** The name of the sessions of the only process that is there. */
  async function sessionOf(): Promise<string> {
    const beats = await database.query<{ id: string }>(
      `SELECT right(application_name, 16) AS id FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE '${PROGRAM} beat %'`,
    );
    expect(beats.length).toBe(1);
    return `${PROGRAM} ${beats[0]!.id}`;
  }

  it('are loaded only by workers that have the files, and refused by the others', async () => {
    const has = await start(elsewhere, config.datasets);
    const hasNot = await start(elsewhere, {});
    const report = await loadAgain();
    await expectAsAlone(report);
    const loaded = named(has.events, 'part');
    expect(loaded.length).toBeGreaterThan(0);
    expect([named(has.events, 'part_refused'), named(has.events, 'part_failed')]).toEqual([[], []]);
    expect(named(hasNot.events, 'part')).toEqual([]);
    const refused = named(hasNot.events, 'part_refused');
    expect(refused.length).toBeGreaterThan(0);
    for (const { code, run_id } of refused) expect([code, run_id]).toEqual(['part_not_here', report.run_id]);
    // Each dataset is refused in words once.
    expect(new Set(refused.map(({ dataset }) => dataset)).size).toBe(refused.length);
    const spans = report.timeline!.threads.filter(({ machine }) => machine !== undefined);
    expect(new Set(spans.map(({ name }) => name))).toEqual(
      new Set(loaded.map(({ dataset }) => `load ${dataset}`)),
    );
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'are loaded by another worker if the one that reads a part gets %s',
    async (signal) => {
      const worker = await start(elsewhere, config.datasets);
      const session = await sessionOf();
      // Its tables and digests are there, and the load is not complete.
      await database.query(`CREATE FUNCTION public.slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF current_setting('application_name') = '${session}' THEN PERFORM pg_sleep(12); END IF; RETURN NEW; END $$`);
      await database.query(
        `CREATE TRIGGER slowly BEFORE UPDATE ON control.load FOR EACH ROW EXECUTE FUNCTION public.slowly()`,
      );
      const going = loadAgain();
      await until('a part in hand', async () => {
        const sql = `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'`;
        return (await database.query(sql.replace('$1', `'${session}'`))).length > 0;
      });
      worker.child.kill(signal);
      const report = await going;
      await expectAsAlone(report);
      expect(named(worker.events, 'part')).toEqual([]);
      if (signal === 'SIGKILL') return;
      expect(report.notes).toContain('A worker was silent for 5 s; other workers took its work over.');
      worker.child.kill('SIGCONT');
      const late = await until('its late result', () => named(worker.events, 'part_failed')[0]);
      expect(late).toMatchObject({ code: 'database_lost', run_id: report.run_id });
      expect(await loadsOf(database)).toEqual(alone);
    },
  );

  it('are refused by a worker whose files differ', async () => {
    const other = await mkdtemp(join(tmpdir(), 'parts-other-'));
    try {
      await cp(sample.dir, other, { recursive: true });
      // The same names and shapes, in files that end with another byte.
      const { gnaf: _one, ...layers } = config.datasets;
      const files = await findFiles(
        Object.values(layers).flatMap(({ path }) => path),
        other,
      );
      const systems = files.filter((file) => file.endsWith('.prj'));
      expect(systems.length).toBeGreaterThan(0);
      for (const file of systems) await appendFile(file, '\n');
      const worker = await start(other, layers);
      await expectAsAlone(await loadAgain());
      const reason = expect.stringContaining('has other files or settings here');
      const refused = expect.objectContaining({ code: 'part_not_here', reason });
      expect(named(worker.events, 'part_refused')).toContainEqual(refused);
      expect(named(worker.events, 'part')).toEqual([]);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});
