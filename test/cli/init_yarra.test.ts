import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDatabase, type TestDatabase } from '../database.ts';
import { hasSharedData, sharedCsv, sharedPath } from '../shared_data.ts';
import { openFolder, pipeline } from './fixture.ts';

describe.skipIf(!hasSharedData('init and refresh of real deliveries'))(
  'the first hour: init and refresh of real deliveries, without hands',
  () => {
    let folder: string;
    let database: TestDatabase;
    let written: string;
    let said: string;

    beforeAll(async () => {
      folder = openFolder();
      database = await createDatabase();
      const data = join(folder, 'data');
      mkdirSync(data);
      cpSync(sharedPath('yarra'), data, { recursive: true });
      const file = join(folder, 'pipeline.yaml');
      const init = await pipeline(['init', data, '--out', file, '--licence', 'CC-BY-4.0']);
      expect([init.stderr, init.code]).toEqual([expect.any(String), 0]);
      said = init.stdout;
      written = readFileSync(file, 'utf8');
      const refresh = await pipeline(['refresh', '--config', file], { DATABASE_URL: database.url });
      expect([refresh.stderr, refresh.code]).toEqual([expect.any(String), 0]);
    }, 180_000);

    afterAll(async () => {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    const count = async (sql: string): Promise<number> =>
      (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))[0]!.n;

    it('proposes a cadastre for parcels with zones, and zoning for the zones', () => {
      const { datasets } = parse(written);
      expect(datasets.cadastre_vic).toMatchObject({
        adapter: 'cadastre',
        path: 'data/cadastre/yarra_parcels.shp',
        options: { state: 'VIC', field_map: { parcel_id: 'id_stock', lot_plan: null } },
      });
      expect(datasets.zoning_vic.path).toContain('data/planning/VMPLAN/PLAN_ZONE.shp');
      expect(datasets.zoning_vic_2).toBeUndefined();
      expect(written).toContain('It may also be: adapter: zoning');
    });

    it('lists missing datasets, and each file of expected values in one line', () => {
      expect(said).toContain('Not there: no bushfire layer');
      const lines = written.split('\n').filter((line) => line.includes('data/expected/'));
      // One line for each file, with its columns.
      expect(lines).toHaveLength(7);
      expect(written.match(/column_names/g)).toHaveLength(3);
      expect(written).not.toContain('to be completed');
    });

    it('publishes nine of ten addresses with a parcel', async () => {
      const all = await count('serving.property');
      expect(all).toBe(19_396);
      expect(await count('serving.property WHERE parcel_id IS NOT NULL')).toBeGreaterThan(all * 0.9);
    });

    it('publishes the zones of the expected points', async () => {
      const rows = await database.query<{ gnaf_pid: string; code: string }>(
        'SELECT gnaf_pid, code FROM serving.property_zoning',
      );
      const codes = new Map(rows.map(({ gnaf_pid, code }) => [gnaf_pid, code]));
      const expected = sharedCsv('yarra/expected/zone_by_point.csv');
      const right = expected.filter(({ gnaf_pid, zone_code }) => codes.get(gnaf_pid!) === zone_code);
      expect(right.length).toBeGreaterThanOrEqual(expected.length * 0.98);
    });

    it('claims coverage only for the council of the extract, and none without a layer', async () => {
      const { datasets } = parse(written);
      for (const id of ['zoning_vic', 'overlays_vic', 'flood_vic', 'heritage_vic']) {
        // The box of the extract reaches into other councils.
        expect(datasets[id].options.coverage, id).toEqual({ lga: ['27350'] });
      }
      expect(await count("serving.property_coverage WHERE 'bushfire' = ANY (covered)")).toBe(0);
      const covered = await database.query<{ gnaf_pid: string; has: boolean }>(
        `SELECT gnaf_pid, EXISTS (SELECT FROM serving.property_risk r WHERE r.gnaf_pid = c.gnaf_pid AND r.layer = 'flood') AS has
         FROM serving.property_coverage c WHERE 'flood' = ANY (covered)`,
      );
      const found = new Map(covered.map(({ gnaf_pid, has }) => [gnaf_pid, has]));
      const near = sharedCsv('yarra/expected/flood.csv').filter((row) => Number(row.point_features_1km) > 0);
      expect(near.filter(({ gnaf_pid }) => found.get(gnaf_pid!) === false)).toEqual([]);
    });

    it('leaves out sales with a licence for evaluation only', () => {
      expect(parse(written).datasets.sales_csv).toBeUndefined();
      expect(written).toContain('CC BY-NC-SA 4.0: for evaluation only');
    });
  },
);

describe.skipIf(!hasSharedData('init and refresh of the deliveries of the states'))(
  'the deliveries of the states, without hands',
  () => {
    let folder: string;
    let database: TestDatabase;
    beforeAll(async () => {
      folder = openFolder();
      database = await createDatabase();
    });
    afterAll(async () => {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('loads the deliveries without G-NAF, and lists what a country still needs', async () => {
      const data = join(folder, 'data');
      cpSync(sharedPath('states'), data, { recursive: true });
      const file = join(folder, 'pipeline.yaml');
      const init = await pipeline(['init', data, '--out', file, '--licence', 'CC-BY-4.0']);
      expect(init.code).toBe(0);
      expect(init.stdout).toContain('Not there: no G-NAF: no addresses, so no properties are published.');
      // One delivery of the cadastre is there twice, once with columns added.
      expect(init.stdout).toContain('This or tas_cadastre/parcels.geojson?');
      const { datasets } = parse(readFileSync(file, 'utf8'));
      const claims = Object.entries<{ options?: { coverage?: unknown } }>(datasets).map(
        ([id, { options }]) => [id, options?.coverage],
      );
      expect(Object.fromEntries(claims.filter(([, coverage]) => coverage !== undefined))).toEqual({
        overlays_sa: 'none',
        bushfire_sa: 'none',
        zoning_sa: 'none',
      });
      const refresh = await pipeline(['refresh', '--config', file], { DATABASE_URL: database.url });
      expect([refresh.stderr, refresh.code]).toEqual([expect.any(String), 0]);
    }, 120_000);
  },
);
