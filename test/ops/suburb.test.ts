import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpsServer } from '../../ops/server.ts';
import { HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import {
  CHROMIUM,
  keepPicture,
  mapIsDrawn,
  openWindow,
  seriousFindings,
  sideways,
  tooWide,
  WINDOWS,
} from './browser.ts';
import { type ConsoleScene, openConsole } from './console_scene.ts';

interface MonthOfSales {
  month: string;
  median: number | null;
  sample: number;
}

describe('the page of a suburb', () => {
  let database: TestDatabase;
  let scene: ConsoleScene | undefined;
  let server: OpsServer;
  let browser: Browser;
  /** The suburb with most sales, and its LGA and SA2. */
  let subject: { name: string; gnaf_pid: string; lga: string; lga_name: string; sa2: string };

  const get = (path: string): Promise<Response> => fetch(server.url + path);
  const text = async (path: string): Promise<string> => (await get(path)).text();
  const sectionOf = (page: string, id: string): string =>
    new RegExp(`<h2 id="${id}">(.*?)(<h2 id=|</main>)`, 's').exec(page)![1]!;
  const path = (): string => `/suburb/${encodeURIComponent(subject.name)}`;

  beforeAll(async () => {
    scene = await openConsole(await publishedSample(TOWN));
    ({ database, server, browser } = scene);
    const [found] = await database.query<typeof subject>(
      `SELECT s.sal AS name, min(s.gnaf_pid) AS gnaf_pid, min(p.lga) AS lga, min(p.lga_name) AS lga_name, min(q.sa2) AS sa2
       FROM serving.sale s JOIN serving.property_profile p USING (gnaf_pid) JOIN serving.property q USING (gnaf_pid)
       WHERE p.lga IS NOT NULL GROUP BY s.sal ORDER BY count(*) DESC, s.sal LIMIT 1`,
    );
    subject = found!;
    // The sample has too few sales in a suburb for a median: houses get a series of three years with a gap.
    await database.query(
      `UPDATE serving.region_market SET price_series = (SELECT jsonb_agg(jsonb_build_object('month', to_char(m, 'YYYY-MM-DD'),
         'median', CASE WHEN extract(month FROM m) = 3 THEN NULL ELSE 900000 + 5000 * n END, 'sample', 4 + n % 9, 'window_months', CASE n WHEN 35 THEN 1 ELSE 12 END) ORDER BY n)
         FROM generate_series(0, 35) n, LATERAL (SELECT DATE '2023-01-01' + make_interval(months => n) AS m) x)
       WHERE level = 'SAL' AND area = $1 AND market = 'house'`,
      [subject.name],
    );
  });
  afterAll(async () => {
    await scene?.close();
  });

  it('shows each figure that is served for the suburb', async () => {
    const page = await text(path());
    const markets = await database.query<{ market: string; price_series: MonthOfSales[] }>(
      `SELECT market, price_series FROM serving.region_market WHERE level = 'SAL' AND area = $1`,
      [subject.name],
    );
    expect(markets.length).toBeGreaterThan(0);
    const prices = sectionOf(page, 'prices');
    for (const { market, price_series } of markets) {
      if (!price_series.some(({ median }) => median !== null)) {
        expect(prices).toContain(`No price series of ${market}s`);
        continue;
      }
      expect(prices).toContain(`aria-label="Median price of ${market}s and number of sales"`);
      for (const { month, median, sample } of price_series)
        expect(prices).toMatch(
          new RegExp(
            `${month.slice(0, 7)}</time></td><td[^>]*>${median === null ? 'too few' : `\\$${median.toLocaleString('en-AU')}`}</td><td[^>]*>${sample.toLocaleString('en-AU')}</td>`,
          ),
        );
    }
    const shares = await database.query<{ layer: HazardLayer; on: number; of: number }>(
      `SELECT layer, properties_on AS on, properties_covered AS of FROM serving.region_risk WHERE level = 'SAL' AND area = $1`,
      [subject.name],
    );
    const hazards = sectionOf(page, 'hazards');
    for (const { layer, on, of } of shares)
      expect(hazards).toMatch(
        new RegExp(
          `>${HAZARDS[layer].title}</td>.*?%</span></td><td[^>]*>${on.toLocaleString('en-AU')}</td><td[^>]*>${of.toLocaleString('en-AU')}</td>`,
          's',
        ),
      );
    for (const layer of Object.keys(HAZARDS) as HazardLayer[])
      expect(hazards.toLowerCase()).toContain(HAZARDS[layer].title.toLowerCase());
    const counts = async (from: string): Promise<number> =>
      (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`, [subject.name]))[0]!.n;
    const rows = (id: string): number => (sectionOf(page, id).match(/<tr><td/g) ?? []).length;
    for (const [id, from] of [
      ['ranking', `serving.region_ranking WHERE level = 'SAL' AND area = $1`],
      ['pockets', 'serving.pocket_market WHERE sal = $1'],
      ['schools', 'serving.school WHERE sal = $1'],
    ] as const)
      expect(rows(id), id).toBe(await counts(from));
    expect(rows('stock')).toBe(
      Math.min(50, await counts(`serving.listing WHERE sal = $1 AND type = 'For Sale'`)),
    );
    expect(rows('sales')).toBe(Math.min(50, await counts('serving.sale WHERE sal = $1')));
    const judged = await database.query<{ sales: number }>(
      `SELECT sales FROM serving.valuation_accuracy WHERE kind = 'sale' AND level = 'suburb' AND group_name = $1`,
      [subject.name],
    );
    const accuracy = sectionOf(page, 'accuracy');
    if (judged.length === 0) expect(accuracy).toContain('No sale here was valued');
    for (const { sales } of judged)
      expect(accuracy).toMatch(
        new RegExp(`>${subject.name.replaceAll(/[().]/g, '\\$&')}</td><td[^>]*>${sales}<`),
      );
    expect(page).toMatch(/href="\/map\?layers=SAL,parcel,address,zone#at=15\/-\d+\.\d+\/\d+\.\d+"/);
  });

  it('has pages for LGA and SA2, and links from the property and the search', async () => {
    const lga = await text(`/lga/${subject.lga}`);
    expect(lga).toContain(`<h1>${subject.lga_name}</h1>`);
    // By name too; two states of the sample have a council of this name.
    expect(await text(`/lga/${encodeURIComponent(subject.lga_name)}`)).toContain(
      `<h1>${subject.lga_name}</h1>`,
    );
    expect(sectionOf(await text(`/sa2/${subject.sa2}`), 'accuracy')).toContain('not by SA2');
    const property = await text(`/property/${subject.gnaf_pid}`);
    expect(property).toContain(`href="${path()}"`);
    expect(property).toContain(`href="/lga/${subject.lga}"`);
    const { places } = (await (await get(`/find?q=${encodeURIComponent(subject.name)}`)).json()) as {
      places: { href: string }[];
    };
    expect(places.map(({ href }) => href)).toContain(path());
  });

  it('goes to the one suburb of a name without its state, and lists several', async () => {
    const names = await database.query<{ plain: string; names: string[] }>(
      `SELECT split_part(name, ' (', 1) AS plain, array_agg(name) AS names FROM serving.search_area WHERE level = 'SAL' AND name LIKE '% (%' GROUP BY 1`,
    );
    const [one, several] = [1, 2].map((n) =>
      names.find((each) => (n === 1 ? each.names.length === 1 : each.names.length > 1)),
    );
    for (const { plain, names: own } of [one, several].filter((each) => each !== undefined)) {
      const response = await fetch(`${server.url}/suburb/${encodeURIComponent(plain.toUpperCase())}`);
      expect(response.status).toBe(200);
      const page = await response.text();
      if (own.length === 1) expect(page).toContain(`<h1>${own[0]}</h1>`);
      else for (const name of own) expect(page).toContain(`>${name}</a>`);
    }
    expect([one, several].some((each) => each !== undefined)).toBe(true);
  });

  it('says prices in a sentence, with the growth and the sales, and nothing untrue without them', async () => {
    await database.query(
      `UPDATE serving.region_market SET median_price = 1424000, growth_1y_percent = 3.14, price_sample = 212, month = '2017-08-01' WHERE level = 'SAL' AND area = $1 AND market = 'house'`,
      [subject.name],
    );
    const sentence = async (): Promise<string> =>
      (/<p class="headline">.*?<\/p>/s.exec(await text(path()))?.[0] ?? '')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('\u00a0', ' ');
    const place = subject.name.replace(/ \(.*/, '');
    // The twelve months of the figure, even if its last month alone has enough sales for the series.
    const span = 'over the twelve months to August 2017';
    expect(await sentence()).toBe(`${place} houses: median $1.42 m ${span}, +3.1 %, 212 sales`);
    const set = (columns: string): Promise<unknown> =>
      database.query(
        `UPDATE serving.region_market SET ${columns} WHERE level = 'SAL' AND area = $1 AND market = 'house'`,
        [subject.name],
      );
    await set('growth_1y_percent = -0.44, median_price = 999600');
    expect(await sentence()).toContain(`median $1 m ${span}, −0.4 %, 212 sales`);
    await set('growth_1y_percent = NULL, median_price = NULL, price_sample = 1');
    expect(await sentence()).toBe(`${place} houses: too few sales for a median ${span}: 1 sale`);
    await set('price_sample = NULL');
    expect(await sentence()).toBe(`${place} houses: sales not assessed`);
    // The sample has too few areas for a rank.
    await database.query(
      `INSERT INTO serving.region_ranking SELECT (jsonb_populate_record(NULL::serving.region_ranking, to_jsonb(m) ||
         '{"measure": "median_price", "value": 9, "state_rank": 3, "state_of": 5, "nation_rank": 3, "nation_of": 5}')).*
       FROM serving.region_market m WHERE level IN ('SAL', 'LGA') ON CONFLICT DO NOTHING`,
    );
    const page = await text(path());
    for (const title of ['Prices', 'Rents and yield'])
      expect(page).toContain(`<h2>${title}, August 2017</h2>`);
    expect(page).toMatch(/<h2 id="pockets">Pockets, [A-Z][a-z]+ 20\d\d</);
    expect(await text(`/property/${subject.gnaf_pid}`)).toContain(
      `<h2>Market of ${subject.name}, August 2017</h2>`,
    );
    const council = await text(`/lga/${subject.lga}`);
    expect(council).toMatch(/<h2>Prices, [A-Z][a-z]+ 20\d\d</);
    for (const [of, peers] of [
      [page, 'suburbs'],
      [council, 'councils'],
    ] as const) {
      expect(of).toContain(`>rank among all loaded ${peers}</th>`);
      expect(of).toMatch(new RegExp(`>rank among loaded ${peers} of [A-Z]+</th>`));
    }
  });

  it('begins a chart at the first point, and shows demographics or the reason for their absence', async () => {
    await database.query(
      `UPDATE serving.region_market SET price_series = (SELECT jsonb_agg(CASE WHEN e ->> 'month' < '2024-05' THEN e || '{"median": null}' ELSE e END ORDER BY e ->> 'month')
         FROM jsonb_array_elements(price_series) e) WHERE level = 'SAL' AND area = $1 AND market = 'house'`,
      [subject.name],
    );
    const page = await text(path());
    const chart = /<div class="plot">.*?<\/div>/s.exec(sectionOf(page, 'prices'))![0];
    expect(chart).toContain('>2024-05<');
    expect(chart).not.toContain('>2023-');
    const [census] = await database.query<{ population: number; census_year: number }>(
      `SELECT population, census_year FROM serving.region_demographics WHERE level = 'SAL' AND name = $1`,
      [subject.name],
    );
    expect(page).toContain(`Demographics, ${census!.census_year}`);
    expect(page).toContain(`<dt>population</dt><dd>${census!.population.toLocaleString('en-AU')}</dd>`);
    await database.query(`UPDATE serving.region_demographics SET median_age = NULL`);
    expect(await text(path())).toMatch(/<dt>median age<\/dt><dd><[^>]*>not delivered/);
    await database.query('DELETE FROM serving.region_demographics');
    expect(await text(path())).toContain('No source of suburb demographics covers this place.');
  });

  it('does not count listings where no source reports them', async () => {
    await database.query(
      `UPDATE serving.region_market SET stock = NULL, days_on_market = NULL, days_on_market_sample = NULL, months_of_supply = NULL`,
    );
    await database.query(`DELETE FROM serving.listing WHERE type = 'For Sale'`);
    const page = await text(path());
    expect(page).toMatch(/for sale at the month’s end<\/td><td[^>]*><span class="note">not assessed/);
    expect(sectionOf(page, 'stock')).toContain('No source of suburb listings covers this place.');
  });

  it('says what is missing in a suburb without sales, and names like an unknown one', async () => {
    const [empty] = await database.query<{ name: string }>(
      `SELECT name FROM serving.search_area a WHERE level = 'SAL' AND NOT EXISTS
         (SELECT FROM serving.sale s WHERE s.sal = a.name) ORDER BY properties DESC, name LIMIT 1`,
    );
    if (empty) {
      const page = await text(`/suburb/${encodeURIComponent(empty.name)}`);
      expect(sectionOf(page, 'sales')).toMatch(/class="note">[A-Z].*\./);
    }
    const typo = `${subject.name.replace(/ \(.*/, '')}s`;
    const response = await get(`/suburb/${encodeURIComponent(typo)}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(`href="${path()}"`);
    for (const wrong of [
      '/lga/99999',
      '/sa2/x',
      '/suburb/%00',
      '/suburb/%3Cb%3E',
      `/suburb/${'x'.repeat(3000)}`,
    ])
      expect((await get(wrong)).status, wrong.slice(0, 30)).toBeGreaterThanOrEqual(404);
  });

  if (!CHROMIUM) console.warn('SKIPPED: the page of a suburb in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('fits both widths, by day and by night', async () => {
    for (const [width, scheme] of WINDOWS) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      for (const [name, at] of [
        ['suburb', path()],
        ['lga', `/lga/${subject.lga}`],
        ['sa2', `/sa2/${subject.sa2}`],
      ] as const) {
        await page.goto(server.url + at);
        const isPlaceholderShown = await page.evaluate(`(() => {
          const input = document.querySelector('#find');
          const style = getComputedStyle(input);
          const context = document.createElement('canvas').getContext('2d');
          context.font = style.font;
          const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
          return context.measureText(input.placeholder).width <= room;
        })()`);
        expect(isPlaceholderShown, `${name} ${width}`).toBe(true);
        await keepPicture(page, `${name}-${width}-${scheme}`);
        if (name === 'suburb') await mapIsDrawn(page);
        const broken = await page.evaluate(`[...document.querySelectorAll('td')].filter((cell) => {
          const texts = [...cell.childNodes].filter((node) => node.nodeType === 3 && /^[−+]?[$0-9][0-9.,]*( %)?$/.test(node.data));
          return texts.some((node) => { const range = document.createRange(); range.selectNode(node); return range.getClientRects().length > 1; });
        }).map((cell) => cell.textContent)`);
        expect(broken, `${name} ${width}`).toEqual([]);
        expect(await tooWide(page), name).toEqual([]);
        if (width < 500) expect(await sideways(page), name).toEqual([]);
        expect(await seriousFindings(page), `${name} ${width}`).toEqual([]);
      }
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
