import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Envelope } from '../../contract/answers/answer.ts';
import { ask, find, readParams } from '../../contract/answers/ask.ts';
import { propertyAll, suburbAll } from '../../contract/bundles/bundle.ts';
import { avmOf, cmaOf, property, suburb } from '../../contract/geocode/by_address.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { amenitiesNearby } from '../../contract/property/amenities_nearby.ts';
import { landArea } from '../../contract/property/land_area.ts';
import { neighbours } from '../../contract/property/neighbours.ts';
import { type AllRisks, risksAll } from '../../contract/property/risks.ts';
import { zoningCode } from '../../contract/property/zoning_code.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { AREA_COLUMN, AREA_LEVELS } from '../../schema/serving/area_level.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openServing } from '../../store/read/serving.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { feature, squareAt } from '../sources/feature_writers.ts';

const suburbEndpoint = (path: string) => ENDPOINTS.find((each) => each.subpath === `suburb/${path}`)!;

/** A council's zones over the Northern Territory that have names and no codes. */
async function zoneWithoutCode(dir: string): Promise<void> {
  const zone = feature({ Zone: 'Low impact industry' }, squareAt(130.6, -12.8, 0.6));
  await writeFile(
    join(dir, 'council_zones.geojson'),
    JSON.stringify({ type: 'FeatureCollection', features: [zone] }),
  );
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
  config.datasets.zoning_nt = {
    adapter: 'zoning',
    path: 'council_zones.geojson',
    licence: 'generated',
    crs: 'EPSG:7844',
    options: { state: 'NT', field_map: { name: 'Zone', scheme: 'qld' } },
  };
  await writeFile(path, stringify(config));
}

/** Names of the parameters that an endpoint has. */
const shapeOf = (params: unknown) => (params as { shape: object }).shape;

describe('the read contract over published tables', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    await zoneWithoutCode(dir);
    expect((await refreshSample(database, dir, OPEN_GATES)).error).toBeNull();
    db = openServing(database.url);
    // The one connection reads as the API does.
    await sql`SET ROLE api_reader`.execute(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('answers every endpoint with a payload or a typed reason, for properties without coordinates or parcel first', async () => {
    const pids = await database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property ORDER BY lon IS NOT NULL, parcel_id IS NOT NULL, md5(gnaf_pid) LIMIT 150',
    );
    expect(pids).toHaveLength(150);
    for (const { gnaf_pid } of pids) {
      for (const endpoint of ENDPOINTS.filter(
        (each) => each.subject === 'property' && each.subpath !== 'all',
      )) {
        const envelope = await ask(endpoint, db, gnaf_pid);
        if (envelope.data === null) {
          expect(envelope).toMatchObject({
            available: false,
            reason: `no_${endpoint.noun}_for_${gnaf_pid}`,
          });
        }
      }
    }
  });

  it('answers every suburb endpoint for every suburb with a payload or a typed reason', async () => {
    const suburbs = await database.query<{ sal: string }>('SELECT sal FROM serving.suburb');
    expect(suburbs.length).toBeGreaterThan(5);
    const answered = new Set<string>();
    for (const { sal } of suburbs) {
      for (const endpoint of ENDPOINTS.filter((each) => each.subject === 'suburb')) {
        if ((await ask(endpoint, db, sal)).data !== null) answered.add(endpoint.subpath);
      }
    }
    expect([...answered]).toEqual(
      expect.arrayContaining(['suburb/profile', 'suburb/demographics', 'suburb/hazards', 'suburb/shape']),
    );
  });

  it.each(ENDPOINTS.map((endpoint) => [endpoint.subpath, endpoint] as const))(
    '%s answers unknown_property or unknown_suburb for an unknown id',
    async (_, endpoint) => {
      expect(await ask(endpoint, db, 'GAVIC000000000')).toMatchObject({
        data: null,
        no_data: `unknown_${endpoint.subject}`,
      });
    },
  );

  it('tells a place without a zoning source from an address without a position', async () => {
    const [covered] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property_coverage c JOIN serving.property p USING (gnaf_pid)
       WHERE 'zoning' = ANY (covered) AND parcel_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM serving.property_zoning z WHERE z.gnaf_pid = c.gnaf_pid) LIMIT 1`,
    );
    const [uncovered] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property WHERE state = 'QLD' AND is_parcel_position LIMIT 1`,
    );
    if (covered)
      expect(['not_matched', 'none_found']).toContain(
        ((await ask(zoningCode, db, covered.pid)) as { no_data: string }).no_data,
      );
    expect(await ask(zoningCode, db, uncovered!.pid)).toMatchObject({ no_data: 'not_covered' });
  });

  it('serves the name and category of a zone that its council ships without a code', async () => {
    const [there] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property_zoning z JOIN serving.property p USING (gnaf_pid) WHERE p.state = 'NT' LIMIT 1`,
    );
    const data = { code: null, name: 'Low impact industry', category: 'industrial' };
    expect(await ask(zoningCode, db, there!.pid)).toMatchObject({ data });
    const all = (await ask(propertyAll, db, there!.pid)) as { data: Record<string, { data: unknown }> };
    expect(all.data['development/zoning-code']!.data).toEqual(data);
  });

  it.each(AREA_LEVELS)('answers for every %s what plain SQL finds in it', async (level) => {
    const areas = await database.query<{ code: string; name: string; properties: number }>(
      'SELECT code, name, properties FROM serving.search_area WHERE level = $1 ORDER BY code',
      [level],
    );
    expect(areas.length).toBeGreaterThan(3);
    const column = AREA_COLUMN[level];
    const counts = new Map(
      await Promise.all(
        ['sale', 'listing', 'school'].map(async (table) => {
          const rows = await database.query<{ area: string; n: number }>(
            `SELECT ${column} AS area, count(*)::int AS n FROM serving.${table} WHERE ${column} IS NOT NULL GROUP BY 1`,
          );
          return [table, new Map(rows.map(({ area, n }) => [area, n]))] as const;
        }),
      ),
    );
    const answered = new Map<string, number>();
    for (const { code, name, properties } of areas) {
      const area = level === 'SAL' ? name : code;
      const get = async (path: string, query: Record<string, unknown> = {}) => {
        const envelope = await ask(suburbEndpoint(path), db, area, { level, ...query });
        if (envelope.data !== null) answered.set(path, (answered.get(path) ?? 0) + 1);
        return envelope as { data: never; no_data?: string };
      };
      expect((await get('profile')).data).toMatchObject({ level, code, name, properties });
      for (const [table, path] of [
        ['sale', 'sales'],
        ['listing', 'listings'],
        ['school', 'schools'],
      ] as const) {
        const { data, no_data } = await get(path, path === 'schools' ? {} : { limit: 1000 });
        expect((data as unknown[] | null)?.length ?? 0, `${path} of ${area}`).toBe(
          counts.get(table)!.get(area) ?? 0,
        );
        if (data === null) expect(['none_found', 'not_covered']).toContain(no_data);
      }
      for (const path of ['demographics', 'hazards', 'shape', 'neighbours']) await get(path);
      const hasMarket = (await get('market')).data !== null;
      for (const path of ['ranking', 'growth-forecast']) {
        const { data, no_data } = await get(path);
        if (data === null && hasMarket) expect(no_data, `${path} of ${area}`).toBe('suppressed');
      }
    }
    const hasNeighbours = level === 'SAL' || level === 'SA2';
    for (const [path, expected] of Object.entries({
      profile: true,
      sales: true,
      schools: true,
      market: true,
      hazards: true,
      shape: true,
      listings: true,
      neighbours: hasNeighbours,
      demographics: true,
    }))
      expect(answered.has(path), path).toBe(expected);
  });

  it.each(AREA_LEVELS)(
    'serves the Census figures of every %s, whose population is the sum of its SA1s',
    async (level) => {
      const census = await database.query<{ code: string; name: string | null; population: number }>(
        'SELECT code, name, population FROM serving.region_demographics WHERE level = $1 ORDER BY code',
        [level],
      );
      const [counted] = await database.query<{ persons: number }>(
        "SELECT sum(population)::int AS persons FROM record.census_region WHERE level = 'SA1'",
      );
      expect(census.reduce((sum, row) => sum + row.population, 0)).toBe(counted!.persons);
      for (const { code, name, population } of census) {
        const id = level === 'SAL' ? name! : code;
        const { data } = await ask(suburbEndpoint('demographics'), db, id, { level });
        // The ABS publishes no indexes of an SA3, and none of a place with too few people.
        const index = level === 'SA3' || population < 10 ? null : expect.any(Number);
        const median = population < 10 ? null : expect.any(Number);
        expect(data, id).toMatchObject({
          population,
          median_age: median,
          median_household_income_aud_pw: median,
          irsad_score: index,
          irsad_decile: index,
        });
        const { subjects } = data as { subjects: { subject: string }[] };
        expect(subjects.length > 0, id).toBe(population > 0);
      }
    },
  );

  it('gives the figures of every pocket that is published, under its suburb', async () => {
    const pockets = await database.query<{ sal: string; n: number }>(
      'SELECT sal, count(*)::int AS n FROM serving.pocket_market WHERE sal IS NOT NULL GROUP BY sal',
    );
    expect(pockets.length).toBeGreaterThan(0);
    for (const { sal, n } of pockets)
      expect((await ask(suburbEndpoint('pockets'), db, sal)).data, sal).toHaveLength(n);
  });

  it('finds a region by its name, and answers unknown_region for another name', async () => {
    const [council] = await database.query<{ code: string; name: string }>(
      "SELECT code, name FROM serving.search_area WHERE level = 'LGA' ORDER BY code LIMIT 1",
    );
    const profile = suburbEndpoint('profile');
    const byName = await ask(profile, db, council!.name, { level: 'lga' });
    expect(byName.data).toMatchObject({ level: 'LGA', code: council!.code });
    for (const level of AREA_LEVELS)
      expect(await ask(profile, db, 'Nowhere', { level })).toMatchObject({
        no_data: level === 'SAL' ? 'unknown_suburb' : 'unknown_region',
      });
  });

  it('has neighbours both ways at every level, and joins those of SA2 to those of SA3', async () => {
    const pairs = await database.query<{ level: string; area: string; neighbour: string; shared_m: number }>(
      'SELECT level, area, neighbour, shared_m FROM serving.region_neighbour',
    );
    const keys = new Map(
      pairs.map((pair) => [`${pair.level}|${pair.area}|${pair.neighbour}`, pair.shared_m]),
    );
    expect(pairs.length).toBeGreaterThan(0);
    const [across] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.region_neighbour n
       JOIN serving.search_area a ON a.level = 'SA2' AND a.code = n.area JOIN serving.search_area b ON b.level = 'SA2' AND b.code = n.neighbour
       WHERE n.level = 'SA2' AND a.sa3 <> b.sa3 AND NOT EXISTS (
         SELECT 1 FROM serving.region_neighbour s WHERE s.level = 'SA3' AND s.area = a.sa3 AND s.neighbour = b.sa3)`,
    );
    expect(across!.n).toBe(0);
    for (const { level, area, neighbour, shared_m } of pairs)
      expect(keys.get(`${level}|${neighbour}|${area}`), `${level} ${area}`).toBeCloseTo(shared_m, -1);
  });

  it('answers not_covered without a full source of amenities, and none_found with one', async () => {
    // The sample says that the places of Western Australia are not all there are.
    const alone = async (condition: string) => {
      const rows = await database.query<{ pid: string }>(
        `SELECT gnaf_pid AS pid FROM serving.property WHERE ${condition} AND lon IS NOT NULL ORDER BY md5(gnaf_pid) LIMIT 60`,
      );
      const reasons = new Set<string>();
      for (const { pid } of rows) {
        const envelope = await ask(amenitiesNearby, db, pid, { radius_m: '100' });
        if (envelope.data === null) reasons.add(envelope.no_data);
      }
      return [...reasons];
    };
    expect(await alone("state = 'WA'")).toEqual(['not_covered']);
    expect(await alone("state <> 'WA'")).toEqual(['none_found']);
  });

  it('states for each hazard layer what its own endpoint answers', async () => {
    const pids = await database.query<{ gnaf_pid: string }>(
      'SELECT DISTINCT ON (state) gnaf_pid FROM serving.property WHERE lon IS NOT NULL ORDER BY state, gnaf_pid',
    );
    for (const { gnaf_pid } of pids) {
      const all = (await ask(risksAll, db, gnaf_pid)) as Envelope<unknown[]>;
      expect(Object.keys(all.layers!)).toEqual(HAZARD_LAYERS);
      for (const [layer, word] of Object.entries(all.layers!)) {
        const endpoint = ENDPOINTS.find((each) => each.subpath === `risks/${layer.replaceAll('_', '-')}`)!;
        const one = await ask(endpoint, db, gnaf_pid);
        expect('no_data' in one ? one.no_data : 'found', `${gnaf_pid} ${layer}`).toBe(word);
      }
      if (all.data === null && all.no_data === 'none_found')
        expect(new Set(Object.values(all.layers!))).toEqual(new Set(['none_found']));
    }
  });

  it('finds a hazard by an overlay where no hazard layer was loaded', async () => {
    const [home] = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property_overlay WHERE layer = 'Heritage Overlay' ORDER BY gnaf_pid LIMIT 1`,
    );
    const pid = home!.gnaf_pid;
    await db
      .transaction()
      .execute(async (without) => {
        await sql`SET LOCAL ROLE NONE`.execute(without);
        await sql`DELETE FROM serving.property_risk WHERE gnaf_pid = ${pid} AND layer = 'heritage'`.execute(
          without,
        );
        await sql`UPDATE serving.property_coverage SET covered = array_remove(covered, 'heritage') WHERE gnaf_pid = ${pid}`.execute(
          without,
        );
        const all = (await ask(risksAll, without, pid)) as Envelope<AllRisks>;
        const one = await ask(ENDPOINTS.find(({ subpath }) => subpath === 'risks/heritage')!, without, pid);
        expect(all.layers!.heritage).toBe('found');
        expect(all.data!.heritage).toEqual([
          expect.objectContaining({
            name: `${HAZARDS.heritage.title} - Heritage Overlay`,
            value: expect.stringMatching(/^On the property, covers .*: /),
            on_property: true,
            nearest_distance_m: 0,
            search_radius_m: 0,
            features_within_radius: 1,
          }),
        ]);
        expect(one.data).toEqual(all.data!.heritage);
        throw new Error('undone');
      })
      .catch((error: Error) => expect(error.message).toBe('undone'));
  });

  it('describes each risk in words that agree with the table', async () => {
    const told = await database.query<{ gnaf_pid: string; layer: string; words: string; kind: string }>(
      `SELECT gnaf_pid, layer, kind, words || name || coalesce(' (' || event_date || ')', '') AS words
       FROM (SELECT *, CASE WHEN NOT on_property AND nearest_distance_m BETWEEN 2 AND 999 AND event_date IS NOT NULL THEN 'dated'
             WHEN NOT on_property AND nearest_distance_m BETWEEN 2 AND 999 THEN 'away'
             WHEN on_property AND measured_from = 'point' AND shape = 'polygon' THEN 'at the point'
             WHEN on_property AND shape = 'polygon' AND parcel_share BETWEEN 0.01 AND 0.99 THEN 'share'
             WHEN on_property AND shape <> 'polygon' THEN shape END AS kind,
           CASE WHEN NOT on_property THEN 'Not on the property; the nearest is ' || nearest_distance_m || ' m away: '
             WHEN shape = 'line' THEN 'Crosses the property: '
             WHEN shape = 'point' THEN 'Recorded at a place on the property: '
             WHEN measured_from = 'point' THEN 'On the property: '
             ELSE 'On the property, covers ' || floor(parcel_share * 100) || ' % of it: ' END AS words,
           row_number() OVER (PARTITION BY on_property, shape, measured_from, event_date IS NULL, parcel_share BETWEEN 0.01 AND 0.99 ORDER BY md5(gnaf_pid)) AS n
         FROM serving.property_risk WHERE layer <> 'public_housing') r WHERE kind IS NOT NULL AND n <= 4`,
    );
    expect([...new Set(told.map(({ kind }) => kind))]).toEqual(
      expect.arrayContaining(['dated', 'away', 'share']),
    );
    for (const { gnaf_pid, layer, words } of told) {
      const endpoint = ENDPOINTS.find((each) => each.subpath === `risks/${layer.replaceAll('_', '-')}`)!;
      const { data } = (await ask(endpoint, db, gnaf_pid)) as { data: { value: string }[] };
      expect(data.map(({ value }) => value)).toContain(words);
    }
  });

  it('combines the answers of single endpoints, by id, by address and for a suburb', async () => {
    const [sample] = await database.query<{ gnaf_pid: string; sal: string; address: string }>(
      "SELECT s.gnaf_pid, s.sal, p.address FROM serving.sandbox_sample s JOIN serving.property p USING (gnaf_pid) WHERE s.state = 'VIC'",
    );
    const all = await ask(propertyAll, db, sample!.gnaf_pid, { radius_m: 500 });
    for (const [path, section] of Object.entries(all.data!)) {
      const endpoint = ENDPOINTS.find((each) => each.subpath === path)!;
      const takesRadius = 'params' in readParams(endpoint, { radius_m: 500 });
      const one = await ask(endpoint, db, sample!.gnaf_pid, takesRadius ? { radius_m: 500 } : {});
      const {
        data,
        available: _,
        reason: __,
        message: ___,
        ...others
      } = { ...one } as Record<string, unknown>;
      expect(section, path).toEqual(data === null ? others : { data, ...others });
    }
    const byId = await find(property, db, { id: sample!.gnaf_pid, radius_m: 500 });
    expect(byId).toMatchObject({ status: 'matched', gnaf_pid: sample!.gnaf_pid, data: all.data });
    expect(await find(avmOf, db, { address: sample!.address })).toMatchObject({
      gnaf_pid: sample!.gnaf_pid,
      data: { 'valuation/avm': all.data!['valuation/avm'] },
    });
    expect(await find(cmaOf, db, { id: 'GAVIC000000000' })).toMatchObject({ status: 'no_match', data: null });
    const suburb_all = await ask(suburbAll, db, sample!.sal);
    expect((await find(suburb, db, { suburb: sample!.sal })).data).toEqual(suburb_all.data);
    const parts = ENDPOINTS.filter(({ params }) => 'level' in shapeOf(params));
    expect(Object.keys(suburb_all.data!)).toEqual(
      parts.map(({ subpath }) => subpath).filter((path) => path !== 'suburb/all'),
    );
  });

  it('gives a unit of a shared parcel no land area, and lists no neighbour twice', async () => {
    const [unit] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property WHERE land_area_reason = 'unit_on_shared_parcel' LIMIT 1`,
    );
    expect(await ask(landArea, db, unit!.pid)).toMatchObject({ no_data: 'none_found' });
    const envelope = await ask(neighbours, db, unit!.pid);
    const pids = envelope.data!.neighbours.map((neighbour) => neighbour.gnaf_pid);
    expect(new Set(pids).size).toBe(pids.length);
    expect(pids).not.toContain(unit!.pid);
  });

  it('reads without a sequential scan', async () => {
    const reader = openServing(database.url);
    try {
      await sql`SET enable_seqscan = off`.execute(reader);
      for (const table of ['property', 'property_profile', 'property_neighbour', 'property_zoning']) {
        const plan = await sql<{
          'QUERY PLAN': string;
        }>`EXPLAIN SELECT * FROM ${sql.table(`serving.${table}`)} WHERE gnaf_pid = 'x'`.execute(reader);
        const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(text, table).not.toContain('Seq Scan');
      }
    } finally {
      await reader.destroy();
    }
  });

  it('lets the role read nothing but serving', async () => {
    for (const table of ['control.run', 'record.address', 'asset.address_home', 'staged.property']) {
      await expect(sql`SELECT * FROM ${sql.table(table)}`.execute(db), table).rejects.toThrow(
        /permission denied/,
      );
    }
    await expect(sql`DELETE FROM serving.property`.execute(db)).rejects.toThrow(/permission denied/);
  });
});
