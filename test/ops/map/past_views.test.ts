import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../../ops/server.ts';
import { rollback } from '../../../pipelines/run/rollback.ts';
import { TOWN } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { editTable } from '../../pipelines/damage.ts';
import { OPEN_GATES, refreshSample } from '../../pipelines/sample_run.ts';
import { publishedSample } from '../../published_sample.ts';
import { PATIENT } from '../../waiting.ts';
import {
  CHROMIUM,
  coloursOf,
  keepPicture,
  launch,
  mapIsDrawn,
  openWindow,
  seriousFindings,
  tooWide,
} from '../browser.ts';

type Says = Record<string, string | number | boolean>;

/** Pixels that are red, whatever they lie on. */
const reds = (colours: Map<string, number>): number =>
  [...colours].reduce((sum, [colour, pixels]) => {
    const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16)) as [
      number,
      number,
      number,
    ];
    return r > 150 && g < 110 && b < 110 ? sum + pixels : sum;
  }, 0);

describe('the map of earlier publications', () => {
  let dir: string;
  let database: TestDatabase;
  let server: OpsServer;
  let browser: Browser;
  /** Addresses of the tile of a zoom of 16 that has most of those that went, as they were in publication 1. */
  let at: { lon: number; lat: number };
  /** G-NAF ids that publication 1 serves and 2 does not. */
  let gone: Set<string>;

  const get = (path: string): Promise<Response> => fetch(new URL(path, server.url), { redirect: 'manual' });
  const json = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;
  const tileOf = (z: number): string => {
    const rad = (at.lat * Math.PI) / 180;
    const x = Math.floor(((at.lon + 180) / 360) * 2 ** z);
    const y = Math.floor(((1 - Math.log(Math.tan(rad) + 1 / Math.cos(rad)) / Math.PI) / 2) * 2 ** z);
    return `${z}/${x}/${y}`;
  };
  /** What the shapes of a tile say, the same for the same content. */
  const shapes = async (layer: string, z: number, when: string): Promise<Says[]> => {
    const response = await get(`/map/tiles/${layer}/${tileOf(z)}${when}`);
    expect(response.status, `${layer} ${when}`).toBe(200);
    const { layers } = new VectorTile(new PbfReader(new Uint8Array(await response.arrayBuffer())));
    const own = layers[layer];
    return own ? [...Array(own.length).keys()].map((i) => own.feature(i).properties as Says) : [];
  };
  const ids = async (z: number, when: string): Promise<string[]> =>
    (await shapes('address', z, when)).map(({ gnaf_pid }) => String(gnaf_pid)).sort();

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
    const before = await database.query<{ gnaf_pid: string; lon: number; lat: number }>(
      'SELECT gnaf_pid, lon, lat FROM serving.property',
    );
    await editTable(dir, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 5 !== 4));
    // The dataset with the one recorded flood is taken out.
    const path = join(dir, 'config.yaml');
    const written = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
    delete written.datasets.historical_flood_nsw;
    await writeFile(path, stringify(written));
    expect((await refreshSample(database, dir, OPEN_GATES)).publication).toBe(2);
    const after = await database.query<{ gnaf_pid: string }>('SELECT gnaf_pid FROM serving.property');
    const left = new Set(after.map(({ gnaf_pid }) => gnaf_pid));
    gone = new Set(before.map(({ gnaf_pid }) => gnaf_pid).filter((pid) => !left.has(pid)));
    at = before.find(({ gnaf_pid, lon }) => gone.has(gnaf_pid) && lon !== null)!;
    const { config } = await loadConfig({ set: ['ops.port=0'] }, {});
    expect((await rollback({ url: database.url, config, to: 1, reason: 'test' })).publication).toBe(3);
    server = await startOps(database.url, config);
    if (CHROMIUM) browser = await launch();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('says on the first page how many more there are than in the publication before', async () => {
    const page = await (await get('/')).text();
    expect(page).toContain('<h1>Serving publication 3 (');
    expect(page).toMatch(
      new RegExp(
        `<h2>Properties</h2><p class="big">400</p><p class="note">\\+${gone.size} since the publication before<`,
      ),
    );
    // No model is in service of a country as small as this.
    expect(page).toMatch(
      /<h2>Valuations<\/h2><p class="big">0<\/p><p class="note">as in the publication before</,
    );
  });

  it('serves the tiles of each earlier publication', async () => {
    expect(gone.size).toBeGreaterThan(20);
    const [first, second, last] = [
      await ids(16, '?publication=1'),
      await ids(16, '?publication=2'),
      await ids(16, ''),
    ];
    expect(first).toEqual(last);
    expect(first.filter((pid) => !second.includes(pid))).toEqual(first.filter((pid) => gone.has(pid)));
    expect(first.length).toBeGreaterThan(second.length);
    // The last one is the same by its number.
    expect(await ids(16, '?publication=3')).toEqual(last);
    for (const layer of ['SAL', 'SA4', 'flood', 'place', 'school', 'stop'])
      expect(await shapes(layer, 13, '?publication=1'), layer).toEqual(await shapes(layer, 13, ''));
    expect(await shapes('parcel', 15, '?publication=1')).toEqual(await shapes('parcel', 15, ''));
  });

  it('serves tiles of the differences between publications, in the numbers of the journal', async () => {
    const differ = await shapes('address', 16, '?publication=2&since=1');
    const removed = differ.filter(({ became }) => became === 'removed').map(({ gnaf_pid }) => gnaf_pid);
    expect(new Set(removed)).toEqual(new Set((await ids(16, '')).filter((pid) => gone.has(pid))));
    expect(differ.filter(({ became }) => became === 'added')).toEqual([]);
    const back = await shapes('address', 16, '?publication=3&since=2');
    expect(new Set(back.filter(({ became }) => became === 'added').map(({ gnaf_pid }) => gnaf_pid))).toEqual(
      new Set(removed),
    );
    expect(await shapes('address', 16, '?publication=3&since=1')).toEqual([]);
    // Far out there is a dot for each grid cell, with as many in all.
    const cells = (await shapes('address', 0, '?publication=2&since=1')).filter(
      ({ became }) => became === 'removed',
    );
    const placed = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM serving.property WHERE gnaf_pid = ANY ($1) AND cell >= 0',
      [[...gone]],
    );
    expect(cells.reduce((sum, { rows }) => sum + Number(rows), 0)).toBe(placed[0]!.n);
    const setup = await (await get('/map?publication=2&since=1')).text();
    const { layers } = JSON.parse(/id="setup">(.*?)<\/script>/s.exec(setup)![1]!) as {
      layers: { name: string; counts?: Record<string, number> }[];
    };
    const countsOf = (name: string) => layers.find((each) => each.name === name)?.counts;
    expect(countsOf('changed-address')).toMatchObject({ added: 0, removed: gone.size });
    expect(countsOf('changed-historical_flood')).toEqual({ added: 0, removed: 1, changed: 0 });
    expect(countsOf('changed-school')).toEqual({ added: 0, removed: 0, changed: 0 });
    expect(layers.map(({ name }) => name)).not.toContain('changed-zone');
  });

  it('colours suburbs by an earlier publication, and by the difference between two', async () => {
    interface Values {
      values: { area: string; value: number }[];
      note?: string;
    }
    const measure = 'coverage:property.land_area_sqm';
    const [now, first, second, rise] = await Promise.all(
      ['', '?publication=1', '?publication=2', '?publication=2&since=1'].map((when) =>
        json<Values>(`/map/measures/${measure}${when}`),
      ),
    );
    expect(first!.values).toEqual(now!.values);
    const ofArea = ({ values }: Values, area: string) => values.find((each) => each.area === area)!.value;
    expect(rise!.values.length).toBeGreaterThan(5);
    for (const { area, value } of rise!.values)
      expect(value).toBeCloseTo(ofArea(second!, area) - ofArea(first!, area), 12);
    const rows = await json<Values>('/map/measures/changed_rows:property?publication=2&since=1');
    const inserted = rows.values.reduce((sum, { value }) => sum + value, 0);
    expect(inserted).toBeGreaterThanOrEqual(gone.size);
    const profiles = await json<Values>('/map/measures/changed_rows:property_profile?publication=3&since=2');
    expect(profiles.values.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(gone.size);
    expect((await json<Values>('/map/measures/changed_rows:property?publication=3&since=1')).values).toEqual(
      [],
    );
  });

  it('colours suburbs by the median change of the estimates that differ', async () => {
    interface Change {
      values: { area: string; value: number; sample: number }[];
      note: string;
    }
    const path = '/map/measures/estimate_change?publication=3&since=2';
    expect((await json<Change>(path)).values).toEqual([]);
    // The town has too few sales for estimates: three get values that the journal says were others, by 10, 20 and 60 %.
    const homes = await database.query<{ pid: string; sal: string }>(
      `SELECT gnaf_pid AS pid, sal FROM serving.property_avm JOIN serving.property p USING (gnaf_pid)
       WHERE sal = (SELECT sal FROM serving.property GROUP BY sal ORDER BY count(*) DESC, sal LIMIT 1)
         AND NOT EXISTS (SELECT FROM control.change WHERE table_name = 'property_avm' AND COALESCE(before, after) ->> 'gnaf_pid' = p.gnaf_pid) ORDER BY 1 LIMIT 3`,
    );
    expect(homes.length).toBe(3);
    for (const [i, { pid }] of homes.entries()) {
      await database.query(
        `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
         SELECT 3, 'property_avm', 900000 + $3::int, 'update', $1, jsonb_build_object('gnaf_pid', $1::text, 'predicted_price', 1000000),
           jsonb_build_object('gnaf_pid', $1::text, 'predicted_price', $2::int)`,
        [pid, [1_100_000, 1_200_000, 1_600_000][i], i],
      );
      await database.query(
        `UPDATE serving.property_avm SET predicted_price = $2, predicted_price_low = 900000, predicted_price_high = 2000000, confidence = 60,
           reason = NULL WHERE gnaf_pid = $1`,
        [pid, [1_100_000, 1_200_000, 1_600_000][i]],
      );
    }
    const { values, note } = await json<Change>(`${path}&again`);
    expect(values).toEqual([{ area: homes[0]!.sal, value: expect.closeTo(20, 9), sample: 3 }]);
    expect(note).toContain('3 estimates that changed');
  });

  it('answers for a place as of an earlier publication', async () => {
    const place = `/map/at?lon=${at.lon}&lat=${at.lat}`;
    type Found = { count: number; parcel_id: string; properties: { gnaf_pid: string; address: string }[] };
    const was = await json<Found>(`${place}&publication=1`);
    const is = await json<Found>(place);
    const between = await json<{ count: number }>(`${place}&publication=2`);
    // Value, land and zone are told of what is published now.
    expect(is).toMatchObject(was);
    expect(between.count).toBeLessThan(was.count);
  });

  it('refuses publications that cannot be read', async () => {
    for (const when of [
      '?publication=4',
      '?publication=0',
      '?publication=a',
      '?since=3',
      '?publication=1&since=2',
      '?publication=1&publication=2',
      "?publication=1'",
      '?publication=99999999999',
    ])
      for (const path of [`/map/tiles/address/${tileOf(16)}`, '/map', '/map/measures/median_price:house'])
        expect((await get(path + when)).status, path + when).toBe(404);
    expect((await get(`/map/tiles/zone/${tileOf(14)}?publication=1`)).status).toBe(404);
    // What was refused holds no connection: twenty of them later a tile still comes.
    await Promise.all(
      [...Array(20).keys()].map((i) => get(`/map/tiles/address/0/0/0?publication=${i + 50}`)),
    );
    expect((await ids(16, '?publication=1')).length).toBeGreaterThan(0);
  });

  it('ends its transactions after a map was viewed', async () => {
    await ids(16, '?publication=1');
    const open = async (): Promise<number> =>
      (
        await database.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
        )
      )[0]!.n;
    await vi.waitFor(async () => expect(await open()).toBe(0), PATIENT);
  });

  if (!CHROMIUM) console.warn('SKIPPED: earlier publications in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('draws what differs, at both widths, by day and by night', async () => {
    const place = `#at=14.5/${at.lat}/${at.lon}`;
    const { page, problems } = await openWindow(browser, server.url, 1280);
    await page.goto(`${server.url}/map?publication=2${place}`);
    await mapIsDrawn(page);
    const plain = reds(await coloursOf(page, '#map canvas'));
    await page.selectOption('#since', '1');
    await page.waitForURL('**since=1**');
    await mapIsDrawn(page);
    expect(await page.textContent('h1')).toBe('Publication 2 against 1');
    // It opens on the tables that differ, with the largest change drawn.
    const changed = await page.locator('.changes li').allTextContents();
    const counts = changed.map((text) => Number(/, ([\d,]+) rows?$/.exec(text)![1]!.replaceAll(',', '')));
    expect(counts.length).toBeGreaterThan(1);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(await page.inputValue('#measure')).toBe('estimate_change');
    await page
      .locator('#classes')
      .getByText(/suburbs? ha(s|ve) a value/)
      .waitFor();
    expect(await page.locator('#classes strong').textContent()).toBe('Median change of the estimate, %');
    // Layers come first, the publications after them.
    const tops = (await page.evaluate(
      `['.layers', '#when'].map((each) => document.querySelector(each).getBoundingClientRect().top)`,
    )) as [number, number];
    expect(tops[0]).toBeLessThan(tops[1]);
    expect(page.url()).toContain(place.slice(0, 8));
    expect(reds(await coloursOf(page, '#map canvas'))).toBeGreaterThan(plain + 50);
    const phone = await openWindow(browser, server.url, 390, 'dark');
    const measure = 'changed_rows:property';
    await phone.page.goto(`${server.url}/map?publication=2&since=1&measure=${measure}${place}`);
    await phone.page
      .locator('#classes')
      .getByText(/suburbs? ha(s|ve) a value/)
      .waitFor();
    await mapIsDrawn(phone.page);
    expect(await tooWide(phone.page)).toEqual([]);
    for (const [width, window] of [
      [1280, page],
      [390, phone.page],
    ] as const) {
      await keepPicture(window, `map-differences-${width}`);
      expect(await seriousFindings(window), String(width)).toEqual([]);
      await window.close();
    }
    expect([...problems, ...phone.problems]).toEqual([]);
  });
});
