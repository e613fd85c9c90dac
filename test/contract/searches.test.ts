import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { NO_DATA } from '../../contract/answers/answer.ts';
import { answerOf, ask, find, readParams } from '../../contract/answers/ask.ts';
import { WrongParameters } from '../../contract/answers/parameter_errors.ts';
import { PROPERTY_SECTIONS, propertyAll, SUBURB_SECTIONS } from '../../contract/bundles/bundle.ts';
import { conditionsOf, finderScore } from '../../contract/finder/conditions.ts';
import { limitsOf } from '../../contract/finder/limits.ts';
import { type FinderParams, SORT_COLUMNS } from '../../contract/finder/params.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { suburbFinder } from '../../contract/finder/suburb_finder.ts';
import { property, suburb } from '../../contract/geocode/by_address.ts';
import { geocode } from '../../contract/geocode/geocode.ts';
import { ENDPOINTS, SEARCHES } from '../../contract/index.ts';
import { propertyNeighbours } from '../../contract/property/property_neighbours.ts';
import type { RiskRecord } from '../../contract/property/risks.ts';
import { RATE_CARD } from '../../contract/service/rate_card.ts';
import {
  datasetCatalogue,
  fieldCoverage,
  publications,
  sandboxSample,
} from '../../contract/service/service.ts';
import { suburbSearch } from '../../contract/suburb/suburb_search.ts';
import { loadedSources } from '../../pipelines/publish/catalogue.ts';
import { HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import { AREA_LEVELS } from '../../schema/serving/area_level.ts';
import type { Serving, ServingDatabase } from '../../schema/serving/database.ts';
import { datasetCatalogueTable } from '../../schema/serving/dataset_catalogue.ts';
import { openPool } from '../../store/database.ts';
import { hazardClass } from '../../transforms/hazards/hazard_class.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

/** Tables that are small wherever the pipeline runs: reading one whole costs milliseconds. */
const SMALL = ['setting', 'search_area', 'locality', 'suburb', 'sandbox_sample', 'school'];

describe('the contract tables and the searches over them', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;
  let asked: CompiledQuery[] = [];

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    db = new Kysely<ServingDatabase>({
      dialect: new PostgresDialect({ pool: openPool(database.url, 1) }),
      log: ({ query }) => {
        asked.push(CompiledQuery.raw(query.sql, [...query.parameters]));
      },
    });
    await sql`SET ROLE api_reader`.execute(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('finds every property by its own address', async () => {
    const rows = await database.query<{ gnaf_pid: string; address: string }>(
      `SELECT gnaf_pid, address FROM serving.property p WHERE number_first IS NOT NULL AND street IS NOT NULL
         AND (SELECT count(*) FROM serving.property q WHERE q.address = p.address) = 1 ORDER BY gnaf_pid LIMIT 120`,
    );
    expect(rows.length).toBeGreaterThan(100);
    let matched = 0;
    for (const { gnaf_pid, address } of rows) {
      const found = await find(geocode, db, { address });
      expect(
        found.candidates.map((each) => each.gnaf_pid),
        address,
      ).toContain(gnaf_pid);
      if (found.gnaf_pid === gnaf_pid) matched++;
      expect([null, gnaf_pid], address).toContain(found.gnaf_pid);
    }
    expect(matched / rows.length).toBeGreaterThan(0.9);
  });

  it('finds an address with a typing error in its suburb, and nothing for an unknown one', async () => {
    const [row] = await database.query<{
      gnaf_pid: string;
      number_first: string;
      street: string;
      locality: string;
      state: string;
    }>(
      `SELECT gnaf_pid, number_first, street, locality, state FROM serving.property
       WHERE dwelling_type = 'house' AND street IS NOT NULL AND length(locality) > 8 ORDER BY gnaf_pid LIMIT 1`,
    );
    const { number_first, street, locality, state } = row!;
    const slip = locality.slice(0, 3) + locality.slice(4);
    const found = await find(geocode, db, {
      address: `${number_first} ${street.toLowerCase()}, ${slip} ${state}`,
    });
    expect(found.candidates.map((each) => each.gnaf_pid)).toContain(row!.gnaf_pid);
    const nothing = await find(geocode, db, { address: '1 Nowhere Street, Atlantis VIC 3999' });
    expect(nothing).toMatchObject({ status: 'no_match', gnaf_pid: null, candidates: [] });
  });

  it('finds suburbs exactly, by a part and with a slip', async () => {
    const suburbs = await database.query<{ name: string; name_key: string; state: string }>(
      "SELECT name, name_key, state FROM serving.search_area WHERE level = 'SAL' ORDER BY name",
    );
    for (const { name, name_key, state } of suburbs) {
      const exact = await find(suburbSearch, db, { q: name });
      expect(exact.results[0], name).toMatchObject({ suburb_name: name, match: 'exact', score: 1 });
      const part = await find(suburbSearch, db, { q: name_key.slice(1), state, limit: 100 });
      if (name_key.length > 4)
        expect(
          part.results.map((each) => each.suburb_name),
          name,
        ).toContain(name);
      const slip = name_key.slice(0, 2) + name_key.slice(3);
      if (name_key.length >= 8) {
        const fuzzy = await find(suburbSearch, db, { q: slip, limit: 100 });
        expect(
          fuzzy.results.map((each) => each.suburb_name),
          slip,
        ).toContain(name);
      }
    }
    expect(await find(suburbSearch, db, { q: '???' })).toEqual({ results: [] });
  });

  it('answers any text and refuses any parameter without an exception', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(text, text, async (address, name) => {
        for (const [search, query] of [
          [geocode, { address }],
          [suburbSearch, { q: name, state: address }],
          [propertyFinder, { suburbs: name, [address]: name }],
          [propertyNeighbours, { id: name }],
          [property, { address }],
          [suburb, { suburb: name }],
        ] as const) {
          if ('params' in readParams(search as typeof geocode, query))
            await find(search as typeof geocode, db, query).catch((error: unknown) => {
              // No property has such an id.
              if (!(error instanceof WrongParameters)) throw error;
            });
        }
      }),
      { numRuns: 40, seed: 11 },
    );
    const value = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    fc.assert(
      fc.property(
        fc.constantFrom(...ENDPOINTS),
        fc.constantFrom('radius_m', 'geojson', 'x'),
        value,
        (endpoint, name, given) => {
          const read = readParams(endpoint, { [name]: given });
          if ('detail' in read) for (const { loc } of read.detail) expect(loc[0]).toBe('query');
        },
      ),
      { numRuns: 500, seed: 12 },
    );
  });

  it('answers every allowed parameter of every endpoint within its bounds, and refuses the others', async () => {
    const subjects = await database.query<{
      gnaf_pid: string;
      sal: string;
      sa2: string;
      lga: string;
      poa: string;
    }>(
      `SELECT gnaf_pid, suburb AS sal, sa2, lga, poa FROM serving.property_profile
       WHERE suburb IS NOT NULL AND lga IS NOT NULL ORDER BY md5(gnaf_pid) LIMIT 20`,
    );
    const text = (value: fc.Arbitrary<unknown>) => value.chain((each) => fc.constantFrom(each, String(each)));
    const whole = text(fc.oneof(fc.integer({ min: 100, max: 5000 }), fc.integer(), fc.double()));
    const query = fc.record(
      {
        radius_m: whole,
        limit: text(fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer())),
        geojson: text(fc.oneof(fc.boolean(), fc.constant('perhaps'))),
        level: fc.oneof(fc.constantFrom(...AREA_LEVELS, 'lga', ' poa ', ''), fc.string()),
        type: fc.oneof(fc.constantFrom('sale', 'rent', 'SALE', ''), fc.string()),
      },
      { requiredKeys: [] },
    );
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ENDPOINTS),
        fc.constantFrom(...subjects),
        query,
        async (endpoint, subject, all) => {
          const known = Object.keys((endpoint.params as unknown as { shape: object }).shape);
          const given = Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name)));
          for (const name of Object.keys(all).filter((each) => !known.includes(each)))
            expect(readParams(endpoint, { [name]: all[name as keyof typeof all] })).toHaveProperty('detail');
          const read = readParams(endpoint, given);
          if ('detail' in read) {
            for (const { loc, input } of read.detail) expect(input).toBe(given[loc[1] as string]);
            return;
          }
          const params = read.params as { radius_m?: number; limit?: number; level?: string };
          if (params.radius_m !== undefined)
            expect(params.radius_m >= 100 && params.radius_m <= 5000).toBe(true);
          const ids: Record<string, string> = { SA2: subject.sa2, LGA: subject.lga, POA: subject.poa };
          const id = endpoint.subject === 'property' ? subject.gnaf_pid : (ids[params.level!] ?? subject.sal);
          const envelope = await ask(endpoint, db, id, given);
          if (envelope.data === null) return;
          answered++;
          if (params.limit !== undefined)
            expect((envelope.data as unknown[]).length).toBeLessThanOrEqual(params.limit);
          const { counts, results } = envelope.data as {
            counts?: Record<string, number>;
            results?: { distance_m: number }[];
          };
          if (params.radius_m === undefined || counts === undefined || results === undefined) return;
          expect(
            Math.min(
              80,
              Object.values(counts).reduce((a, b) => a + b),
            ),
          ).toBe(results.length);
          for (const { distance_m } of results) expect(distance_m).toBeLessThanOrEqual(params.radius_m);
        },
      ),
      { numRuns: 250, seed: 14 },
    );
    expect(answered).toBeGreaterThan(40);
  });

  it('gives a typed reason on every endpoint for a property of nulls and for any name', async () => {
    const pid = 'GANEW000000001';
    const everything = await database.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = 'serving' AND table_name = 'property' AND is_nullable = 'YES'`,
    );
    const nulls = everything.map((each) => each.column_name);
    await database.query(
      `INSERT INTO serving.property SELECT (jsonb_populate_record(NULL::serving.property, to_jsonb(t) || $1)).*
       FROM (SELECT * FROM serving.property LIMIT 1) t`,
      [
        JSON.stringify({
          ...Object.fromEntries(nulls.map((name) => [name, null])),
          gnaf_pid: pid,
          cell: -1,
          parcel_method: 'none',
          land_area_reason: 'parcel_not_found',
          is_parcel_position: false,
        }),
      ],
    );
    try {
      // A property is its own successor.
      const having = ['all', 'successor'];
      for (const endpoint of ENDPOINTS.filter(
        (each) => each.subject === 'property' && !having.includes(each.subpath),
      )) {
        const envelope = await ask(endpoint, db, pid);
        expect(envelope, endpoint.subpath).toMatchObject({
          data: null,
          available: false,
          reason: `no_${endpoint.noun}_for_${pid}`,
        });
      }
      const all = (await ask(propertyAll, db, pid)).data!;
      for (const [path, section] of Object.entries(all))
        expect(NO_DATA, path).toContain((section as { no_data: string }).no_data);
    } finally {
      await database.query('DELETE FROM serving.property WHERE gnaf_pid = $1', [pid]);
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ENDPOINTS),
        fc.string({ unit: 'binary', maxLength: 30 }),
        async (endpoint, id) => {
          expect(await ask(endpoint, db, id)).toMatchObject({ data: null });
        },
      ),
      { numRuns: 100, seed: 13 },
    );
  });

  it('stores the score and membership of a search without criteria for every property', async () => {
    const params = propertyFinder.params.parse({ suburbs: 'x' }) as FinderParams;
    const limits = limitsOf(params);
    const rows = await db
      .selectFrom('serving.property_finder')
      .select(['gnaf_pid', 'default_score', finderScore(params, limits).as('score')])
      .select((eb) => eb.and(conditionsOf(params, limits, true)).as('is_found'))
      .execute();
    expect(new Set(rows.map((row) => row.is_found === true))).toEqual(new Set([true, false]));
    expect(new Set(rows.map((row) => row.default_score)).size).toBeGreaterThan(5);
    for (const { gnaf_pid, default_score, score, is_found } of rows)
      expect(default_score, gnaf_pid).toBe(is_found === true ? score : null);
  });

  it('has the shapes of hazards inside their records, of the layers that have them', async () => {
    const rows = await database.query<{ gnaf_pid: string }>(
      'SELECT DISTINCT ON (layer, on_property) gnaf_pid FROM serving.property_risk ORDER BY layer, on_property, gnaf_pid',
    );
    const kinds = new Set<string>();
    const shaped = ENDPOINTS.filter((each) => 'params' in readParams(each, { geojson: true }));
    expect(shaped.map(({ subpath }) => subpath).sort()).toEqual(
      ['all', 'bushfire', 'erosion', 'flood', 'heritage', 'landslide'].map((each) => `risks/${each}`),
    );
    for (const { gnaf_pid } of rows) {
      for (const endpoint of shaped) {
        const plain = JSON.stringify(await ask(endpoint, db, gnaf_pid));
        expect(plain).not.toContain('geojson');
        const { data, layers } = await ask(endpoint, db, gnaf_pid, { geojson: true });
        if (endpoint.extras)
          expect(endpoint.extras.safeParse({ layers }), `${endpoint.subpath} ${gnaf_pid}`).toMatchObject({
            success: true,
          });
        const records = Array.isArray(data) ? data : Object.values(data ?? {}).flat();
        for (const record of records as (RiskRecord | null)[])
          for (const { geometry } of record?.geojson?.features ?? []) kinds.add(geometry.type);
      }
    }
    expect(kinds).toEqual(new Set(['Polygon', 'MultiPolygon']));
    for (const endpoint of ENDPOINTS)
      expect(endpoint.extras !== undefined, endpoint.subpath).toBe(
        endpoint.subpath === 'risks/all' || endpoint.subject === 'suburb',
      );
  });

  it('has a risk record for each class, what is on the property first and then the nearest, with the shapes of its class', async () => {
    const rows = await database.query<{ gnaf_pid: string; layer: HazardLayer }>(
      `SELECT DISTINCT ON (layer) gnaf_pid, layer FROM serving.property_risk JOIN serving.property USING (gnaf_pid)
       WHERE lon IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY layer, count(*) DESC, gnaf_pid`,
    );
    expect(rows.length).toBeGreaterThan(1);
    for (const { gnaf_pid, layer } of rows) {
      const endpoint = ENDPOINTS.find(({ subpath }) => subpath === `risks/${layer.replaceAll('_', '-')}`)!;
      const takesShapes = 'params' in readParams(endpoint, { geojson: true });
      const { data } = await ask(endpoint, db, gnaf_pid, takesShapes ? { geojson: true } : {});
      const records = data as RiskRecord[];
      const label = `${gnaf_pid} ${layer}`;
      expect(records.length, label).toBeGreaterThan(1);
      const distances = records.map(({ nearest_distance_m }) => nearest_distance_m);
      expect(distances, label).toEqual([...distances].sort((a, b) => a - b));
      for (const record of records) expect(record.on_property, label).toBe(record.nearest_distance_m === 0);
      expect(new Set(records.map(({ area_level }) => area_level))).toEqual(
        new Set([layer === 'public_housing' ? 'SA1' : 'property']),
      );
      if (!takesShapes) continue;
      const named = (record: RiskRecord) =>
        (record.geojson?.features ?? []).map(
          ({ properties }) => `${HAZARDS[layer].title} - ${hazardClass(properties.name)}`,
        );
      for (const record of records) for (const name of named(record)) expect(name, label).toBe(record.name);
    }
  });

  it('finds a suburb in any case at every endpoint, and says its canonical name', async () => {
    const [{ sal }] = (await database.query<{ sal: string }>(
      "SELECT sal FROM serving.sandbox_sample WHERE state = 'VIC'",
    )) as [{ sal: string }];
    for (const endpoint of ENDPOINTS.filter(({ subject }) => subject === 'suburb')) {
      const canonical = await ask(endpoint, db, sal);
      expect(canonical.region, endpoint.subpath).toMatchObject({ level: 'SAL', name: sal });
      for (const name of [sal.toUpperCase(), sal.toLowerCase(), ` ${sal}`]) {
        const { reason: _, ...own } = (await ask(endpoint, db, name)) as { reason?: string };
        const { reason: __, ...wanted } = canonical as { reason?: string };
        expect(own, `${endpoint.subpath} ${name}`).toEqual(wanted);
      }
    }
    const [region] = await database.query<{ name: string }>(
      "SELECT name FROM serving.search_area WHERE level = 'SA3' ORDER BY code LIMIT 1",
    );
    const profile = ENDPOINTS.find(({ subpath }) => subpath === 'suburb/profile')!;
    expect((await ask(profile, db, region!.name.toUpperCase(), { level: 'SA3' })).region).toMatchObject({
      name: region!.name,
    });
  });

  it('names the SA2 and SA3 of a suburb as the profile of a property does, with their codes', async () => {
    const [home] = await database.query<{ gnaf_pid: string; sal: string }>(
      `SELECT p.gnaf_pid, p.suburb AS sal FROM serving.property_profile p JOIN serving.search_area a
         ON a.level = 'SAL' AND a.name = p.suburb AND a.sa2 = p.sa2 ORDER BY gnaf_pid LIMIT 1`,
    );
    const of = async (path: string, id: string) =>
      (await ask(ENDPOINTS.find(({ subpath }) => subpath === path)!, db, id)).data as Record<string, string>;
    const [suburb, property] = [await of('suburb/profile', home!.sal), await of('profile', home!.gnaf_pid)];
    expect([suburb.sa2, suburb.sa3]).toEqual([property.sa2, property.sa3]);
    expect(suburb.sa2).not.toMatch(/^\d+$/);
    expect(suburb.sa2_code).toMatch(/^\d{9}$|^\d+$/);
    expect(suburb.sa2_code!.startsWith(suburb.sa3_code!)).toBe(true);
  });

  it('has a reason of its own at every endpoint that differs from the others', () => {
    const nouns = ENDPOINTS.map(({ noun }) => noun);
    expect(nouns.filter((noun, i) => nouns.indexOf(noun) !== i)).toEqual([]);
  });

  it('tells the distance to the nearest school that is not special, of those that it lists', async () => {
    const rows = await database.query<{ gnaf_pid: string; school_m: number | null }>(
      'SELECT gnaf_pid, school_m FROM serving.property_finder WHERE lon IS NOT NULL ORDER BY md5(gnaf_pid) LIMIT 40',
    );
    const nearby = ENDPOINTS.find(({ subpath }) => subpath === 'schools/nearby')!;
    const seen = new Set<string | null>();
    for (const { gnaf_pid, school_m } of rows) {
      const { data } = await ask(nearby, db, gnaf_pid);
      const listed = (data ?? []) as {
        name: string;
        distance_m: number;
        school_level_type: string;
        sector: string;
      }[];
      const [first] = listed.filter(({ school_level_type }) => school_level_type !== 'Special');
      expect(first?.distance_m ?? null, gnaf_pid).toBe(school_m);
      for (const { name, school_level_type, sector } of listed) {
        seen.add(school_level_type).add(sector);
        if (name.includes('Special')) expect(school_level_type, name).toBe('Special');
      }
    }
    for (const word of ['Primary', 'Special', 'public', 'private']) expect(seen).toContain(word);
  });

  it('accepts the canonical name of a suburb in any case at every endpoint, and no shorter name', async () => {
    const [pair] = await database.query<{ name: string; bare: string }>(
      `SELECT name, regexp_replace(name, ' \\(.*', '') AS bare FROM serving.search_area a WHERE level = 'SAL' AND name LIKE '%(%'
         AND NOT EXISTS (SELECT 1 FROM serving.search_area b WHERE level = 'SAL' AND b.name = regexp_replace(a.name, ' \\(.*', ''))
       ORDER BY properties DESC, name LIMIT 1`,
    );
    const { name, bare } = pair!;
    const suburbPaths = ENDPOINTS.filter(({ subject }) => subject === 'suburb');
    const known = async (text: string): Promise<Record<string, boolean>> => {
      const answers: Record<string, boolean> = {};
      for (const endpoint of suburbPaths) {
        const { no_data } = (await ask(endpoint, db, text)) as { no_data?: string };
        answers[endpoint.path] = no_data !== 'unknown_suburb';
      }
      const unknown = (answer: object): boolean => 'no_data' in answer && answer.no_data === 'unknown_suburb';
      answers.suburb_finder = !unknown(await ask(suburbFinder, db, '', { suburbs: text }));
      const found = await answerOf(propertyFinder, db, '', propertyFinder.params.parse({ suburbs: text }));
      answers.property_finder = found.none === null;
      expect((found.body as { search_areas: string[] }).search_areas).toEqual(found.none ? [] : [name]);
      answers.suburb = (await find(suburb, db, { suburb: text })).region !== null;
      answers.field_coverage = (await find(fieldCoverage, db, { suburb: text })).length > 0;
      return answers;
    };
    for (const text of [name, name.toUpperCase(), name.toLowerCase()])
      expect(new Set(Object.values(await known(text))), text).toEqual(new Set([true]));
    for (const text of [bare, `${bare} (Nowhere)`, `${name} x`])
      expect(new Set(Object.values(await known(text))), text).toEqual(new Set([false]));
  });

  it('gives numbers the decimals that they have, and null for the unknown', async () => {
    const [sample] = await database.query<{ gnaf_pid: string; sal: string }>(
      "SELECT gnaf_pid, sal FROM serving.sandbox_sample WHERE state = 'VIC'",
    );
    const walk = (value: unknown, path: string): void => {
      if (typeof value === 'number')
        expect(String(value).split('.')[1]?.length ?? 0, path).toBeLessThanOrEqual(7);
      expect(value, path).not.toBe('');
      if (typeof value === 'object' && value !== null)
        for (const [key, each] of Object.entries(value)) walk(each, `${path}.${key}`);
    };
    for (const endpoint of ENDPOINTS) {
      const shapes = 'params' in readParams(endpoint, { geojson: true }) ? { geojson: true } : {};
      const id = endpoint.subject === 'suburb' ? sample!.sal : sample!.gnaf_pid;
      walk(await ask(endpoint, db, id, shapes), endpoint.subpath);
    }
    walk(await find(propertyFinder, db, { suburbs: sample!.sal }), 'finder');
    walk(await find(propertyNeighbours, db, { id: sample!.gnaf_pid, geojson: true }), 'neighbours');
  });

  it('writes the street of a sold home as the finder does', async () => {
    const rows = await database.query<{ sold: string | null; found: string | null }>(
      'SELECT s.street AS sold, f.street AS found FROM serving.sale s JOIN serving.property_finder f USING (gnaf_pid)',
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(({ sold, found }) => sold !== found)).toEqual([]);
  });

  it('gives a listing date only where the property is on the market', async () => {
    const rows = await database.query<{ status: string; n: number; listed: number }>(
      `SELECT b.status, count(*)::int AS n, count(f.listing_date)::int AS listed FROM serving.property_basics b
       JOIN serving.property_finder f USING (gnaf_pid) GROUP BY 1`,
    );
    const onMarket = new Set(['for sale', 'under offer', 'for rent']);
    expect(rows.some(({ status }) => onMarket.has(status))).toBe(true);
    for (const { status, n, listed } of rows) expect(listed, status).toBe(onMarket.has(status) ? n : 0);
  });

  it('ranks no area among fewer than five', async () => {
    const few = await database.query(
      'SELECT area FROM serving.region_ranking WHERE least(state_of, nation_of) < 5 OR coalesce(state_of, nation_of) IS NULL',
    );
    expect(few).toEqual([]);
  });

  it('reads no big table from end to end', async () => {
    const [sample] = await database.query<{ gnaf_pid: string; sal: string; address: string }>(
      "SELECT s.gnaf_pid, s.sal, p.address FROM serving.sandbox_sample s JOIN serving.property p USING (gnaf_pid) WHERE s.state = 'VIC'",
    );
    asked = [];
    for (const endpoint of ENDPOINTS) {
      const takes = (name: string) =>
        'params' in readParams(endpoint, { [name]: name === 'geojson' ? 'true' : '5000' });
      const query = takes('radius_m') ? { radius_m: '5000' } : takes('geojson') ? { geojson: 'true' } : {};
      await ask(endpoint, db, endpoint.subject === 'suburb' ? sample!.sal : sample!.gnaf_pid, query);
    }
    for (const sort_by of ['score', ...Object.keys(SORT_COLUMNS)]) {
      for (const where of [{ suburbs: sample!.sal, neighbors: true }, { regions: 'VIC' }])
        for (const more of [{}, { min_bedrooms: 1, property_type: 'house', features: 'natural_light' }])
          await find(propertyFinder, db, { ...where, ...more, sort_by });
    }
    await find(geocode, db, { address: sample!.address });
    await find(suburbSearch, db, { q: sample!.sal.slice(0, 5) });
    await find(propertyNeighbours, db, { id: sample!.gnaf_pid, geojson: true });
    const queries = [...new Map(asked.map((query) => [query.sql, query])).values()].filter(({ sql: text }) =>
      /^(select|with)/.test(text),
    );
    expect(queries.length).toBeGreaterThan(60);
    await sql`SET enable_seqscan = off`.execute(db);
    for (const query of queries) {
      const plan = await db.executeQuery<{ 'QUERY PLAN': string }>(
        CompiledQuery.raw(`EXPLAIN ${query.sql}`, [...query.parameters]),
      );
      const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      const scanned = [...text.matchAll(/Seq Scan on (\w+)/g)].map((match) => match[1]!);
      expect(
        scanned.filter((name) => !SMALL.includes(name)),
        `${query.sql}\n${text}`,
      ).toEqual([]);
    }
    await sql`SET enable_seqscan = on`.execute(db);
  });

  it('has one sample property and suburb for each state, with data on most endpoints', async () => {
    const samples = await database.query<{
      state: string;
      gnaf_pid: string;
      sal: string;
      subjects: string[];
    }>('SELECT * FROM serving.sandbox_sample ORDER BY state');
    const states = await database.query<{ state: string }>(
      'SELECT DISTINCT state FROM serving.property WHERE sal IS NOT NULL AND lon IS NOT NULL ORDER BY state',
    );
    expect(samples.map(({ state }) => state)).toEqual(states.map(({ state }) => state));
    for (const { gnaf_pid, subjects } of samples) {
      expect(subjects.length).toBeGreaterThan(8);
      const [property] = await database.query<{ sal: string }>(
        'SELECT sal FROM serving.property WHERE gnaf_pid = $1',
        [gnaf_pid],
      );
      expect(property).toEqual({ sal: samples.find((each) => each.gnaf_pid === gnaf_pid)!.sal });
    }
    // Most states have homes that are valued with confidence, and then so is their sample.
    const confident = await database.query<{ state: string; confidence: number | null }>(
      'SELECT s.state, a.confidence FROM serving.sandbox_sample s JOIN serving.property_avm a USING (gnaf_pid)',
    );
    expect(confident.filter(({ confidence }) => (confidence ?? 0) >= 60).length).toBeGreaterThan(4);
  });

  it('counts the filled fields as plain SQL does', async () => {
    const [differ] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.field_coverage f JOIN (
         SELECT sal, count(*)::int AS properties, count(land_area_sqm)::int AS area, count(b.bedrooms)::int AS beds
         FROM serving.property p LEFT JOIN serving.property_basics b USING (gnaf_pid) WHERE sal IS NOT NULL GROUP BY sal) s USING (sal)
       WHERE f.properties <> s.properties OR (field = 'property.land_area_sqm' AND filled <> area)
         OR (field = 'property_basics.bedrooms' AND filled <> beds) OR share_filled <> filled::float8 / f.properties`,
    );
    expect(differ).toEqual({ n: 0 });
  });

  it('has the prices of the specification, each of an endpoint that there is', async () => {
    const paths = [
      ...[...ENDPOINTS, ...SEARCHES].map(({ path }) => path),
      '/api/rate_card',
      '/v1/ping',
      '/v1/me',
      '/v1/exports',
      '/v1/exports/{export}',
      '/v1/watches',
      '/v1/watches/{watch_id}',
    ];
    expect(Object.keys(RATE_CARD).sort()).toEqual(paths.sort());
    const sum = (endpoints: readonly { path: string }[]) =>
      endpoints.reduce((cents, { path }) => cents + RATE_CARD[path]!, 0);
    expect(RATE_CARD['/v1/properties/{gnaf_id}/all']).toBe(sum(PROPERTY_SECTIONS));
    expect(RATE_CARD['/v1/suburbs/{suburb_name}/all']).toBe(sum(SUBURB_SECTIONS));
  });

  it('serves samples, datasets, publications and field coverage to the service itself', async () => {
    for (const [search, query, table] of [
      [sandboxSample, {}, 'sandbox_sample'],
      [datasetCatalogue, {}, 'dataset_catalogue'],
      [publications, { limit: 1000 }, 'publication'],
    ] as const) {
      const [count] = await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM serving.${table}`);
      const rows = (await find(search as typeof sandboxSample, db, query)) as unknown[];
      expect(rows.length, table).toBe(count!.n);
      expect(rows.length, table).toBeGreaterThan(0);
    }
    const [{ sal } = { sal: '' }] = await find(sandboxSample, db);
    const fields = await find(fieldCoverage, db, { suburb: sal });
    expect(fields.find(({ field }) => field === 'property.land_area_sqm')?.properties).toBeGreaterThan(0);
    expect(await find(publications, db, { before: 1 })).toEqual([]);
  });

  it('lists every loaded dataset with release, rows, licence and freshness', async () => {
    const { config } = await loadConfig(
      { config: join(dir, 'config.yaml'), set: [`database.url=${database.url}`] },
      {},
    );
    const rows = await db.selectFrom('serving.dataset_catalogue').selectAll().orderBy('dataset').execute();
    expect(rows.map((row) => row.dataset)).toEqual(Object.keys(config.datasets).sort());
    expect(Object.keys(rows[0]!)).toEqual(Object.keys(datasetCatalogueTable.columns));
    for (const row of rows) {
      expect(row.release, row.dataset).toMatch(/\S/);
      expect(row.records, row.dataset).toBeGreaterThan(0);
      expect(row.licence).toBe('generated');
      expect(row.title).not.toBe(row.adapter);
    }
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      const live = await loadedSources(client, config);
      expect(live.map(({ dataset, release, records }) => [dataset, release, records])).toEqual(
        rows.map(({ dataset, release, records }) => [dataset, release, records]),
      );
      expect(live.some((source) => source.coverage.some(({ theme }) => theme === 'flood'))).toBe(true);
    } finally {
      client.release();
      await pool.end();
    }
  });
});
