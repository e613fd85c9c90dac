import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import { digests } from '../../pipelines/views/status.ts';
import { servingTables } from '../../schema/model.ts';
import { openPool, withClient } from '../../store/database.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { pipeline } from '../cli/fixture.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { copySample, editTable } from './damage.ts';
import { acceptSample, OPEN_GATES, refreshSample } from './sample_run.ts';

const SAMPLE = fileURLToPath(new URL('../../tools/sample', import.meta.url));

const header = (more: string): string => `/*
table: state_count
doc: Properties by state.
inputs: [property]
key: [state]
columns:
  state: { type: text, doc: State. }
  n: { type: int4, doc: Properties. }
${more}*/
`;
const COUNT = 'SELECT state, count(*)::int4 AS n FROM property GROUP BY state';

describe('models and audits of an operator', () => {
  let parent: string;
  let database: TestDatabase;
  let first: string;
  let second: string;

  const model = (dir: string, sql: string, more = ''): Promise<void> =>
    writeFile(join(dir, 'models', 'state_count.sql'), header(more) + sql);
  const audit = (dir: string, level: string, sql: string): Promise<void> =>
    writeFile(join(dir, 'audits', 'my_audit.sql'), `/*\ndoc: No row\nlevel: ${level}\n*/\n${sql}`);
  const refresh = (dir: string, set: string[] = []) =>
    refreshSample(database, dir, [...OPEN_GATES, 'workers=1', ...set]);
  const accept = (dir: string, ...gates: string[]) => acceptSample(database, dir, gates, OPEN_GATES);

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'models-'));
    ({ database, dir: first } = await publishedSample(WHOLE));
    for (const folder of ['models', 'audits'])
      await cp(join(SAMPLE, folder), join(first, folder), { recursive: true });
    await model(first, COUNT);
    second = await copySample(first, parent);
    await editTable(second, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 5 !== 4));
  });

  afterAll(async () => {
    await database?.drop();
    for (const folder of [parent, first]) await rm(folder, { recursive: true, force: true });
  });

  const counts = (): Promise<unknown[]> =>
    database.query('SELECT state, n FROM serving.state_count ORDER BY state');
  const wanted = (): Promise<unknown[]> =>
    database.query('SELECT state, count(*)::int4 AS n FROM serving.property GROUP BY state ORDER BY state');

  it('are computed, published and journalled like other tables', async () => {
    const report = await refresh(first);
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
    expect(await counts()).toEqual(await wanted());
    expect(
      report.audit
        .filter(({ check }) => check.startsWith('audit:'))
        .map(({ check, status }) => [check, status]),
    ).toEqual([
      ['audit:no_value_above_ten_million', 'pass'],
      ['audit:values_have_an_address', 'pass'],
    ]);
    const [near] = await database.query<{ rows: number; wanted: number; type: string }>(
      `SELECT (SELECT count(*)::int FROM serving.home_near_station) AS rows,
         (SELECT count(*)::int FROM serving.property JOIN serving.property_proximity USING (gnaf_pid) WHERE train_m <= 400
            AND gnaf_pid NOT IN (SELECT gnaf_pid FROM serving.property_risk WHERE layer LIKE 'flood%' AND on_property)) AS wanted`,
    );
    expect(near!.rows).toBe(near!.wanted);
    expect(near!.rows).toBeGreaterThan(0);
  });

  it('are left alone while their inputs stay, and computed with what the same run computes of them', async () => {
    expect((await refresh(first)).state).toBe('unchanged');
    const report = await refresh(second);
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
    expect(await counts()).toEqual(await wanted());
    expect(report.tables.find(({ table }) => table === 'state_count')).toMatchObject({
      updated: 1,
      inserted: 0,
    });
    const { config } = await loadConfig({ config: join(second, 'config.yaml') }, {});
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    const lines = await digests(client, servingTables(config)).finally(() => client.release());
    await pool.end();
    expect(lines.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['state_count', 'home_near_station']),
    );
  });

  it.each([
    [
      'SELECT state, count(*) AS n FROM property GROUP BY state',
      'column n is bigint, but its header says int4',
    ],
    ['SELECT state FROM property', 'the query lacks column n'],
    [`${COUNT.replace('AS n', 'AS n, 1 AS more')}`, 'returns column more'],
    ['SELECT state, 1 AS n FROM serving.property', 'it reads serving.property'],
    ['SELECT state, 1 AS n FROM suburb', 'relation "suburb" does not exist'],
    ['SELECT key AS state, 1 AS n FROM control.meta', 'permission denied'],
    [`${COUNT}; DROP TABLE serving.property`, 'multiple commands'],
    ['SELECT', 'the query lacks column state'],
    ['SELECT state, n FROM', 'syntax error'],
  ])('are refused before anything is loaded: %s', async (sql, message) => {
    await model(first, sql);
    const report = await refresh(first);
    expect(report.error?.code).toBe('model_invalid');
    expect(report.error?.message).toContain(message);
    expect(report.error?.message).toContain('state_count.sql');
    expect(report.datasets).toEqual([]);
    await model(first, COUNT);
  });

  it('cannot become another role, nor take longer than they may', async () => {
    const owner = (await database.query<{ me: string }>('SELECT current_user AS me'))[0]!.me;
    // Within one statement it would be the owner, read what the owner may, and be the reader again.
    const become = (role: string): string => `set_config('role', '${role}', true)`;
    const secrets = `${become(owner)} || query_to_xml('SELECT * FROM control.meta', true, false, '')::text || ${become('api_reader')}`;
    await model(first, `SELECT ${secrets} AS state, 1 AS n`);
    const raised = await refresh(first);
    expect(raised.error?.message).toContain('set_config(text,text,boolean) cannot be called');
    expect(raised.publication).toBeNull();
    await model(first, COUNT);
    await audit(first, 'error', `SELECT ${secrets} AS state`);
    const audited = await refresh(first);
    expect(audited.audit.find(({ check }) => check === 'audit:my_audit')?.message).toContain(
      'set_config(text,text,boolean) cannot be called',
    );
    expect(audited.publication).toBeNull();
    await rm(join(first, 'audits', 'my_audit.sql'));
    await model(
      first,
      `SELECT state, 1 AS n FROM property, generate_series(1, 1000000000)`,
      'timeout_s: 1\n',
    );
    const slow = await refresh(first, ['retry.attempts=1']);
    expect(slow.set_aside[0]?.message).toContain('timeout_s of 1');
    expect(slow.publication).toBeNull();
    await model(first, COUNT);
  });

  it('refuse a publication if an audit of level error finds a row, and report it at level warning', async () => {
    await audit(first, 'error', `SELECT gnaf_pid FROM serving.property WHERE state = 'VIC'`);
    const refused = await refresh(first);
    expect(refused.state).toBe('refused');
    expect(refused.audit.find(({ check }) => check === 'audit:my_audit')).toMatchObject({ status: 'fail' });
    await audit(first, 'warning', `SELECT gnaf_pid FROM serving.property WHERE state = 'VIC'`);
    const warned = await refresh(first);
    expect(warned.state).toBe('published');
    const found = warned.audit.find(({ check }) => check === 'audit:my_audit')!;
    expect(found.status).toBe('warning');
    expect(found.message).toMatch(/^No row: \d+ rows, for example \{"gnaf_pid":/);
    await audit(second, 'error', 'SELECT 1 FROM serving.property');
    expect((await refresh(second)).state).toBe('refused');
    expect((await accept(second, 'audit:my_audit')).state).toBe('published');
  });

  /** Every row count of the database, its columns and its roles. */
  const everything = async (): Promise<unknown> => {
    const tables = await database.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    const found: unknown[] = [];
    for (const { name } of tables)
      found.push(name, await database.query(`SELECT count(*) AS n FROM ${name}`));
    const columns = await database.query(
      `SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
       WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2, ordinal_position`,
    );
    return [found, columns, await database.query('SELECT * FROM control.meta ORDER BY key')];
  };
  const plan = async (dir: string): Promise<[number, string]> => {
    const { code, stderr } = await pipeline(['plan', '--config', join(dir, 'config.yaml')], {
      DATABASE_URL: database.url,
    });
    return [code ?? -1, stderr];
  };

  it('leave no trace of a plan: new, changed or wrong', async () => {
    const file = join(first, 'models', 'other.sql');
    const other = (type: string, sql: string): Promise<void> =>
      writeFile(file, header('').replaceAll('state_count', 'other').replace('int4', type) + sql);
    const before = await everything();
    await other('int4', COUNT);
    expect((await plan(first))[0]).toBe(0);
    expect(await everything()).toEqual(before);
    // Nor do commands and pages read a table that is not there yet.
    const { config } = await loadConfig({ config: join(first, 'config.yaml') }, {});
    const pool = openPool(database.url, 1);
    const served = await withClient(pool, (client) => servedTables(client, config)).finally(() => pool.end());
    const names = served.map(({ name }) => name);
    expect([names.includes('state_count'), names.includes('other')]).toEqual([true, false]);
    await other('int2', COUNT);
    expect((await plan(first))[1]).toContain('column n is integer, but its header says int2');
    expect(await everything()).toEqual(before);
    await rm(file);
    await writeFile(
      join(first, 'models', 'state_count.sql'),
      header('').replace('int4', 'text') + COUNT.replace('int4', 'text'),
    );
    expect((await plan(first))[0]).toBe(0);
    expect(await everything()).toEqual(before);
    await model(first, COUNT);
  });

  it('change types, columns and keys with the next publication, if an operator accepts it', async () => {
    const before = await counts();
    const user = join(second, 'models', 'user_count.sql');
    const changed = header('  more: { type: bool, doc: More. }\n').replace('int4', 'text');
    await writeFile(
      join(second, 'models', 'state_count.sql'),
      `${changed}SELECT state, count(*)::text AS n, true AS more FROM property GROUP BY state`,
    );
    await writeFile(
      user,
      `${header('').replaceAll('state_count', 'user_count').replace('[property]', '[state_count]')}SELECT state, n::int4 AS n FROM state_count`,
    );
    for (let run = 0; run < 2; run++) {
      const refused = await refresh(second);
      expect([refused.error, refused.state]).toEqual([null, 'refused']);
      const gate = refused.audit.find(({ check }) => check === 'model:state_count');
      expect(gate?.message).toContain('state_count.sql has other columns');
      expect(await counts()).toEqual(before);
    }
    const accepted = await accept(second, 'model:state_count', 'audit:my_audit');
    expect([accepted.error, accepted.state]).toEqual([null, 'published']);
    const texts = before.map((row) => ({ ...(row as object), n: String((row as { n: number }).n) }));
    expect(await counts()).toEqual(texts);
    const { config } = await loadConfig({ config: join(second, 'config.yaml') }, {});
    await expect(rollback({ url: database.url, config, to: null, reason: 'test' })).rejects.toMatchObject({
      code: 'cannot_roll_back',
      details: { table: 'state_count', recorded: before.length, found: 0 },
    });
    expect(await counts()).toEqual(texts);
    expect(await database.query('SELECT state, n FROM serving.user_count ORDER BY state')).toEqual(before);
    expect((await refresh(second)).state).toBe('unchanged');
    await rm(user);
    expect((await refresh(second)).state).toBe('refused');
    expect((await accept(second, 'model:user_count', 'audit:my_audit')).error).toBeNull();
    await model(second, COUNT);
    expect((await refresh(second)).state).toBe('refused');
    expect((await accept(second, 'model:state_count', 'audit:my_audit')).state).toBe('published');
    expect(await counts()).toEqual(before);
  });

  it('keep their table when the file is gone, until an operator accepts that it goes', async () => {
    await rm(join(second, 'models', 'state_count.sql'));
    await rm(join(second, 'audits', 'my_audit.sql'));
    const refused = await refresh(second);
    expect(refused.state).toBe('refused');
    expect(refused.audit.find(({ check }) => check === 'model:state_count')?.message).toContain('is missing');
    expect((await counts()).length).toBeGreaterThan(0);
    expect((await accept(second, 'model:state_count')).error).toBeNull();
    expect(await database.query(`SELECT to_regclass('serving.state_count') AS t`)).toEqual([{ t: null }]);
    expect((await refresh(second)).state).toBe('unchanged');
  });

  it('name the file of a header that does not fit', async () => {
    const dir = join(parent, 'headers');
    await mkdir(join(dir, 'models'), { recursive: true });
    await writeFile(join(dir, 'config.yaml'), 'datasets: {}\n');
    const load = () => loadConfig({ config: join(dir, 'config.yaml') }, {});
    const write = (text: string) => writeFile(join(dir, 'models', 'x.sql'), text);
    for (const [text, message] of [
      ['SELECT 1', 'must begin with a /* … */ comment'],
      ['/* a: b: c */ SELECT 1', 'not valid YAML'],
      [header(''), 'no query below'],
      [header('colour: red\n') + COUNT, 'colour'],
      [header('').replace('state_count', 'property') + COUNT, 'is the name of a table of the pipeline'],
      [header('').replace('[state]', '[where]') + COUNT, 'key column where is not among'],
    ] as const) {
      await write(text);
      await expect(load()).rejects.toMatchObject({
        code: 'model_invalid',
        message: expect.stringContaining(message),
      });
    }
  });
});
