import { VectorTile } from '@mapbox/vector-tile';
import { booleanPointInPolygon } from '@turf/turf';
import type { Point, Polygon } from 'geojson';
import { PbfReader } from 'pbf';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ShownValue, shownValue } from '../../contract/answers/shown_value.ts';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import { comparablePoints, hazardLines } from '../../contract/map/around_property.ts';
import type { OpsServer } from '../../ops/server.ts';
import { assetPath } from '../../ops/static.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { openServing } from '../../store/read/serving.ts';
import { localPlane } from '../../transforms/geo/plane.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import {
  CHROMIUM,
  coloursOf,
  cutTexts,
  keepPicture,
  mapIsDrawn,
  openWindow,
  seriousFindings,
  sideways,
  tooWide,
  WINDOWS,
} from './browser.ts';
import { type ConsoleScene, openConsole } from './console_scene.ts';

/** Column and row of the tile of a zoom that has a point. */
function tileOf(z: number, lon: number, lat: number): string {
  const rad = (lat * Math.PI) / 180;
  const x = Math.floor(((lon + 180) / 360) * 2 ** z);
  const y = Math.floor(((1 - Math.log(Math.tan(rad) + 1 / Math.cos(rad)) / Math.PI) / 2) * 2 ** z);
  return `${z}/${x}/${y}`;
}

interface Place {
  text: string;
  note: string;
  href: string;
}

interface Subject {
  gnaf_pid: string;
  address: string;
  lon: number;
  lat: number;
  parcel_id: string;
}

describe('the console', () => {
  let database: TestDatabase;
  let scene: ConsoleScene | undefined;
  let server: OpsServer;
  let browser: Browser;
  let subject: Subject;

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL(path, server.url), { headers, redirect: 'manual' });
  const tile = async (layer: string, at: string): Promise<VectorTile> => {
    const response = await get(`/map/tiles/${layer}/${at}`);
    expect(response.status, layer).toBe(200);
    return new VectorTile(new PbfReader(new Uint8Array(await response.arrayBuffer())));
  };

  const values = async (name: string): Promise<{ area: string; value: number }[]> =>
    ((await (await get(`/map/measures/${name}`)).json()) as { values: { area: string; value: number }[] })
      .values;

  beforeAll(async () => {
    scene = await openConsole(await publishedSample(TOWN));
    ({ database, server, browser } = scene);
    const [found] = await database.query<Subject>(
      `SELECT p.gnaf_pid, p.address, p.lon, p.lat, p.parcel_id FROM serving.property p JOIN serving.property_zoning z USING (gnaf_pid)
       WHERE p.parcel_addresses = 1 AND p.lon IS NOT NULL AND p.parcel_method = 'legal_id'
       ORDER BY (SELECT count(*) FROM serving.property_risk r WHERE r.gnaf_pid = p.gnaf_pid) DESC, p.gnaf_pid LIMIT 1`,
    );
    subject = found!;
  });

  afterAll(async () => {
    await scene?.close();
  });

  it('serves vector tiles of the published tables, by zoom and place', async () => {
    const { lon, lat, parcel_id, gnaf_pid } = subject;
    const parcels = (await tile('parcel', tileOf(16, lon, lat))).layers.parcel!;
    const ids = [...Array(parcels.length).keys()].map((i) => parcels.feature(i).properties.parcel_id);
    expect(ids).toContain(parcel_id);
    const inside = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM serving.parcel_shape');
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(inside[0]!.n);
    const addresses = (await tile('address', tileOf(17, lon, lat))).layers.address!;
    const here = [...Array(addresses.length).keys()].map((i) => addresses.feature(i));
    const own = here.find(({ properties }) => properties.gnaf_pid === gnaf_pid)!;
    const [x, y] = tileOf(17, lon, lat).split('/').slice(1).map(Number) as [number, number];
    const { geometry } = own.toGeoJSON(x, y, 17) as unknown as {
      geometry: { coordinates: [number, number] };
    };
    expect(geometry.coordinates[0]).toBeCloseTo(lon, 5);
    expect(geometry.coordinates[1]).toBeCloseTo(lat, 5);
    // Every other layer has a tile here too, if an empty one.
    const suburbs = (await tile('SAL', tileOf(10, lon, lat))).layers.SAL!;
    expect(suburbs.length).toBeGreaterThan(0);
    for (const layer of ['zone', 'overlay', 'flood', 'bushfire', 'place', 'stop', 'school', 'SA4', 'LGA'])
      await tile(layer, tileOf(14, lon, lat));
    expect((await tile('zone', tileOf(14, lon, lat))).layers.zone!.length).toBeGreaterThan(0);
  });

  it('tags tiles with their publication, and refuses invalid paths', async () => {
    const path = `/map/tiles/parcel/${tileOf(16, subject.lon, subject.lat)}`;
    const first = await get(path);
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('x-publication')).toBe('1');
    expect(etag).toContain('p1-');
    expect(first.headers.get('x-left-out')).toBe('0');
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(path, { 'if-none-match': '"p0"' })).status).toBe(200);
    for (const wrong of [
      'parcel/3/0/0',
      'parcel/16/99999/0',
      'nothing/3/0/0',
      'parcel/a/0/0',
      '__proto__/14/0/0',
      'parcel/99/0/0',
    ])
      expect((await get(`/map/tiles/${wrong}`)).status, wrong).toBe(404);
    for (const wrong of ['', '?lon=1&lat=2', '?lon=145;DROP&lat=-37', '?lon=145&lon=146&lat=-37'])
      expect((await get(`/map/at${wrong}`)).status, wrong).toBe(422);
    for (const wrong of [
      '/static/x/../server.ts',
      assetPath('constructor'),
      assetPath('map_page.mjs.map'),
      '/map/measures/median_price:boat',
    ])
      expect((await get(wrong)).status, wrong).toBe(404);
  });

  it('answers what lies at a place, and what suburbs are coloured by', async () => {
    const found = await (await get(`/map/at?lon=${subject.lon}&lat=${subject.lat}`)).json();
    expect(found).toMatchObject({
      parcel_id: subject.parcel_id,
      properties: [{ gnaf_pid: subject.gnaf_pid, address: addressTitleCase(subject.address) }],
      count: 1,
    });
    // With value, land and zone.
    const [valued] = await database.query<{
      gnaf_pid: string;
      lon: number;
      lat: number;
      value: number | null;
      confidence: number | null;
    }>(
      `SELECT gnaf_pid, lon, lat, predicted_price AS value, property_avm.confidence FROM serving.property p JOIN serving.property_avm USING (gnaf_pid)
       WHERE parcel_method = 'legal_id' AND lon IS NOT NULL ORDER BY predicted_price IS NULL, gnaf_pid LIMIT 1`,
    );
    const there = (await (await get(`/map/at?lon=${valued!.lon}&lat=${valued!.lat}`)).json()) as {
      properties: { gnaf_pid: string; estimate: ShownValue | null; land_area_sqm: number; zone: string }[];
    };
    const glanced = there.properties.find(({ gnaf_pid }) => gnaf_pid === valued!.gnaf_pid)!;
    expect(glanced.estimate).toEqual(
      valued!.value === null ? null : shownValue(valued!.value, valued!.confidence),
    );
    expect(glanced.land_area_sqm).toBeGreaterThan(0);
    expect(glanced.zone).toMatch(/\S/);
    const named = await database.query<{ area: string; value: number }>(
      `SELECT sal AS area, share_filled AS value FROM serving.field_coverage WHERE field = 'property.land_area_sqm' ORDER BY sal`,
    );
    const measure = await values('coverage:property.land_area_sqm');
    expect(measure.map(({ area, value }) => ({ area, value }))).toEqual(named);
    const risks = await database.query<{ layer: string; n: number }>(
      `SELECT layer, count(*)::int AS n FROM serving.region_risk WHERE level = 'SAL' GROUP BY layer`,
    );
    expect(risks.length).toBeGreaterThan(3);
    for (const { layer, n } of risks) expect(await values(`share_at_risk:${layer}`)).toHaveLength(n);
  });

  it('offers the measures of suburbs that have a value, and no others', async () => {
    const offered = async (): Promise<string[]> => {
      const [, list] = /<select id="measure"[^>]*>(.*?)<\/select>/s.exec(await (await get('/map')).text())!;
      return [...list!.matchAll(/<option value="([^"]+)"/g)].map(([, name]) => name!);
    };
    const before = await offered();
    expect(before.length).toBeGreaterThan(3);
    for (const name of before) expect(await values(name), name).not.toEqual([]);
    const setRent = (rent: number | null, level = 'SAL'): Promise<unknown> =>
      database.query(
        `UPDATE serving.region_market SET median_rent_aud_pw = $1 WHERE level = $2 AND market = 'unit'`,
        [rent, level],
      );
    const RENT = 'median_rent_aud_pw:unit';
    // A rent of a council is no value of a suburb.
    await setRent(null);
    await setRent(500, 'LGA');
    expect(await offered()).not.toContain(RENT);
    await setRent(500);
    expect(await offered()).toContain(RENT);
    expect(await values(RENT)).not.toEqual([]);
    await setRent(null);
    await setRent(null, 'LGA');
  });

  it('shows an estimate of low confidence with the same rounding on map, page and report', async () => {
    const [own] = await database.query<{ pid: string; lon: number; lat: number }>(
      `SELECT gnaf_pid AS pid, lon, lat FROM serving.property JOIN serving.property_avm USING (gnaf_pid)
       WHERE parcel_method = 'legal_id' AND lon IS NOT NULL ORDER BY gnaf_pid LIMIT 1`,
    );
    const { pid, lon, lat } = own!;
    // The town has too few sales for estimates, so the home gets one, and loses it afterwards.
    const [before] = await database.query<{ row: string }>(
      'SELECT to_jsonb(a)::text AS row FROM serving.property_avm a WHERE gnaf_pid = $1',
      [pid],
    );
    try {
      for (const [confidence, isUncertain] of [
        [49, true],
        [50, false],
      ] as const) {
        await database.query(
          `UPDATE serving.property_avm SET predicted_price = 984512, predicted_price_low = 880100, predicted_price_high = 1101300,
             confidence = $2, reason = NULL, prediction_date = '2026-06-01' WHERE gnaf_pid = $1`,
          [pid, confidence],
        );
        const found = (await (await get(`/map/at?lon=${lon}&lat=${lat}`)).json()) as {
          properties: { gnaf_pid: string; estimate: ShownValue }[];
        };
        const { estimate } = found.properties.find(({ gnaf_pid }) => gnaf_pid === pid)!;
        expect(estimate).toEqual({ value: isUncertain ? 980_000 : 985_000, is_uncertain: isUncertain });
        const dollars = `$${estimate.value.toLocaleString('en-AU')}`;
        for (const path of [`/property/${pid}`, `/property/${pid}/report`])
          expect(await (await get(path)).text(), path).toContain(
            isUncertain ? `<p class="big">about ${dollars} ` : `<p class="big">${dollars}</p>`,
          );
      }
    } finally {
      await database.query('DELETE FROM serving.property_avm WHERE gnaf_pid = $1', [pid]);
      await database.query(
        'INSERT INTO serving.property_avm SELECT * FROM jsonb_populate_record(NULL::serving.property_avm, $1::jsonb)',
        [before!.row],
      );
    }
  });

  it('finds a property by its id or its address, and answers 404 for an unknown id', async () => {
    const asked = async (q: string) => {
      const response = await get(`/property?q=${encodeURIComponent(q)}`);
      return [response.status, response.headers.get('location')];
    };
    const place = `/property/${subject.gnaf_pid}`;
    expect(await asked(subject.gnaf_pid.toLowerCase())).toEqual([303, place]);
    expect(await asked(subject.address)).toEqual([303, place]);
    const [status, nowhere] = await asked('1 <b>Nowhere</b> Street');
    expect([status, nowhere]).toEqual([200, null]);
    expect(await (await get('/property?q=<script>x</script>')).text()).not.toContain('<script>x');
    expect((await get('/property/GAVIC999999999')).status).toBe(404);
    expect((await get("/property/x'; DROP")).status).toBe(404);
    const payload = await (await get(`${place}/payload/basics/land-area-sqm`)).json();
    const [row] = await database.query<{ land_area_sqm: number }>(
      'SELECT land_area_sqm FROM serving.property WHERE gnaf_pid = $1',
      [subject.gnaf_pid],
    );
    expect(payload).toMatchObject({ data: { land_area_sqm: row!.land_area_sqm } });
    const why = await (await get(`${place}/why/property.land_area_sqm`)).text();
    expect(why).toContain('serve_property, version');
    expect(why).toMatch(/feature \d+ of \S+\.shp/);
  });

  it('suggests properties and suburbs for what is typed, and leads nobody into a dead end', async () => {
    const suggested = async (q: string) =>
      ((await (await get(`/find?q=${encodeURIComponent(q)}`)).json()) as { places: Place[] }).places;
    const [area] = await database.query<{ name: string }>(
      `SELECT name FROM serving.search_area WHERE level = 'SAL' ORDER BY properties DESC, name LIMIT 1`,
    );
    // A part of a name, with a letter too many, and at the end of an address.
    const name = area!.name.replace(/ \(.*/, '');
    for (const q of [
      name.slice(0, 5),
      `${name}s`,
      `${name.slice(0, 5)}`.toLowerCase(),
      `Long Street ${name}`,
    ]) {
      const places = await suggested(q);
      expect(
        places.map(({ text }) => text),
        q,
      ).toContain(area!.name);
      expect(places.find(({ text }) => text === area!.name)!.href, q).toMatch(/^\/suburb\//);
      const page = await (await get(`/property?q=${encodeURIComponent(q)}`)).text();
      expect(page, q).toContain(area!.name);
      expect(page, q).not.toContain('class="fail"');
    }
    const own = { kind: 'property', text: addressTitleCase(subject.address), note: subject.gnaf_pid };
    for (const q of [subject.gnaf_pid.slice(0, -1), subject.gnaf_pid.toLowerCase(), subject.address])
      expect(await suggested(q), q).toContainEqual(expect.objectContaining(own));
    // The suburb of the address is only begun.
    const [, line, suburb] = /^(.*), (\S+)/.exec(subject.address)!;
    expect(await suggested(`${line} ${suburb!.slice(0, 4)}`)).toContainEqual(expect.objectContaining(own));
    // A street without a number leads to its properties.
    const street = line!.replace(/^\S+ /, '');
    const found = (await suggested(street.slice(0, 5).toLowerCase())).find(({ text }) =>
      text.startsWith(addressTitleCase(`${street}, ${suburb} `)),
    );
    expect(await (await get(found!.href)).text()).toContain(`href="/property/${subject.gnaf_pid}"`);
    // A number and the start of a street, in whatever suburb.
    const number = line!.split(' ')[0]!;
    const numbered = await suggested(`${number} ${street.slice(0, 5).toLowerCase()}`);
    expect(numbered.length).toBeGreaterThan(0);
    for (const { text } of numbered.filter(({ href }) => href.startsWith('/property/')))
      expect(text.toUpperCase()).toContain(`${number} ${street.slice(0, 5)}`);
    for (const q of ['', 'x', '%', "'; DROP", '\0', '3 ;x', '9/3 zzz'])
      expect(Array.isArray(await suggested(q)), q).toBe(true);
  });

  it('says in a sentence what is served and what is wrong, and how much there is', async () => {
    const first = await (await get('/')).text();
    expect(first).toMatch(
      /<h1>Serving publication 1 \(<time[^>]*>\d{4}-\d\d-\d\d \d\d:\d\d UTC<\/time>, .*?\): /,
    );
    const [{ n }] = (await database.query<{ n: number }>('SELECT count(*)::int AS n FROM serving.sale')) as [
      { n: number },
    ];
    expect(first).toMatch(new RegExp(`<h2>Sales</h2><p class="big">${n.toLocaleString('en-AU')}</p>`));
    expect(first).toContain('the first publication');
    const [unmatched] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.match_review WHERE event_type = 'sold'`,
    );
    expect(unmatched!.n).toBeGreaterThan(0);
    expect(first).toMatch(
      new RegExp(`>${unmatched!.n.toLocaleString('en-AU')} more sales? match(es)? no single address`),
    );
    const review = await (
      await get(/href="(\/tables\/match_review[^"]*)"/.exec(first)![1]!.replaceAll('&amp;', '&'))
    ).text();
    expect([...review.matchAll(/id="row-/g)].length).toBe(unmatched!.n);
    expect(first).toContain('<span class="pass">everything is all right</span>');
    expect(first).not.toContain('what is wrong');
    // A dataset that could not be read three days ago, nor since.
    await database.query(
      `INSERT INTO control.run (command, state, started_at, finished_at, report)
       SELECT 'refresh', 'unchanged', at, at, jsonb_set(report, '{datasets}', (SELECT jsonb_agg(
         CASE WHEN d->>'dataset' = 'zoning_vic' THEN d || '{"action":"kept","reason":"missing_column: <b>no column</b>"}' ELSE d END)
         FROM jsonb_array_elements(report->'datasets') d)) FROM control.run, (VALUES (now() - interval '73 hours'), (now() - interval '1 hour')) v (at)
       WHERE run_id = 1 ORDER BY at`,
    );
    const kept = await (await get('/')).text();
    expect(kept).toMatch(/<h1>Serving publication 1 .*: <span class="warn">one problem<\/span>\.<\/h1>/);
    expect(kept).toMatch(
      />zoning_vic<\/a> is still serving the previous load<\/span><\/td><td[^>]*><time[^>]*>3 days ago<\/time>/,
    );
    expect(kept).toContain('<code>pipeline refresh --only zoning_vic</code>');
    expect(kept).toContain('missing_column: &lt;b&gt;no column');
    await database.query('DELETE FROM control.run WHERE run_id > 1');
  });

  it('shows for every hazard layer whether it was found, is absent or was not assessed', async () => {
    const rows = await database.query<{
      gnaf_pid: string;
      layers: string[];
      covered: string[];
      unassessed: string[];
      is_placed: boolean;
    }>(
      `SELECT p.gnaf_pid, c.covered, c.unassessed, p.parcel_id IS NOT NULL OR p.is_parcel_position AS is_placed,
         ARRAY(SELECT DISTINCT layer FROM serving.property_risk r WHERE r.gnaf_pid = p.gnaf_pid) AS layers
       FROM serving.property p JOIN serving.property_coverage c USING (gnaf_pid) ORDER BY md5(p.gnaf_pid) LIMIT 25`,
    );
    const said = { found: 0, none: 0, 'not assessed': 0 };
    const lineOf = (section: string, outcome: string): string =>
      new RegExp(
        `<p[^>]*><span[^>]*>${outcome === 'none' ? 'None here' : 'Not assessed here'}.*?</p>`,
        's',
      ).exec(section)?.[0] ?? '';
    for (const { gnaf_pid, layers, covered, unassessed, is_placed } of rows) {
      const page = await (await get(`/property/${gnaf_pid}`)).text();
      const section = /<h2 id="hazards">(.*?)<h2 /s.exec(page)![1]!;
      for (const layer of HAZARD_LAYERS) {
        const isAssessed = covered.includes(layer) && !unassessed.includes(layer) && is_placed;
        const expected = layers.includes(layer) ? 'found' : isAssessed ? 'none' : 'not assessed';
        said[expected]++;
        const { title } = HAZARDS[layer];
        if (expected === 'found')
          expect(section).toMatch(new RegExp(`>${title}</td><td[^>]*>(<span[^>]*>)?found`));
        else expect(lineOf(section, expected), title).toContain(`>${title.toLowerCase()}<`);
      }
      const all = (await (await get(`/property/${gnaf_pid}/payload/risks/all`)).json()) as {
        layers: Record<string, string>;
      };
      expect(Object.keys(all.layers).sort()).toEqual([...HAZARD_LAYERS].sort());
    }
    for (const n of Object.values(said)) expect(n).toBeGreaterThan(10);
  });

  it('shows of a comparable sale its land, beds, type and price a square metre', async () => {
    const [sale] = await database.query<{ gnaf_pid: string; land: number; rate: number; type: string }>(
      `SELECT c.gnaf_pid, round(s.land_area_sqm)::int AS land, round(s.price / s.land_area_sqm)::int AS rate, s.dwelling_type AS type
       FROM serving.property_comparable c JOIN serving.sale s ON s.gnaf_pid = c.sale_pids[1] AND s.date = DATE '1970-01-01' + c.sale_days[1] AND s.price = c.prices[1]
       WHERE s.land_area_sqm IS NOT NULL AND s.dwelling_type IS NOT NULL ORDER BY c.gnaf_pid LIMIT 1`,
    );
    const page = await (await get(`/property/${sale!.gnaf_pid}`)).text();
    const first = /<h2 id="comparables">.*?<tbody>(<tr>.*?<\/tr>)/s.exec(page)![1]!;
    for (const [label, value] of [
      ['type', sale!.type],
      ['land m²', sale!.land],
      ['$/m²', sale!.rate],
    ])
      expect(first).toMatch(
        new RegExp(
          `data-label="${String(label).replace('$', '\\$')}"[^>]*>${value!.toLocaleString('en-AU')}<`,
        ),
      );
  });

  it('draws lines of hazards as long as the distances that are served, and comparables where they sold', async () => {
    const db = openServing(database.url);
    try {
      const properties = await database.query<{ gnaf_pid: string }>(
        `SELECT gnaf_pid FROM serving.property_risk WHERE measured_from = 'point' OR parcel_on IS NOT NULL
         GROUP BY gnaf_pid ORDER BY gnaf_pid LIMIT 40`,
      );
      let [lines, equal, comparables] = [0, 0, 0];
      for (const { gnaf_pid } of properties) {
        const risks = await database.query<{
          layer: string;
          point_distance_m: number | null;
          on_property: boolean;
        }>(
          `SELECT layer, point_distance_m, on_property FROM serving.property_risk WHERE gnaf_pid = $1 ORDER BY layer, hazard_class`,
          [gnaf_pid],
        );
        const drawn = await hazardLines(db, gnaf_pid);
        expect(drawn.map(({ layer }) => layer)).toEqual(risks.map(({ layer }) => layer));
        drawn.forEach(({ line: [here, there] }, i) => {
          const { on_property, point_distance_m } = risks[i]!;
          const plane = localPlane(...here);
          const metres = Math.hypot(plane.x(...there), plane.y(...there));
          if (on_property) expect(metres).toBe(0);
          if (on_property || point_distance_m === null) return;
          lines++;
          // To the feature that is named, which may not be the one that is nearest to the point.
          expect(metres).toBeGreaterThan(point_distance_m - 0.05);
          if (Math.abs(metres - point_distance_m) < 0.05) equal++;
        });
        comparables += (await comparablePoints(db, gnaf_pid)).filter(({ at }) => at !== null).length;
      }
      expect(lines).toBeGreaterThan(50);
      expect(equal / lines).toBeGreaterThan(0.9);
      expect(comparables).toBeGreaterThan(0);
    } finally {
      await db.destroy();
    }
  });

  if (!CHROMIUM) console.warn('SKIPPED: the console in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('draws the map: pixels of each layer that is switched on', async () => {
    const { page, problems } = await openWindow(browser, server.url, 1280);
    const at = `#at=16.5/${subject.lat}/${subject.lon}`;
    await page.goto(`${server.url}/map?layers=SAL,parcel,address,zone${at}`);
    await mapIsDrawn(page);
    const zoned = await coloursOf(page, '#map canvas');
    expect(zoned.size).toBeGreaterThan(20);
    await page.locator('input[value=zone]').uncheck();
    await page.waitForTimeout(400);
    const plain = await coloursOf(page, '#map canvas');
    // By day the ground of suburbs, and more of it without zones.
    expect(plain.get('#fbfbf8') ?? 0).toBeGreaterThan((zoned.get('#fbfbf8') ?? 0) + 5000);
    await page.locator('#look').click();
    await page.locator('.maplibregl-popup-content strong').waitFor();
    expect(await page.textContent('.maplibregl-popup-content')).toContain(subject.parcel_id);
    // Value, land and zone, and no name twice.
    const [own] = await database.query<{
      value: number | null;
      confidence: number | null;
      land: number;
      zone: string;
    }>(
      `SELECT predicted_price AS value, property_avm.confidence, round(land_area_sqm)::int AS land, COALESCE(z.code, z.name) AS zone FROM serving.property p
       JOIN serving.property_avm USING (gnaf_pid) JOIN serving.property_zoning z USING (gnaf_pid) WHERE gnaf_pid = $1`,
      [subject.gnaf_pid],
    );
    const chips = await page.locator('.maplibregl-popup-content .chips li').allTextContents();
    const shown = own!.value === null ? null : shownValue(own!.value, own!.confidence);
    const value =
      shown === null
        ? []
        : [`Value ${shown.is_uncertain ? 'about ' : ''}$${shown.value.toLocaleString('en-AU')}`];
    expect(chips.filter((chip) => chip.startsWith('Value'))).toEqual(value);
    expect(chips).toContain(`Land ${own!.land.toLocaleString('en-AU')} m²`);
    expect(chips).toContain(`Zone ${own!.zone}`);
    const words = chips.flatMap((chip) => chip.replace(/^[^:]*: /, '').split(', '));
    expect(new Set(words).size, chips.join('; ')).toBe(words.length);
    await keepPicture(page, 'map-1280');
    expect(await seriousFindings(page)).toEqual([]);
    // By keyboard alone: the link has the focus, Escape closes what was opened.
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(
      `/property/${subject.gnaf_pid}`,
    );
    await page.keyboard.press('Escape');
    expect(await page.locator('.maplibregl-popup').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)('opens on a place with something to see, and says in which colours', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, problems } = await openWindow(browser, server.url, 1280, scheme);
      await page.goto(`${server.url}/map`);
      await mapIsDrawn(page);
      const keys = page.locator('#keys li');
      const legend = await keys.allTextContents();
      for (const title of ['Suburbs', 'Parcels', 'AStreet names', 'Zones']) expect(legend).toContain(title);
      // The commonest colours on the map are those of the legend, by day and by night.
      const drawn = await coloursOf(page, '#map canvas');
      const zones = (await page.evaluate(`[...document.querySelectorAll('#keys li:not(.of) .swatch')]
        .map((each) => each.style.background).filter(Boolean)
        .map((rgb) => '#' + rgb.match(/[0-9]+/g).map((part) => Number(part).toString(16).padStart(2, '0')).join(''))`)) as string[];
      const ground = ['#e9eef2', '#fbfbf8', '#161d24', '#232e38'];
      expect(zones).toContain([...drawn.keys()].find((each) => !ground.includes(each)));
      // Fainter areas are fainter in the legend too, and a link keeps it.
      await page.locator('#opacity').fill('40');
      expect(page.url()).toContain('opacity=40');
      expect(
        await page.evaluate(`getComputedStyle(document.querySelector('#keys .swatch:not(.dot)')).opacity`),
      ).toBe('0.4');
      await keepPicture(page, `map-opening-${scheme}`);
      // A link that names layers alone draws them.
      await page.goto(`${server.url}/map?layers=parcel,address`);
      await mapIsDrawn(page);
      expect(await keys.allTextContents()).toEqual(['Parcels', 'Addresses']);
      expect(await page.textContent('#says')).toContain('All selected layers are shown');
      expect(problems).toEqual([]);
      await page.close();
    }
  });

  it.skipIf(!CHROMIUM)('draws each kind of overlay in its colour, and names the kinds in view', async () => {
    const [at] = await database.query<{ lon: number; lat: number }>(
      `SELECT (min_lon + max_lon) / 2 AS lon, (min_lat + max_lat) / 2 AS lat FROM record.overlay_piece
       WHERE layer = 'Heritage Overlay' ORDER BY overlay_id, cell LIMIT 1`,
    );
    const { page, problems } = await openWindow(browser, server.url, 1280);
    await page.goto(`${server.url}/map?layers=overlay#at=17/${at!.lat}/${at!.lon}`);
    await mapIsDrawn(page);
    await page.locator('#keys').getByText('heritage').waitFor();
    expect((await coloursOf(page, '#map canvas')).has('#9c36b5')).toBe(true);
    await keepPicture(page, 'map-overlays');
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)('hatches hazards, so that the zones below keep their colours', async () => {
    const [hazard] = await database.query<{ layer: string; lon: number; lat: number }>(
      `SELECT layer, lon, lat FROM serving.property_risk JOIN serving.property USING (gnaf_pid)
       WHERE on_property AND layer IN ('bushfire', 'flood') ORDER BY gnaf_pid LIMIT 1`,
    );
    const { page, problems } = await openWindow(browser, server.url, 1280);
    const at = `#at=17/${hazard!.lat}/${hazard!.lon}`;
    await page.goto(`${server.url}/map?layers=SAL,zone${at}`);
    await mapIsDrawn(page);
    const [most, pixels] = [...(await coloursOf(page, '#map canvas'))][0]!;
    await page.goto(`${server.url}/map?layers=SAL,zone,${hazard!.layer}${at}`);
    await mapIsDrawn(page);
    const over = await coloursOf(page, '#map canvas');
    expect(over.get(most)!).toBeGreaterThan(pixels / 2);
    expect(over.get(most)!).toBeLessThan(pixels);
    await keepPicture(page, 'map-hatched');
    expect(problems).toEqual([]);
    await page.close();
  });

  it('names streets along their addresses', async () => {
    const streets = (await tile('street', tileOf(16, subject.lon, subject.lat))).layers.street!;
    const names = [...Array(streets.length).keys()].map((i) => String(streets.feature(i).properties.name));
    expect(names.length).toBeGreaterThan(0);
    const known = await database.query<{ street: string }>('SELECT DISTINCT street FROM serving.property');
    for (const name of names) {
      expect(known.map(({ street }) => street)).toContain(name.toUpperCase());
      expect(name).not.toBe(name.toUpperCase());
    }
  });

  it('names a suburb inside its boundary', async () => {
    const [{ lon, lat }] = [subject];
    const at = tileOf(10, lon, lat);
    const suburbs = (await tile('SAL', at)).layers.SAL!;
    const [x, y] = at.split('/').slice(1).map(Number) as [number, number];
    const features = [...Array(suburbs.length).keys()].map((i) => suburbs.feature(i).toGeoJSON(x, y, 10));
    const areas = features.filter(({ geometry }) => /Polygon/.test(geometry.type));
    const names = features.filter(({ geometry }) => geometry.type === 'Point');
    expect(names.length).toBeGreaterThan(0);
    for (const { geometry, properties } of names) {
      const own = areas.find((each) => each.properties!.code === properties!.code)!;
      expect(booleanPointInPolygon(geometry as Point, own.geometry as Polygon), properties!.name).toBe(true);
    }
  });

  it.skipIf(!CHROMIUM)('colours suburbs, on a phone and by night', async () => {
    const { page, problems } = await openWindow(browser, server.url, 390, 'dark');
    await page.goto(`${server.url}/map?layers=SAL`);
    await mapIsDrawn(page);
    const before = await coloursOf(page, '#map canvas');
    await page.selectOption('#measure', 'coverage:property.land_area_sqm');
    await page.locator('#classes').getByText('suburbs have a value').waitFor();
    await page.waitForTimeout(400);
    const after = await coloursOf(page, '#map canvas');
    const legend = ['#fde9c8', '#f5bd7c', '#e2816a', '#b04a78', '#5b2a78'];
    expect(legend.some((colour) => (after.get(colour) ?? 0) > (before.get(colour) ?? 0))).toBe(true);
    expect(await tooWide(page)).toEqual([]);
    expect(page.url()).toContain('measure=coverage');
    await keepPicture(page, 'map-390');
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)('finds a property by address and opens it, with its map and payloads', async () => {
    const { page, problems } = await openWindow(browser, server.url, 1280);
    await page.goto(`${server.url}/runs`);
    // By keyboard: what is typed, the first suggestion, Enter.
    await page.getByRole('searchbox').fill(subject.address);
    await page.locator('#found a').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/property/${subject.gnaf_pid}`);
    expect(await page.textContent('h1')).toBe(addressTitleCase(subject.address));
    await mapIsDrawn(page);
    // The parcel is marked, and fills a good part of the map.
    const colours = await coloursOf(page, '#map canvas');
    expect(colours.get('#c92a2a') ?? 0).toBeGreaterThan(200);
    for (const card of ['Schools', 'Transport'])
      expect(await page.locator('.card h2', { hasText: card }).count(), card).toBe(1);
    expect(await page.locator('.card h2', { hasText: 'Market of' }).count()).toBe(1);
    await page.locator('#payloads > summary').click();
    const details = page.locator('details[data-payload$="/payload/profile"]');
    await details.locator('summary').click();
    await details.getByText('"mesh_block"').waitFor();
    await keepPicture(page, 'property-1280');
    expect(await seriousFindings(page)).toEqual([]);
    await page.locator('#fields > summary').click();
    await page.locator('summary', { hasText: 'One property: a live principal' }).click();
    await page.locator('a[href$="/why/property.parcel_id"]').click();
    await page.waitForURL('**/why/property.parcel_id');
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it.skipIf(!CHROMIUM)('shows every page at both widths, by day and by night', async () => {
    const pages: [string, string][] = [
      ['overview', '/'],
      ['runs', '/runs'],
      ['run', '/runs/1'],
      ['find', '/property'],
      ['accuracy', '/accuracy'],
      ['property', `/property/${subject.gnaf_pid}`],
      ['valuation', `/property/${subject.gnaf_pid}/valuation`],
      ['why', `/property/${subject.gnaf_pid}/why/property.parcel_id`],
      ['map', '/map'],
      ['datasets', '/datasets'],
      ['dataset', '/datasets/gnaf'],
      ['lineage', '/lineage'],
      ['lineage-of', '/lineage?of=dataset:gnaf'],
      ['jobs', '/jobs'],
      ['avm', '/jobs/avm'],
      ['cma', '/jobs/cma'],
      ['tables', '/tables'],
      ['table', '/tables/property'],
      ['sql', '/sql'],
      ['operate', '/operate'],
      ['queue', '/queue'],
    ];
    await database.query(
      `INSERT INTO control.run (command, state, finished_at, report)
       VALUES ('refresh', 'failed', now(), '{"error":{"code":"missing_column","message":"PARCEL_VIEW.shp: no column for the identifier of a parcel (lot_no)."}}')`,
    );
    // A reason that is longer than a phone is wide, in the first row of the stages.
    await database.query(
      `UPDATE control.run SET report = jsonb_set(jsonb_set(report, '{stages,0,account,rejects}', '999999'),
         '{stages,0,reasons}', '{"another input: serve_property_overlay and zone, changed keys": 123456}') WHERE run_id = 1`,
    );
    for (const [width, scheme] of WINDOWS) {
      const { page, problems } = await openWindow(browser, server.url, width, scheme);
      for (const [name, path] of pages) {
        await page.goto(server.url + path);
        if (['property', 'map', 'table'].includes(name)) await mapIsDrawn(page);
        await keepPicture(page, `${name}-${width}-${scheme}`);
        expect(await tooWide(page), `${name} ${width}`).toEqual([]);
        if (width < 500) {
          expect(await sideways(page), name).toEqual([]);
          expect(await cutTexts(page), name).toEqual([]);
          // Of a property the sample country's page was 8,591 pixels high, with the map of its surroundings.
          expect(await page.evaluate<number>('document.documentElement.scrollHeight'), name).toBeLessThan(
            name === 'run' ? 20_000 : 6500,
          );
        }
        expect(await seriousFindings(page), `${name} ${width} ${scheme}`).toEqual([]);
        expect(await page.locator('nav[aria-label=Console] a').count()).toBe(12);
        // Dates stand on one line.
        const tall = await page.evaluate(
          `[...document.querySelectorAll('time')].filter((each) => each.getClientRects().length > 1).length`,
        );
        expect(tall, name).toBe(0);
      }
      await page.goto(`${server.url}/runs`);
      // An error is seen without scrolling sideways.
      const error = await page.getByText('PARCEL_VIEW.shp').first().boundingBox();
      expect(error!.x + error!.width).toBeLessThanOrEqual(width);
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
