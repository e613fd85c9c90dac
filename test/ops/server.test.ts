import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { AVM_JOB } from '../../jobs/avm.ts';
import { openBackend } from '../../jobs/backend.ts';
import { requestOfJob } from '../../jobs/named_job.ts';
import { enqueueRefresh } from '../../jobs/refresh_job.ts';
import { keepSchedules } from '../../jobs/schedule_keeper.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { type Config, configSchema } from '../../schema/config.ts';
import { openPool, withClient } from '../../store/database.ts';
import type { TestDatabase } from '../database.ts';
import { hasRedis, startRedis } from '../jobs/redis_server.ts';
import { refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { WAIT_MS } from '../waiting.ts';
import { CHROMIUM } from './browser.ts';

const TOKEN = 'a-token-of-more-than-sixteen';

/** Queues that are shown: of refreshes, of stages that are distributed, of their batches. */

describe('the operations pages', () => {
  let dir: string;
  let database: TestDatabase;
  let config: Config;
  let server: OpsServer;
  let guarded: OpsServer;

  const settings = async (...set: string[]): Promise<Config> =>
    (await loadConfig({ set: ['ops.port=0', ...set] }, {})).config;
  const get = (path: string, headers: Record<string, string> = {}, of = server): Promise<Response> =>
    fetch(new URL(path, of.url), { headers });
  /** Status of a request with a Host header of its own, which fetch does not send. */
  const asHost = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(new URL('/runs/1', server.url), { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject).end();
    });

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    config = await settings();
    server = await startOps(database.url, config);
    guarded = await startOps(database.url, await settings(`ops.token=${TOKEN}`));
  });

  afterAll(async () => {
    await server?.close();
    await guarded?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('serves the report of each run as a page of its own', async () => {
    const index = await (await get('/')).text();
    expect(index).toContain('href="/runs/1"');
    const response = await get('/runs/1');
    expect(response.headers.get('content-type')).toContain('text/html');
    const text = await response.text();
    for (const part of [
      'serve_property',
      '<svg',
      'cadastre_vic',
      'Gates',
      'Coverage by suburb',
      'land_area_sqm',
      'peak memory',
      'Configuration',
      'datasets.cadastre_vic',
      'started',
      'href="#rejects"',
    ]) {
      expect(text).toContain(part);
    }
    // Of scripts the console's own alone, and nothing from elsewhere.
    expect(
      text.replaceAll(/<script type="module" src="\/static\/[\w-]+\/\w+\.mjs"><\/script>/g, ''),
    ).not.toMatch(/<script|<link rel="style|src="|url\((?!#)|NaN|undefined/);
    expect((await get('/runs/99')).status).toBe(404);
    expect((await get('/runs/1;DROP')).status).toBe(404);
    expect((await get('/nothing')).status).toBe(404);
  });

  it('answers 404 as a page to a browser, and as JSON to other clients', async () => {
    for (const path of ['/nothing', '/runs/99', '/datasets/none', '/lineage?of=none']) {
      const page = await get(path, { accept: 'text/html,*/*' });
      expect([page.status, page.headers.get('content-type')], path).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
      expect(await page.text(), path).toContain('aria-label="Console"');
      const other = await get(path);
      expect([other.status, other.headers.get('content-type')], path).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    }
    expect(await (await get('/<b>x', { accept: 'text/html' })).text()).not.toContain('<b>x');
  });

  it('gives metrics to Prometheus, the same names each time', async () => {
    const first = await (await get('/metrics')).text();
    expect(first).toContain('pipeline_publication 1');
    expect(first).toContain('pipeline_healthy 1');
    expect(first).toMatch(/pipeline_serving_rows\{table="property"\} 300/);
    expect(first).toMatch(/pipeline_last_run_partitions\{stage="serve_property",what="run"\} \d+/);
    expect(first).toMatch(/pipeline_jobs\{state="waiting"\} 0/);
    const names = (text: string) =>
      [...text.matchAll(/^# TYPE (pipeline_(?!ops_)\S+)/gm)].map((match) => match[1]);
    expect(names(await (await get('/metrics')).text())).toEqual(names(first));
  });

  it('says whether what is served is fresh, and whether runs fail', async () => {
    expect(await (await get('/healthz')).json()).toMatchObject({ status: 'ok', publication: 1, reasons: [] });
    await database.query(`UPDATE control.run SET finished_at = now() - interval '40 hours'`);
    const stale = await get('/healthz');
    expect(stale.status).toBe(503);
    expect(await stale.json()).toMatchObject({ status: 'stale' });
    await database.query('UPDATE control.run SET finished_at = now()');
    const failed = await refreshSample(database, dir, [
      'gates.tables.property.rows_min=1000',
      'parcel.nearest_m=0',
    ]);
    expect(failed.state).toBe('refused');
    expect(await (await get('/healthz')).json()).toMatchObject({ status: 'failing' });
    expect((await refreshSample(database, dir)).state).toBe('unchanged');
    expect((await get('/healthz')).status).toBe(200);
  });

  it('says that a dataset cannot be read, and since which run, until it can be again', async () => {
    const folder = join(dir, 'gnaf');
    const zip = join(folder, (await readdir(folder)).find((each) => each.endsWith('.zip'))!);
    const whole = await readFile(zip);
    await writeFile(zip, whole.subarray(0, whole.length / 2));
    const { run_id, state, datasets } = await refreshSample(database, dir);
    expect(state).toBe('unchanged');
    expect(datasets.find(({ dataset }) => dataset === 'gnaf')?.action).toBe('kept');
    await refreshSample(database, dir);
    const answer = await get('/healthz');
    expect(answer.status).toBe(200);
    const found = (await answer.json()) as { status: string; reasons: string[] };
    expect(found.status).toBe('degraded');
    expect(found.reasons).toEqual([
      expect.stringMatching(`Dataset gnaf could not be read since run ${run_id} `),
    ]);
    expect(await (await get('/metrics')).text()).toContain('pipeline_healthy 0');
    await writeFile(zip, whole);
    await refreshSample(database, dir);
    expect(await (await get('/healthz')).json()).toMatchObject({ status: 'ok', reasons: [] });
  });

  it('has a page for each job that has a name: what it makes, when it runs, who asked', async () => {
    const config = configSchema.parse({ datasets: {} });
    const backend = await openBackend(database.url, config.queue);
    const pool = openPool(database.url, 1);
    await withClient(pool, (client) => keepSchedules(client, backend.queue, config.queue));
    await pool.end();
    await enqueueRefresh(backend.queue, { requested_by: 'a valuer', ...requestOfJob(AVM_JOB) }, config.queue);
    const all = await (await get('/jobs')).text();
    expect(all).toContain('0 6-18/4 * * * Australia/Sydney');
    expect(all).toContain('30 6 * * 1-5 Australia/Sydney');
    const avm = await (await get('/jobs/avm')).text();
    for (const text of ['Automated valuation (AVM)', 'with an estimated value', 'a valuer', 'waiting'])
      expect(avm).toContain(text);
    expect(await (await get('/jobs/cma')).text()).not.toContain('a valuer');
    expect((await get('/jobs/nothing')).status).toBe(404);
    await backend.queue.obliterate({ force: true });
    await backend.close();
  });

  it('shows the queue: requests with what they are for, and tasks by state', async () => {
    const config = configSchema.parse({ datasets: {} });
    const backend = await openBackend(database.url, config.queue);
    const empty = await (await get('/queue')).text();
    expect(empty).toContain('The queue is empty. Next:');
    expect(empty).toContain('in PostgreSQL');
    await enqueueRefresh(
      backend.queue,
      { requested_by: 'a <b>valuer</b>', ...requestOfJob(AVM_JOB) },
      config.queue,
    );
    const text = await (await get('/queue')).text();
    for (const part of ['refresh-avm', 'a &lt;b&gt;valuer', 'waiting', '0 active, 0 waiting'])
      expect(text).toContain(part);
    await backend.queue.obliterate({ force: true });
    await backend.close();
  });

  it.skipIf(!hasRedis())('shows a queue in Redis too', async () => {
    const redis = await startRedis();
    const own = await startOps(database.url, await settings(`queue.redis_url=${redis.url}`));
    try {
      expect(await (await get('/queue', {}, own)).text()).toContain('in Redis');
    } finally {
      await own.close();
      await redis.stop();
    }
  });

  it('plots the last runs, and sends files compressed under a path that changes with them', async () => {
    const plots = await (await get('/metrics/plots')).text();
    for (const part of ['Peak memory, MB', 'Rejected rows', '<svg', 'href="/metrics"'])
      expect(plots).toContain(part);
    const [, path] = /src="(\/static\/[\w-]{12}\/find\.mjs)"/.exec(plots)!;
    const file = await get(path!, { 'accept-encoding': 'br' });
    expect(file.headers.get('cache-control')).toContain('immutable');
    const page = await get('/metrics/plots', { 'accept-encoding': 'br' });
    expect(page.headers.get('content-encoding')).toBe('br');
    expect((await get('/static/000000000000/find.mjs')).status).toBe(404);
  });

  it('loads the map library only where rows are drawn, and an editor for queries', async () => {
    const sql = async (q: string) => (await get(`/sql?${new URLSearchParams({ q })}`)).text();
    const empty = await sql('');
    expect(empty).not.toContain('maplibre-gl');
    expect(empty).toContain('"gnaf_pid":"text"');
    expect(await sql('SELECT count(*) AS n FROM property')).not.toContain('maplibre-gl');
    expect(await sql('SELECT lon, lat FROM property LIMIT 3')).toContain('maplibre-gl');
    const [, path] = /src="([^"]+sql_editor\.mjs)"/.exec(empty)!;
    const editor = await get(path!);
    expect(editor.headers.get('content-type')).toContain('javascript');
    expect(await editor.text()).not.toMatch(/from ?"@codemirror/);
  });

  it('lets nobody in without the token, by bearer or password', async () => {
    const status = async (headers: Record<string, string>) => (await get('/runs/1', headers, guarded)).status;
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await status(basic(`anyone:${TOKEN}x`))).toBe(401);
    expect(await status({ authorization: `Bearer ${TOKEN}` })).toBe(200);
    expect(await status(basic(`anyone:${TOKEN}`))).toBe(200);
    expect((await get('/queue/board/api/queues', {}, guarded)).status).toBe(401);
    // Probes need no token, and learn no more than the status.
    expect(await (await get('/healthz', {}, guarded)).json()).toEqual({ status: 'ok' });
  });

  it('answers only to local hosts without a token, and does not start on another address', async () => {
    expect(await asHost('evil.example')).toBe(403);
    expect(await asHost('localhost:1')).toBe(200);
    await expect(startOps(database.url, await settings('ops.host=0.0.0.0'))).rejects.toMatchObject({
      code: 'config_invalid',
    });
    const port = new URL(server.url).port;
    await expect(startOps(database.url, await settings(`ops.port=${port}`))).rejects.toMatchObject({
      code: 'ops_unavailable',
      message: expect.stringContaining('--port'),
    });
  });

  if (!CHROMIUM)
    console.warn(
      'SKIPPED: ops in a browser. No Chromium found: install the package chromium, or set CHROMIUM.',
    );
  it.skipIf(!CHROMIUM)(
    'draws pages and queue in a browser without an error or a request to elsewhere',
    async () => {
      const browser = await chromium.launch({
        executablePath: CHROMIUM!,
        args: ['--no-sandbox'],
        timeout: WAIT_MS,
      });
      try {
        const page = await browser.newPage();
        const elsewhere: string[] = [];
        const errors: string[] = [];
        page.on('request', (asked) => {
          if (!asked.url().startsWith(server.url) && !asked.url().startsWith('data:'))
            elsewhere.push(asked.url());
        });
        page.on('pageerror', (error) => errors.push(error.message));
        await page.goto(server.url);
        await page.click('a[href="/runs/1"]');
        await page.waitForURL('**/runs/1');
        expect(await page.textContent('h1')).toContain('run 1: published');
        expect(await page.locator('svg').count()).toBeGreaterThanOrEqual(2);
        const box = await page.locator('svg').first().boundingBox();
        expect(box!.width).toBeGreaterThan(300);
        // Checks that pass are folded away; nothing is wider than the window.
        expect(await page.getByText('keys are unique.').first().isVisible()).toBe(false);
        await page.getByText('Checks that passed').click();
        expect(await page.getByText('keys are unique.').first().isVisible()).toBe(true);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        // The map has a dot for each suburb, inside the chart.
        const map = page.getByRole('img', { name: /Values of the \d+ suburbs/ });
        const [{ n } = { n: 0 }] = await database.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM serving.suburb',
        );
        expect(n).toBeGreaterThan(5);
        expect(await map.locator('path[fill^="rgb"], path[fill^="#"]').count()).toBeGreaterThanOrEqual(n);
        expect(elsewhere).toEqual([]);
        await page.goto(new URL('/queue', server.url).toString());
        expect(await page.textContent('h1')).toBe('Queue');
        expect(await page.getByRole('link', { name: 'Overview' }).isVisible()).toBe(true);
        // The editor completes the names of tables and columns, and Ctrl+Enter runs the query.
        await page.goto(new URL('/sql', server.url).toString());
        await page.locator('.cm-content').click();
        await page.keyboard.type('SELECT count(*) AS homes FROM property_av');
        await page.locator('.cm-tooltip-autocomplete').getByText('property_avm').first().waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.type('m');
        await page.keyboard.press('Control+Enter');
        await page.getByText('1 row.').waitFor();
        expect(await page.textContent('main')).toContain('homes');
        await page.locator('#tables summary', { hasText: /^property_avm$/ }).click();
        await page.locator('#tables button:visible', { hasText: 'confidence' }).first().click();
        expect(await page.textContent('.cm-content')).toContain('confidence');
        expect(elsewhere).toEqual([]);
        expect(errors).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
