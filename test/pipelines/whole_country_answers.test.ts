import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { suburbForecast } from '../../contract/suburb/suburb_market.ts';
import { openServing } from '../../store/read/serving.ts';
import { TRADED } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

describe('answers about the whole sample country', () => {
  let dir: string;
  let database: TestDatabase;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TRADED));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('serves every count of the Census with its name and its share of those who answered', async () => {
    const [counts] = await database.query<{ served: number; recorded: number }>(
      `SELECT (SELECT sum((c->>'persons')::int)::int FROM serving.region_census, jsonb_array_elements(categories) c) AS served,
         (SELECT sum(persons)::int FROM record.census_count WHERE kind = 'part'
            AND level IN (SELECT DISTINCT level FROM serving.region_demographics)) AS recorded`,
    );
    expect(counts!.served).toBeGreaterThan(0);
    expect(counts!.served).toBe(counts!.recorded);
    const [birthplace] = await database.query<{
      counted: number;
      categories: { census_name: string; persons: number; share: number }[];
    }>(
      `SELECT counted, categories FROM serving.region_census WHERE subject = 'birthplace' ORDER BY counted DESC LIMIT 1`,
    );
    const [first] = birthplace!.categories;
    expect(first!.census_name).toBe('P_Australia_Tot');
    expect(first!.share).toBeCloseTo(first!.persons / birthplace!.counted, 12);
  });

  it('shows a forecast with the measured errors of such forecasts', async () => {
    const [suburb] = await database.query<{ sal: string }>(
      'SELECT sal FROM serving.suburb ORDER BY sal LIMIT 1',
    );
    const db = openServing(database.url);
    const read = async (): Promise<unknown> => (await ask(suburbForecast, db, suburb!.sal)).data;
    try {
      await database.query(
        `INSERT INTO serving.region_forecast VALUES ('SAL', $1, 'house', 'VIC', '2026-05-01', 'model', 3, -2, 8, 60, 0)`,
        [suburb!.sal],
      );
      expect(await read()).toEqual([expect.objectContaining({ growth_percent: 3, backtest: null })]);
      await database.query(
        `INSERT INTO serving.forecast_backtest VALUES ('SAL', 'house', 'AU', '2021-11-01', '2025-05-01', 90, 4.2, 5.5, 4.1, 78)`,
      );
      const backtest = expect.objectContaining({
        of: 'AU',
        forecasts: 90,
        error_points: 4.2,
        last_year_error_points: 4.1,
      });
      expect(await read()).toEqual([expect.objectContaining({ backtest })]);
    } finally {
      await database.query('DELETE FROM serving.region_forecast');
      await database.query('DELETE FROM serving.forecast_backtest');
      await db.destroy();
    }
  });

  it('answers every endpoint for some property or suburb', async () => {
    const db = openServing(database.url);
    try {
      const ids = {
        property: (
          await database.query<{ id: string }>(
            `SELECT gnaf_pid AS id FROM serving.property ORDER BY md5(gnaf_pid) LIMIT 400`,
          )
        ).map((row) => row.id),
        suburb: (await database.query<{ id: string }>('SELECT sal AS id FROM serving.suburb')).map(
          (row) => row.id,
        ),
      };
      const silent: string[] = [];
      for (const endpoint of ENDPOINTS) {
        let answered = false;
        for (const id of ids[endpoint.subject!]) {
          answered = (await ask(endpoint, db, id)).data !== null;
          if (answered) break;
        }
        if (!answered) silent.push(endpoint.subpath);
      }
      // A country this small may have too few sales for a rank or a forecast.
      const thin = ['suburb/growth-forecast', 'suburb/ranking'];
      expect(silent.filter((path) => !thin.includes(path))).toEqual([]);
    } finally {
      await db.destroy();
    }
  });
});
