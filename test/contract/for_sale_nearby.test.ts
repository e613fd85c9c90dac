import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../contract/answers/ask.ts';
import { forSaleNearby } from '../../contract/property/for_sale_nearby.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openServing } from '../../store/read/serving.ts';
import { localPlane } from '../../transforms/geo/plane.ts';
import { WHOLE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

interface Listed {
  gnaf_pid: string;
  lon: number;
  lat: number;
  price: number | null;
  value: number | null;
}

describe('homes for sale nearby', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;
  let listed: Listed[];
  let homes: { gnaf_pid: string; lon: number | null; lat: number | null }[];

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    db = openServing(database.url);
    await sql`SET ROLE api_reader`.execute(db);
    listed = await database.query(
      `SELECT gnaf_pid, lon, lat, price, predicted_price AS value FROM serving.listing LEFT JOIN serving.property_avm USING (gnaf_pid)
       WHERE type = 'For Sale' AND lon IS NOT NULL`,
    );
    homes = await database.query('SELECT gnaf_pid, lon, lat FROM serving.property ORDER BY gnaf_pid');
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('are those within the radius, nearest first, as a search of all listings finds them', async () => {
    let found = 0;
    for (const { gnaf_pid, lon, lat } of homes) {
      const { data } = await ask(forSaleNearby, db, gnaf_pid, { radius_m: 3000 });
      if (lon === null || lat === null) {
        expect(data).toBeNull();
        continue;
      }
      const plane = localPlane(lon, lat);
      const away = listed
        .filter((each) => each.gnaf_pid !== gnaf_pid)
        .map((each) => Math.hypot(plane.x(each.lon, each.lat), plane.y(each.lon, each.lat)))
        .filter((metres) => metres <= 3000)
        .sort((a, b) => a - b)
        .slice(0, 50);
      expect(
        (data ?? []).map(({ distance_m }) => distance_m),
        gnaf_pid,
      ).toEqual(away.map(Math.round));
      found += away.length;
    }
    expect(found).toBeGreaterThan(100);
  });

  it('have a discount that is positive if asked below the estimate, and none without a price or an estimate', async () => {
    const seen = { below: 0, above: 0, unknown: 0 };
    const known = new Map(listed.map((each) => [each.gnaf_pid, each]));
    for (const { gnaf_pid } of homes)
      for (const each of (await ask(forSaleNearby, db, gnaf_pid)).data ?? []) {
        const { price, value } = known.get(each.gnaf_pid)!;
        expect([each.asking_price, each.predicted_price]).toEqual([price, value]);
        if (price === null || value === null) {
          expect(each.discount).toBeNull();
          seen.unknown++;
          continue;
        }
        expect(each.discount).toBeCloseTo((value - price) / value, 3);
        seen[price < value ? 'below' : 'above']++;
      }
    expect(seen.below).toBeGreaterThan(0);
    expect(seen.above).toBeGreaterThan(0);
    expect(seen.unknown).toBeGreaterThan(0);
  });

  it('answer with a reason for an unknown id, a home without coordinates, or no listing nearby', async () => {
    expect(await ask(forSaleNearby, db, 'GANONE')).toMatchObject({ no_data: 'unknown_property' });
    const reasons = new Set<string>();
    for (const { gnaf_pid, lon } of homes) {
      const answer = await ask(forSaleNearby, db, gnaf_pid, { radius_m: 100 });
      if (!('no_data' in answer)) continue;
      expect(answer.no_data === 'not_matched').toBe(lon === null);
      reasons.add(answer.no_data);
    }
    expect(reasons).toContain('none_found');
  });
});
