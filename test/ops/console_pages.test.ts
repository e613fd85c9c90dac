import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { tablesRead } from '../../pipelines/engine/reads.ts';
import { graph } from '../../pipelines/graph.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { CHROMIUM, keepPicture, launch, openWindow, seriousFindings, tooWide } from './browser.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

describe('the pages of datasets, lineage and runs', () => {
  let dir: string;
  let database: TestDatabase;
  let server: OpsServer;
  let browser: Browser;
  const text = async (path: string): Promise<string> => (await fetch(server.url + path)).text();

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(400, 3, 'all'));
    const loaded = await loadConfig(
      {
        config: `${dir}/config.yaml`,
        set: ['ops.port=0', 'datasets.missing.adapter=gnaf', 'datasets.missing.path=x'],
      },
      {},
    );
    server = await startOps(database.url, loaded.config);
    if (CHROMIUM) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('lists every dataset, those that need somebody first', async () => {
    const names = await database.query<{ dataset: string }>(
      `SELECT DISTINCT dataset FROM control.load WHERE state = 'active'`,
    );
    const page = await text('/datasets');
    for (const { dataset } of names) expect(page).toContain(`href="/datasets/${dataset}"`);
    expect(page).toContain('In the configuration and not loaded: missing.');
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

  it('draws what a stage reads as the engine does', async () => {
    const { config } = await loadConfig({}, {});
    for (const stage of graph(config)) {
      const page = await text(`/lineage?of=stage:${stage.name}`);
      const before = page.slice(page.indexOf('<h2>Made of</h2>'), page.indexOf('<h2>Made of it</h2>'));
      expect([...before.matchAll(/data-label="name"><a/g)].length, stage.name).toBe(tablesRead(stage).length);
    }
    const gnaf = await text('/lineage?of=dataset:gnaf');
    expect(gnaf).toContain('of=record%3Aaddress"');
    for (const wrong of ['stage:none', '__proto__', 'record:address&of=x'])
      expect((await fetch(`${server.url}/lineage?of=${wrong}`)).status, wrong).toBe(404);
  });

  if (!CHROMIUM) console.warn('SKIPPED: pages of the console in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('walks from a dataset to a served table by keyboard', async () => {
    const { page, problems } = await openWindow(browser, server.url, 1280);
    await page.goto(`${server.url}/datasets/gnaf`);
    await page.getByText('What is made of it').click();
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

  it.skipIf(!CHROMIUM)('shows each at both widths, by day and by night', async () => {
    const pages = [
      ['datasets', '/datasets'],
      ['dataset', '/datasets/gnaf'],
      ['lineage', '/lineage'],
      ['lineage-dataset', '/lineage?of=dataset:gnaf'],
    ] as const;
    for (const [width, scheme] of [
      [1280, 'dark'],
      [1280, 'light'],
      [390, 'light'],
      [390, 'dark'],
    ] as const) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      for (const [name, path] of pages) {
        await page.goto(server.url + path);
        await keepPicture(page, `${name}-${width}-${scheme}`);
        expect(await tooWide(page), `${name} ${width}`).toEqual([]);
        expect(await seriousFindings(page), `${name} ${width} ${scheme}`).toEqual([]);
      }
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
