import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseChecks } from '../../pipelines/doctor/database.ts';
import { setUp } from '../../pipelines/run/refresh.ts';
import type { Config } from '../../schema/config.ts';
import { CONTROL_VERSION } from '../../store/control_ddl.ts';
import { type EmbeddedServer, startEmbedded } from '../../store/embedded/server.ts';
import { takeRun } from '../../store/locks.ts';
import { byName, configWith, openFolder, statuses } from './fixture.ts';

let folder: string;
beforeAll(() => {
  folder = openFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('database', () => {
  let server: EmbeddedServer;
  let admin: pg.Client;
  let database = 0;
  let url: string;
  let config: Config;

  const urlOf = (name: string, user?: string): string => {
    const to = new URL(server.connectionString);
    to.pathname = `/${name}`;
    if (user) [to.username, to.password] = [user, 'pw'];
    return to.href;
  };

  /** Runs statements in the database of the test. */
  async function sql(...statements: string[]): Promise<void> {
    await withClient(async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  }

  async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Everything a set-up would make. */
  const contents = (): Promise<unknown[]> =>
    withClient(async (client) => {
      const found = `SELECT nspname::text AS name FROM pg_namespace UNION ALL SELECT relname FROM pg_class
        UNION ALL SELECT rolname FROM pg_roles ORDER BY 1`;
      return (await client.query(found)).rows;
    });

  beforeAll(async () => {
    server = await startEmbedded({ dataDir: join(folder, 'postgres') });
    admin = new pg.Client({ connectionString: server.connectionString });
    await admin.connect();
    await admin.query(`CREATE ROLE plain LOGIN PASSWORD 'pw'`);
  });
  afterAll(async () => {
    await admin.end();
    await server.release();
  });

  /** Makes a database and points `url` and `config` to it. */
  async function freshDatabase(): Promise<void> {
    const name = `test_${database++}`;
    await admin.query(`CREATE DATABASE ${name}`);
    url = urlOf(name);
    config = await configWith(`database.url=${url}`, `database.api_role=reader_${database}`);
  }

  const PASSED = {
    connection: 'pass',
    sessions: 'pass',
    writes: 'pass',
    collation: 'pass',
    // The newest embedded build lacks security releases.
    'server release': 'warn',
    privileges: 'pass',
    'api role': 'pass',
    'control schema': 'pass',
    lock: 'pass',
    deliveries: 'pass',
  };

  describe('version, privileges, lock', () => {
    beforeEach(freshDatabase);

    it('passes an empty database and leaves it empty', async () => {
      const before = await contents();
      const checks = await databaseChecks(url, config);
      expect(statuses(checks)).toEqual(PASSED);
      expect(byName(checks)['control schema']?.message).toContain('the first refresh creates it');
      expect(byName(checks)['api role']?.message).toContain('The first refresh creates role');
      expect(await contents()).toEqual(before);
      expect(JSON.stringify(checks)).not.toContain(new URL(url).password);
    });

    it('passes what a set-up made', async () => {
      await withClient((client) => setUp(client, config));
      const checks = await databaseChecks(url, config);
      expect(statuses(checks)).toEqual({ ...PASSED, models: 'pass' });
      expect(byName(checks)['control schema']?.message).toBe(`Version ${CONTROL_VERSION}`);
      expect(byName(checks).models?.message).toBe('No model is trained yet');
      expect(byName(checks)['api role']?.message).toContain('nothing else');
    });

    it('lists values that field maps do not contain, with their rows', async () => {
      await withClient((client) => setUp(client, config));
      const accounts = [
        {
          file: 'a',
          table: 'hazard_piece',
          rows_in: 9,
          records: 9,
          rejects: 0,
          drops: {},
          unknown: { 'Hazards (Grassfire)': 2 },
        },
        {
          file: 'b',
          table: 'zone_piece',
          rows_in: 9,
          records: 9,
          rejects: 0,
          drops: {},
          uncategorised: { 'X9 Mystery': 3 },
        },
      ];
      await sql(
        `INSERT INTO control.run (command, state) VALUES ('refresh', 'published')`,
        `INSERT INTO control.load (dataset, part, adapter, release, fingerprint, state, run_id, crs, files, accounts)
         VALUES ('bushfire_sa', 'a', 'hazards', '2026', 'f', 'active', 1, '{}', '[]', '${JSON.stringify(accounts)}')`,
      );
      const found = byName(await databaseChecks(url, config))['dataset bushfire_sa: unknown classes'];
      expect(found?.status).toBe('warn');
      expect(found?.message).toMatch(
        /field map lacks Hazards \(Grassfire\) \(2\).*category: X9 Mystery \(3\)/,
      );
    });

    it('fails for another version of the control schema', async () => {
      await withClient((client) => setUp(client, config));
      await sql(`UPDATE control.meta SET value = '99' WHERE key = 'version'`);
      const check = byName(await databaseChecks(url, config))['control schema'];
      expect(check).toMatchObject({ status: 'fail', message: expect.stringContaining('version 99') });
    });

    it('warns while a run holds the lock, and not of one in another database', async () => {
      await withClient(async (client) => {
        await setUp(client, config);
        expect(await takeRun(client)).toBeNull();
        expect(byName(await databaseChecks(url, config)).lock?.status).toBe('warn');
        expect(byName(await databaseChecks(server.connectionString, config)).lock?.status).toBe('pass');
      });
      expect(byName(await databaseChecks(url, config)).lock?.status).toBe('pass');
    });

    it('says what a user without privileges lacks, and how to get it', async () => {
      const plain = urlOf(`test_${database - 1}`, 'plain');
      const empty = byName(await databaseChecks(plain, config));
      expect(empty.privileges).toMatchObject({
        status: 'fail',
        message: expect.stringContaining(`GRANT CREATE ON DATABASE "test_${database - 1}" TO "plain"`),
      });
      expect(empty['api role']).toMatchObject({
        status: 'fail',
        message: expect.stringContaining(`CREATE ROLE "${config.database.api_role}" NOLOGIN`),
      });
      await withClient((client) => setUp(client, config));
      const closed = byName(await databaseChecks(plain, config)).privileges;
      expect(closed).toMatchObject({ status: 'fail', message: expect.stringContaining('GRANT TEMPORARY') });
      await sql(`GRANT TEMPORARY ON DATABASE test_${database - 1} TO plain`);
      const made = byName(await databaseChecks(plain, config));
      expect(made.privileges).toMatchObject({ status: 'fail', message: expect.stringContaining('control') });
      expect(made['control schema']).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('denied'),
      });
      await sql('GRANT ALL ON SCHEMA control, record, asset, staged, serving TO plain');
      const granted = byName(await databaseChecks(plain, config)).privileges;
      expect(granted).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('belong to postgres'),
      });
    });
  });

  describe('role of the API', () => {
    beforeAll(async () => {
      await freshDatabase();
      await withClient((client) => setUp(client, config));
    });

    it.each([
      ['GRANT SELECT ON control.run TO $', 'REVOKE SELECT ON control.run FROM $', 'table control.run'],
      [
        'GRANT SELECT (value) ON control.meta TO $',
        'REVOKE SELECT (value) ON control.meta FROM $',
        'table control.meta',
      ],
      [
        'GRANT SELECT ON record.address TO PUBLIC',
        'REVOKE SELECT ON record.address FROM PUBLIC',
        'table record.address',
      ],
      [
        'GRANT USAGE ON SCHEMA staged TO PUBLIC',
        'REVOKE USAGE ON SCHEMA staged FROM PUBLIC',
        'schema staged',
      ],
      ['GRANT CREATE ON SCHEMA serving TO $', 'REVOKE CREATE ON SCHEMA serving FROM $', 'schema serving'],
      [
        'GRANT DELETE ON serving.suburb TO $',
        'REVOKE DELETE ON serving.suburb FROM $',
        'table serving.suburb',
      ],
      [
        'GRANT UPDATE (sal_code) ON serving.suburb TO $',
        'REVOKE UPDATE (sal_code) ON serving.suburb FROM $',
        'table serving.suburb',
      ],
      ['GRANT pg_read_all_data TO $', 'REVOKE pg_read_all_data FROM $', 'schema asset'],
      ['ALTER ROLE $ SUPERUSER', 'ALTER ROLE $ NOSUPERUSER', 'superuser'],
      [
        'REVOKE SELECT ON serving.property FROM $',
        'GRANT SELECT ON serving.property TO $',
        'cannot read table serving.property',
      ],
      [
        'REVOKE USAGE ON SCHEMA serving FROM $',
        'GRANT USAGE ON SCHEMA serving TO $',
        'cannot read schema serving',
      ],
    ])('sees that its role reads more or less than serving: %s', async (statement, undo, message) => {
      const role = config.database.api_role;
      await sql(statement.replace('$', role));
      const check = byName(await databaseChecks(url, config))['api role'];
      const status = message.startsWith('cannot') ? 'warn' : 'fail';
      expect(check).toMatchObject({ status, message: expect.stringContaining(message) });
      await sql(undo.replace('$', role));
      expect(byName(await databaseChecks(url, config))['api role']?.status).toBe('pass');
    });

    it.each([
      [
        'a wrong password',
        (to: URL) => Object.assign(to, { password: 'hunter2' }),
        'Check user and password',
      ],
      ['no such database', (to: URL) => Object.assign(to, { pathname: '/nowhere' }), 'Create the database'],
      ['a refused connection', (to: URL) => Object.assign(to, { port: '1' }), 'Check host and port'],
    ])('reports %s as the one failed check', async (_name, change, message) => {
      const checks = await databaseChecks(change(new URL(url)).href, config);
      expect(checks).toEqual([
        { check: 'connection', status: 'fail', message: expect.stringContaining(message) },
      ]);
      expect(JSON.stringify(checks)).not.toContain('hunter2');
    });

    it('fails for an invalid URL, without its password', async () => {
      const checks = await databaseChecks('postgresql://me:hunter2@host:port/db', config);
      expect(statuses(checks)).toEqual({ connection: 'fail' });
      expect(JSON.stringify(checks)).not.toContain('hunter2');
    });
  });
});
