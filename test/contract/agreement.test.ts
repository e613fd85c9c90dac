import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { ask } from '../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { risksAll } from '../../contract/property/risks.ts';
import { explain } from '../../pipelines/explain/explain.ts';
import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { propertyFinderTable } from '../../schema/serving/property_finder.ts';
import type { Row } from '../../schema/table.ts';
import { openServing } from '../../store/read/serving.ts';
import type { Country } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

type Finder = Row<typeof propertyFinderTable>;

/**
 * Of its own: WHOLE has five homes without a parcel whose point lies in public housing, GAQLD900000115 among them. The finder has them at
 * 0 m, and property_risk has no row of them.
 */
const COUNTRY: Country = { properties: 600, seed: 2, datasets: 'all' };
const REACH_M = 5000;
const RISK_M = 1000;

/** What the answers about the surroundings of a home look like, as far as they are compared. */
interface Surroundings {
  transport: { nearest: { train: { distance_m: number } | null } } | null;
  amenities: { results: { category: string; distance_m: number }[]; counts: Record<string, number> } | null;
  schools: { distance_m: number; school_level_type: string | null }[] | null;
  housing: { nearest_distance_m: number }[] | null;
}

describe('answers about the same fact', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;
  let homes: Finder[];

  const envelopeOf = (path: string, id: string, query: Record<string, string> = {}) =>
    ask(ENDPOINTS.find((each) => each.subpath === path)!, db, id, query);
  const answer = async (...asked: Parameters<typeof envelopeOf>): Promise<unknown> =>
    (await envelopeOf(...asked)).data;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(COUNTRY));
    db = openServing(database.url);
    homes = (await db
      .selectFrom('serving.property_finder')
      .selectAll()
      .orderBy('gnaf_pid')
      .execute()) as Finder[];
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('agree on distances to stations, shops, parks, schools and public housing', async () => {
    const differ: string[] = [];
    for (const home of homes) {
      const { gnaf_pid } = home;
      const around = { radius_m: `${REACH_M}` };
      const { transport, amenities, schools, housing } = {
        transport: await answer('transport/nearby', gnaf_pid, around),
        amenities: await answer('amenities/nearby', gnaf_pid, around),
        schools: await answer('schools/nearby', gnaf_pid),
        housing: await answer('risks/public-housing', gnaf_pid),
      } as Surroundings;
      const nearest = (category: string): number | null =>
        amenities?.results.find((each) => each.category === category)?.distance_m ?? null;
      const compare = (what: string, finder: number | null, other: number | null, reach_m: number): void => {
        const within = finder !== null && finder <= reach_m ? finder : null;
        if (within !== other) differ.push(`${gnaf_pid} ${what}: finder ${finder}, elsewhere ${other}`);
      };
      compare('train', home.railway_m, transport?.nearest.train?.distance_m ?? null, REACH_M);
      // An answer lists 80 amenities; what is counted beside them may be farther.
      if ((amenities?.results.length ?? 0) < 80) {
        compare('supermarket', home.supermarket_m, nearest('Supermarket'), REACH_M);
        compare('park', home.park_m, nearest('Green Spaces'), REACH_M);
      }
      const school = schools?.find((each) => each.school_level_type !== 'Special');
      compare('school', home.school_m, school?.distance_m ?? null, REACH_M);
      compare('public housing', home.public_housing_m, housing?.[0]?.nearest_distance_m ?? null, RISK_M);
    }
    expect(differ).toEqual([]);
  });

  it('agree on the reason for a missing parcel: in its table, in the answers and in the explanation', async () => {
    const none = await database.query<{ gnaf_pid: string; land_area_reason: string }>(
      'SELECT gnaf_pid, land_area_reason FROM serving.property WHERE parcel_id IS NULL',
    );
    expect(new Set(none.map(({ land_area_reason }) => land_area_reason))).toContain('parcel_not_found');
    const config = (await loadConfig({ config: join(dir, 'config.yaml'), set: [] }, {})).config;
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    for (const { gnaf_pid, land_area_reason } of none) {
      for (const path of ['basics/land-area-sqm', 'neighbours'])
        expect(await envelopeOf(path, gnaf_pid)).toMatchObject({ no_data: land_area_reason });
      expect((await explain(client, config, gnaf_pid)).notes).toContain(`No parcel: ${land_area_reason}.`);
    }
    await client.end();
  });

  it('agree on the homes of a suburb assessed for a hazard, and on those with it', async () => {
    const homesOf = new Map<string, { n: number; on: number }>();
    for (const { gnaf_pid, sal } of homes) {
      if (sal === null) continue;
      const { data, layers } = (await ask(risksAll, db, gnaf_pid)) as unknown as {
        data: Record<HazardLayer, { on_property: boolean }[] | null> | null;
        layers: Record<HazardLayer, string>;
      };
      for (const [layer, outcome] of Object.entries(layers)) {
        if (outcome !== 'found' && outcome !== 'none_found') continue;
        const key = `${sal} ${layer}`;
        const sum = homesOf.get(key) ?? { n: 0, on: 0 };
        sum.n++;
        if (data?.[layer as HazardLayer]?.some(({ on_property }) => on_property)) sum.on++;
        homesOf.set(key, sum);
      }
    }
    const suburbs = [...new Set(homes.flatMap(({ sal }) => sal ?? []))];
    const told = new Map<string, { n: number; on: number }>();
    for (const sal of suburbs) {
      const layers = (await answer('suburb/hazards', sal)) as
        | { layer: string; properties_covered: number; properties_on: number }[]
        | null;
      for (const { layer, properties_covered, properties_on } of layers ?? [])
        told.set(`${sal} ${layer}`, { n: properties_covered, on: properties_on });
    }
    expect(homesOf.size).toBeGreaterThan(suburbs.length);
    expect(Object.fromEntries([...told].sort())).toEqual(Object.fromEntries([...homesOf].sort()));
  });
});
