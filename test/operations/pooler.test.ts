import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseChecks } from '../../pipelines/doctor/database.ts';
import { configSchema } from '../../schema/config.ts';
import { isTransactionPooler } from '../../store/system/session_settings.ts';
import { SMALL } from '../countries.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { digestOf, OPEN_GATES } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { hasPgBouncer, type Pooler, startPgBouncer } from './pgbouncer.ts';

const POOLER = hasPgBouncer();
if (!POOLER) console.warn('SKIPPED: connection poolers are not tested, because pgbouncer is not installed.');

describe.skipIf(!POOLER)('PgBouncer', () => {
  let database: TestDatabase;
  let empty: TestDatabase;
  let dir: string;
  const poolers: Pooler[] = [];
  const start = async (...given: Parameters<typeof startPgBouncer>): Promise<string> => {
    const pooler = await startPgBouncer(...given);
    poolers.push(pooler);
    return pooler.url;
  };
  const run = async (url: string, ...args: string[]) => {
    const child = pipeline([...args, '-c', `${dir}/config.yaml`], { DATABASE_URL: url });
    // A command that is not refused may run for ever.
    const timer = setTimeout(() => child.child.kill('SIGKILL'), 120_000);
    const { code } = await child.ended;
    clearTimeout(timer);
    return { code, text: child.output() };
  };

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(SMALL));
    empty = await createDatabase();
  });
  afterAll(async () => {
    for (const pooler of poolers) await pooler.stop();
    await database?.drop();
    await empty?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it.each([
    ['as installed', []],
    ['as advised on the net', ['ignore_startup_parameters = options,extra_float_digits']],
    ['with one connection to the server', ['default_pool_size = 1']],
    ['with connections in turn', ['server_round_robin = 1', 'min_pool_size = 5']],
  ])('in transaction mode %s is refused by runs, services and doctor', async (_, more) => {
    const url = await start(empty.url, 'transaction', more);
    expect(await isTransactionPooler(url)).toBe(true);
    for (const command of [
      ['refresh'],
      ['rollback', '--reason', 'x'],
      ['worker'],
      ['serve', '--port', '0'],
    ]) {
      const { code, text } = await run(url, ...command);
      expect([command[0], code, text]).toEqual([
        command[0],
        1,
        expect.stringContaining('pooler_without_sessions'),
      ]);
      expect(text).toContain('Point DATABASE_URL to PostgreSQL itself, or to a pool in session mode');
    }
    expect(
      await empty.query(`SELECT nspname FROM pg_namespace WHERE nspname IN ('control', 'serving')`),
    ).toEqual([]);
    const checks = await databaseChecks(url, configSchema.parse({ database: { url }, datasets: {} }));
    expect(checks.find(({ check }) => check === 'sessions')).toMatchObject({ status: 'fail' });
  });

  it('in statement mode is refused like one in transaction mode', async () => {
    const url = await start(empty.url, 'statement');
    expect(await isTransactionPooler(url)).toBe(true);
    const { code, text } = await run(url, 'refresh');
    expect([code, text]).toEqual([1, expect.stringContaining('error pooler_without_sessions')]);
    const checks = await databaseChecks(url, configSchema.parse({ database: { url }, datasets: {} }));
    expect(checks.find(({ check }) => check === 'sessions')).toMatchObject({ status: 'fail' });
  });

  it('that requires TLS asks for sslmode', async () => {
    const plain = await start(empty.url, 'session', ['client_tls_sslmode = require']);
    const refused = await run(plain, 'status');
    expect([refused.code, refused.text]).toEqual([
      1,
      expect.stringContaining('Correct sslmode of DATABASE_URL'),
    ]);
    const encrypted = await run(`${plain}?sslmode=require`, 'doctor', '--verbose');
    expect(encrypted.text).toMatch(/pass +sessions/);
  });

  it('in session mode works, with the settings that a session needs', async () => {
    const before = await digestOf(database);
    const open = OPEN_GATES.flatMap((gate) => ['--set', gate]);
    const url = await start(database.url, 'session');
    expect(await isTransactionPooler(url)).toBe(false);
    expect(await isTransactionPooler(database.url)).toBe(false);
    const again = await run(url, 'refresh', '--set', 'neighbours.min_shared_m=40', ...open);
    expect(again.code, again.text).toBe(0);
    expect(await digestOf(database)).not.toBe(before);
    const back = await run(url, 'refresh', ...open);
    expect(back.code, back.text).toBe(0);
    expect(await digestOf(database)).toBe(before);
    expect(await database.query('SELECT max(publication_id) AS last FROM control.publication')).toEqual([
      { last: 3 },
    ]);
  });
});

describe.skipIf(!POOLER)('service.read_url', () => {
  let scene: Scene;
  let key: string;
  const poolers: Pooler[] = [];
  const start = async (...given: Parameters<typeof startPgBouncer>): Promise<string> => {
    const pooler = await startPgBouncer(...given);
    poolers.push(pooler);
    return pooler.url;
  };

  beforeAll(async () => {
    scene = await setScene(await publishedSample(SMALL));
    ({ key } = await scene.funded('pooled', 1_000_000));
  });
  afterAll(async () => {
    await scene?.close();
    for (const pooler of poolers) await pooler.stop();
  });

  /** Answers about properties by `read_url`, and the statements that begin transactions or set something in one further call. */
  const readProfiles = async (readUrl: string | null) => {
    const service = await scene.start([
      'service.rate_per_s=100000',
      'service.rate_burst=100000',
      ...(readUrl === null ? [] : [`service.read_url=${readUrl}`]),
    ]);
    const read = async (id: string) => {
      const answer = await fetch(`${service.base_url}/v1/properties/${id}/profile`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data };
    };
    const ids = await scene.database.query<{ id: string }>(
      'SELECT gnaf_pid AS id FROM serving.property ORDER BY 1 LIMIT 40',
    );
    const answers = await Promise.all(ids.map(({ id }) => read(id)));
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    try {
      expect(await read(ids[0]!.id)).toEqual(answers[0]);
      const texts = sent.mock.calls.map(([query]) => (typeof query === 'string' ? query : ''));
      return { answers, texts: texts.filter((text) => /^(BEGIN ISOLATION|SET )/.test(text)) };
    } finally {
      sent.mockRestore();
    }
  };

  it('read_url in transaction mode gives the answers of the server, with the settings in each transaction', async () => {
    const url = await start(scene.database.url, 'transaction', ['default_pool_size = 2']);
    const direct = await readProfiles(null);
    expect(direct.answers).toHaveLength(40);
    expect(direct.answers[0]).toMatchObject({ status: 200, data: expect.any(Object) });
    const pooled = await readProfiles(url);
    expect(pooled.answers).toEqual(direct.answers);
    expect(pooled.texts).toEqual([
      expect.stringMatching(/^BEGIN .*; SET LOCAL .*; SET LOCAL role = 'api_reader'; SELECT max\(/s),
    ]);
    // A session of the pool is left as it was: the role ends with each transaction.
    for (let turn = 0; turn < 2; turn++) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query('SELECT current_user = session_user AS own');
      await client.end();
      expect(rows).toEqual([{ own: true }]);
    }
  });

  it.each([
    ['the server itself', () => scene.database.url],
    ['a pooler in session mode', () => start(scene.database.url, 'session')],
  ])('read_url of %s: settings are set once for each connection', async (_, urlOf) => {
    const { answers, texts } = await readProfiles(await urlOf());
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(texts).toEqual([
      expect.stringMatching(/^BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;\s+SELECT max/),
    ]);
  });
});
