import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { OpsServer } from '../../ops/server.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import {
  CHROMIUM,
  coloursOf,
  keepPicture,
  mapIsDrawn,
  openWindow,
  seriousFindings,
  sideways,
  tooWide,
  WINDOWS,
} from './browser.ts';
import { type ConsoleScene, openConsole } from './console_scene.ts';
import { readPdf } from './pdf_text.ts';

/** Properties with most overlays, most hazards, most comparables, and without an estimate. */
const FULLEST = ['overlay', 'risk', 'event'].map(
  (table) =>
    `(SELECT gnaf_pid FROM serving.property_${table} GROUP BY gnaf_pid ORDER BY count(*) DESC, gnaf_pid LIMIT 1)`,
);
const SUBJECTS = [
  ...FULLEST,
  `(SELECT gnaf_pid FROM serving.property_comparable ORDER BY cardinality(sale_pids) DESC, gnaf_pid LIMIT 1)`,
  `(SELECT gnaf_pid FROM serving.property_avm WHERE predicted_price IS NULL ORDER BY gnaf_pid LIMIT 1)`,
].join(' UNION ');

describe('the report of a property', () => {
  let database: TestDatabase;
  let scene: ConsoleScene | undefined;
  let server: OpsServer;
  let browser: Browser;
  let subjects: string[];

  const get = (path: string): Promise<Response> => fetch(server.url + path);

  beforeAll(async () => {
    scene = await openConsole(await publishedSample(WHOLE));
    ({ database, server, browser } = scene);
    subjects = (await database.query<{ gnaf_pid: string }>(SUBJECTS)).map(({ gnaf_pid }) => gnaf_pid);
  });
  afterAll(async () => {
    await scene?.close();
  });

  it('shows last sale, estimate, comparables, overlays and every hazard, with sources', async () => {
    expect(subjects.length).toBeGreaterThan(2);
    for (const pid of subjects) {
      const page = await (await get(`/property/${pid}/report`)).text();
      expect(await (await get(`/property/${pid}`)).text()).toContain(`href="/property/${pid}/report"`);
      const [sale] = await database.query<{ price: number; date: string }>(
        `SELECT price, date::text FROM serving.property_event WHERE gnaf_pid = $1 AND type = 'Sold' AND price IS NOT NULL ORDER BY date DESC LIMIT 1`,
        [pid],
      );
      if (sale) expect(page).toContain(`$${sale.price.toLocaleString('en-AU')}</p><p>on <time>${sale.date}`);
      else expect(page).toContain('No sale with a price is known.');
      const [avm] = await database.query<{ value: number | null }>(
        'SELECT predicted_price AS value FROM serving.property_avm WHERE gnaf_pid = $1',
        [pid],
      );
      const own = await (await get(`/property/${pid}`)).text();
      if (avm?.value) expect(page).toContain(/<p class="big">(about )?\$[\d,]+000/.exec(own)![0]);
      else expect(page).toContain('None: ');
      const hazards = page.slice(page.indexOf('<h2>Hazards</h2>'), page.indexOf('<h2>Limitations</h2>'));
      const { layers } = (await (await get(`/property/${pid}/payload/risks/all`)).json()) as {
        layers: Record<string, string>;
      };
      for (const layer of HAZARD_LAYERS) {
        const { title } = HAZARDS[layer];
        const outcome = layers[layer] === 'found' ? 'found' : 'none';
        if (['found', 'none_found'].includes(layers[layer]!))
          expect(hazards, layer).toMatch(new RegExp(`>${title}</td><td[^>]*>(<span[^>]*>)?${outcome}`));
        else expect(hazards.split('Not assessed here')[1], layer).toContain(`>${title.toLowerCase()}<`);
      }
      // Every row of hazards, overlays and comparables names its source.
      const unsourced = (page.match(/<tr>.*?<\/tr>/gs) ?? []).filter((row) =>
        row.includes('data-label="source"></td>'),
      );
      expect(unsourced, pid).toEqual([]);
    }
  });

  it('counts an overlay that is a hazard as one, and lists the records that explain lists', async () => {
    const [{ gnaf_pid }] = (await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property_event e JOIN serving.property_overlay USING (gnaf_pid)
       WHERE e.type = 'Sold' ORDER BY gnaf_pid LIMIT 1`,
    )) as [{ gnaf_pid: string }];
    const page = async (rest: string): Promise<string> => (await get(`/property/${gnaf_pid}${rest}`)).text();
    const [{ sold }] = (await database.query<{ sold: string[] }>(
      `SELECT array_agg(DISTINCT date::text) AS sold FROM serving.property_event WHERE gnaf_pid = $1`,
      [gnaf_pid],
    )) as [{ sold: string[] }];
    const origins = /<details class="fold" id="origins">(.*?)Stages that computed/s.exec(await page(''))![1]!;
    for (const date of sold) expect(origins).toContain(`<time>${date}</time>`);
    // No source of the hazard is loaded, and the parcel is half in an overlay that the hazard is made of.
    await database.query(`DELETE FROM serving.property_risk WHERE gnaf_pid = $1 AND layer = 'environment'`, [
      gnaf_pid,
    ]);
    await database.query(
      `UPDATE serving.property_coverage SET covered = array_remove(covered, 'environment') WHERE gnaf_pid = $1`,
      [gnaf_pid],
    );
    expect((await page('')).split('Not assessed here')[1]).toContain('>environment<');
    await database.query(
      `UPDATE serving.property_overlay SET layer = 'Environmental Audit Overlay', code = 'EAO', value = 'Environmental Audit Overlay', share = 0.5099
       WHERE gnaf_pid = $1`,
      [gnaf_pid],
    );
    for (const rest of ['', '/report']) {
      const shown = await page(rest);
      expect(shown).toMatch(/>Environment<\/td><td[^>]*><span class="fail">found/);
      // Shares are rounded down, as in the contract.
      expect(shown).toContain('50 % of it');
      expect(shown).not.toContain('51 %');
    }
  });

  it('shows a mode of transport without a stop as none where a source covers transport, else as not assessed', async () => {
    const [{ gnaf_pid }] = (await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property WHERE lon IS NOT NULL ORDER BY gnaf_pid LIMIT 1`,
    )) as [{ gnaf_pid: string }];
    const cover = `UPDATE serving.property_coverage SET covered = CASE WHEN $2 THEN covered || '{transport}'::text[] ELSE array_remove(covered, 'transport') END WHERE gnaf_pid = $1`;
    for (const isCovered of [false, true]) {
      await database.query(cover, [gnaf_pid, isCovered]);
      const { data } = (await (await get(`/property/${gnaf_pid}/payload/transport/nearby`)).json()) as {
        data: { covered: boolean; nearest: Record<string, unknown> };
      };
      expect(data.covered).toBe(isCovered);
      expect(Object.values(data.nearest)).toContain(null);
      const shown = await (await get(`/property/${gnaf_pid}`)).text();
      const absence = isCovered ? 'no stop' : 'not assessed';
      for (const [mode, stop] of Object.entries(data.nearest))
        if (stop === null)
          expect(shown).toMatch(
            new RegExp(`>${mode}</td><td[^>]*><span class="note">${absence}</span></td>`),
          );
    }
  });

  it('says in the report what speaks against the estimate, as the page does', async () => {
    const [{ gnaf_pid }] = (await database.query<{ gnaf_pid: string }>(
      `UPDATE serving.property_avm SET prediction_date = current_date - 800 WHERE gnaf_pid =
         (SELECT gnaf_pid FROM serving.property_avm WHERE predicted_price IS NOT NULL ORDER BY gnaf_pid LIMIT 1) RETURNING gnaf_pid`,
    )) as [{ gnaf_pid: string }];
    for (const path of [`/property/${gnaf_pid}`, `/property/${gnaf_pid}/report`])
      expect(await (await get(path)).text(), path).toContain('The valuation date is 2 years old.');
    await database.query(
      `UPDATE serving.property_avm SET prediction_date = (SELECT max(prediction_date) FROM serving.property_avm) WHERE gnaf_pid = $1`,
      [gnaf_pid],
    );
  });

  it('names the source feature of each hazard finding, also of two of one layer', async () => {
    const risks = await database.query<{ gnaf_pid: string; layer: string; feature_id: string; name: string }>(
      `SELECT gnaf_pid, layer, feature_id, name FROM serving.property_risk
       WHERE (gnaf_pid, layer) = (SELECT gnaf_pid, layer FROM serving.property_risk WHERE layer <> 'public_housing' GROUP BY 1, 2
         HAVING count(*) > 1 AND count(DISTINCT name) = count(*) AND bool_and(name ~ '^[A-Za-z ]+$') ORDER BY 1, 2 LIMIT 1)`,
    );
    expect(risks.length).toBeGreaterThan(1);
    const shown = await (await get(`/property/${risks[0]!.gnaf_pid}`)).text();
    const rows = [...shown.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row);
    for (const { feature_id, name } of risks) {
      const own = rows.filter((row) => row.includes(`<code>${feature_id}</code>`));
      expect(own, feature_id).toHaveLength(1);
      expect(own[0]).toContain(name);
    }
  });

  /** Expects a footer on each page, limits, licences, a map with its attribution, and no heading at the foot of a page. */
  async function expectPrinted(pid: string, pdf: Buffer): Promise<void> {
    const { pages, pictures } = readPdf(pdf);
    const [{ address, is_placed, publication }] = (await database.query<{
      address: string;
      is_placed: boolean;
      publication: number;
    }>(
      `SELECT address, lon IS NOT NULL AS is_placed, (SELECT max(publication_id) FROM control.publication) AS publication
       FROM serving.property WHERE gnaf_pid = $1`,
      [pid],
    )) as [{ address: string; is_placed: boolean; publication: number }];
    const date = new Date().toISOString().slice(0, 10);
    for (const [i, texts] of pages.entries()) {
      const all = texts.map(({ text }) => text).join('');
      expect(all, pid).toContain(`Page ${i + 1} of ${pages.length}`);
      expect(all, pid).toContain(`${addressTitleCase(address)}, ${date}, publication ${publication}`);
      // Headings are the only text of this size; the last text of a page, before its footer, is none.
      const last = texts
        .filter(({ size }) => size !== 8)
        .reduce((low, each) => (each.y > low.y ? each : low));
      expect(last.size, `${pid} ends a page with ${last.text}`).toBeLessThan(12.5);
    }
    const report = pages
      .flat()
      .map(({ text }) => text)
      .join(' ');
    expect(report).toMatch(/Limitations.*no valuation by a/s);
    const catalogue = await database.query<{ dataset: string; release: string; licence: string }>(
      `SELECT dataset, release, licence FROM serving.dataset_catalogue WHERE adapter = 'gnaf'`,
    );
    const sources = report.slice(report.indexOf('Sources and licences')).replaceAll(/\s+/g, '');
    const gnaf = catalogue.find(({ dataset, release }) =>
      sources.includes(`${dataset}${release}`.replaceAll(' ', '')),
    );
    expect(sources).toContain(gnaf!.licence.replaceAll(' ', ''));
    if (is_placed) {
      expect(pictures, pid).toBeGreaterThan(0);
      expect(report).toMatch(/\d+ k?m/);
      expect(report).toContain('Map data:');
    }
  }

  if (!CHROMIUM) console.warn('SKIPPED: the printed report. No Chromium found.');
  it.skipIf(!CHROMIUM)('prints on two pages of A4 at most', async () => {
    const folder = process.env.TEST_ARTEFACTS ?? '.data/artefacts';
    await mkdir(folder, { recursive: true });
    const { page, problems } = await openWindow(browser, server.url, 1280);
    for (const pid of subjects) {
      await page.goto(`${server.url}/property/${pid}/report`);
      if (await page.locator('#map').count()) await mapIsDrawn(page);
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true, printBackground: true });
      await writeFile(join(folder, `report-${pid}.pdf`), pdf);
      const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
      await expectPrinted(pid, pdf);
      expect(pages.length, pid).toBeGreaterThan(0);
      expect(pages.length, pid).toBeLessThanOrEqual(2);
    }
    // Nothing is cut off at the width of the paper inside its margins, 186 mm.
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 703, height: 1000 });
    for (const pid of subjects) {
      await page.goto(`${server.url}/property/${pid}/report`);
      await keepPicture(page, `report-${pid}-print`);
      expect(await sideways(page), pid).toEqual([]);
      expect(await tooWide(page), pid).toEqual([]);
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)(
    'opens the map of the property at about 150 m, with switches and comparables',
    async () => {
      const [{ gnaf_pid }] = (await database.query<{ gnaf_pid: string }>(
        `SELECT gnaf_pid FROM serving.property_risk r JOIN serving.property p USING (gnaf_pid) JOIN serving.property_comparable c USING (gnaf_pid)
       WHERE r.on_property AND r.layer = 'landslide' AND p.parcel_id IS NOT NULL AND p.land_area_sqm < 2000 ORDER BY gnaf_pid LIMIT 1`,
      )) as [{ gnaf_pid: string }];
      const { page, problems } = await openWindow(browser, server.url, 1280);
      await page.goto(`${server.url}/property/${gnaf_pid}`);
      await mapIsDrawn(page);
      // The scale of about 100 pixels says how wide the map is.
      const scale = page.locator('.maplibregl-ctrl-scale');
      const metres = Number.parseInt((await scale.textContent())!, 10);
      const width = (await scale.boundingBox())!.width;
      const shown = ((await page.locator('#map').boundingBox())!.height * metres) / width;
      expect(shown).toBeGreaterThan(100);
      expect(shown).toBeLessThan(220);
      const switches = page.locator('#switches');
      for (const title of ['Zones', 'Landslide', 'Comparable sales'])
        expect(await switches.getByLabel(title).count(), title).toBe(1);
      const hatch = '#a0652f';
      // The map is plain at first: neither hazards nor sales.
      const hatched = (await coloursOf(page, '#map canvas')).get(hatch) ?? 0;
      expect(hatched).toBe(0);
      await page.locator('summary', { hasText: 'Layers' }).click();
      await switches.getByLabel('Landslide').check();
      await page.waitForTimeout(400);
      expect((await coloursOf(page, '#map canvas')).get(hatch) ?? 0).toBeGreaterThan(hatched);
      await keepPicture(page, 'property-map');
      await switches.getByRole('button').click();
      await page.waitForTimeout(1500);
      expect((await coloursOf(page, '#map canvas')).get('#e8590c') ?? 0).toBeGreaterThan(50);
      await switches.getByLabel('Comparable sales').uncheck();
      await page.waitForTimeout(400);
      expect((await coloursOf(page, '#map canvas')).get('#e8590c') ?? 0).toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  it.skipIf(!CHROMIUM)('shows estimate, map and facts of a property on the first screen', async () => {
    const [{ pid }] = (await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property_avm JOIN serving.property p USING (gnaf_pid)
       WHERE predicted_price IS NOT NULL AND p.parcel_id IS NOT NULL AND lon IS NOT NULL ORDER BY gnaf_pid LIMIT 1`,
    )) as [{ pid: string }];
    for (const [width, scheme] of WINDOWS) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      await page.goto(`${server.url}/property/${pid}`);
      await mapIsDrawn(page);
      await keepPicture(page, `property-first-${width}-${scheme}`);
      const bottoms = (await page.evaluate(
        `['main .big', '#map', '.strip div:nth-child(4)'].map((each) => document.querySelector(each).getBoundingClientRect().bottom / innerHeight)`,
      )) as number[];
      for (const bottom of bottoms) expect(bottom, `${width}: ${bottoms}`).toBeLessThanOrEqual(1);
      const sizes = (await page.evaluate(
        `[...document.querySelectorAll('main *')].map((each) => parseFloat(getComputedStyle(each).fontSize))`,
      )) as number[];
      expect(
        await page.evaluate(`parseFloat(getComputedStyle(document.querySelector('main .big')).fontSize)`),
      ).toBe(Math.max(...sizes));
      expect(await page.locator('.strip dt').allTextContents()).toEqual(
        expect.arrayContaining(['Land', 'Zone', 'Last sale', 'Beds']),
      );
      expect(await seriousFindings(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      expect(problems).toEqual([]);
      await page.close();
    }
  });

  it('names what was not assessed in one line with its reason, and hides empty columns', async () => {
    const [{ pid, council }] = (await database.query<{ pid: string; council: string }>(
      `SELECT p.gnaf_pid AS pid, lga_name AS council FROM serving.property p JOIN serving.property_profile f USING (gnaf_pid)
       JOIN serving.property_coverage c USING (gnaf_pid) WHERE lga IS NOT NULL AND p.parcel_id IS NOT NULL AND c.unassessed = '{}' ORDER BY 1 LIMIT 1`,
    )) as [{ pid: string; council: string }];
    const gone = ['erosion', 'mobile_black_spot'];
    await database.query('DELETE FROM serving.property_risk WHERE layer = ANY ($1)', [gone]);
    await database.query('DELETE FROM serving.region_risk WHERE layer = ANY ($1)', [gone]);
    await database.query(
      `UPDATE serving.property_coverage SET covered = ARRAY(SELECT c FROM unnest(covered) c WHERE c <> ALL ($1 || ARRAY['zoning']))`,
      [gone],
    );
    await database.query('DELETE FROM serving.property_zoning WHERE gnaf_pid = $1', [pid]);
    await database.query(
      `UPDATE serving.property_event SET price_low = NULL, price_high = NULL WHERE gnaf_pid = $1`,
      [pid],
    );
    const page = await (await get(`/property/${pid}`)).text();
    const [line, ...others] = page.match(/<p class="absent">.*?<\/p>/gs)!;
    expect(others).toEqual([]);
    const says = line!.replaceAll(/<[^>]*>/g, '');
    expect(says).toMatch(/[:;] [^();]*erosion, [^();]*mobile black spot \(/);
    expect(says).toContain(`mobile black spot (no source covers ${council})`);
    expect(says).toMatch(/zone(, overlays)? \(no source covers this place\)/);
    expect(page).toMatch(/<dt>Zone<\/dt><dd><span class="note">not assessed/);
    for (const [head, body] of [...page.matchAll(/<thead>(.*?)<\/thead>(.*?)<\/table>/gs)].map(([, a, b]) => [
      a!,
      b!,
    ]))
      for (const [, name] of [...head!.matchAll(/<th[^>]*>(.*?)<\/th>/g)].slice(1))
        expect(
          body!.includes(`data-label="${name}"></td>`) &&
            !new RegExp(
              `data-label="${name!.replaceAll(/[$()]/g, '\\$&')}"[^>]*>[^<]|data-label="${name!.replaceAll(/[$()]/g, '\\$&')}"[^>]*><(?!/td)`,
            ).test(body!),
          name,
        ).toBe(false);
  });

  it.skipIf(!CHROMIUM)('fits both widths, by day and by night', async () => {
    for (const [width, scheme] of WINDOWS) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      for (const [i, pid] of subjects.entries()) {
        await page.goto(`${server.url}/property/${pid}/report`);
        await keepPicture(page, `report-${i}-${width}-${scheme}`);
        expect(await tooWide(page), pid).toEqual([]);
        expect(await sideways(page), pid).toEqual([]);
        expect(await seriousFindings(page), `${pid} ${width}`).toEqual([]);
      }
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
