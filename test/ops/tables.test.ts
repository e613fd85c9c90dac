import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { servingTables } from '../../schema/model.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import {
  CHROMIUM,
  keepPicture,
  mapIsDrawn,
  openWindow,
  seriousFindings,
  tooWide,
  WINDOWS,
} from './browser.ts';
import { type ConsoleScene, openConsole } from './console_scene.ts';

/** Half a gigabyte is soon written to a temporary file in such rows, also by a slow machine. */
const WIDE_ROWS = `WITH w AS MATERIALIZED (SELECT repeat('x', 100000) AS t FROM generate_series(1, 100000))`;
const TOKEN = 'a-token-of-more-than-sixteen';
const MODEL = `/*
table: street_count
doc: Properties of each locality, with a name that is <b>hostile</b>.
key: [locality]
inputs: [property]
columns:
  locality: { type: text, doc: Name of the locality. }
  homes: { type: int4, doc: Number of properties. }
*/
SELECT locality, count(*)::int4 AS homes FROM property GROUP BY locality
`;

describe('the tables and SQL of the console', () => {
  let dir: string;
  let database: TestDatabase;
  let scene: ConsoleScene | undefined;
  let server: OpsServer;
  let browser: Browser;
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, { headers: { accept: 'text/html', ...headers } });
  const text = async (path: string): Promise<string> => (await get(path)).text();
  const table = (name: string, ...conditions: [string, string, string][]): string =>
    `/tables/${name}?${conditions.map(([column, op, value]) => new URLSearchParams({ column, op, value })).join('&')}`;
  /** Values of a column on a page, from its cells. */
  const column = (page: string, name: string): string[] =>
    [...page.matchAll(new RegExp(`<td data-label="${name}">(.*?)</td>`, 'g'))].map(([, cell]) =>
      cell!.replace(/^<a id="row-\d+".*?<\/a> /, '').replaceAll(/<[^>]+>/g, ''),
    );
  const sql = async (
    q: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; page: string }> => {
    const answer = await get(`/sql?${new URLSearchParams({ q })}`, headers);
    return { status: answer.status, page: await answer.text() };
  };

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
    await mkdir(`${dir}/models`);
    await writeFile(`${dir}/models/street_count.sql`, MODEL);
    expect((await refreshSample(database, dir)).state).toBe('published');
    scene = await openConsole({ database, dir });
    ({ server, browser } = scene);
  });
  afterAll(async () => {
    await scene?.close();
  });

  it('lists every serving table, an operator’s own too, with its rows and what it is', async () => {
    const { config } = await loadConfig({ config: `${dir}/config.yaml` }, {});
    const tables = servingTables(config);
    expect(tables.map(({ name }) => name)).toContain('street_count');
    const page = await text('/tables');
    for (const { name } of tables) expect(page, name).toContain(`href="/tables/${name}"`);
    expect(page).toContain('a name that is &lt;b&gt;hostile');
    expect(page).toMatch(/>property<\/a><\/td><td data-label="rows" class="n">400</);
    for (const { name, columns } of tables) {
      const answer = await get(`/tables/${name}`);
      expect(answer.status, name).toBe(200);
      const own = await answer.text();
      for (const column of Object.keys(columns)) expect(own).toContain(`<code>${column}</code>`);
    }
    expect((await get('/tables/none')).status).toBe(404);
    expect((await get('/tables/__proto__')).status).toBe(404);
  });

  it('filters by columns and types, and refuses invalid conditions', async () => {
    const page = await text(table('property', ['state', 'is', 'VIC'], ['lon', 'lt', '146.5']));
    const [{ n }] = (await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.property WHERE state = 'VIC' AND lon < 146.5`,
    )) as [{ n: number }];
    expect(n).toBeGreaterThan(0);
    expect(page).toContain(`${n} of 400 rows.`);
    expect(new Set(column(page, 'state'))).toEqual(new Set(['VIC']));
    // A quote is a value like any other.
    const quoted = await text(
      table('property', ['address', 'contains', "'; DROP TABLE serving.property; --"]),
    );
    expect(quoted).toContain('0 of 400 rows.');
    expect(await text(table('street_count', ['homes', 'ge', '1']))).toContain('data-label="homes"');
    for (const wrong of [
      ['none', 'is', 'x'],
      ['state; DROP', 'is', 'x'],
      ['constructor', 'is', 'x'],
      ['lon', 'contains', '1'],
      ['lon', 'is', '1 OR true'],
      ['lon', 'lt', 'NaN'],
      ['cell', 'is', '99999999999'],
      ['state', 'or', 'x'],
      ['state', 'toString', 'x'],
      ['state', 'is', 'a\0b'],
    ] as [string, string, string][]) {
      const answer = await get(table('property', wrong));
      expect(answer.status, wrong.join(' ')).toBe(422);
      expect(await answer.text()).toContain('config_invalid');
    }
    expect((await get(table('sale', ['date', 'ge', '2026-02-30']))).status).toBe(422);
    expect((await get('/tables/property?column=state&op=is')).status).toBe(422);
    expect((await get('/tables/property?sort=none')).status).toBe(422);
    for (const after of ['{', '[1]', '["a","b"]', '"x"', '[null,null,null]'])
      expect((await get(`/tables/property?after=${encodeURIComponent(after)}`)).status, after).toBe(422);
    expect((await get('/tables/property', { accept: '*/*' })).status).toBe(200);
  });

  it('pages through every row once, sorted by any column, nulls last', async () => {
    const key = 'gnaf_pid';
    for (const sort of ['', 'building_name', 'lon', 'postcode', key])
      for (const desc of sort === '' ? [''] : ['', '1']) {
        const pids: string[] = [];
        let path: string | undefined = `/tables/property?sort=${sort}&desc=${desc}`;
        while (path !== undefined) {
          const page: string = await text(path);
          pids.push(...column(page, key));
          path = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
        }
        const by = sort === '' ? '' : `${sort} ${desc ? 'DESC' : 'ASC'} NULLS LAST,`;
        const rows = await database.query<{ pid: string }>(
          `SELECT gnaf_pid AS pid FROM serving.property ORDER BY ${by} gnaf_pid`,
        );
        expect(pids, `${sort} ${desc}`).toEqual(rows.map(({ pid }) => pid));
      }
  });

  it('writes what is filtered as CSV and Parquet, as export does', async () => {
    const link = table('property', ['state', 'is', 'NSW']).split('?')[1]!;
    const [{ n }] = (await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.property WHERE state = 'NSW'`,
    )) as [{ n: number }];
    const csv = await get(`/tables/property/csv?${link}`);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="property.csv"');
    const lines = (await csv.text()).trimEnd().split('\r\n');
    expect(lines.length).toBe(n + 1);
    expect(lines[0]).toMatch(/^gnaf_pid,/);
    const bytes = await (await get(`/tables/property/parquet?${link}`)).arrayBuffer();
    const rows = await parquetReadObjects({ file: bytes, compressors });
    expect(rows.length).toBe(n);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['NSW']));
    expect(parquetMetadata(bytes).key_value_metadata).toContainEqual({ key: 'publication', value: '2' });
    const shapes = await (await get('/tables/parcel_shape/parquet')).arrayBuffer();
    expect(parquetMetadata(shapes).key_value_metadata?.map(({ key }) => key)).toContain('geo');
    expect((await get('/tables/property/csv?column=none&op=is&value=x')).status).toBe(422);
    expect((await get('/tables/property/xlsx')).status).toBe(404);
  });

  it('answers a query, and shows the message of PostgreSQL for a wrong one', async () => {
    const { status, page } = await sql(
      'SELECT state, count(*) AS homes\nFROM property GROUP BY 1 ORDER BY 1;',
    );
    expect(status).toBe(200);
    const states = await database.query<{ state: string; homes: string }>(
      'SELECT state, count(*)::text AS homes FROM serving.property GROUP BY 1 ORDER BY 1',
    );
    expect(column(page, 'state')).toEqual(states.map((row) => row.state));
    expect(column(page, 'homes')).toEqual(states.map((row) => row.homes));
    const wrong = await sql('SELECT state\nFROM propertyy');
    expect(wrong.status).toBe(422);
    expect(wrong.page).toContain('relation &quot;propertyy&quot; does not exist (line 2, column 6)');
    expect((await sql('SELECT gnaf_pidd FROM property')).page).toContain('Perhaps you meant to reference');
    expect((await sql('SELECT 1/0 AS x')).page).toContain('division by zero');
    expect((await sql("SELECT '<script>alert(1)</script>' AS x")).page).not.toContain('<script>alert');
    expect((await sql('SELECT homes FROM street_count')).status).toBe(200);
    expect(
      (await sql('WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r')).page,
    ).toContain('The first 1,000 rows; there are more.');
    expect((await sql('SELECT')).status).toBe(200);
    expect((await sql('TABLE publication')).status).toBe(200);
    // A link of another site shows its query and runs nothing.
    expect((await sql('SELECT 42 AS answer', { 'sec-fetch-site': 'cross-site' })).page).not.toContain(
      'data-label="answer"',
    );
    expect((await get(`/sql?q=${'x'.repeat(8001)}`)).status).toBe(404);
    expect((await get('/sql?q=a&q=b')).status).toBe(404);
  });

  it.each([
    ['SET ROLE postgres', 'syntax error'],
    ['RESET ROLE', 'syntax error'],
    ['COMMIT', 'syntax error'],
    ['SELECT 1; DROP TABLE serving.property', 'multiple commands'],
    ['SELECT 1; COMMIT; SET ROLE postgres', 'multiple commands'],
    ["COPY (SELECT 1) TO PROGRAM 'touch /tmp/x'", 'syntax error'],
    ['DO $$ BEGIN SET LOCAL ROLE none; END $$', 'syntax error'],
    ['DELETE FROM property', 'syntax error'],
    ['WITH gone AS (DELETE FROM property RETURNING 1) SELECT * FROM gone', 'data-modifying'],
    ['SELECT * INTO stolen FROM property', 'INTO'],
    ['SELECT 1 AS x FROM property FOR UPDATE', 'read-only'],
    ['SELECT * FROM control.run', 'permission denied'],
    ['SELECT key_hash FROM control.api_key', 'permission denied'],
    ['SELECT * FROM record.address', 'permission denied'],
    ['SELECT * FROM bullmq.job', 'permission denied'],
    ['SELECT rolpassword FROM pg_authid', 'permission denied'],
    ['SELECT pg_sleep(3600)', 'pseudo-type void'],
    ['SELECT 1 AS x FROM pg_sleep(3600)', 'pg_sleep(double precision) cannot be called'],
    ['SELECT 1 AS x FROM U&"pg\\005fsleep"(3600)', 'pg_sleep(double precision) cannot be called'],
    ["SELECT set_config('role', 'none', false)", 'set_config(text,text,boolean) cannot be called'],
    [
      "SELECT set_config('role', 'none', true) a, query_to_xml('SELECT * FROM control.meta', true, false, '') b, set_config('role', 'api_reader', true) c",
      'cannot be called',
    ],
    [
      "SELECT x FROM (VALUES (1)) v(x) ORDER BY (SELECT set_config('role', 'none', false))",
      'cannot be called',
    ],
    ["SELECT * FROM query_to_xml('SELECT 1', true, false, '')", 'cannot be called'],
    ["SELECT * FROM ts_stat('SELECT 1')", 'cannot be called'],
    ["SELECT pg_read_file('/etc/passwd')", 'cannot be called'],
    ["SELECT * FROM pg_ls_dir('.')", 'cannot be called'],
    ["SELECT lo_import('/etc/passwd')", 'cannot be called'],
    ['SELECT pg_terminate_backend(pid) FROM pg_stat_activity', 'cannot be called'],
    ['SELECT pg_try_advisory_lock(1)', 'cannot be called'],
    ["SELECT * FROM dblink('host=localhost', 'SELECT 1') AS x(n int)", 'does not exist'],
    ['SELECT public.secret_of_the_owner()', 'cannot be called'],
    [`${WIDE_ROWS} SELECT count(*) AS n FROM w`, 'temporary file size exceeds'],
    ['SELECT count(*) AS n FROM property a, property b, property c, property d', 'longer than 10 s'],
    [`${WIDE_ROWS} SELECT array_agg(length(t)) AS n FROM w`, 'temporary file size exceeds'],
    [
      'SELECT array_agg(repeat(md5(n::text), 1000)) AS n FROM (SELECT generate_series(1, 1000000000) AS n) s',
      '',
    ],
    ['SELECT 1 AS a, 2 AS a', 'specified more than once'],
    [`SELECT ${Array.from({ length: 101 }, (_, i) => `${i} AS c${i}`).join(', ')}`, '101 columns'],
  ])('refuses: %s', async (query, message) => {
    await database.query(`CREATE OR REPLACE FUNCTION public.secret_of_the_owner() RETURNS text
      LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT max(key) FROM control.meta'`);
    const before = await database.query('SELECT count(*) AS n FROM serving.property');
    const { status, page } = await sql(query);
    const said = page.slice(page.indexOf('<p class="fail"'), page.indexOf('<script type="application/json"'));
    expect([status, said]).toEqual([422, expect.stringContaining('role="alert"')]);
    expect(said).toContain(message);
    expect(await database.query('SELECT count(*) AS n FROM serving.property')).toEqual(before);
    // Nothing of the session stays: the next one is the reader's.
    expect(column((await sql('SELECT current_user AS me')).page, 'me')).toEqual(['api_reader_queries']);
  });

  it('keeps its answers small, however long the values are', async () => {
    const { status, page } = await sql("SELECT repeat('x', 100000000) AS x FROM generate_series(1, 3)");
    expect(status).toBe(200);
    expect(page.length).toBeLessThan(60_000);
    const shapes = await sql(
      `SELECT decode(repeat('00', 3000000), 'hex') AS geom FROM generate_series(1, 20)`,
    );
    expect([shapes.status, shapes.page.length < 70_000]).toEqual([200, true]);
    expect(shapes.page).not.toContain('id="map"');
    // What is no place on Earth is not drawn.
    expect((await sql(`SELECT 'Infinity'::float8 AS lon, 1e9 AS lat`)).page).not.toContain('id="map"');
  });

  it('lets nobody ask without the token', async () => {
    const { config } = await loadConfig({ set: ['ops.port=0', `ops.token=${TOKEN}`] }, {});
    const guarded = await startOps(database.url, config);
    try {
      for (const path of ['/tables', '/tables/property', '/tables/property/csv', '/sql?q=SELECT+1'])
        expect((await fetch(guarded.url + path)).status, path).toBe(401);
      const answer = await fetch(`${guarded.url}/sql?q=SELECT+1+AS+x`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      expect(answer.status).toBe(200);
    } finally {
      await guarded.close();
    }
  });

  it('ends although a client does not read its answer', async () => {
    const { config } = await loadConfig({ set: ['ops.port=0'] }, {});
    const own = await startOps(database.url, config);
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.write('GET /tables HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(1000));
    await once(socket, 'data');
    socket.pause();
    const began = performance.now();
    await own.close();
    expect(performance.now() - began).toBeLessThan(30_000);
    socket.destroy();
  });

  if (!CHROMIUM) console.warn('SKIPPED: tables of the console in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('shows rows and shapes at both widths, by day and by night', async () => {
    const shapes = new URLSearchParams({ q: 'SELECT parcel_id, geom FROM parcel_shape ORDER BY 1 LIMIT 60' });
    const pages = [
      ['tables', '/tables'],
      ['table', table('property', ['state', 'is', 'VIC'])],
      ['table-model', '/tables/street_count?sort=homes&desc=1'],
      ['sql', `/sql?${shapes}`],
    ] as const;
    for (const [width, scheme] of WINDOWS) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      for (const [name, path] of pages) {
        await page.goto(server.url + path);
        if ((await page.locator('#map').count()) > 0) await mapIsDrawn(page);
        await keepPicture(page, `${name}-${width}-${scheme}`);
        expect(await tooWide(page), `${name} ${width}`).toEqual([]);
        expect(await seriousFindings(page), `${name} ${width} ${scheme}`).toEqual([]);
      }
      if (width === 1280 && scheme === 'light') {
        const [target] = await page.locator('#map canvas').all();
        await target!.click();
        await page.goto(`${server.url}/tables/property`);
        await page.selectOption('select[name=column]', 'state');
        await page.fill('input[name=value]', 'NSW');
        await page.getByRole('button', { name: 'Show' }).click();
        await page.waitForURL(/value=NSW/);
        expect(new Set(await page.locator('td[data-label=state]').allTextContents())).toEqual(
          new Set(['NSW']),
        );
      }
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
