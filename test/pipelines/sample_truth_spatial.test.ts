import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import geodesic from 'geographiclib-geodesic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldAgainst } from '../../tools/scripts/truth.ts';
import { LARGE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

const { WGS84 } = geodesic.Geodesic;

interface Placed {
  lon: number;
  lat: number;
}

/** Metres to the nearest of some points, the slow and certain way; null: none within the radius. */
function nearest(from: Placed, to: readonly Placed[], within_m: number): number | null {
  const distances = to.map((each) => WGS84.Inverse(from.lat, from.lon, each.lat, each.lon).s12!);
  const least = Math.min(Infinity, ...distances);
  return least <= within_m ? least : null;
}

describe('hazards, overlays, schools and stops of the sample country against its known truth', () => {
  let database: TestDatabase;
  let dir: string;
  const read = (name: string): Record<string, string>[] =>
    parse(readFileSync(join(dir, 'truth', `${name}.csv`)), { columns: true });
  const placed = (rows: readonly Record<string, string>[]): Placed[] =>
    rows.filter((row) => row.lon !== '').map((row) => ({ lon: Number(row.lon), lat: Number(row.lat) }));

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(LARGE));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('has every overlay that the truth lists on a parcel with an address, with its value, for each address there', async () => {
    const rows = await database.query<{ parcel_id: string; layer: string; value: string; addresses: number }>(
      `SELECT p.parcel_id, o.layer, o.value, count(DISTINCT o.gnaf_pid)::int AS addresses
       FROM serving.property p JOIN serving.property_overlay o USING (gnaf_pid)
       WHERE p.parcel_id IS NOT NULL AND o.share > 0 AND o.overlap_sqm > 0 GROUP BY 1, 2, 3`,
    );
    const parcels = await database.query<{ parcel_id: string; addresses: number }>(
      `SELECT parcel_id, count(*)::int AS addresses FROM serving.property WHERE parcel_id IS NOT NULL GROUP BY 1`,
    );
    const addresses = new Map(parcels.map((row) => [row.parcel_id, row.addresses]));
    const found = new Map(
      rows.map((row) => [`${row.parcel_id}|${row.layer}|${row.value}`, row.addresses] as const),
    );
    const expected = read('planning_parcels').filter(
      (row) => row.theme === 'overlay' && addresses.has(row.parcel_id!),
    );
    expect(expected.length).toBeGreaterThan(100);
    const missing = expected.filter(
      (row) => found.get(`${row.parcel_id}|${row.layer}|${row.value}`) !== addresses.get(row.parcel_id!),
    );
    expect(missing).toEqual([]);
  });

  it('has heritage on exactly those parcels with an address that the truth lists', async () => {
    const rows = await database.query<{ parcel_id: string; is_on: boolean }>(
      `SELECT p.parcel_id, coalesce(bool_or(r.parcel_on), false) AS is_on
       FROM serving.property p LEFT JOIN serving.property_risk r ON r.gnaf_pid = p.gnaf_pid AND r.layer = 'heritage'
       WHERE p.parcel_id IS NOT NULL GROUP BY p.parcel_id`,
    );
    const listed = new Set(
      read('planning_parcels').flatMap((row) => (row.layer === 'heritage' ? [row.parcel_id!] : [])),
    );
    const wrong = rows.filter(({ parcel_id, is_on }) => is_on !== listed.has(parcel_id));
    expect(wrong).toEqual([]);
    expect(rows.filter(({ is_on }) => is_on).length).toBeGreaterThan(20);
  });

  it('measures schools and stops as the geodesic does', async () => {
    const rows = await database.query<Placed & Record<string, number | null>>(
      `SELECT p.lon, p.lat, x.* FROM serving.property p JOIN serving.property_proximity x USING (gnaf_pid)
       WHERE p.lon IS NOT NULL ORDER BY md5(gnaf_pid) LIMIT 150`,
    );
    const schools = placed(read('schools').filter((row) => row.is_special === 'false'));
    const stops = read('stops');
    const check = (row: (typeof rows)[number], column: string, points: Placed[], within_m: number): void => {
      const wanted = nearest(row, points, within_m);
      const label = `${row.gnaf_pid} ${column}`;
      if (wanted === null) expect(row[column], label).toBeNull();
      else expect(Math.abs(row[column]! - wanted), label).toBeLessThanOrEqual(0.56);
    };
    for (const row of rows) {
      check(row, 'school_m', schools, 5000);
      for (const mode of ['train', 'tram', 'bus', 'ferry'])
        check(row, `${mode}_m`, placed(stops.filter((stop) => stop.mode === mode)), 5000);
    }
    expect(rows.filter((row) => row.school_m !== null).length).toBeGreaterThan(20);
  });

  it('agrees with every oracle that the page of truth holds it against', async () => {
    const comparisons = await heldAgainst(database.url, [join(dir, 'truth')]);
    expect(comparisons.length).toBeGreaterThan(8);
    for (const { what, rows, agree, wrong } of comparisons) {
      expect(rows, what).toBeGreaterThan(0);
      expect(agree, `${what}: ${wrong.join('; ')}`).toBe(rows);
    }
  });

  it('tells a state whose flood nobody maps from one without flood, where none is found', async () => {
    const rows = await database.query<{ state: string; covered: boolean }>(
      `SELECT DISTINCT state, 'flood' = ANY (covered) AS covered FROM serving.property_coverage c
       WHERE NOT EXISTS (SELECT FROM serving.property_risk r WHERE r.gnaf_pid = c.gnaf_pid AND layer = 'flood') ORDER BY 1, 2`,
    );
    const byState = new Map(rows.map((row) => [row.state, row.covered]));
    expect(byState.get('VIC')).toBe(true);
    expect(byState.get('NT')).toBe(false);
    expect(byState.get('WA')).toBe(false);
  });

  it('measures a risk from the parcel where one is known, and keeps both findings', async () => {
    const [odd] = await database.query(
      `SELECT * FROM serving.property_risk r JOIN serving.property p USING (gnaf_pid)
       WHERE (p.parcel_id IS NOT NULL) <> (r.measured_from = 'parcel')
          OR (r.measured_from = 'parcel' AND (r.on_property <> r.parcel_on OR r.features_within_radius <> r.parcel_features))
          OR (r.on_property AND r.nearest_distance_m <> 0)
          OR (r.point_on AND p.parcel_method = 'point_in_parcel' AND r.parcel_distance_m > 0) LIMIT 1`,
    );
    expect(odd).toBeUndefined();
  });
});
