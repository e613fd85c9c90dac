import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, readParams } from '../../contract/answers/ask.ts';
import { streetProfile } from '../../contract/suburb/street.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openServing } from '../../store/read/serving.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

interface Expected {
  gnaf_pid: string;
  market: string;
  homes: number;
  sales: number;
  median: number | null;
  before: number | null;
  before_sales: number;
}

describe('the profile of a street', () => {
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

  it.each([1, 5, 10])('has over %i years what plain SQL finds on every street', async (years) => {
    const rows = await database.query<Expected>(
      `WITH period AS (SELECT max(month) + interval '1 month' AS until FROM serving.region_market WHERE level = 'STE'),
         home AS (SELECT p.gnaf_pid, p.sal, p.street, f.property_type AS market, f.beds FROM serving.property p JOIN serving.property_finder f USING (gnaf_pid)
           WHERE p.sal IS NOT NULL AND p.street IS NOT NULL),
         sold AS (SELECT home.*, s.price, s.date >= until - $1 * interval '12 months' AS is_now FROM home JOIN serving.sale s USING (gnaf_pid), period
           WHERE s.date < until AND s.date >= until - $1 * interval '24 months')
       SELECT min(gnaf_pid) AS gnaf_pid, market, count(*)::int AS homes,
         (SELECT count(*)::int FROM sold WHERE (sal, street, market) = (h.sal, h.street, h.market) AND is_now) AS sales,
         (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) FROM sold WHERE (sal, street, market) = (h.sal, h.street, h.market) AND is_now) AS median,
         (SELECT count(*)::int FROM sold WHERE (sal, street, market) = (h.sal, h.street, h.market) AND NOT is_now) AS before_sales,
         (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) FROM sold WHERE (sal, street, market) = (h.sal, h.street, h.market) AND NOT is_now) AS before
       FROM home h WHERE market IS NOT NULL GROUP BY sal, street, market ORDER BY 1`,
      [years],
    );
    let medians = 0;
    for (const row of rows) {
      const { data } = await ask(streetProfile, db, row.gnaf_pid, { years });
      const own = data!.markets.find(({ market }) => market === row.market)!;
      const isKnown = row.sales >= 10;
      const growth =
        isKnown && row.before_sales >= 10 ? Math.round(1e4 * (row.median! / row.before! - 1)) / 100 : null;
      expect(own, row.gnaf_pid).toMatchObject({
        homes: row.homes,
        sales: row.sales,
        median_price: isKnown ? Math.round(row.median!) : null,
        turnover_percent: Math.round((1e4 * row.sales) / row.homes / years) / 100,
      });
      if (growth === null) expect(own.growth_percent).toBeNull();
      else expect(own.growth_percent).toBeCloseTo(growth, 1);
      if (isKnown) medians++;
    }
    expect(rows.length).toBeGreaterThan(40);
    if (years === 10) expect(medians).toBeGreaterThan(0);
  });

  it('is missing with a reason: unknown id, no street or suburb, or a state without sales', async () => {
    expect(await ask(streetProfile, db, 'GANONE')).toMatchObject({ no_data: 'unknown_property' });
    const none = await database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property WHERE street IS NULL OR sal IS NULL',
    );
    for (const { gnaf_pid } of none)
      expect(await ask(streetProfile, db, gnaf_pid)).toMatchObject({
        no_data: 'not_matched',
        reason: `no_street_profile_for_${gnaf_pid}`,
      });
    const [home] = await database.query<{ gnaf_pid: string; state: string }>(
      'SELECT min(gnaf_pid) AS gnaf_pid, state FROM serving.property WHERE street IS NOT NULL AND sal IS NOT NULL GROUP BY state LIMIT 1',
    );
    await database.query(`DELETE FROM serving.region_market WHERE level = 'STE' AND area = $1`, [
      home!.state,
    ]);
    expect(await ask(streetProfile, db, home!.gnaf_pid)).toMatchObject({ no_data: 'not_covered' });
  });

  it('takes 1 to 10 years', () => {
    for (const years of ['0', '11', 'x', ''])
      expect(readParams(streetProfile, { years })).toHaveProperty('detail');
    expect(readParams(streetProfile, {})).toEqual({ params: { years: 5 } });
  });
});
