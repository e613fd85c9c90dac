import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { reportPage } from '../../ops/report_page.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { tablesRead } from '../../pipelines/engine/reads.ts';
import { graph } from '../../pipelines/graph.ts';
import { compares, gateFailureText } from '../../pipelines/publish/gate_texts.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { readDetail } from '../../pipelines/views/run_detail.ts';
import { configSchema } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { PATIENT, until } from '../waiting.ts';
import { CHROMIUM, keepPicture, openWindow, seriousFindings, tooWide, WINDOWS } from './browser.ts';
import { type ConsoleScene, openConsole } from './console_scene.ts';

/** Datasets whose file is not there, and is no release. */
const MISSING = ['datasets.missing.adapter=gnaf', 'datasets.missing.path=x'];
const BROKEN = ['datasets.broken.adapter=gnaf', 'datasets.broken.path=config.yaml'];

describe('the pages of datasets, lineage and runs', () => {
  let dir: string;
  let database: TestDatabase;
  let scene: ConsoleScene | undefined;
  let server: OpsServer;
  let browser: Browser;
  const text = async (path: string): Promise<string> => (await fetch(server.url + path)).text();

  beforeAll(async () => {
    scene = await openConsole(await publishedSample(TOWN), [...MISSING, ...BROKEN]);
    ({ database, dir, server, browser } = scene);
  });
  afterAll(async () => {
    await scene?.close();
  });

  it('calls no dataset of the sample late on the first page, but one with a release cycle that is over', async () => {
    expect(await text('/')).not.toMatch(/\b(is|are) late\b|>late</);
    const { config } = await loadConfig(
      { config: `${dir}/config.yaml`, set: ['ops.port=0', 'datasets.gnaf.cadence_days=1'] },
      {},
    );
    const other = await startOps(database.url, config);
    try {
      expect(await (await fetch(other.url)).text()).toMatch(
        /one problem<.*>gnaf<\/a> is late<.* ago<.*Put the new release where its path points\.<.*<code>pipeline refresh<\/code>/s,
      );
    } finally {
      await other.close();
    }
  });

  it('lists every dataset, those that need somebody first', async () => {
    const names = await database.query<{ dataset: string }>(
      `SELECT DISTINCT dataset FROM control.load WHERE state = 'active'`,
    );
    const page = await text('/datasets');
    for (const { dataset } of names) expect(page).toContain(`href="/datasets/${dataset}"`);
    expect(page).toContain('Configured but not loaded yet: missing, broken.');
    await database.query(
      `INSERT INTO control.run (command, state, finished_at, report)
       SELECT 'refresh', 'unchanged', now(), jsonb_set(report, '{datasets}', (SELECT jsonb_agg(
         CASE WHEN d->>'dataset' = 'zoning_vic' THEN d || '{"action":"kept","reason":"missing_column: <b>no column</b>"}' ELSE d END)
         FROM jsonb_array_elements(report->'datasets') d)) FROM control.run WHERE run_id = 1`,
    );
    const kept = await text('/datasets');
    expect(kept).toContain('missing_column: &lt;b&gt;no column');
    expect(kept.indexOf('/datasets/zoning_vic')).toBeLessThan(kept.indexOf('/datasets/gnaf'));
  });

  it('shows a dataset that failed at its first load with its error', async () => {
    for (const [name, settings] of [
      ['missing', MISSING],
      ['broken', BROKEN],
    ] as const) {
      const { state, error, run_id } = await refreshSample(database, dir, settings);
      expect([state, error!.details]).toEqual(['failed', expect.objectContaining({ dataset: name })]);
      const page = await text('/datasets');
      expect(page).toContain('Failed at the first load');
      expect(page).toContain(`${error!.code}: `);
      expect(page).toMatch(new RegExp(`>${name}</td><td[^>]*><a href="/runs/${run_id}">`));
    }
  });

  it('shows of a dataset its notes, its rejects by cause and the runs that loaded it', async () => {
    const page = await text('/datasets/gnaf');
    const [{ n }] = (await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.reject r JOIN control.load l USING (load_id) WHERE dataset = 'gnaf' AND code = 'duplicate_key'`,
    )) as [{ n: number }];
    expect(page).toMatch(new RegExp(`duplicate_key</td><td[^>]*>${n}</td>`));
    expect(page).toContain('href="/runs/1"');
    expect(await text('/datasets/cadastre_wa')).toContain('no column parcel_type (road)');
    expect((await fetch(`${server.url}/datasets/none`)).status).toBe(404);
    expect((await fetch(`${server.url}/datasets/${encodeURIComponent("x'; DROP")}`)).status).toBe(404);
  });

  it('calls the age of a release without a date unknown, and never in time', async () => {
    const [{ release }] = (await database.query<{ release: string }>(
      `SELECT release FROM control.load WHERE dataset = 'gnaf' AND state = 'active'`,
    )) as [{ release: string }];
    const of = async (label: string, loadedAt: string): Promise<string[]> => {
      await database.query(
        `UPDATE control.load SET release = $1, loaded_at = ${loadedAt} WHERE dataset = 'gnaf'`,
        [label],
      );
      const { config } = await loadConfig(
        { config: `${dir}/config.yaml`, set: ['ops.port=0', 'datasets.gnaf.cadence_days=7'] },
        {},
      );
      const other = await startOps(database.url, config);
      const pages = ['/datasets', '/datasets/gnaf'].map(async (path) =>
        (await fetch(other.url + path)).text(),
      );
      return Promise.all(pages).finally(() => other.close());
    };
    const today = new Date().toISOString().slice(0, 10);
    for (const page of await of('as delivered', 'now()')) {
      expect(page).toContain('<span class="line">unknown; loaded 0 days ago</span>');
      expect(page).not.toMatch(/>gnaf<\/a><\/td><td[^>]*><[^>]*>[^<]*in time/);
    }
    for (const page of await of('as delivered', `now() - interval '9 days'`))
      expect(page).toContain('<span class="warn line">unknown; loaded 9 days ago, late</span>');
    for (const page of await of(today, `now()`))
      expect(page).toContain('<span class="pass line">0 days, in time</span>');
    await of(release, 'now()');
  });

  it('writes every time in one style, and no id or version as a count', async () => {
    const [{ pid }] = (await database.query<{ pid: string }>(
      'SELECT gnaf_pid AS pid FROM serving.property ORDER BY 1 LIMIT 1',
    )) as [{ pid: string }];
    // A stage in SQL has a hash as its version.
    await database.query(
      `UPDATE control.partition SET fingerprint = jsonb_set(fingerprint, '{version}', '147778732')`,
    );
    const paths = ['/', '/runs', '/runs/1', '/datasets', '/datasets/gnaf', '/operate', '/jobs', '/jobs/avm'];
    const ofHome = ['', '/report', '/changes', '/why/property.land_area_sqm'].map(
      (path) => `/property/${pid}${path}`,
    );
    let times = 0;
    for (const path of [...paths, ...ofHome]) {
      const page = (await text(path)).replaceAll(/<(style|script|pre)[^>]*>.*?<\/\1>/gs, '');
      const visible = page.replaceAll(/<[^>]*>/g, ' ');
      times += visible.match(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g)?.length ?? 0;
      expect(visible, path).not.toMatch(
        /\d{4}-\d\d-\d\dT|\d\d:\d\d:\d\d|\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20|yesterday/,
      );
      expect(visible, path).not.toContain('147,778,732');
    }
    expect(times).toBeGreaterThan(10);
    expect(await text(`/property/${pid}`)).toContain('147778732');
  });

  it('says how many sales and listings are matched to an address, and why the others are not', async () => {
    const counts = await database.query<{ dataset: string; status: string; n: number }>(
      `SELECT split_part(event_key, '|', 1) AS dataset, status, count(*)::int AS n FROM asset.event_match GROUP BY 1, 2`,
    );
    expect(new Set(counts.map(({ status }) => status))).toContain('no_match');
    for (const dataset of new Set(counts.map((each) => each.dataset))) {
      const page = await text(`/datasets/${dataset}`);
      const own = counts.filter((each) => each.dataset === dataset);
      const all = own.reduce((sum, { n }) => sum + n, 0).toLocaleString('en-AU');
      const matched = (own.find(({ status }) => status === 'matched')?.n ?? 0).toLocaleString('en-AU');
      expect(page).toContain(`${matched} of ${all} sales and listings are matched to one address.`);
      for (const { status, n } of own.filter(({ status }) => status !== 'matched')) {
        const [, href] = new RegExp(`<a href="([^"]*value=${status}[^"]*)">`).exec(page)!;
        const reviewed = await text(href!.replaceAll('&amp;', '&'));
        expect([...reviewed.matchAll(/id="row-/g)].length, `${dataset} ${status}`).toBeGreaterThan(0);
        expect(page).toMatch(
          new RegExp(`>${status.replace('_', ' ')}</a></td><td[^>]*>${n.toLocaleString('en-AU')}<`),
        );
      }
    }
    expect(await text('/datasets/gnaf')).not.toContain('Matched to addresses');
    expect(await text('/runs/1')).toMatch(
      /Why rows are left out.*no_match.*A market event whose address is not found/s,
    );
  });

  it('draws what a stage reads as the engine does', async () => {
    const config = configSchema.parse({ datasets: {} });
    for (const stage of graph(config)) {
      const page = await text(`/lineage?of=stage:${stage.name}`);
      const before = page.slice(page.indexOf('<h2>Inputs</h2>'), page.indexOf('<h2>Used by</h2>'));
      expect([...before.matchAll(/data-label="name"><a/g)].length, stage.name).toBe(tablesRead(stage).length);
    }
    const gnaf = await text('/lineage?of=dataset:gnaf');
    expect(gnaf).toContain('of=record%3Aaddress"');
    for (const wrong of ['stage:none', '__proto__', 'record:address&of=x'])
      expect((await fetch(`${server.url}/lineage?of=${wrong}`)).status, wrong).toBe(404);
  });

  it('shows the timeline of a run by thread, the reasons of its stages and the limits of its gates', async () => {
    const [run] = await database.query<{ report: RunReport }>(
      'SELECT report FROM control.run WHERE run_id = 1',
    );
    const { timeline, stages, audit, seconds, database_mb } = run!.report;
    const names = new Set(timeline!.pieces.map(({ name }) => name));
    for (const { stage, partitions_run } of stages)
      expect(names.has(`stage ${stage}`), stage).toBe(partitions_run > 0);
    expect(names).toContain('load gnaf');
    expect(names).toContain('audit and publish');
    for (const { from_s, to_s, done, total } of timeline!.pieces) {
      expect(from_s).toBeGreaterThanOrEqual(0);
      expect(to_s).toBeGreaterThanOrEqual(from_s);
      expect(to_s).toBeLessThanOrEqual(seconds);
      expect(done).toBe(total);
    }
    // One thread has one thing in hand at a time.
    expect(timeline!.threads.length).toBeGreaterThan(20);
    timeline!.threads.forEach(({ thread, from_s }, i, all) => {
      const before = all[i - 1];
      if (before?.thread === thread) expect(from_s).toBeGreaterThanOrEqual(before.to_s - 0.002);
    });
    expect(database_mb).toBeGreaterThan(5);
    for (const { check } of audit) {
      expect(compares(check), check).not.toBe('');
      expect(gateFailureText(check), check).not.toContain(check);
    }
    const page = await text('/runs/1');
    expect(page).toMatch(/<h2 id="timeline">/);
    expect(page).toMatch(/stage serve_property: [\d.]+ to [\d.]+ s, \d+ of \d+, 400 rows; why: /);
    expect(page).toContain('thread 1, busy');
    expect(page).toContain('Compares the keys of the table');
    expect((await fetch(`${server.url}/runs/99/progress`)).status).toBe(404);
  });

  it('keeps what a run that was killed had come to', async () => {
    const [{ run_id }] = (await database.query<{ run_id: number }>(
      `INSERT INTO control.run (command, state, progress) VALUES ('refresh', 'running',
         '[{"name":"load gnaf","isPhase":false,"from_s":0,"to_s":null,"done":2,"total":9,"rows":1200}]') RETURNING run_id`,
    )) as [{ run_id: number }];
    // Nobody holds the run, so it ended without a word.
    const page = await text(`/runs/${run_id}`);
    expect(page).toContain('interrupted');
    expect(page).toContain('load gnaf: 0.0 to');
    expect(page).toContain('0.0 s until its last report, during load gnaf');
    expect(page).not.toContain('0 MB');
    expect(page).toContain('The process ended before the run did');
    await database.query('DELETE FROM control.run WHERE run_id = $1', [run_id]);
  });

  if (!CHROMIUM) console.warn('SKIPPED: pages of the console in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)(
    'folds long tables of a report, and prints all of them from a saved page',
    async () => {
      const file = `${dir}/report.html`;
      const pool = openPool(database.url, 1);
      const client = await pool.connect();
      const detail = await readDetail(client, 1);
      client.release();
      await pool.end();
      const [run] = await database.query<{ report: RunReport }>(
        'SELECT report FROM control.run WHERE run_id = 1',
      );
      await writeFile(file, reportPage(run!.report, detail));
      const page = await (
        await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } })
      ).newPage();
      await page.goto(`file://${file}`);
      const shown = () => page.locator('tbody tr:visible').count();
      const all = await page.locator('tbody tr').count();
      expect(all).toBeGreaterThan(400);
      expect(await shown()).toBeLessThan(120);
      // The sample country's was 19,500 pixels high.
      expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(8000);
      // Each stage has its row, behind the line that says how many there are.
      const stages = page.locator('details.more', { hasText: `All ${run!.report.stages.length} stages` });
      await stages.locator('summary').click();
      for (const { stage } of run!.report.stages)
        expect(
          await page
            .locator('tbody tr:visible td:first-child', { hasText: new RegExp(`^${stage}$`) })
            .count(),
          stage,
        ).toBeGreaterThan(0);
      await page.emulateMedia({ media: 'print' });
      expect(await shown()).toBe(all);
      await page.context().close();
    },
  );

  it.skipIf(!CHROMIUM)('walks from a dataset to a served table by keyboard', async () => {
    const { page, problems } = await openWindow(browser, server.url, 1280);
    await page.goto(`${server.url}/datasets/gnaf`);
    await page.getByRole('link', { name: 'Used by' }).click();
    for (const name of ['record%3Aaddress', 'stage%3Aaddress_home', 'stage%3Aserve_property']) {
      const link = page.locator(`.lineage a[href$="${name}"]`);
      await link.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.search.endsWith(name));
    }
    expect(await page.textContent('h1')).toBe('Lineage of serve_property');
    expect(await page.locator('.lineage .here').count()).toBe(1);
    expect(await page.locator('.lineage .edges path').count()).toBeGreaterThan(10);
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)('watches a run to its end', async () => {
    const { page, problems } = await openWindow(browser, server.url, 1280);
    // The run cannot end before somebody has looked at the page: one of its stages waits for these records of its partitions.
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM control.partition WHERE stage = 'serve_property_risk' FOR UPDATE`);
    const [{ pid }] = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [
      { pid: number },
    ];
    const run = refreshSample(database, dir, ['parcel.nearest_m=0', 'hazards.radius_m=900', ...OPEN_GATES]);
    await until('the run to come to the records', async () => {
      const waits = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
      return (await database.query(waits, [pid])).length > 0;
    });
    const id = await vi.waitFor(async () => {
      const [found] = await database.query<{ run_id: number }>(
        `SELECT run_id FROM control.run WHERE state = 'running' AND progress IS NOT NULL`,
      );
      return found!.run_id;
    }, PATIENT);
    await page.goto(`${server.url}/runs/${id}`);
    expect(await page.textContent('h1')).toBe(`run ${id}: running`);
    await page.getByText('computing, stages').waitFor();
    const first = await page.textContent('#progress');
    await keepPicture(page, 'run-live-1280');
    expect(await seriousFindings(page)).toEqual([]);
    await holder.query('COMMIT');
    await vi.waitFor(async () => expect(await page.textContent('main')).not.toContain(first!), PATIENT);
    const report = await run;
    await page.locator('h1', { hasText: `run ${id}: ${report.state}` }).waitFor();
    expect(await database.query('SELECT 1 FROM control.run WHERE progress IS NOT NULL')).toEqual([]);
    expect(problems).toEqual([]);
    await holder.end();
    await page.close();
  });

  it.skipIf(!CHROMIUM)('shows each at both widths, by day and by night', async () => {
    const [{ gnaf_pid: home } = { gnaf_pid: '' }] = await database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property ORDER BY 1 LIMIT 1',
    );
    const pages = [
      ['runs-history', '/runs'],
      ['run-timeline', '/runs/1'],
      ['datasets', '/datasets'],
      ['dataset', '/datasets/gnaf'],
      ['jobs', '/jobs'],
      ['job', '/jobs/avm'],
      ['metrics', '/metrics/plots'],
      ['queue', '/queue'],
      ['sql', `/sql?${new URLSearchParams({ q: 'SELECT state, count(*) AS n FROM property GROUP BY 1' })}`],
      ['changes', `/property/${encodeURIComponent(home)}/changes`],
      ['lineage', '/lineage'],
      ['lineage-dataset', '/lineage?of=dataset:gnaf'],
    ] as const;
    for (const [width, scheme] of WINDOWS) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      for (const [name, path] of pages) {
        await page.goto(server.url + path);
        await keepPicture(page, `${name}-${width}-${scheme}`);
        if (name.startsWith('lineage')) {
          // What the page is about is in sight, on a phone too.
          const here = await page.locator('.lineage .here rect').boundingBox();
          expect(here!.x).toBeGreaterThanOrEqual(0);
          expect(here!.x + here!.width).toBeLessThanOrEqual(width);
        }
        expect(await tooWide(page), `${name} ${width}`).toEqual([]);
        expect(await seriousFindings(page), `${name} ${width} ${scheme}`).toEqual([]);
      }
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
