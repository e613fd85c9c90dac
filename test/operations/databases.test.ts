import { randomUUID } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { databaseChecks } from '../../pipelines/doctor/database.ts';
import { digests } from '../../pipelines/views/status.ts';
import { configSchema } from '../../schema/config.ts';
import { ident } from '../../schema/ddl.ts';
import { openPool, withClient } from '../../store/database.ts';
import { grantLogin } from '../../store/reader_role.ts';
import { systemError } from '../../store/system/system_error.ts';
import { SMALL } from '../countries.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { digestsOf } from '../jobs/sample.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { publishedSample } from '../published_sample.ts';

/** Settings of a database that change texts, digests or isolation unless a session sets its own. */
const SETTINGS = [
  'standard_conforming_strings = off',
  "datestyle = 'SQL, DMY'",
  'bytea_output = escape',
  'extra_float_digits = -5',
  'intervalstyle = sql_standard',
  "timezone = 'Australia/Perth'",
  'default_transaction_isolation = serializable',
  'quote_all_identifiers = on',
  'client_encoding = LATIN1',
  'jit = on',
  'search_path = control, record',
  'row_security = off',
];

/** Timeouts that servers, databases and users have, and that a run must not have: it computes between its statements. */
const TIMEOUTS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'transaction_timeout',
];

describe('databases as people have them', () => {
  let database: TestDatabase;
  let dir: string;
  let admin: pg.Client;
  const id = randomUUID().slice(0, 8);
  const owner = `etl_${id}`;
  const reader = `reader_${id}`;
  const made: string[] = [];

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(SMALL));
    admin = new pg.Client(inject('serverUrl'));
    await admin.connect();
    await admin.query(`CREATE ROLE ${owner} LOGIN PASSWORD 'pw' NOSUPERUSER NOCREATEROLE`);
  });
  afterAll(async () => {
    await database?.drop();
    for (const name of made) await admin.query(`DROP DATABASE IF EXISTS ${ident(name)} WITH (FORCE)`);
    for (const role of [`analyst_${id}`, `Guest ${id}`, owner, `${reader}_queries`, reader])
      await admin.query(`DROP ROLE IF EXISTS ${ident(role)}`);
    await admin.end();
    await rm(dir, { recursive: true, force: true });
  });

  const create = async (options: string): Promise<string> => {
    const name = `field_${id}_${made.length}`;
    made.push(name);
    await admin.query(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE template0 ${options}`);
    const url = new URL(inject('serverUrl'));
    [url.pathname, url.username, url.password] = [`/${name}`, owner, 'pw'];
    return url.href;
  };
  const run = async (url: string, ...args: string[]) => {
    const child = pipeline([...args, '-c', `${dir}/config.yaml`, '--set', `database.api_role=${reader}`], {
      DATABASE_URL: url,
    });
    return { code: (await child.ended).code, text: child.output() };
  };
  const digestsNow = async (url: string) => {
    const pool = openPool(url, 1);
    try {
      return await withClient(pool, (client) => digests(client));
    } finally {
      await pool.end();
    }
  };

  it('settings of a database change neither digests nor what a refresh publishes', async () => {
    const empty = await createDatabase();
    try {
      const before = await digestsOf(database.url);
      for (const { url } of [database, empty])
        for (const setting of SETTINGS)
          await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
      expect(await digestsNow(database.url)).toEqual(before);
      const refreshed = pipeline(['refresh', '-c', `${dir}/config.yaml`], { DATABASE_URL: empty.url });
      expect((await refreshed.ended).code, refreshed.output()).toBe(0);
      expect(await digestsNow(empty.url)).toEqual(before);
    } finally {
      await empty.drop();
    }
  });

  it('timeouts of a database do not end a run', async () => {
    const url = await create("ENCODING UTF8 LOCALE 'C.UTF-8'");
    const name = new URL(url).pathname.slice(1);
    for (const timeout of TIMEOUTS) await admin.query(`ALTER DATABASE ${name} SET ${timeout} = '5s'`);
    const pool = openPool(url, 1);
    const { rows } = await pool.query(
      `SELECT name, setting, reset_val FROM pg_settings WHERE name = ANY ($1) ORDER BY array_position($1, name)`,
      [TIMEOUTS],
    );
    await pool.end();
    expect(rows).toEqual(TIMEOUTS.map((timeout) => ({ name: timeout, setting: '0', reset_val: '5000' })));
  });

  it('a database that takes no writes fails doctor, and a run says what to do', async () => {
    const url = await create("ENCODING UTF8 LOCALE 'C.UTF-8'");
    const name = new URL(url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const checks = await databaseChecks(url, configSchema.parse({ datasets: {}, database: { url } }));
    const check = checks.find((each) => each.check === 'writes')!;
    expect(check.status).toBe('fail');
    expect(check.message).toContain(`ALTER DATABASE "${name}" SET default_transaction_read_only = off;`);
    const { code, text } = await run(url, 'refresh');
    expect([code, text]).toEqual([1, expect.stringContaining('error database_read_only')]);
    expect(text).toContain('default_transaction_read_only is on for this user or database');
  });

  it.each([
    ['SQL_ASCII', "ENCODING SQL_ASCII LOCALE 'C'"],
    ['LATIN1', "ENCODING LATIN1 LOCALE 'C'"],
  ])('a database in %s is refused before anything is read', async (encoding, options) => {
    const url = await create(options);
    const { code, text } = await run(url, 'refresh');
    expect(code).toBe(1);
    expect(text).toContain(`error database_encoding: The encoding of the database field_${id}_`);
    expect(text).toContain(`is ${encoding}; it must be UTF8`);
    const checks = await databaseChecks(url, configSchema.parse({ datasets: {}, database: { url } }));
    expect(checks.find(({ check }) => check === 'connection')).toMatchObject({ status: 'fail' });
  });

  it('a plain owner learns at once everything that an administrator has to run, and that is enough', async () => {
    const url = await create("ENCODING UTF8 LOCALE 'C.UTF-8'");
    const config = configSchema.parse({ datasets: {}, database: { url, api_role: reader } });
    const recipeOf = (text: string): string => /Ask an administrator for: (.*;)/.exec(text)![1]!;
    const first = await run(url, 'refresh');
    expect(first.code).toBe(1);
    expect(first.text).toContain('error role_missing');
    const role = (await databaseChecks(url, config)).find(({ check }) => check === 'api role')!;
    expect(role.status).toBe('fail');
    expect(recipeOf(role.message)).toBe(recipeOf(first.text));
    // An administrator who runs only a part of it learns the rest.
    await admin.query(`CREATE ROLE ${reader} NOLOGIN`);
    const second = await run(url, 'refresh');
    expect(second.text).toContain(`This user may not become the role ${reader}`);
    const part = (await databaseChecks(url, config)).find(({ check }) => check === 'api role')!;
    expect([part.status, recipeOf(part.message)]).toEqual(['fail', recipeOf(second.text)]);
    await admin.query(recipeOf(second.text));
    const third = await run(url, 'refresh');
    expect(third.code, third.text).toBe(0);
    // `admin grant` is content with what it asked for.
    await admin.query(`CREATE ROLE analyst_${id} LOGIN; GRANT ${reader} TO analyst_${id}`);
    const pool = openPool(url, 1);
    const limits = { role: reader, statement_timeout_s: 60, idle_timeout_s: 60 };
    const granted = await withClient(pool, (client) => grantLogin(client, `analyst_${id}`, limits));
    await pool.end();
    expect(granted).toMatchObject({ role: `analyst_${id}`, made: false });
  });

  it('a guest in a database of others, who inherits nothing, needs only the statements that refresh prints', async () => {
    const name = `It's "${id}" 100%`;
    made.push(name);
    const guest = `Guest ${id}`;
    const password = 'p%w@:/?#&x';
    await admin.query(`CREATE DATABASE ${ident(name)} TEMPLATE template0`);
    await admin.query(
      `CREATE ROLE ${ident(guest)} LOGIN PASSWORD '${password}' NOSUPERUSER NOCREATEROLE NOINHERIT`,
    );
    const { host } = new URL(inject('serverUrl'));
    const url = `postgresql://${[guest, password].map(encodeURIComponent).join(':')}@${host}/${encodeURIComponent(name)}`;
    // A model and an audit run as another role.
    await cp(new URL('../../tools/sample/models', import.meta.url), `${dir}/models`, { recursive: true });
    await cp(new URL('../../tools/sample/audits', import.meta.url), `${dir}/audits`, { recursive: true });
    const first = await run(url, 'refresh');
    expect([first.code, first.text]).toEqual([1, expect.stringContaining('error database_denied')]);
    expect(first.text).not.toContain(password);
    const recipe = /Ask an administrator for: (.*;)/.exec(first.text)![1]!;
    expect(recipe).toContain(`GRANT CREATE ON DATABASE ${ident(name)} TO ${ident(guest)};`);
    const adminUrl = new URL(inject('serverUrl'));
    adminUrl.pathname = `/${encodeURIComponent(name)}`;
    const databaseAdmin = new pg.Client(adminUrl.href);
    await databaseAdmin.connect();
    await databaseAdmin.query(recipe);
    await databaseAdmin.end();
    const second = await run(url, 'refresh');
    expect(second.code, second.text).toBe(0);
  });

  it('doctor names the statements for another version of the collation', async () => {
    const url = await create("ENCODING UTF8 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'");
    const name = new URL(url).pathname.slice(1);
    await admin.query(`UPDATE pg_database SET datcollversion = '1.0' WHERE datname = $1`, [name]);
    const checks = await databaseChecks(url, configSchema.parse({ datasets: {}, database: { url } }));
    const check = checks.find((each) => each.check === 'collation')!;
    expect(check.status).toBe('warn');
    expect(check.message).toContain(`REINDEX DATABASE "${name}";`);
    expect(check.message).toContain(`ALTER DATABASE "${name}" REFRESH COLLATION VERSION;`);
  });

  it('a library that a running server cannot load asks for a restart', () => {
    const error = Object.assign(
      new Error('could not load library "/usr/lib/postgresql/15/lib/plpgsql.so": undefined symbol: x'),
      { code: '58P01' },
    );
    expect(systemError(error)).toMatchObject({
      code: 'database_needs_restart',
      message: expect.stringContaining('Restart the server first'),
    });
    const other = Object.assign(new Error('could not open file "base/5/1": No such file'), { code: '58P01' });
    expect(systemError(other)).toMatchObject({
      code: 'database_damaged',
      message: expect.stringContaining('Restart the server first'),
    });
  });
});
