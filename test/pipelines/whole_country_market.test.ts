import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { marketFigureColumns } from '../../schema/serving/region_market.ts';
import { TRADED } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { MARKET_FIGURES_SQL, ROUNDED } from './market_sql.ts';

const FIGURES = Object.keys(marketFigureColumns);

describe('market figures of the whole sample country', () => {
  let dir: string;
  let database: TestDatabase;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TRADED));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('has the market figures that plain SQL makes of the same events', async () => {
    const rows = await database.query<{
      area: string;
      market: string;
      served: number | null;
      made: number;
      n: number;
    }>(
      `WITH day AS (SELECT as_of FROM asset.valuation_day), made AS (
         SELECT sal AS area, market, count(*)::int AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS median
         FROM asset.market_fact, day WHERE kind = 'sale' AND sal IS NOT NULL AND date >= as_of - interval '12 months' GROUP BY 1, 2)
       SELECT m.area, m.market, r.median_price AS served, round(m.median)::int AS made, m.n
       FROM made m JOIN serving.region_market r ON r.level = 'SAL' AND r.area = m.area AND r.market = m.market
       WHERE r.price_sample = m.n`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { area, market, served, made, n } of rows) {
      if (n < 10) expect(served, `${area} ${market}`).toBeNull();
      else expect(Math.abs(served! - made), `${area} ${market}`).toBeLessThanOrEqual(1);
    }
  });

  it('has every market figure that plain SQL has, at every level and in every pocket', async () => {
    const made = await database.query<Record<string, string | number | null>>(MARKET_FIGURES_SQL);
    const served = await database.query<Record<string, string | number | null>>(
      `SELECT * FROM (SELECT level, area, market, ${FIGURES.join(', ')} FROM serving.region_market
         UNION ALL SELECT 'SA1', sa1, market, ${FIGURES.join(', ')} FROM serving.pocket_market) all_areas
       ORDER BY level COLLATE "C", area COLLATE "C", market`,
    );
    const nameOf = ({ level, area, market }: (typeof made)[number]): string => `${level} ${area} ${market}`;
    expect(served.map(nameOf)).toEqual(made.map(nameOf));
    const filled: Record<string, number> = {};
    for (const [i, row] of served.entries()) {
      for (const name of FIGURES) {
        const [is, be] = [row[name] as number | null, made[i]![name] as number | null];
        const what = `${name} of ${nameOf(row)}: ${is}, in SQL ${be}`;
        if (is === null || be === null) expect(is, what).toBe(be);
        else expect(Math.abs(is - be), what).toBeLessThanOrEqual((ROUNDED[name] ?? 0) + 1e-9);
        if (is !== null) filled[name] = (filled[name] ?? 0) + 1;
      }
    }
    // Nowhere in a country this small are a hundred dwellings of a kind rented.
    expect(FIGURES.filter((name) => !filled[name])).toEqual(['vacancy_percent']);
  });

  it('has a repeat-sales index where enough homes sold twice', async () => {
    const [state] = await database.query<{ month: string; index_series: { month: string; index: number }[] }>(
      `SELECT month::text AS month, index_series FROM serving.region_market WHERE level = 'STE' AND area = 'NSW' AND market = 'house'`,
    );
    const index = state!.index_series;
    expect(index[0]!.index).toBe(100);
    expect(index.at(-1)!.month).toBe(state!.month);
    // Its homes rise by 5 % a year.
    expect(index.at(-1)!.index).toBeGreaterThan(140);
    const [thin] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.region_market WHERE index_series IS NOT NULL AND jsonb_array_length(index_series) < 2`,
    );
    expect(thin!.n).toBe(0);
  });

  it('has pockets that add up to their country, named by their commonest street', async () => {
    const [sums] = await database.query<{ pockets: number; states: number; named: number; n: number }>(
      `SELECT (SELECT sum(price_sample)::int FROM serving.pocket_market) AS pockets,
         (SELECT sum(price_sample)::int FROM serving.region_market WHERE level = 'STE') AS states,
         (SELECT count(*)::int FROM serving.pocket_market WHERE name IS NOT NULL) AS named,
         (SELECT count(*)::int FROM serving.pocket_market) AS n`,
    );
    expect(sums!.pockets).toBe(sums!.states);
    expect(sums!.n).toBeGreaterThan(5);
    expect(sums!.named).toBe(sums!.n);
    const wrong = await database.query(
      `WITH streets AS (SELECT r.sa1, p.street, row_number() OVER (PARTITION BY r.sa1 ORDER BY count(*) DESC, p.street COLLATE "C") AS place
         FROM serving.property p JOIN serving.property_profile r USING (gnaf_pid) WHERE p.street IS NOT NULL GROUP BY 1, 2)
       SELECT m.sa1, m.name, s.street FROM serving.pocket_market m JOIN streets s ON s.sa1 = m.sa1 AND s.place = 1 WHERE m.name <> s.street`,
    );
    expect(wrong).toEqual([]);
  });
});
