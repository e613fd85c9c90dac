import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { pipeline } from './fixture.ts';

describe('explain', () => {
  let database: TestDatabase;
  let dir: string;
  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('takes an address and an endpoint', async () => {
    const [home] = (await database.query<{ gnaf_pid: string; address: string; land_area_sqm: number }>(
      `SELECT gnaf_pid, address, land_area_sqm FROM serving.property p WHERE land_area_sqm IS NOT NULL AND flat_number IS NULL
         AND 2 <= (SELECT count(DISTINCT layer) FROM serving.property_risk r WHERE r.gnaf_pid = p.gnaf_pid AND layer IN ('flood', 'bushfire'))
       ORDER BY 1 LIMIT 1`,
    )) as [{ gnaf_pid: string; address: string; land_area_sqm: number }];
    const run = (...args: string[]) =>
      pipeline(['explain', ...args, '--json', '--config', join(dir, 'config.yaml')], {
        DATABASE_URL: database.url,
      });
    const text = home.address.toLowerCase().replace(',', '');
    const { stdout, stderr } = await run(text, 'land-area-sqm');
    expect(stderr).toContain(`${home.address} (${home.gnaf_pid})`);
    const { values, sources } = JSON.parse(stdout);
    expect(values).toEqual({ [home.gnaf_pid]: home.land_area_sqm });
    expect(sources).toMatchObject([{ what: 'parcel', place: expect.stringMatching(/ of /) }]);
    const flood = JSON.parse((await run(home.gnaf_pid, 'risks/flood')).stdout);
    expect(Object.keys(flood.values).length).toBeGreaterThan(0);
    for (const key of Object.keys(flood.values)) expect(key.startsWith(`${home.gnaf_pid}|flood|`)).toBe(true);
    const nowhere = await run('1 Nowhere Street Nowhereville', 'land-area-sqm');
    expect([nowhere.code, nowhere.stdout]).toEqual([
      2,
      expect.stringContaining('does not identify one property'),
    ]);
  });
});
