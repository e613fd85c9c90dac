import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, find, readParams } from '../../../contract/answers/ask.ts';
import { SUBURB_FIELDS } from '../../../contract/finder/suburb_fields.ts';
import { SUBURB_FINDER_OPERATIONS, suburbFinder } from '../../../contract/finder/suburb_finder.ts';
import { HAZARD_LAYERS } from '../../../schema/records/hazard.ts';
import type { Serving } from '../../../schema/serving/database.ts';
import { openServing } from '../../../store/read/serving.ts';
import { WHOLE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';

const [, suburbFields, suburbRegions] = SUBURB_FINDER_OPERATIONS;
const NAMES = SUBURB_FIELDS.map(({ name }) => name);

/** A suburb of an answer with all its fields. */
type Found = { suburb_name: string } & Record<string, number | string | null>;

describe('the suburb finder over published tables', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;
  let all: Found[];

  const search = async (query: Record<string, unknown> = {}) => {
    const { total, suburbs } = await find(suburbFinder, db, { limit: 5000, ...query });
    return { total, suburbs: suburbs as unknown as Found[] };
  };
  const names = async (query: Record<string, unknown>): Promise<string[]> =>
    (await search(query)).suburbs.map(({ suburb_name }) => suburb_name);

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    db = openServing(database.url);
    await sql`SET ROLE api_reader`.execute(db);
    all = (await search({ fields: NAMES })).suburbs;
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('finds every suburb without criteria, and its most populous page first', async () => {
    const [count] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM serving.suburb');
    expect(all).toHaveLength(count!.n);
    const { total, suburbs } = await search({ limit: 3, offset: 1 });
    expect(total).toBe(count!.n);
    expect(suburbs.map(({ suburb_name }) => suburb_name)).toEqual(
      all.slice(1, 4).map(({ suburb_name }) => suburb_name),
    );
    expect(await search({ limit: 0 })).toEqual({ total: count!.n, suburbs: [] });
    const sizes = all.map(({ properties }) => Number(properties));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  });

  it('finds the suburbs within the bounds of each field, excludes unknown values, and sorts them last', async () => {
    let bounded = 0;
    for (const name of NAMES) {
      const known = all.filter((each) => each[name] !== null);
      const values = known.map((each) => Number(each[name])).sort((a, b) => a - b);
      const middle = values[Math.floor(values.length / 2)] ?? 0;
      const step = 0.0001;
      for (const [query, holds] of [
        [{ [`min_${name}`]: middle - step }, (value: number) => value >= middle - step],
        [{ [`max_${name}`]: middle + step }, (value: number) => value <= middle + step],
      ] as const) {
        const expected = known.filter((each) => holds(Number(each[name])));
        const { total, suburbs } = await search({ ...query, sort_by: name, sort_direction: 'asc' });
        // Values are rounded where they are shown, so one at the bound may be on either side.
        const sure = (each: Found) => Math.abs(Number(each[name]) - middle) > 0.01;
        expect(
          suburbs
            .filter(sure)
            .map(({ suburb_name }) => suburb_name)
            .sort(),
          name,
        ).toEqual(
          expected
            .filter(sure)
            .map(({ suburb_name }) => suburb_name)
            .sort(),
        );
        expect(total, name).toBe(suburbs.length);
        const shown = suburbs.map((each) => each[name]);
        expect(shown, name).not.toContain(null);
        expect(shown, name).toEqual([...shown].sort((a, b) => Number(a) - Number(b)));
        if (expected.length > 0) bounded++;
      }
      const sorted = (await search({ sort_by: name })).suburbs.map((each) => each[name] !== null);
      expect(sorted, name).toEqual([...sorted].sort((a, b) => Number(b) - Number(a)));
    }
    expect(bounded).toBeGreaterThan(80);
  });

  it('does not treat an unassessed hazard as absent', async () => {
    let unassessed = 0;
    let free = 0;
    for (const layer of HAZARD_LAYERS) {
      const without = await names({ [`max_hazard_${layer}_share`]: 0 });
      free += without.length;
      for (const each of all) {
        const share = each[`hazard_${layer}_share`];
        expect(share === null).toBe(each[`hazard_${layer}_properties_covered`] === null);
        if (share === null) unassessed++;
        expect(without.includes(each.suburb_name), `${each.suburb_name} ${layer}`).toBe(share === 0);
      }
    }
    expect(unassessed).toBeGreaterThan(0);
    expect(free).toBeGreaterThan(0);
  });

  it('searches regions: most homes of what it finds are in them', async () => {
    const { data: regions } = await ask(suburbRegions, db, '');
    expect(new Set(regions!.map(({ level }) => level))).toEqual(
      new Set(['SA3', 'SA4', 'LGA', 'GCCSA', 'STE']),
    );
    const column = { SA3: 'sa3', SA4: 'sa4', LGA: 'lga', GCCSA: 'gccsa', STE: 'state' } as const;
    const seen = new Set<string>();
    for (const { level, code, name } of regions!) {
      // A name at several levels means the finest.
      if (regions!.find((each) => each.name === name)!.level !== level || level === 'STE') continue;
      const of = column[level as keyof typeof column];
      const rows = await database.query<{ sal: string }>(
        `SELECT sal FROM (SELECT DISTINCT ON (sal) sal, ${of} AS code FROM serving.property_finder WHERE sal IS NOT NULL AND ${of} IS NOT NULL
           GROUP BY sal, ${of} ORDER BY sal, count(*) DESC, ${of} COLLATE "C") most WHERE code = $1`,
        [code],
      );
      const found = await names({ regions: name });
      const differ = rows.map(({ sal }) => sal).filter((sal) => !found.includes(sal));
      if (level === 'LGA') expect(differ, name).toEqual([]);
      expect(found.length, name).toBeGreaterThan(0);
      seen.add(level);
    }
    expect(seen.size).toBeGreaterThan(2);
    expect((await names({ regions: 'VIC' })).sort()).toEqual(
      all
        .filter(({ state }) => state === 'VIC')
        .map(({ suburb_name }) => suburb_name)
        .sort(),
    );
  });

  it('says that a suburb or region is unknown, and shows the requested fields only', async () => {
    expect(await ask(suburbFinder, db, '', { suburbs: 'Nowhere' })).toMatchObject({
      no_data: 'unknown_suburb',
    });
    expect(await ask(suburbFinder, db, '', { regions: 'Nowhere' })).toMatchObject({
      no_data: 'unknown_region',
    });
    const [first] = (await search({ fields: 'census_population', min_stock: 0, sort_by: 'price_sample' }))
      .suburbs;
    expect(Object.keys(first!).sort()).toEqual(
      ['suburb_name', 'state', 'sal_code', 'properties', 'census_population', 'stock', 'price_sample'].sort(),
    );
    expect(readParams(suburbFinder, { fields: 'nothing' })).toHaveProperty('detail');
    expect(readParams(suburbFinder, { min_nothing: '1' })).toHaveProperty('detail');
  });

  it('says what each field means', async () => {
    const { data } = await ask(suburbFields, db, '');
    expect(data!.map(({ field }) => field)).toEqual(NAMES);
    for (const { field, description } of data!) expect(description.length, field).toBeGreaterThan(10);
  });
});
