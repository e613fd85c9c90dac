import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { connectionError } from '../../pipelines/connection_error.ts';
import { databaseChecks } from '../../pipelines/doctor/database.ts';
import { datasetChecks } from '../../pipelines/doctor/datasets.ts';
import { MIN_NODE, machineChecks, nodeFinding } from '../../pipelines/doctor/machine.ts';
import type { Check } from '../../pipelines/doctor.ts';
import { setUp } from '../../pipelines/refresh.ts';
import type { Config } from '../../schema/config.ts';
import { LOCK_KEY } from '../../store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../store/embedded/server.ts';
import { GDA2020_PRJ, square, writeShapefile } from '../sources/shapefile_writer.ts';
import { openFolder } from './fixture.ts';

let folder: string;
beforeAll(() => {
  folder = openFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const byName = (checks: readonly Check[]): Record<string, Check> =>
  Object.fromEntries(checks.map((each) => [each.check, each]));
const statuses = (checks: readonly Check[]): Record<string, string> =>
  Object.fromEntries(checks.map((each) => [each.check, each.status]));

/** A configuration with settings as --set takes them. */
const configWith = async (...set: string[]): Promise<Config> => (await loadConfig({ set }, {})).config;

describe('machine', () => {
  it.each([
    ['20.11.0', 'pass'],
    ['20.10.9', 'fail'],
    ['18.20.4', 'fail'],
    ['22.0.0', 'pass'],
  ])('Node.js %s: %s', (version, status) => {
    expect(nodeFinding(version).status).toBe(status);
  });

  it('needs the Node.js that package.json names', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe(`>=${MIN_NODE}`);
  });

  it('makes no data folder, and warns of too little disk', async () => {
    const dataDir = join(folder, 'not/yet/there');
    const few = await machineChecks({ dataDir, releaseBytes: 0, embedded: true });
    expect(byName(few)['data folder']).toMatchObject({ status: 'pass', message: `${dataDir} can be made` });
    const many = await machineChecks({ dataDir, releaseBytes: 1e15, embedded: true });
    expect(byName(many).disk).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('--data-dir'),
    });
  });

  it('fails for a data folder that is a file, unless the database is elsewhere', async () => {
    const dataDir = join(folder, 'file');
    writeFileSync(dataDir, '');
    const embedded = await machineChecks({ dataDir, releaseBytes: 0, embedded: true });
    expect(byName(embedded)['data folder']?.status).toBe('fail');
    const external = await machineChecks({ dataDir, releaseBytes: 1e15, embedded: false });
    expect(statuses(external)).toMatchObject({ 'data folder': 'warn', disk: 'pass' });
  });
});

describe('datasets', () => {
  const spec = {
    shapeType: 5,
    fields: [
      ['LGA_CODE22', 'C', 5],
      ['LGA_NAME22', 'C', 50],
    ] as const,
    rows: [['27350', 'Yarra']],
    shapes: [[square(145, -37.8, 0.01)]],
  };

  it.each([
    ['stated', GDA2020_PRJ, '', 'pass', 'CRS EPSG:7844 as the files state'],
    [
      'overridden',
      GDA2020_PRJ,
      'EPSG:4283',
      'pass',
      'CRS EPSG:4283 applied as configured, the files state EPSG:7844',
    ],
    [
      'configured',
      undefined,
      'EPSG:7844',
      'pass',
      'CRS EPSG:7844 applied as configured, the files state none',
    ],
    ['missing', undefined, '', 'fail', '.prj'],
  ])('CRS %s', async (name, prj, crs, status, message) => {
    const release = join(folder, `lga_${name}`);
    mkdirSync(release);
    await writeShapefile(join(release, 'LGA_2022_AUST'), { ...spec, prj });
    const config = await configWith(
      'datasets.lga.adapter=asgs',
      `datasets.lga.path=${release}`,
      `datasets.lga.crs=${crs || 'null'}`,
    );
    const { checks, bytes } = await datasetChecks(config, folder);
    expect(bytes).toBeGreaterThan(200);
    expect(byName(checks)['dataset lga: release']).toMatchObject({
      status,
      message: expect.stringContaining(message),
    });
  });

  it('warns where there are none', async () => {
    const { checks } = await datasetChecks(await configWith(), folder);
    expect(statuses(checks)).toEqual({ datasets: 'warn' });
  });
});

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
    privileges: 'pass',
    'api role': 'pass',
    'control schema': 'pass',
    lock: 'pass',
  };

  describe('of each test', () => {
    beforeEach(freshDatabase);

    it('passes an empty database and leaves it empty', async () => {
      const before = await contents();
      const checks = await databaseChecks(url, config);
      expect(statuses(checks)).toEqual(PASSED);
      expect(byName(checks)['control schema']?.message).toContain('will be created by the first refresh');
      expect(byName(checks)['api role']?.message).toContain('will be created by the first refresh');
      expect(await contents()).toEqual(before);
      expect(JSON.stringify(checks)).not.toContain(new URL(url).password);
    });

    it('passes what a set-up made', async () => {
      await withClient((client) => setUp(client, config));
      const checks = await databaseChecks(url, config);
      expect(statuses(checks)).toEqual(PASSED);
      expect(byName(checks)['control schema']?.message).toBe('Version 1');
      expect(byName(checks)['api role']?.message).toContain('nothing else');
    });

    it('fails for another version of the control schema', async () => {
      await withClient((client) => setUp(client, config));
      await sql(`UPDATE control.meta SET value = '99' WHERE key = 'version'`);
      const check = byName(await databaseChecks(url, config))['control schema'];
      expect(check).toMatchObject({ status: 'fail', message: expect.stringContaining('version 99') });
    });

    it('warns while a run holds the lock, and not of one in another database', async () => {
      await withClient(async (client) => {
        await client.query('SELECT pg_advisory_lock($1, 0)', [LOCK_KEY]);
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

  describe('of the API', () => {
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

    it('reports a URL that is none', async () => {
      const checks = await databaseChecks('postgresql://me:hunter2@host:port/db', config);
      expect(statuses(checks)).toEqual({ connection: 'fail' });
      expect(JSON.stringify(checks)).not.toContain('hunter2');
    });
  });
});

describe('connectionError', () => {
  it('names every address that was tried', () => {
    const tried = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
    const error = Object.assign(new AggregateError(tried), { code: 'ECONNREFUSED' });
    expect(connectionError(error)).toMatchObject({
      code: 'database_unreachable',
      kind: 'transient',
      message: expect.stringMatching(/::1:1, connect ECONNREFUSED 127\.0\.0\.1:1\. Check host and port/),
    });
  });

  it('leaves other errors alone', () => {
    expect(connectionError(new TypeError('x'))).toBeNull();
    expect(connectionError(Object.assign(new Error('x'), { code: '23505' }))).toBeNull();
  });
});
