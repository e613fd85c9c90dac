import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type Backend, openBackend } from '../../jobs/backend.ts';
import { type RunningWorker, startWorker } from '../../jobs/worker.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import type { Config } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { listActions } from '../../store/state/operator_actions.ts';
import type { TestDatabase } from '../database.ts';
import { refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { until, WAIT_MS } from '../waiting.ts';
import { CHROMIUM, keepPicture, launch, seriousFindings, tooWide, WINDOWS } from './browser.ts';

const TOKEN = 'a-token-of-more-than-sixteen';
const BASIC = { authorization: `Basic ${Buffer.from(`anna:${TOKEN}`).toString('base64')}` };
/** Settings with which the next refresh changes something, and a gate refuses it. */
const REFUSED = ['parcel.nearest_m=0', 'gates.tables.property.rows_min=1000'];

interface Run {
  run_id: number;
  state: string;
  command: string;
}

describe('operator actions in the console', () => {
  let dir: string;
  let database: TestDatabase;
  let config: Config;
  let server: OpsServer;
  let backend: Backend;
  let worker: RunningWorker | undefined;
  let browser: Browser;

  const settings = async (...set: string[]): Promise<{ config: Config; base: string }> =>
    loadConfig({ config: `${dir}/config.yaml`, set: ['ops.port=0', 'workers=1', ...set] }, {});
  const get = (path: string, of = server): Promise<Response> =>
    fetch(of.url + path, { headers: { ...BASIC, accept: 'text/html' } });
  const text = async (path: string, of = server): Promise<string> => (await get(path, of)).text();
  /** A session of a browser: its cookie and the field that its forms have. */
  async function session(): Promise<{ cookie: string; form_token: string }> {
    const answer = await get('/operate');
    const cookie = answer.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^console_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    return {
      cookie: cookie.split(';')[0]!,
      form_token: /name="form_token" value="([\w-]+)"/.exec(await answer.text())![1]!,
    };
  }
  const post = (
    action: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
    of = server,
  ): Promise<Response> =>
    fetch(`${of.url}/operate/${action}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...BASIC, accept: 'text/html', ...headers },
      body: new URLSearchParams(fields),
    });
  /** Does an action by the form of the page. */
  async function act(action: string, fields: Record<string, string>): Promise<Response> {
    const { cookie, form_token } = await session();
    return post(
      action,
      { ...fields, form_token },
      { cookie, origin: server.url, 'sec-fetch-site': 'same-origin' },
    );
  }
  const actions = async () => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    return listActions(client, 100).finally(async () => {
      client.release();
      await pool.end();
    });
  };
  const lastRun = async (): Promise<Run> =>
    (
      await database.query<Run>('SELECT run_id, state, command FROM control.run ORDER BY run_id DESC LIMIT 1')
    )[0]!;
  /** The run that follows what `work` asks for, once it has ended. */
  async function runAfter(work: () => Promise<Response>): Promise<Run> {
    const before = (await lastRun()).run_id;
    const answer = await work();
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/operate#log']);
    return until('the run that was asked for', async () => {
      const run = await lastRun();
      const [job] = await actions();
      const state = await backend.queue.getJobState(job!.job_id!);
      return run.run_id > before && run.state !== 'running' && ['completed', 'failed'].includes(state) && run;
    });
  }

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    const own = await settings(`ops.token=${TOKEN}`, 'queue.cron=null', ...REFUSED);
    config = own.config;
    server = await startOps(database.url, config);
    backend = await openBackend(database.url, config.queue);
    if (CHROMIUM) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await worker?.stop(WAIT_MS);
    await backend?.close();
    await server?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('refuses forms of other sessions and sites, and records nothing', async () => {
    const { cookie, form_token } = await session();
    const other = await session();
    const form = { job: '', form_token };
    const refused: [string, Record<string, string>, Record<string, string>][] = [
      ['no cookie', form, {}],
      ['no field', { job: '' }, { cookie }],
      ['a wrong field', { job: '', form_token: `${form_token.slice(0, -2)}xx` }, { cookie }],
      ['a short field', { job: '', form_token: 'x' }, { cookie }],
      ['the field of another session', { job: '', form_token: other.form_token }, { cookie }],
      ['a cookie that was made up', form, { cookie: `console_session=${'a'.repeat(43)}` }],
      ['another origin', form, { cookie, origin: 'https://evil.example' }],
      ['no origin', form, { cookie, origin: 'null' }],
      ['another site', form, { cookie, 'sec-fetch-site': 'cross-site' }],
      ['a sibling site', form, { cookie, 'sec-fetch-site': 'same-site' }],
      ['a link', form, { cookie, 'sec-fetch-site': 'none' }],
    ];
    for (const [what, fields, headers] of refused) {
      const answer = await post('run', fields, headers);
      expect(answer.status, what).toBe(403);
      expect(await answer.text(), what).toContain('This is refused');
    }
    expect((await post('run', form, { cookie, authorization: '' })).status).toBe(401);
    expect((await post('run', form, { cookie, authorization: 'Bearer wrong' })).status).toBe(401);
    const json = { ...BASIC, cookie, 'content-type': 'application/json' };
    const asJson = await fetch(`${server.url}/operate/run`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(form),
    });
    expect(asJson.status).toBe(415);
    const plain = { ...BASIC, cookie, 'content-type': 'text/plain' };
    expect(
      (await fetch(`${server.url}/operate/run`, { method: 'POST', headers: plain, body: 'job=' })).status,
    ).toBe(415);
    expect(
      (await fetch(`${server.url}/operate/run`, { method: 'POST', headers: { ...BASIC, cookie } })).status,
    ).toBe(403);
    for (const path of ['/operate/run', '/operate/publish', '/operate/dataset'])
      expect((await get(`${path}?job=&form_token=${form_token}`)).status, path).toBe(404);
    expect(await actions()).toEqual([]);
    expect(await backend.queue.getJobCounts()).toMatchObject({ waiting: 0, active: 0 });
  });

  it('refuses forms with invalid values, and records nothing', async () => {
    for (const [action, fields] of [
      ['nothing', {}],
      ['toString', {}],
      ['run', { job: 'none' }],
      ['publish', { gate: 'rows:property' }],
      ['publish', { gate: 'rows:property', reason: ' ' }],
      ['publish', { gate: 'row:property', reason: 'right' }],
      ['publish', { gate: 'keys:property', reason: 'right' }],
      ['publish', { reason: 'right' }],
      ['dataset', { dataset: 'none' }],
      ['dataset', { dataset: 'serve_property' }],
      ['rollback', { to: '1', from: '1', reason: 'right' }],
      ['rollback', { to: '9', from: '1', reason: 'right' }],
      ['rollback', { to: '1; DROP', from: '1', reason: 'right' }],
    ] as [string, Record<string, string>][])
      expect([404, 422], `${action} ${JSON.stringify(fields)}`).toContain((await act(action, fields)).status);
    expect(await actions()).toEqual([]);
  });

  it('asks for a run that waits for a worker, and says who asked', async () => {
    expect(await text('/operate')).toContain('No worker is running');
    expect((await act('run', { job: '' })).status).toBe(303);
    const [action] = await actions();
    expect(action).toMatchObject({
      who: 'anna at 127.0.0.1',
      action: 'run',
      detail: {},
      job_id: expect.any(String),
    });
    const job = await backend.queue.getJob(action!.job_id!);
    expect(job!.data).toEqual({ requested_by: 'console: anna at 127.0.0.1' });
    const page = await text('/operate');
    expect(page).toContain('anna at 127.0.0.1');
    expect(page).toContain('waiting');
    const base = (await settings()).base;
    worker = await startWorker({ url: database.url, config, base, onEvent: () => undefined });
    await until('the run', async () => (await lastRun()).state === 'refused');
    expect(await lastRun()).toMatchObject({ state: 'refused', command: 'worker' });
  });

  it('starts the page of a refused run with what failed, the ways on and ten examples', async () => {
    const { run_id } = await lastRun();
    const first = await text('/');
    expect(first).toMatch(
      new RegExp(
        `>Run ${run_id}</a> was refused<.* ago<.*<a href="/runs/${run_id}#decision">Decide</a>`,
        's',
      ),
    );
    const page = await text(`/runs/${run_id}`);
    const decision = page.slice(page.indexOf('<h2 id="decision">'), page.indexOf('<dl class="facts">'));
    expect(decision).toMatch(/^<h2 id="decision">It is not published: (one gate|\d+ gates) failed</);
    expect(decision).toContain('>the number of rows of property is outside its limits</span>');
    const [, examples] = /<th scope="col">before<\/th>.*?<tbody>(.*?)<\/tbody>/s.exec(decision)!;
    const rows = examples!.split('<tr>').slice(1);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(10);
    // Both sides are those of the candidate's differences.
    for (const row of rows) {
      const [, pid] = /href="\/property\/(\w+)"/.exec(row)!;
      const [name, was, now] = /<div>(\w+): ([^<]*)<.*<td[^>]*><div>\w+: ([^<]*)</s.exec(row)!.slice(1);
      const change = await database.query<{ was: string; now: string }>(
        `SELECT before->>$2 AS was, after->>$2 AS now FROM candidate.change
         WHERE publication_id = 2 AND table_name = 'property' AND key = $1`,
        [pid, name],
      );
      for (const [shown, value] of [
        [was, change[0]!.was],
        [now, change[0]!.now],
      ])
        if (value !== null && /^[a-z]/i.test(value!))
          expect(shown).toBe(value === 'true' ? 'yes' : value === 'false' ? 'no' : value);
    }
    const ways = (of: string): string[] => [...of.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, title]) => title!);
    const WAYS = [
      'The change is right',
      'One dataset is wrong: keep its old data',
      'The files are corrected: load again',
      'A limit or a setting is wrong',
      'What it would change, the largest first',
    ];
    // The run loaded nothing, so no old data can be kept.
    expect(ways(decision)).toEqual(WAYS.filter((way) => !way.includes('old data')));
    expect(decision).toContain('Change it in the configuration, then <code>pipeline refresh</code>');
    const setDatasets = (action: string): Promise<unknown> =>
      database.query(
        `UPDATE control.run SET report = jsonb_set(report, '{datasets,0,action}', to_jsonb($2::text)) WHERE run_id = $1`,
        [run_id, action],
      );
    await setDatasets('loaded');
    const afterLoad = await text(`/runs/${run_id}`);
    expect(ways(afterLoad).slice(0, WAYS.length)).toEqual(WAYS);
    expect(afterLoad).toMatch(/It loaded (\w+)\. Put .*<code>pipeline refresh --only \1</);
    await setDatasets('unchanged');
    expect(decision).toContain('name="gate" value="rows:property"');
    expect(decision).toContain('pipeline discard');
    const open = await startOps(database.url, (await settings()).config);
    try {
      expect(await text(`/runs/${run_id}`, open)).toMatch(
        /<code>pipeline publish (--accept \S+ )*--accept rows:property (--accept \S+ )*--reason/,
      );
      const operate = await text('/operate', open);
      expect(operate).toContain('Type what accepts it, without the gates that are wrong.');
      expect(operate).not.toMatch(/\b[Tt]ick\b/);
      expect(await text('/operate')).toContain('Tick what is right; exactly this is published.');
    } finally {
      await open.close();
    }
    // Without a tick it says what may be ticked.
    const answer = await act('publish', { reason: 'right' });
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('may be ticked: rows:property'),
    ]);
  });

  it('accepts the gates that refused, with a reason that the publication has', async () => {
    const page = await text('/operate');
    const [, gate] = /name="gate" value="([^"]+)"/.exec(page)!;
    expect(gate).toBe('rows:property');
    expect(page).toMatch(/was refused: (one gate|\d+ gates) failed\./);
    expect(page).toContain('<fieldset><legend>property, ');
    const run = await runAfter(() => act('publish', { gate: gate!, reason: 'fewer than a country has' }));
    expect(run.state).toBe('published');
    const [found] = await database.query<{ message: string }>(
      `SELECT c->>'message' AS message FROM control.run, jsonb_array_elements(report->'audit') c
       WHERE run_id = $1 AND c->>'status' = 'accepted'`,
      [run.run_id],
    );
    expect(found!.message).toContain('Accepted: fewer than a country has');
    expect((await actions())[0]).toMatchObject({
      who: 'anna at 127.0.0.1',
      action: 'publish',
      detail: { gates: ['rows:property'], reason: 'fewer than a country has' },
    });
    expect(await text('/operate')).toContain(`href="/runs/${run.run_id}">run ${run.run_id}<`);
    expect(await text('/operate')).toContain('No gate refuses');
  });

  it('shows what a rollback would change, as diff does, and rolls back', async () => {
    const preview = await text('/operate/rollback?to=1');
    expect(preview).toContain('Back from publication 2 to 1');
    const changes = await database.query<{ table: string; n: number }>(
      'SELECT table_name AS table, count(*)::int AS n FROM control.change WHERE publication_id = 2 GROUP BY 1',
    );
    expect(changes.length).toBeGreaterThan(0);
    for (const { table, n } of changes) {
      const row = new RegExp(`>${table}</td>(.*?)</tr>`, 's').exec(preview)![1]!;
      const [, ...counts] = [...row.matchAll(/class="n(?: zero)?">([\d,]+)</g)].map(([, count]) =>
        Number(count!.replaceAll(',', '')),
      );
      expect(
        counts.reduce((sum, count) => sum + count, 0),
        table,
      ).toBe(n);
    }
    for (const path of ['?to=2', '?to=99', '', '?to=1&to=2x', '?to=x'])
      expect([404, 200], path).toContain((await get(`/operate/rollback${path}`)).status);
    expect((await get('/operate/rollback?to=99')).status).toBe(404);
    const stale = await act('rollback', { to: '1', from: '1', reason: 'too late' });
    expect([stale.status, await stale.text()]).toEqual([
      422,
      expect.stringContaining('Publication 2 is served since'),
    ]);
    const run = await runAfter(() => act('rollback', { to: '1', from: '2', reason: 'the radius was right' }));
    expect(run).toMatchObject({ state: 'published', command: 'rollback' });
    const [publication] = await database.query(
      'SELECT kind, restores, reason FROM control.publication WHERE publication_id = 3',
    );
    expect(publication).toEqual({ kind: 'rollback', restores: 1, reason: 'the radius was right' });
    expect((await actions())[0]).toMatchObject({
      action: 'rollback',
      detail: { to: 1, reason: 'the radius was right' },
    });
  });

  it('reads a failed dataset again, and nothing else', async () => {
    const folder = join(dir, 'gnaf');
    const zip = join(folder, (await readdir(folder)).find((each) => each.endsWith('.zip'))!);
    const whole = await readFile(zip);
    await writeFile(zip, whole.subarray(0, whole.length / 2));
    await runAfter(() => act('run', { job: '' }));
    expect(await text('/operate')).toContain('Read gnaf again');
    await writeFile(zip, whole);
    const { run_id } = await runAfter(() => act('dataset', { dataset: 'gnaf' }));
    const [{ datasets }] = (await database.query<{ datasets: { dataset: string; action: string }[] }>(
      `SELECT report->'datasets' AS datasets FROM control.run WHERE run_id = $1`,
      [run_id],
    )) as [{ datasets: { dataset: string; action: string }[] }];
    expect(datasets.map(({ dataset }) => dataset)).toEqual(['gnaf']);
    expect(datasets[0]!.action).not.toBe('kept');
  });

  it('publishes a held run from its form without a reason, if the gates of the worker pass too', async () => {
    // What the rollback serves is what the configuration computes, so it holds nothing back any more.
    expect((await refreshSample(database, dir)).state).toBe('unchanged');
    const held = await refreshSample(database, dir, ['parcel.nearest_m=0'], { hold: true });
    expect(held.state).toBe('held');
    expect(await runAfter(() => act('publish', {}))).toMatchObject({ state: 'refused', command: 'publish' });
    const answer = await act('publish', {});
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('these may be ticked: rows:property'),
    ]);
  });

  it('shows a held run as held everywhere, and neither as failed nor as published', async () => {
    const report = await refreshSample(database, dir, ['parcel.nearest_m=0'], { hold: true });
    expect(report.state).toBe('held');
    const [first, runs, run, operate, plots] = await Promise.all(
      ['/', '/runs', `/runs/${report.run_id}`, '/operate', '/metrics/plots'].map((path) => text(path)),
    );
    expect(first).toMatch(new RegExp(`>Run ${report.run_id}</a> is held<`));
    expect(first).toContain(`<a href="/runs/${report.run_id}#decision">Decide</a>`);
    for (const page of [first!, runs!]) expect(page).toContain('<span class="held">held</span>');
    expect(run).toContain(`<h1>run ${report.run_id}: <span class="held">held</span></h1>`);
    expect(run).toContain('It is held, and not published');
    const [{ pid, next }] = (await database.query(
      `SELECT (SELECT min(gnaf_pid) FROM candidate.property WHERE parcel_id IS NOT NULL) AS pid, max(publication_id) AS next FROM candidate.publication`,
    )) as [{ pid: string; next: number }];
    const property = await text(`/property/${pid}?candidate`);
    expect(property).toContain(
      `publication ${next}. The candidate of run ${report.run_id}, which is not published.`,
    );
    expect(property).toContain(`publication=${next}`);
    const servedPage = await text(`/property/${pid}`);
    expect(servedPage).not.toContain('The candidate of run');
    // An earlier run that was held too computed them.
    const note = servedPage.search(/Run \d+ computed other rows of /);
    expect(note).toBeGreaterThan(servedPage.indexOf('class="strip"'));
    expect(servedPage.slice(note)).toMatch(
      /^[^<]*; it is not published\. ?<a href="\?candidate">Candidate<\/a>/,
    );
    const tile = await get(`/map/tiles/SAL/3/7/4?publication=${next}`);
    expect([tile.status, tile.headers.get('x-publication')]).toEqual([200, String(next)]);
    expect((await get(`/map/tiles/SAL/3/7/4?publication=${next + 1}`)).status).not.toBe(200);
    expect(run).toContain('Changes that were not published');
    for (const page of [run, operate]) expect(page).toContain('action="/operate/publish"');
    expect(operate).toContain(`Run ${report.run_id} is held`);
    const served = /Rows served after a publication.*?<\/section>/s.exec(plots!)?.[0] ?? '';
    expect(served).not.toContain(`run ${report.run_id}<`);
    const history = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.run WHERE run_id = $1 AND state = 'held'`,
      [report.run_id],
    );
    expect(history[0]!.n).toBe(1);
  });

  it('shows commands instead of forms without a token or a queue, and changes nothing', async () => {
    const commands = [
      'pipeline worker --now',
      'pipeline rollback --to 1 --reason',
      'Nothing can be done here without a token',
    ];
    const open = await startOps(database.url, (await settings()).config);
    const away = await startOps(
      database.url,
      (await settings(`ops.token=${TOKEN}`, 'queue.redis_url=redis://127.0.0.1:1')).config,
    );
    try {
      const page = (await text('/operate', open)) + (await text('/operate/rollback?to=1', open));
      for (const command of commands) expect(page).toContain(command);
      expect(page).not.toContain('method="post"');
      const lost = await text('/operate', away);
      expect(lost).toContain('The queue does not answer');
      expect(lost).not.toContain('method="post"');
      const before = await actions();
      for (const of of [open, away]) expect((await post('run', { job: '' }, {}, of)).status).toBe(403);
      expect(await actions()).toEqual(before);
    } finally {
      await open.close();
      await away.close();
    }
  });

  if (!CHROMIUM) console.warn('SKIPPED: actions of the console in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('works in a browser, at both widths, by day and by night', async () => {
    for (const [width, colorScheme] of WINDOWS) {
      const page = await browser.newPage({
        viewport: { width, height: 844 },
        colorScheme,
        httpCredentials: { username: 'anna', password: TOKEN },
      });
      page.setDefaultTimeout(WAIT_MS);
      for (const [name, path] of [
        ['operate', '/operate'],
        ['rollback', '/operate/rollback?to=2'],
        ['overview-held', '/'],
        ['decision', `/runs/${(await lastRun()).run_id}`],
      ] as const) {
        await page.goto(server.url + path);
        await keepPicture(page, `${name}-${width}-${colorScheme}`);
        expect(await tooWide(page), `${name} ${width}`).toEqual([]);
        // The button is on the first screen.
        if (name === 'rollback')
          expect((await page.getByRole('button', { name: 'Roll back to 2' }).boundingBox())!.y).toBeLessThan(
            844,
          );
        expect(await seriousFindings(page), `${name} ${width} ${colorScheme}`).toEqual([]);
      }
      await page.goto(`${server.url}/operate`);
      const before = (await actions()).length;
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.waitForURL(/#log$/);
      expect((await actions()).length).toBe(before + 1);
      await page.close();
    }
  });
});
