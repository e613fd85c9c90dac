import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, readParams } from '../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { meshBlocks } from '../../contract/regions/mesh_blocks.ts';
import { PROFILE_LEVELS } from '../../contract/regions/region.ts';
import { regionCensus } from '../../contract/regions/region_census.ts';
import { regionList } from '../../contract/regions/region_list.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVED_LEVELS } from '../../schema/serving/region_demographics.ts';
import { openServing } from '../../store/read/serving.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

const [profile, demographics, shape, market] = ['profile', 'demographics', 'shape', 'market'].map(
  (path) => ENDPOINTS.find(({ subpath }) => subpath === `suburb/${path}`)!,
) as [never, never, never, never];

/** Column of a level in property_profile, and of its name. */
const COLUMNS: Readonly<Record<string, readonly [code: string, name: string]>> = {
  SAL: ['sal_code', 'suburb'],
  SA2: ['sa2', 'sa2_name'],
  SA3: ['sa3', 'sa3_name'],
  SA4: ['sa4', 'sa4_name'],
  GCCSA: ['gccsa', 'gccsa_name'],
  LGA: ['lga', 'lga_name'],
  POA: ['poa', 'poa'],
  STE: ['state', 'state'],
};

describe('regions', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    db = openServing(database.url);
    await sql`SET ROLE api_reader`.execute(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it.each(PROFILE_LEVELS)(
    'lists every region of the level %s that a home has, each with a profile',
    async (level) => {
      const [code, name] = COLUMNS[level]!;
      const expected = await database.query<{ code: string; name: string; properties: number }>(
        `SELECT ${code} AS code, min(${name}) AS name, count(*)::int AS properties FROM serving.property_profile WHERE ${code} IS NOT NULL GROUP BY 1`,
      );
      const { data } = await ask(regionList, db, '', { level });
      const listed = data!.map((each) => [each.code, each.properties]).sort();
      expect(listed).toEqual(expected.map((each) => [each.code, each.properties]).sort());
      for (const region of data!) {
        if (level !== 'STE')
          expect(expected.find((each) => each.code === region.code)!.name).toBe(region.name);
        // Regions of two states may have one name.
        const isOne = data!.filter(({ name: other }) => other === region.name).length === 1;
        const ids = isOne ? [region.code, region.name.toLowerCase()] : [region.code];
        for (const id of level === 'SAL' ? [region.name] : ids) {
          const { data: found } = await ask(profile, db, id, { level });
          expect(found, id).toMatchObject({ ...region });
        }
      }
      const [state] = [...new Set(data!.map((each) => each.state))].sort();
      const inState = await ask(regionList, db, '', { level, state });
      expect(inState.data).toEqual(data!.filter((each) => each.state === state));
    },
  );

  it.each(SERVED_LEVELS)('lists the loaded Census values of the level %s', async (level) => {
    const expected = await database.query<{ code: string; state: string | null; population: number }>(
      'SELECT code, state, population FROM serving.region_demographics WHERE level = $1',
      [level],
    );
    const answer = await ask(regionCensus, db, '', { level, fields: 'population', limit: 5000 });
    if (expected.length === 0) {
      expect(answer).toMatchObject({ no_data: 'not_covered' });
      return;
    }
    const { total, regions } = answer.data as never as { total: number; regions: Record<string, never>[] };
    expect(total).toBe(expected.length);
    expect(regions.map(({ code, population }) => [code, population]).sort()).toEqual(
      expected
        .map(({ code, state, population }) => [level === 'STE' ? state! : code, population] as never)
        .sort(),
    );
    expect(Object.keys(regions[0]!).sort()).toEqual(['census_year', 'code', 'name', 'population', 'state']);
    const page = await ask(regionCensus, db, '', { level, fields: 'population', limit: 2, offset: 1 });
    expect(page.data).toEqual({ total, level, regions: regions.slice(1, 3) });
    for (const { code, name, population } of regions) {
      const { data } = await ask(demographics, db, level === 'SAL' ? name! : code!, { level });
      if (data !== null) expect(data).toMatchObject({ population });
    }
  });

  it('state a reason if they have no data', async () => {
    expect(await ask(profile, db, 'Nowhere', { level: 'SA4' })).toMatchObject({ no_data: 'unknown_region' });
    expect(await ask(demographics, db, 'VIC', { level: 'STE' })).toMatchObject({
      data: { level: 'STE', code: 'VIC' },
    });
    const [gccsa] = (await ask(regionList, db, '', { level: 'GCCSA' })).data!;
    for (const endpoint of [demographics, shape])
      expect(await ask(endpoint, db, gccsa!.code, { level: 'GCCSA' })).toMatchObject({
        no_data: 'not_covered',
      });
    expect(readParams(market, { level: 'SA4' })).toHaveProperty('detail');
    expect(readParams(regionList, { level: 'MB' })).toHaveProperty('detail');
    expect(await ask(regionList, db, '', { level: 'SA2', state: 'OT' })).toMatchObject({
      no_data: 'not_covered',
      reason: 'no_regions_for_OT',
    });
  });

  it('include mesh blocks with the homes of a suburb', async () => {
    const rows = await database.query<{ suburb: string; mesh_block: string; sa1: string; n: number }>(
      `SELECT suburb, mesh_block, min(sa1) AS sa1, count(*)::int AS n FROM serving.property_profile
       WHERE mesh_block IS NOT NULL AND suburb IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(rows.length).toBeGreaterThan(30);
    for (const suburb of new Set(rows.map((row) => row.suburb))) {
      const { data } = await ask(meshBlocks, db, suburb);
      expect(
        data!.map(({ mesh_block, sa1, properties }) => ({ suburb, mesh_block, sa1, n: properties })),
      ).toEqual(rows.filter((row) => row.suburb === suburb));
      for (const { properties, houses, units } of data!)
        expect(houses + units).toBeLessThanOrEqual(properties);
    }
    expect(await ask(meshBlocks, db, 'Nowhere')).toMatchObject({ no_data: 'unknown_suburb' });
  });
});
