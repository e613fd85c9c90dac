import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import type { Progress } from '../../../pipelines/report/progress.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { configSchema } from '../../../schema/config.ts';
import { openPool } from '../../../store/database.ts';
import { takeRun } from '../../../store/locks.ts';
import { VICTORIA } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { refreshInChild } from '../child_run.ts';
import { copySample, editTable } from '../damage.ts';
import { ONE_STATEMENT, type Seen } from '../readers.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

const READERS = fileURLToPath(new URL('../readers.ts', import.meta.url));
const PUBLICATIONS = 6;
/** What a publication may add to the longest read, in milliseconds. */
const STALL_MS = 100;

/** Progress that tells when a piece of work begins and ends. */
const watching = (
  onStart: (name: string) => void,
  onEnd: (name: string) => void = () => undefined,
): Progress => ({
  start: (name) => {
    onStart(name);
    return { done: () => undefined, rows: () => undefined, end: () => onEnd(name) };
  },
});

describe('several at once', () => {
  let parent: string;
  let sample: string;
  let whole: string;
  const databases: TestDatabase[] = [];
  const fresh = async (): Promise<TestDatabase> => {
    const database = await createDatabase();
    databases.push(database);
    return database;
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'races-'));
    const published = await publishedSample(VICTORIA);
    sample = published.dir;
    databases.push(published.database);
    whole = await digestOf(published.database);
  });

  afterAll(async () => {
    for (const database of databases) await database.drop();
    await rm(sample, { recursive: true, force: true });
    await rm(parent, { recursive: true, force: true });
  });

  it('lets one of two refreshes run, and the other wait or leave with exit code 75', async () => {
    const database = await fresh();
    const runs = [1, 2].map(() => refreshInChild(database.url, sample, ['--workers', '1']));
    const codes = await Promise.all(runs.map(async (run) => (await run.ended).code));
    expect(codes).toContain(0);
    for (const [i, code] of codes.entries()) expect([0, 75], runs[i]!.output()).toContain(code);
    expect(await digestOf(database)).toBe(whole);
    const runStates = await database.query<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM control.run GROUP BY state',
    );
    expect(runStates.find((row) => row.state === 'published')?.n).toBe(1);
    expect(runStates.filter((row) => !['published', 'unchanged'].includes(row.state))).toEqual([]);
  });

  it('leaves with exit code 75 where another run holds the lock', async () => {
    const database = await fresh();
    const pool = openPool(database.url, 1);
    const holder = await pool.connect();
    try {
      await setUp(holder, configSchema.parse({ datasets: {} }));
      expect(await takeRun(holder)).toBeNull();
      const run = refreshInChild(database.url, sample);
      expect((await run.ended).code).toBe(75);
      expect(run.output()).toMatch(
        /error locked: Another run is under way on this database: session \d+ of user/,
      );
    } finally {
      holder.release();
      await pool.end();
    }
  });

  it('sets up databases of one server at once, with a role that none of them has made yet', async () => {
    const role = `reader_${randomBytes(6).toString('hex')}`;
    const { config } = await loadConfig({ set: [`database.api_role=${role}`] }, {});
    const some = await Promise.all([fresh(), fresh(), fresh()]);
    const pools = [...some, ...some].map((database) => openPool(database.url, 1));
    try {
      await Promise.all(
        pools.map(async (pool) => {
          const client = await pool.connect();
          await setUp(client, config).finally(() => client.release());
        }),
      );
      for (const database of some) {
        const sql = `SELECT has_schema_privilege($1, 'serving', 'USAGE') AS may`;
        expect(await database.query(sql, [role])).toEqual([{ may: true }]);
      }
    } finally {
      for (const pool of pools) await pool.end();
      for (const database of some) await database.query(`DROP OWNED BY ${role}`);
      await some[0]!.query(`DROP ROLE ${role}`);
    }
  });

  it('keeps to the connections that the server has, however many threads there are', async () => {
    const database = await fresh();
    const limit = 24;
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${limit}`);
    const refreshing = refreshSample(database, sample, ['workers=3']);
    let most = 0;
    let over = false;
    void refreshing.finally(() => {
      over = true;
    });
    while (!over) {
      const sql = 'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()';
      most = Math.max(most, (await database.query<{ n: number }>(sql))[0]!.n);
      await sleep(5);
    }
    expect((await refreshing).error).toBeNull();
    expect(await digestOf(database)).toBe(whole);
    expect(most).toBeLessThanOrEqual(limit);
  });

  it.each(['load gnaf', 'stage parcel_form', 'stage serve_property'])(
    'lets nothing of a run through that lost its lock, while another takes over: %s',
    async (moment) => {
      const database = await fresh();
      let second: ReturnType<typeof refreshSample> | undefined;
      const takeOver = async (): ReturnType<typeof refreshSample> => {
        await database.query('SELECT pg_terminate_backend(pid) FROM control.holder');
        return refreshSample(database, sample, ['workers=1']);
      };
      const progress = watching((name) => {
        if (name === moment) second ??= takeOver();
      });
      const first = await refreshSample(database, sample, ['workers=2', 'batch_rows=20'], { progress });
      expect(first.state).toBe('failed');
      expect(['database_lost', 'run_superseded']).toContain(first.error?.code);
      expect(await second).toMatchObject({ state: 'published', error: null });
      expect(await digestOf(database)).toBe(whole);
      expect(await database.query(`SELECT 1 FROM control.run WHERE state = 'running'`)).toEqual([]);
      expect((await refreshSample(database, sample)).state).toBe('unchanged');
    },
  );

  it('shows readers one publication or the next, never a mixture, and does not hold them up', async () => {
    const database = await fresh();
    const other = await copySample(sample, parent);
    const states = ['VIC', 'TAS'];
    for (const state of states) {
      // Every third address goes: rows of all tables change.
      await editTable(other, `${state}_ADDRESS_DETAIL`, (lines) => lines.filter((_, i) => i % 3 !== 2));
    }
    const open = ['workers=1', ...OPEN_GATES];
    const expected = new Set<string>();
    const windows: [number, number][] = [];
    const publishOne = async (n: number): Promise<void> => {
      let computed = Number.POSITIVE_INFINITY;
      const progress = watching(
        () => undefined,
        () => {
          computed = performance.timeOrigin + performance.now();
        },
      );
      const report = await refreshSample(database, n % 2 === 1 ? sample : other, open, { progress });
      expect(report).toMatchObject({ state: 'published', publication: n });
      windows.push([computed, performance.timeOrigin + performance.now()]);
    };
    const state = async (): Promise<string> =>
      (await database.query<{ state: string }>(ONE_STATEMENT))[0]!.state;
    await publishOne(1);
    expected.add(await state());
    const child = spawn(process.execPath, ['--import', 'tsx', READERS, database.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    try {
      for (let n = 2; n <= PUBLICATIONS + 1; n++) {
        await publishOne(n);
        expected.add(await state());
      }
    } finally {
      child.stdin.end();
      await ended;
    }
    expect(expected.size).toBe(2);
    const seen = JSON.parse(output) as Seen[];
    for (const { states, errors } of seen) {
      expect(errors).toEqual([]);
      expect(Object.keys(states).sort()).toEqual([...expected].sort());
    }
    const during = (start: number, ms: number): boolean =>
      windows.some(([from, to]) => start < to && start + ms > from);
    const reads = seen.flatMap((one) => one.reads);
    const longest = (of: typeof reads): number => of.reduce((most, [, ms]) => Math.max(most, ms), 0);
    const inside = reads.filter(([start, ms]) => during(start, ms));
    const outside = reads.filter(([start, ms]) => !during(start, ms));
    console.log(
      `readers: ${reads.length} reads, ${inside.length} during ${PUBLICATIONS} publications; ` +
        `longest ${longest(inside).toFixed(1)} ms then, ${longest(outside).toFixed(1)} ms otherwise`,
    );
    expect(inside.length).toBeGreaterThan(PUBLICATIONS);
    expect(longest(inside)).toBeLessThan(longest(outside) + STALL_MS);
  });
});
