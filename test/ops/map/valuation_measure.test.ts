import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import type { ExplainedValues } from '../../../ops/map/differences.ts';
import { type OpsServer, startOps } from '../../../ops/server.ts';
import { EVERY_MODEL } from '../../../pipelines/stages/valuation/valuation_models.ts';
import { unpackModel } from '../../../transforms/avm/artefact.ts';
import { levelsThen } from '../../../transforms/avm/calibration.ts';
import { LARGE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import {
  CHROMIUM,
  coloursOf,
  keepPicture,
  launch,
  mapIsDrawn,
  openWindow,
  seriousFindings,
} from '../browser.ts';

describe('the error of the valuation by suburb', () => {
  let dir: string;
  let database: TestDatabase;
  let server: OpsServer;
  let browser: Browser;
  const text = async (path: string): Promise<string> => (await fetch(server.url + path)).text();

  beforeAll(async () => {
    // Fewer properties have too few sales for a model.
    ({ database, dir } = await publishedSample(LARGE));
    server = await startOps(database.url, (await loadConfig({ set: ['ops.port=0'] }, {})).config);
    if (CHROMIUM) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('colours suburbs by the error of the valuation on sales that the models had not seen', async () => {
    const asked = async (name: string) => {
      const response = await fetch(`${server.url}/map/measures/${name}`);
      return [response.status, (await response.json()) as ExplainedValues] as const;
    };
    const models = await database.query<{ artefact: Buffer }>(
      `SELECT artefact FROM ${EVERY_MODEL} WHERE kind = 'sale'`,
    );
    const errors = models.flatMap(({ artefact }) => {
      const model = unpackModel(artefact);
      const part = (['boosted', 'ridge_local', 'area_median'] as const).find(
        (name) => model.ledgers[name].day.length > 0,
      );
      const ledger = part && model.ledgers[part];
      return ledger
        ? Array.from(levelsThen(ledger, model.params.calibration), (level, i) =>
            Math.abs(Math.expm1(ledger.log_predicted[i]! + level - ledger.log_price[i]!)),
          )
        : [];
    });
    expect(errors.length).toBeGreaterThan(20);
    const [status, found] = await asked('valuation_error:sale');
    expect(status).toBe(200);
    expect(found.values.length).toBeGreaterThan(0);
    let placed = 0;
    for (const { area, value, sample } of found.values) {
      placed += sample;
      const [{ n }] = (await database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM asset.valuation_sale WHERE kind = 'sale' AND area = $1`,
        [area],
      )) as [{ n: number }];
      expect(sample, area).toBeGreaterThanOrEqual(5);
      expect(sample, area).toBeLessThanOrEqual(n);
      // The median of a suburb is one of the errors, or lies between two of them.
      expect(value / 100, area).toBeGreaterThanOrEqual(Math.min(...errors));
      expect(value / 100, area).toBeLessThanOrEqual(Math.max(...errors));
    }
    expect(placed).toBeLessThanOrEqual(errors.length);
    expect(found.note).toContain(`of ${placed.toLocaleString('en-AU')} estimates`);
    expect(await text('/map')).toContain('value="valuation_error:sale"');
    expect((await asked('valuation_error:boat'))[0]).toBe(404);
  });

  it('shows the accuracy of the valuation by type, price, month and suburb', async () => {
    const page = await text('/accuracy');
    const rows = await database.query<{ group_name: string; sales: number }>(
      "SELECT group_name, sales FROM serving.valuation_accuracy WHERE kind = 'sale' AND level = 'suburb'",
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { group_name } of rows) expect(page).toContain(group_name.replaceAll('’', '&#39;'));
    for (const title of ['By kind of dwelling', 'By price', 'By suburb', 'Median error by month'])
      expect(page).toContain(title);
    expect(await text('/accuracy?kind=rent')).toContain('Accuracy of the valuation, rents');
    expect((await text('/accuracy?kind=x')).includes('sales')).toBe(true);
  });

  if (!CHROMIUM) console.warn('SKIPPED: the error of the valuation on the map. No Chromium found.');
  it.skipIf(!CHROMIUM)('draws that error on the map', async () => {
    const { page, problems } = await openWindow(browser, server.url, 1280);
    await page.goto(`${server.url}/map?layers=SAL`);
    await mapIsDrawn(page);
    await page.selectOption('#measure', 'valuation_error:sale');
    await page.locator('#classes').getByText('that the models had made before they saw the prices').waitFor();
    await page.waitForTimeout(400);
    await keepPicture(page, 'map-error-1280');
    const colours = await coloursOf(page, '#map canvas');
    expect(
      ['#fde9c8', '#f5bd7c', '#e2816a', '#b04a78', '#5b2a78'].some((colour) => colours.has(colour)),
    ).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)(
    'keeps the last of several choices, and shows the suburbs that it colours',
    async () => {
      const { page } = await openWindow(browser, server.url, 1280);
      await page.goto(`${server.url}/map?layers=zone,parcel#at=16/-37.8/144.9`);
      await mapIsDrawn(page);
      // The first answer comes after the second one.
      await page.route('**/map/measures/valuation_error*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await route.continue().catch(() => undefined);
      });
      await page.selectOption('#measure', 'valuation_error:sale');
      expect(await page.textContent('#classes')).toBe('Loading…');
      await page.selectOption('#measure', 'median_price:house');
      await page
        .locator('#classes')
        .getByText(/suburbs? ha(s|ve) a value/)
        .waitFor();
      const classes = await page.textContent('#classes');
      await page.waitForTimeout(2000);
      expect(await page.textContent('#classes')).toBe(classes);
      // Zones are areas over the suburbs; a link keeps what was chosen.
      const link = new URL(page.url());
      expect(link.searchParams.get('layers')!.split(',')).toContain('SAL');
      expect(link.searchParams.get('layers')!.split(',')).not.toContain('zone');
      expect(link.searchParams.get('measure')).toBe('median_price:house');
      expect(Number(/at=([\d.]+)/.exec(link.hash)![1])).toBeLessThanOrEqual(11);
      await page.close();
    },
  );
});
