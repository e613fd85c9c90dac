import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { find, readParams } from '../../../contract/answers/ask.ts';
import { finderParams, SORT_COLUMNS } from '../../../contract/finder/params.ts';
import type { FinderPayload } from '../../../contract/finder/payload.ts';
import { propertyFinder } from '../../../contract/finder/property_finder.ts';
import type { Serving } from '../../../schema/serving/database.ts';
import { FINDER_DEFAULTS } from '../../../schema/serving/finder_defaults.ts';
import { FINDER_FEATURES } from '../../../schema/serving/finder_features.ts';
import type { propertyFinderTable } from '../../../schema/serving/property_finder.ts';
import type { Row } from '../../../schema/table.ts';
import { openServing } from '../../../store/read/serving.ts';
import { WHOLE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';

type Finder = Row<typeof propertyFinderTable>;

describe('the property finder over published tables', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;
  let rows: Finder[];
  let suburbs: string[];

  const ask = (query: Record<string, unknown>): Promise<FinderPayload> => find(propertyFinder, db, query);
  const ids = (payload: FinderPayload): string[] => payload.properties.map((each) => each.gnafId);

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    // Estimates and features as if listings and sales had given them, so that every criterion has something to choose from.
    await database.query(
      `UPDATE serving.property_finder SET price = 300000 + 1000 * n, rent_aud_pw = 400 + n, yield_percent = 3 + n % 40 / 10.0,
         growth_percent = n % 21 - 10, growth_forecast_percent = n % 7 - 2, beds = 1 + n % 5, baths = 1 + n % 3, cars = n % 4,
         presence_of_pool = n % 3 = 0, natural_light = n % 2 = 0, listing_date = DATE '2024-01-01' + n
       FROM (SELECT gnaf_pid AS pid, row_number() OVER (ORDER BY md5(gnaf_pid))::int AS n FROM serving.property_finder) x
       WHERE pid = gnaf_pid AND n % 10 > 0`,
    );
    // Public housing is near some and none near most; of some nobody knows.
    await database.query(
      `UPDATE serving.property_finder SET public_housing_m = CASE WHEN digit = '1' THEN 400 END, public_housing_covered = digit = '1'
       FROM (SELECT gnaf_pid AS pid, right(md5(gnaf_pid), 1) AS digit FROM serving.property_finder) x
       WHERE pid = gnaf_pid AND digit IN ('1', '2')`,
    );
    db = openServing(database.url);
    await sql`SET ROLE api_reader`.execute(db);
    rows = (await db.selectFrom('serving.property_finder').selectAll().execute()) as Finder[];
    suburbs = [...new Set(rows.flatMap((row) => row.sal ?? []))].sort();
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('has a row for every property, equal to what the other tables hold', async () => {
    const [count] = await database.query<{ n: number; differ: number }>(
      `SELECT count(*)::int AS n,
         count(*) FILTER (WHERE f.sal IS DISTINCT FROM p.sal OR f.land_area_sqm IS DISTINCT FROM p.land_area_sqm
           OR f.school_m IS DISTINCT FROM x.school_m OR f.beach_m IS DISTINCT FROM x.beach_m OR f.lga IS DISTINCT FROM a.lga)::int AS differ
       FROM serving.property p JOIN serving.property_finder f USING (gnaf_pid) JOIN serving.property_proximity x USING (gnaf_pid)
       JOIN serving.property_profile a USING (gnaf_pid)`,
    );
    expect(count).toEqual({ n: WHOLE.properties, differ: 0 });
  });

  it('never finds fewer with a wider bound', async () => {
    const values: Record<string, readonly number[]> = {
      bedrooms: [0, 1, 3, 9],
      baths: [0, 1, 2, 9],
      cars: [0, 1, 2, 9],
      price: [0, 1, 9999, 10_000, 10_001, 400_000, 700_000, 2_000_000],
      yield: [-1, 0, 3, 5, 9],
      growth: [-20, -5, 0, 5, 20],
      growth_forecast: [-9, 0, 3, 9],
    };
    const near = [0, 1, 400, 1999, 2000, 2001, 3000, 4999, 5000];
    for (const what of ['school', 'public_housing', 'supermarket', 'park'])
      values[`distance_to_${what}`] = near;
    for (const what of ['beach', 'railway']) values[`distance_to_${what}`] = [...near, 12_000, 20_000];
    const others = [{}, { property_type: 'house' }, { min_price: 450_000 }, { max_distance_to_school: 800 }];
    for (const [what, at] of Object.entries(values))
      for (const side of ['min', 'max'] as const)
        for (const other of others) {
          const name = `${side}_${what}`;
          if (!(name in finderParams.shape) || name in other) continue;
          const found: (readonly [number | undefined, ReadonlySet<string>])[] = [];
          // From the narrowest to the widest; without a default, no bound at all is the widest.
          const ordered = side === 'min' ? [...at].reverse() : at;
          for (const value of [...ordered, ...(name in FINDER_DEFAULTS ? [] : [undefined])]) {
            const given = value === undefined ? {} : { [name]: value };
            found.push([
              value,
              new Set(ids(await ask({ suburbs: suburbs.join(','), limit: 5000, ...other, ...given }))),
            ]);
          }
          for (let i = 1; i < found.length; i++) {
            const [narrow, wide] = [found[i - 1]!, found[i]!];
            const lost = [...narrow[1]].filter((id) => !wide[1].has(id));
            expect(lost, `${name} ${narrow[0]} and ${wide[0]}, ${JSON.stringify(other)}`).toEqual([]);
          }
        }
  });

  it('takes any distance: a maximum at the reach of the tables or beyond leaves out no home', async () => {
    const where = { suburbs: suburbs.join(','), limit: 5000 };
    const homes = rows.filter((row) => row.property_type !== null);
    for (const [what, column, reach] of [
      ['school', 'school_m', 5000],
      ['park', 'park_m', 5000],
      ['beach', 'beach_m', 20_000],
      ['railway', 'railway_m', 20_000],
    ] as const) {
      const far = { max_distance_to_school: 5000, min_price: 0 };
      const everywhere = ids(await ask({ ...where, ...far })).sort();
      if (what === 'school') expect(homes.some((row) => row[column] === null && row.lon !== null)).toBe(true);
      for (const metres of [reach, reach + 1, 1_000_000])
        expect(
          ids(await ask({ ...where, ...far, [`max_distance_to_${what}`]: metres })).sort(),
          what,
        ).toEqual(everywhere);
      const beyond = ids(await ask({ ...where, ...far, [`min_distance_to_${what}`]: reach })).sort();
      expect(ids(await ask({ ...where, ...far, [`min_distance_to_${what}`]: 1_000_000 })).sort()).toEqual(
        beyond,
      );
    }
  });

  it('reports public housing for every property as near, absent or unknown', async () => {
    const { properties } = await ask({ suburbs: suburbs.join(','), limit: 5000 });
    const said = { near: 0, none: 0, unknown: 0 };
    for (const { public_housing_distance, pros, cons } of properties) {
      const told = {
        near: public_housing_distance !== 'N/A',
        none: pros.includes('No public housing within 5,000 m'),
        unknown: cons.includes('Public housing not known'),
      };
      expect(Object.values(told).filter(Boolean)).toHaveLength(1);
      for (const key of ['near', 'none', 'unknown'] as const) said[key] += Number(told[key]);
    }
    for (const n of Object.values(said)) expect(n).toBeGreaterThan(5);
  });

  it('finds only houses and units', async () => {
    const { properties } = await ask({
      suburbs: suburbs.join(','),
      limit: 5000,
      max_distance_to_school: 5000,
    });
    expect([...new Set(properties.map(({ property_type }) => property_type))].sort()).toEqual([
      'house',
      'unit',
    ]);
    const others = rows.filter(({ property_type }) => property_type === null);
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter(({ default_score }) => default_score !== null)).toEqual([]);
  });

  it('includes unknown values under defaults, and excludes them under narrower bounds', async () => {
    const all = { suburbs: suburbs.join(','), limit: 5000 };
    const byDefault = await ask(all);
    const expected = rows.filter(
      (row) =>
        row.sal !== null &&
        row.property_type !== null &&
        (row.school_m === null ? row.lon === null : row.school_m <= 2000),
    );
    expect(byDefault.total_properties).toBe(expected.length);
    expect(byDefault.properties.some((each) => each.price === 'N/A')).toBe(true);
    const priced = await ask({ ...all, min_price: 10_001 });
    expect(priced.total_properties).toBe(expected.filter((row) => row.price !== null).length);
    expect(byDefault.query_parameters).toMatchObject({
      min_price: 10_000,
      max_price: null,
      max_distance_to_school: 2000,
      min_distance_to_public_housing: 0,
      max_distance_to_public_housing: 5000,
      publi_housing_value_thresh: 0.1,
      limit: 5000,
      offset: 0,
      use_regions: false,
      sort_by: null,
      sort_direction: 'desc',
    });
  });

  it('treats an explicit default like an omitted one', async () => {
    const all = { suburbs: suburbs.join(','), limit: 5000 };
    const { execution_time: _, ...byDefault } = await ask(all);
    const given = {
      min_price: 10_000,
      max_distance_to_school: 2000,
      min_distance_to_public_housing: 0,
      max_distance_to_public_housing: 5000,
    };
    for (const query of [given, ...Object.entries(given).map(([name, value]) => ({ [name]: value }))]) {
      const { execution_time: __, ...answer } = await ask({ ...all, ...query });
      expect(answer, JSON.stringify(query)).toEqual(byDefault);
    }
    expect(byDefault.properties.length).toBeGreaterThan(100);
  });

  it('scores from 0 to 100, what is unknown or at its bound with nothing', async () => {
    const { properties } = await ask({ suburbs: suburbs.join(','), limit: 5000 });
    const scores = properties.map(({ score }) => score);
    expect(Math.max(...scores) - Math.min(...scores)).toBeGreaterThan(20);
    expect(Math.max(...scores)).toBeLessThanOrEqual(100);
    const [far, close] = await Promise.all(
      ['asc', 'desc'].map((sort_direction) =>
        ask({
          suburbs: suburbs.join(','),
          max_distance_to_railway: 20_000,
          sort_by: 'score',
          sort_direction,
          limit: 1,
        }),
      ),
    );
    expect(far!.properties[0]!.score).toBeLessThan(close!.properties[0]!.score);
  });

  const known = (value: number | null): value is number => value !== null;
  /** What a search must find, said plainly over all rows. */
  function mustFind(query: Record<string, string | number | boolean>): Set<string> {
    const asked = query as Record<string, number>;
    const within = (value: number | null, min: string, max: string): boolean =>
      (asked[min] === undefined || (known(value) && value >= asked[min])) &&
      (asked[max] === undefined || (known(value) && value <= asked[max]));
    return new Set(
      rows
        .filter((row) => row.sal === query.suburbs)
        .filter((row) => {
          const min = asked.min_price ?? FINDER_DEFAULTS.min_price;
          const isPriced = known(row.price) ? row.price >= min : min <= FINDER_DEFAULTS.min_price;
          return isPriced && within(row.price, '', 'max_price') && within(row.beds, 'min_bedrooms', '');
        })
        .filter((row) => within(row.yield_percent, 'min_yield', 'max_yield'))
        .filter((row) => within(row.growth_percent, 'min_growth', 'max_growth'))
        .filter(
          (row) =>
            (asked.max_distance_to_park ?? 0) >= 5000 || within(row.park_m, '', 'max_distance_to_park'),
        )
        .filter((row) => {
          const max = asked.max_distance_to_school ?? FINDER_DEFAULTS.max_distance_to_school;
          if (max >= 5000) return true;
          return known(row.school_m)
            ? row.school_m <= max
            : row.lon === null && max >= FINDER_DEFAULTS.max_distance_to_school;
        })
        .filter((row) => {
          const min = asked.min_distance_to_railway;
          return (
            min === undefined ||
            (known(row.railway_m) ? row.railway_m >= min : row.lon !== null && min <= 20_000)
          );
        })
        .filter(
          ({ property_type }) =>
            property_type !== null && [undefined, property_type].includes(query.property_type as string),
        )
        .filter((row) => query.features === undefined || row[query.features as 'presence_of_pool'])
        .map((row) => row.gnaf_pid),
    );
  }

  it('finds what a plain filter over all rows finds', async () => {
    const option = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
    const queries = fc.record({
      suburbs: fc.constantFrom(...suburbs),
      min_price: option(fc.integer({ min: 0, max: 900_000 })),
      max_price: option(fc.integer({ min: 300_000, max: 1_000_000 })),
      min_yield: option(fc.integer({ min: 0, max: 6 })),
      max_yield: option(fc.integer({ min: 2, max: 9 })),
      min_growth: option(fc.integer({ min: -10, max: 10 })),
      max_growth: option(fc.integer({ min: -10, max: 10 })),
      min_bedrooms: option(fc.integer({ min: 0, max: 5 })),
      max_distance_to_park: option(fc.integer({ min: 0, max: 5000 })),
      max_distance_to_school: option(fc.integer({ min: 0, max: 5000 })),
      min_distance_to_railway: option(fc.integer({ min: 0, max: 20_000 })),
      property_type: option(fc.constantFrom('house', 'unit')),
      features: option(fc.constantFrom('presence_of_pool', 'natural_light')),
      sort_by: option(fc.constantFrom(...Object.keys(SORT_COLUMNS), 'score')),
      sort_direction: option(fc.constantFrom('asc', 'desc')),
    });
    await fc.assert(
      fc.asyncProperty(queries, async (given) => {
        const query = Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        ) as Record<string, string | number>;
        const answer = await ask({ ...query, limit: 5000 });
        expect(new Set(ids(answer))).toEqual(mustFind(query));
        expect(answer.total_properties).toBe(answer.properties.length);
        for (const { score, match_percentage } of answer.properties) expect(match_percentage).toBe(score);
      }),
      { numRuns: 120, seed: 4 },
    );
  });

  it.each(Object.keys(SORT_COLUMNS) as (keyof typeof SORT_COLUMNS)[])(
    'sorts by %s both ways, the unknown last, and its pages make the whole',
    async (sort_by) => {
      const byId = new Map(rows.map((row) => [row.gnaf_pid, row]));
      for (const sort_direction of ['asc', 'desc']) {
        const query = { suburbs, sort_by, sort_direction };
        const whole = ids(await ask({ ...query, limit: 5000 }));
        const values = whole.map((id) => byId.get(id)![SORT_COLUMNS[sort_by]]);
        const first = values.filter((value) => value !== null) as (number | string)[];
        expect(values.slice(0, first.length)).not.toContain(null);
        const order = [...first].sort(
          (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (sort_direction === 'asc' ? 1 : -1),
        );
        expect(first).toEqual(order);
        const pages: string[] = [];
        for (let offset = 0; offset < whole.length; offset += 97)
          pages.push(...ids(await ask({ ...query, limit: 97, offset })));
        expect(pages).toEqual(whole);
      }
    },
  );

  it('ranks by score, and says why', async () => {
    const { properties } = await ask({
      suburbs,
      max_distance_to_park: 4000,
      max_price: 800_000,
      features: 'presence_of_pool',
    });
    expect(properties.length).toBeGreaterThan(5);
    for (const [i, each] of properties.entries()) {
      if (i > 0) expect(each.score).toBeLessThanOrEqual(properties[i - 1]!.score);
      expect(each.pros).toContain('Pool');
      expect(each.presence_of_pool).toBe('true');
    }
    const all = properties.flatMap(({ pros, cons }) => [...pros, ...cons]);
    expect(all.some((text) => /^Park [\d,]+ m away$/.test(text))).toBe(true);
    expect(all.some((text) => /% below the maximum$/.test(text))).toBe(true);
  });

  it('stores the number of homes in each area, and counts homes of overlapping areas once', async () => {
    const areas = await database.query<{ level: string; code: string; by_default: number; n: number }>(
      `SELECT a.level, a.code, a.by_default, (SELECT count(*)::int FROM serving.property_finder f
         WHERE f.default_score IS NOT NULL AND a.code = CASE a.level WHEN 'SA3' THEN f.sa3 WHEN 'SA4' THEN f.sa4
           WHEN 'LGA' THEN f.lga WHEN 'GCCSA' THEN f.gccsa WHEN 'STE' THEN f.state
           WHEN 'SAL' THEN (SELECT l.code FROM serving.search_area l WHERE l.level = 'SAL' AND l.name = f.sal) END) AS n
       FROM serving.search_area a WHERE a.level NOT IN ('SA2', 'POA')`,
    );
    expect(new Set(areas.map(({ level }) => level)).size).toBe(6);
    for (const { level, code, by_default, n } of areas) expect(by_default, `${level} ${code}`).toBe(n);
    expect(areas.some(({ by_default }) => by_default > 20)).toBe(true);
    const { n: inVictoria } = areas.find(({ level, code }) => level === 'STE' && code === 'VIC')!;
    const [inside] = await database.query<{ name: string }>(
      "SELECT name FROM serving.search_area WHERE level = 'SAL' AND state = 'VIC' AND by_default > 0 ORDER BY code LIMIT 1",
    );
    expect(await ask({ suburbs: inside!.name, regions: 'VIC', limit: 1 })).toMatchObject({
      sals_found: 2,
      total_properties: inVictoria,
    });
  });

  it('takes regions at any level by name, and adjoining suburbs', async () => {
    const whole = (level: string) =>
      database.query<{ code: string; name: string; properties: number }>(
        'SELECT code, name, properties FROM serving.search_area WHERE level = $1 ORDER BY name',
        [level],
      );
    const everything = { limit: 1 };
    for (const [level, column] of [
      ['SA3', 'sa3'],
      ['SA4', 'sa4'],
      ['GCCSA', 'gccsa'],
      ['STE', 'state'],
    ] as const) {
      const [area] = await whole(level);
      const answer = await ask({ ...everything, regions: area!.name.toLowerCase() });
      expect(answer).toMatchObject({ search_type: 'regions', sals_found: 1, search_areas: [area!.name] });
      const inside = rows.filter((row) => row[column] === area!.code);
      expect(inside).toHaveLength(area!.properties);
      expect(answer.total_properties).toBe(
        inside.filter(
          (row) =>
            row.property_type !== null && (row.school_m === null ? row.lon === null : row.school_m <= 2000),
        ).length,
      );
    }
    expect(await ask({ ...everything, regions: 'VIC' })).toMatchObject({ search_areas: ['Victoria'] });
    const [pair] = await database.query<{ sal: string; n: string[] }>(
      "SELECT area AS sal, array_agg(neighbour ORDER BY neighbour) AS n FROM serving.region_neighbour n JOIN serving.search_area a ON a.level = 'SAL' AND a.name = neighbour WHERE n.level = 'SAL' GROUP BY area ORDER BY area LIMIT 1",
    );
    if (pair) {
      const { search_areas } = await ask({ ...everything, suburbs: pair.sal, neighbors: 'true' });
      expect(new Set(search_areas)).toEqual(new Set([pair.sal, ...pair.n]));
    }
    expect(await ask({ suburbs: 'Nowhere At All' })).toMatchObject({
      success: true,
      total_properties: 0,
      sals_found: 0,
      properties: [],
    });
  });

  it('refuses what is out of bounds as the specification has it', () => {
    const wrong = (query: Record<string, unknown>) => {
      const read = readParams(propertyFinder, query);
      return 'detail' in read ? read.detail.map(({ loc }) => loc.join('.')) : [];
    };
    expect(wrong({})).toEqual(['query.suburbs']);
    expect(wrong({ suburbs: ' , ' })).toEqual(['query.suburbs']);
    expect(wrong({ suburbs: 'X', limit: 5001 })).toEqual(['query.limit']);
    expect(wrong({ suburbs: 'X', limit: '0' })).toEqual(['query.limit']);
    expect(wrong({ suburbs: 'X', offset: -1 })).toEqual(['query.offset']);
    expect(wrong({ suburbs: 'X', min_price: 'cheap' })).toEqual(['query.min_price']);
    expect(wrong({ suburbs: 'X', max_distance_to_school: -1 })).toEqual(['query.max_distance_to_school']);
    expect(wrong({ suburbs: 'X', sort_by: 'gnaf_pid; DROP TABLE x' })).toEqual(['query.sort_by']);
    expect(wrong({ suburbs: 'X', features: 'moat' })).toEqual(['query.features.0']);
    expect(wrong({ suburbs: 'X', property_type: '', max_price: '' })).toEqual(['query.max_price']);
  });

  it('never throws for any text in a name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        const query = { suburbs: text, features: FINDER_FEATURES };
        if ('params' in readParams(propertyFinder, query)) expect((await ask(query)).success).toBe(true);
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});
