import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { readerOf } from '../../../pipelines/run/set_up.ts';
import { status } from '../../../pipelines/views/status.ts';
import { configSchema } from '../../../schema/config.ts';
import { openPool } from '../../../store/database.ts';
import { grantLogin } from '../../../store/reader_role.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { refreshSample } from '../sample_run.ts';

/** Numbers of advisory locks that the program once used; anybody may take any. */
const NUMBERS = [0x65_74_6c, 0, 1, 2];

let sample: string;
let database: TestDatabase;
let reader: pg.Client;

beforeAll(async () => {
  sample = await sampleFolder();
  database = await createDatabase();
  const config = configSchema.parse({ datasets: {} });
  const pool = openPool(database.url, 1);
  const client = await pool.connect();
  await setUp(client, config);
  client.release();
  await pool.end();
  reader = new pg.Client({ connectionString: database.url });
  reader.on('error', () => undefined);
  await reader.connect();
  await reader.query('SET ROLE api_reader');
});
afterAll(async () => {
  await reader.end().catch(() => undefined);
  await database.drop();
  await rm(sample, { recursive: true, force: true });
});

/** Work on a session of its own. */
async function withSession<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const pool = openPool(database.url, 1);
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
    await pool.end();
  }
}

describe('a reader', () => {
  it('holds back no refresh, no status and no publication with advisory locks', async () => {
    const [key] = NUMBERS;
    for (const second of NUMBERS) await reader.query('SELECT pg_advisory_lock($1, $2)', [key, second]);
    const report = await refreshSample(database, sample);
    expect([report.state, report.error]).toEqual(['published', null]);
    const config = configSchema.parse({ datasets: {} });
    const seen = await withSession(async (client) => {
      await setUp(client, config);
      return status(client);
    });
    expect(seen.runs[0]?.state).toBe('published');
    await reader.query('SELECT pg_advisory_unlock_all()');
  });

  it('may not lock what the pipeline locks', async () => {
    for (const table of ['control.meta', 'control.holder', 'control.publication']) {
      await reader.query('BEGIN');
      const lock = reader.query(`LOCK TABLE ${table} IN ACCESS SHARE MODE`);
      await expect(lock).rejects.toMatchObject({ code: '42501' });
      await reader.query('ROLLBACK');
    }
  });

  it('that logs in may read, and keeps no statement and no transaction open for long', async () => {
    const login = `analyst_${randomBytes(6).toString('hex')}`;
    const { config } = await loadConfig(
      { set: ['database.api_statement_timeout_s=1', 'database.api_idle_timeout_s=1'] },
      {},
    );
    await withSession(async (client) => {
      expect(await grantLogin(client, login, readerOf(config))).toMatchObject({ made: true, limited: true });
      expect(await grantLogin(client, login, readerOf(config))).toMatchObject({ made: false });
    });
    await database.query(`ALTER ROLE ${login} PASSWORD 'of a test'`);
    const url = new URL(database.url);
    [url.username, url.password] = [login, 'of a test'];
    const analyst = new pg.Client({ connectionString: url.toString() });
    const ended = new Promise<Error>((resolve) => analyst.on('error', resolve));
    await analyst.connect();
    try {
      await analyst.query('SELECT count(*) FROM serving.property');
      await expect(analyst.query('SELECT 1 FROM control.run')).rejects.toMatchObject({ code: '42501' });
      await expect(analyst.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
      await analyst.query('BEGIN');
      await analyst.query('SELECT count(*) FROM serving.property');
      expect((await ended).message).toMatch(/idle-in-transaction|terminated/);
    } finally {
      await analyst.end().catch(() => undefined);
      await database.query(`DROP OWNED BY ${login}`);
      await database.query(`DROP ROLE ${login}`);
    }
  });

  it('that is idle in a transaction does not hold up a run; a session that locks a control table does for a while, and is named', async () => {
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM serving.property');
    const config = configSchema.parse({ datasets: {} });
    await withSession((client) => setUp(client, config, true));
    await reader.query('COMMIT');
    await reader.query('RESET ROLE');
    await reader.query('BEGIN; LOCK TABLE control.meta IN SHARE MODE');
    let longest = 0;
    let over = false;
    const waiting = withSession((client) => setUp(client, config, true))
      .catch((error) => error)
      .finally(() => {
        over = true;
      });
    while (!over) {
      const began = performance.now();
      await database.query('SELECT count(*) FROM control.meta');
      longest = Math.max(longest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const error = await waiting;
    expect(error).toMatchObject({ code: 'locked', kind: 'transient' });
    const { pid } = (await reader.query('SELECT pg_backend_pid() AS pid')).rows[0];
    expect(error.message).toMatch(
      new RegExp(`session ${pid} of user .*idle in transaction.*holds control.meta`),
    );
    expect(longest).toBeLessThan(5000);
    await reader.query('COMMIT; SET ROLE api_reader');
    await withSession((client) => setUp(client, config, true));
    expect((await refreshSample(database, sample)).error).toBeNull();
  });
});
