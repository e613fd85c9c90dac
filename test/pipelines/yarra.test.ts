import { fileURLToPath } from 'node:url';
import { area } from '@turf/turf';
import type { Polygon } from 'geojson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { NO_DATA } from '../../contract/answers/answer.ts';
import { ask, find, readParams } from '../../contract/answers/ask.ts';
import type { AnyOperation } from '../../contract/answers/operation.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import type { RiskRecord } from '../../contract/property/risks.ts';
import { isIndependent } from '../../pipelines/publish/independent/facts.ts';
import { silent } from '../../pipelines/report/progress.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { refresh } from '../../pipelines/run/refresh.ts';
import { openServing } from '../../store/read/serving.ts';
import { localPlane } from '../../transforms/geo/plane.ts';
import { type ClipPiece, intersectCircle } from '../../transforms/layers/clip.ts';
import { disagreementsIn } from '../contract/shared_facts.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { hasSharedData, sharedCsv } from '../shared_data.ts';

const CONFIG = fileURLToPath(new URL('../../config/yarra.yaml', import.meta.url));

describe.skipIf(!hasSharedData('the City of Yarra comparison'))(
  'City of Yarra against independent values',
  () => {
    let database: TestDatabase;
    let report: RunReport;

    beforeAll(async () => {
      database = await createDatabase();
      // The expected pairs were made with a tolerance of 0.1 m and a threshold of 0.5 m.
      const flags = {
        config: CONFIG,
        set: [`database.url=${database.url}`, 'neighbours.tolerance_m=0.1', 'neighbours.min_shared_m=0.5'],
      };
      const { config, base } = await loadConfig(flags, {});
      report = await refresh({ url: database.url, config, base, progress: silent, command: 'test' });
    });

    afterAll(() => database?.drop());

    it('publishes every live principal and accounts for every row', () => {
      expect(report.error).toBeNull();
      expect(report.state).toBe('published');
      const property = report.tables.find((table) => table.table === 'property');
      // 19,841 addresses less 432 aliases less 13 retired ones.
      expect(property?.rows).toBe(19_396);
    });

    it('has the values that Turf computes for 200 properties', () => {
      const checks = report.audit.filter(isIndependent);
      expect(checks.map(({ check }) => check)).toEqual([
        'independent:parcel',
        'independent:property',
        'independent:property_neighbour',
        'independent:property_risk',
        'independent:property_proximity',
      ]);
      for (const { message } of checks)
        expect(message).toMatch(/^[1-9]\d* facts of 200 of 19396 changed homes .*: none differs/);
    });

    it('reports the overridden CRS', () => {
      const cadastre = report.datasets.find((dataset) => dataset.dataset === 'cadastre_vic');
      expect(cadastre?.crs).toEqual({ applied: 'EPSG:7844', stated: 'EPSG:4326', overridden: true });
      expect(cadastre?.notes.join(' ')).toContain('configured EPSG:7844 applies');
      expect(report.datasets.find((dataset) => dataset.dataset === 'zoning_vic')?.crs.applied).toBe(
        'EPSG:4283',
      );
    });

    it('finds zones, overlays and parcels in one datum', () => {
      expect(report.notes.filter((note) => note.includes('seem to be'))).toEqual([]);
    });

    it('has the zone of 500 address points', async () => {
      const rows = await database.query<{ gnaf_pid: string; code: string }>(
        'SELECT gnaf_pid, code FROM serving.property_zoning',
      );
      const codes = new Map(rows.map((row) => [row.gnaf_pid, row.code]));
      const expected = sharedCsv('yarra/expected/zone_by_point.csv').filter(
        (row) => Number(row.margin_to_zone_edge_m) >= 0.05,
      );
      expect(expected.length).toBeGreaterThan(490);
      const wrong = expected.filter((row) => codes.get(row.gnaf_pid!) !== row.zone_code);
      expect(wrong).toEqual([]);
    });

    it('has the area of 300 parcels within 0.05 m²', async () => {
      const rows = await database.query<{ parcel_id: string; area_sqm: number }>(
        'SELECT parcel_id, area_sqm FROM record.parcel',
      );
      const areas = new Map(rows.map((row) => [row.parcel_id, row.area_sqm]));
      const expected = sharedCsv('yarra/expected/parcel_area.csv');
      expect(expected).toHaveLength(300);
      for (const { id_stock, ellipsoidal_m2 } of expected) {
        expect(
          Math.abs(areas.get(`VIC:${id_stock}`)! - Number(ellipsoidal_m2)),
          id_stock,
        ).toBeLessThanOrEqual(0.05);
      }
    });

    it('has the adjoining parcels of 300 parcels', async () => {
      const rows = await database.query<{ a: string; b: string; shared_m: number; is_corner: boolean }>(
        `SELECT DISTINCT parcel_id AS a, neighbour_parcel_id AS b, shared_m, is_corner
         FROM serving.property_neighbour JOIN serving.property USING (gnaf_pid)`,
      );
      const pairs = new Map(rows.map((row) => [`${row.a}|${row.b}`, row]));
      const served = await database.query<{ parcel_id: string }>(
        'SELECT DISTINCT parcel_id FROM serving.property WHERE parcel_id IS NOT NULL',
      );
      const isServed = new Set(served.map((row) => row.parcel_id));
      const clear = sharedCsv('yarra/expected/adjoining.csv').filter(
        (row) => row.borderline === '0' && Number(row.overlap_m2) <= 1 && isServed.has(`VIC:${row.id_stock}`),
      );
      expect(clear.length).toBeGreaterThan(700);
      for (const { id_stock, other_id_stock, shared_m, adjoining, overlap_m2 } of clear) {
        const found = pairs.get(`VIC:${id_stock}|VIC:${other_id_stock}`);
        const name = `${id_stock} ${other_id_stock}`;
        expect(found !== undefined && !found.is_corner, name).toBe(adjoining === '1');
        // Where parcels overlap, the two directions of a pair differ: half a square metre may be 0.3 m of boundary.
        const tolerance = Number(overlap_m2) > 0.1 ? 0.3 : Math.max(0.1, Number(shared_m) * 0.01);
        if (adjoining === '1')
          expect(Math.abs(found!.shared_m - Number(shared_m)), name).toBeLessThanOrEqual(tolerance);
      }
    });

    it('counts the adjoining parcels of 300 parcels', async () => {
      const rows = await database.query<{ a: string; n: string }>(
        `SELECT parcel_id AS a, count(DISTINCT neighbour_parcel_id) FILTER (WHERE NOT is_corner) AS n
         FROM serving.property LEFT JOIN serving.property_neighbour USING (gnaf_pid)
         WHERE parcel_id IS NOT NULL GROUP BY parcel_id`,
      );
      const counts = new Map(rows.map((row) => [row.a, Number(row.n)]));
      const unsure = new Set(
        sharedCsv('yarra/expected/adjoining.csv')
          .filter((row) => row.borderline === '1' || Number(row.overlap_m2) > 1)
          .map((row) => row.id_stock),
      );
      const served = sharedCsv('yarra/expected/adjoining_sampled_parcels.csv').filter(({ id_stock }) =>
        counts.has(`VIC:${id_stock}`),
      );
      expect(served.length).toBeGreaterThan(270);
      for (const { id_stock, adjoining_count } of served) {
        if (!unsure.has(id_stock!))
          expect(counts.get(`VIC:${id_stock}`), id_stock).toBe(Number(adjoining_count));
      }
    });

    it('has flags, distances and counts of flood for 300 properties', async () => {
      const rows = await database.query<{
        gnaf_pid: string;
        parcel_id: string;
        parcel_on: boolean;
        parcel_distance_m: number | null;
        parcel_features: number;
        point_distance_m: number | null;
        point_features: number;
      }>(
        `SELECT p.gnaf_pid, p.parcel_id, COALESCE(bool_or(parcel_on), false) AS parcel_on, min(r.parcel_distance_m) AS parcel_distance_m,
           COALESCE(sum(parcel_features), 0)::int AS parcel_features, min(point_distance_m) AS point_distance_m,
           COALESCE(sum(point_features), 0)::int AS point_features
         FROM serving.property p LEFT JOIN serving.property_risk r ON r.gnaf_pid = p.gnaf_pid AND r.layer = 'flood'
         GROUP BY 1, 2`,
      );
      const found = new Map(rows.map((row) => [row.gnaf_pid, row]));
      const expected = sharedCsv('yarra/expected/flood.csv').filter(
        (row) => found.get(row.gnaf_pid!)?.parcel_id === `VIC:${row.id_stock}`,
      );
      expect(expected.length).toBeGreaterThan(290);
      const wrong: unknown[] = [];
      const near = (value: number | null, wanted: string): boolean =>
        value === null ? Number(wanted) > 1000 || wanted === '' : Math.abs(value - Number(wanted)) <= 0.05;
      for (const row of expected) {
        const got = found.get(row.gnaf_pid!)!;
        const sliver = Number(row.overlap_m2) > 0 && Number(row.overlap_m2) <= 1;
        const same =
          (sliver || got.parcel_on === (row.on_property === '1')) &&
          near(got.parcel_distance_m, row.parcel_nearest_m!) &&
          got.parcel_features === Number(row.parcel_features_1km) &&
          near(got.point_distance_m, row.point_nearest_m!) &&
          got.point_features === Number(row.point_features_1km);
        if (!same) wrong.push({ row, got });
      }
      expect(wrong).toEqual([]);
    });

    it('has a record for each flood class near a home, and 0 m only on the property', async () => {
      const classes = await database.query<{ hazard_class: string; names: string[] }>(
        `SELECT hazard_class, array_agg(DISTINCT name ORDER BY name) AS names FROM serving.property_risk
         WHERE layer = 'flood' GROUP BY 1 ORDER BY 1`,
      );
      expect(classes.map(({ hazard_class }) => hazard_class)).toEqual([
        'Land Subject to Inundation Overlay',
        'Special Building Overlay',
      ]);
      expect(classes[1]!.names.length).toBeGreaterThan(1);
      const [both] = await database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM (SELECT gnaf_pid FROM serving.property_risk WHERE layer = 'flood'
         GROUP BY 1 HAVING count(*) = 2) AS two`,
      );
      expect(both!.n).toBeGreaterThan(1000);
      expect(
        await database.query(
          'SELECT gnaf_pid FROM serving.property_risk WHERE on_property <> (nearest_distance_m = 0) LIMIT 1',
        ),
      ).toEqual([]);
    });

    it('has the distances to the nearest station, tram and bus stop of 300 addresses', async () => {
      const rows = await database.query<{
        gnaf_pid: string;
        lon: number;
        lat: number;
        train_m: number;
        tram_m: number;
        bus_m: number;
      }>(
        'SELECT gnaf_pid, lon, lat, train_m, tram_m, bus_m FROM serving.property_proximity JOIN serving.property USING (gnaf_pid)',
      );
      const points = await database.query<{ lon: number; lat: number }>(
        "SELECT lon, lat FROM record.stop WHERE mode = 'train'",
      );
      const found = new Map(rows.map((row) => [row.gnaf_pid, row]));
      const expected = sharedCsv('yarra/expected/nearest_transport.csv');
      expect(expected).toHaveLength(300);
      for (const row of expected) {
        const got = found.get(row.gnaf_pid!)!;
        const off = (mode: 'train' | 'tram' | 'bus'): number => got[`${mode}_m`] - Number(row[`${mode}_m`]);
        // Whole metres.
        expect(Math.abs(off('tram')), `${row.gnaf_pid} tram`).toBeLessThanOrEqual(0.56);
        expect(Math.abs(off('bus')), `${row.gnaf_pid} bus`).toBeLessThanOrEqual(0.56);
        // The timetable lists the layer's stations too, elsewhere: of one station the nearest point counts.
        expect(off('train'), `${row.gnaf_pid} train`).toBeLessThanOrEqual(0.56);
        const plane = localPlane(got.lon, got.lat);
        const nearest = Math.min(
          ...points.map(({ lon, lat }) => Math.hypot(plane.x(lon, lat), plane.y(lon, lat))),
        );
        expect(Math.abs(got.train_m - nearest), `${row.gnaf_pid} train`).toBeLessThanOrEqual(0.56);
      }
    });

    it('serves each station once, whichever feeds and layers list it', async () => {
      const [listed] = await database.query<{ n: number; sources: number }>(
        `SELECT count(*)::int AS n, count(DISTINCT source)::int AS sources FROM record.stop
       WHERE mode = 'train' AND label ~* '^(richmond|flinders street) '`,
      );
      expect(listed).toEqual({ n: 8, sources: 4 });
      const served = await database.query<{ stop_id: string }>(
        `SELECT stop_id FROM serving.stop WHERE mode = 'train' AND label ~* '^(richmond|flinders street) '
       AND one_stop_id = stop_id ORDER BY stop_id`,
      );
      expect(served.map(({ stop_id }) => stop_id)).toEqual([
        expect.stringContaining('PTV_METRO_TRAIN_STATION'),
        expect.stringContaining('PTV_METRO_TRAIN_STATION'),
      ]);
    });

    it('answers every endpoint of properties and areas with its payload or a typed reason', async () => {
      const db = openServing(database.url);
      try {
        const subjects = await database.query<{ gnaf_pid: string }>(
          `(SELECT gnaf_pid FROM serving.property WHERE parcel_id IS NULL ORDER BY gnaf_pid LIMIT 3)
           UNION ALL (SELECT gnaf_pid FROM serving.property ORDER BY md5(gnaf_pid) LIMIT 5)`,
        );
        const areas = await database.query<{ level: string; code: string; name: string }>(
          "SELECT level, code, name FROM serving.search_area WHERE level IN ('SAL', 'SA2', 'SA3', 'LGA', 'POA') ORDER BY level, code",
        );
        const answered = new Set<string>();
        const get = async (endpoint: AnyOperation, id: string, query: Record<string, unknown>) => {
          if (!('params' in readParams(endpoint, query))) return;
          const envelope = await ask(endpoint, db, id, query);
          if (!('no_data' in envelope)) answered.add(endpoint.subpath);
          else expect(NO_DATA.slice(0, 4), `${endpoint.subpath} ${id}`).toContain(envelope.no_data);
        };
        for (const endpoint of ENDPOINTS.filter(({ subject }) => subject === 'property'))
          for (const { gnaf_pid } of subjects) await get(endpoint, gnaf_pid, {});
        for (const endpoint of ENDPOINTS.filter(({ subject }) => subject === 'suburb'))
          for (const { level, code, name } of areas)
            await get(endpoint, level === 'SAL' ? name : code, level === 'SAL' ? {} : { level });
        // The data has addresses, boundaries, parcels, zones, overlays, schools, stops, places and floods, and no market.
        for (const path of ['profile', 'basics/land-area-sqm', 'neighbours', 'development/zoning-code'])
          expect(answered).toContain(path);
        for (const path of [
          'transport/nearby',
          'risks/flood',
          'risks/all',
          'all',
          'suburb/profile',
          'suburb/all',
        ])
          expect(answered).toContain(path);
        expect(await find(propertyFinder, db, { suburbs: 'fitzroy (vic.)' })).toMatchObject({
          sals_found: 1,
        });
      } finally {
        await db.destroy();
      }
    });

    it('cuts the floods around four properties as Turf does', async () => {
      const db = openServing(database.url);
      const flood = ENDPOINTS.find(({ subpath }) => subpath === 'risks/flood')!;
      try {
        const subjects = await database.query<{ gnaf_pid: string; lon: number; lat: number }>(
          `SELECT gnaf_pid, lon, lat FROM serving.property JOIN serving.property_risk USING (gnaf_pid)
           WHERE layer = 'flood' AND lon IS NOT NULL GROUP BY 1, 2, 3 ORDER BY md5(gnaf_pid) LIMIT 4`,
        );
        for (const { gnaf_pid, lon, lat } of subjects) {
          const { data } = await ask(flood, db, gnaf_pid, { geojson: true });
          const records = data as RiskRecord[];
          for (const { properties, geometry } of records.flatMap(({ geojson }) => geojson!.features)) {
            const pieces = await database.query<ClipPiece>(
              "SELECT cell, geom FROM serving.hazard WHERE layer = 'flood' AND feature_id = $1",
              [properties.id],
            );
            const whole = intersectCircle(pieces, { lon, lat }, 1000);
            expect(Math.abs(area(geometry as Polygon) - area(whole!)), properties.id).toBeLessThan(20);
          }
        }
      } finally {
        await db.destroy();
      }
    });

    it('leaves out retired addresses and keeps them for matching', async () => {
      const traps = sharedCsv('yarra/gnaf/traps.csv').filter((row) =>
        /^(confidence_minus_1|date_retired)/.test(row.kind!),
      );
      const pids = traps.map((row) => row.gnaf_pid);
      expect(pids).toHaveLength(13);
      expect(
        await database.query('SELECT 1 FROM serving.property WHERE gnaf_pid = ANY ($1)', [pids]),
      ).toHaveLength(0);
      expect(
        await database.query('SELECT 1 FROM record.address WHERE gnaf_pid = ANY ($1) AND NOT is_live', [
          pids,
        ]),
      ).toHaveLength(13);
    });

    it('gives a street or locality geocode no parcel and no zone, and takes a missing point from the site', async () => {
      const [loc, stl, missing] = ['GAVIC980019406', 'GAVIC980019407', 'GAVIC980019409'];
      const rows = await database.query<{ gnaf_pid: string; parcel_method: string; lon: number | null }>(
        'SELECT gnaf_pid, parcel_method, lon FROM serving.property WHERE gnaf_pid = ANY ($1) ORDER BY gnaf_pid',
        [[loc, stl, missing]],
      );
      expect(rows.map((row) => row.parcel_method)).toEqual(['none', 'none', 'point_in_parcel']);
      expect(rows[2]!.lon).not.toBeNull();
      expect(
        await database.query('SELECT 1 FROM serving.property_zoning WHERE gnaf_pid = ANY ($1)', [[loc, stl]]),
      ).toEqual([]);
    });

    it('gives the same facts in different answers', async () => {
      const { found, compared } = await disagreementsIn(database.url, 40);
      expect(found).toEqual([]);
      expect(compared).toBeGreaterThan(10_000);
    });

    it('lets the API’s role read serving and nothing else', async () => {
      const { config } = await loadConfig({ config: CONFIG }, {});
      const role = config.database.api_role;
      const rights = await database.query<{ schema: string; may: boolean }>(
        `SELECT nspname AS schema, has_schema_privilege($1, nspname, 'USAGE') AS may FROM pg_namespace
       WHERE nspname IN ('serving', 'staged', 'asset', 'record', 'control') ORDER BY nspname`,
        [role],
      );
      expect(rights.filter((row) => row.may).map((row) => row.schema)).toEqual(['serving']);
      const writes = await database.query<{ may: boolean }>(
        `SELECT bool_or(has_table_privilege($1, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) AS may
       FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'serving' AND relkind = 'r'`,
        [role],
      );
      expect(writes[0]!.may).toBe(false);
    });
  },
);
