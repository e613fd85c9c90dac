import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Polygon } from 'geojson';
import type pg from 'pg';
import { read as shapefile } from 'shapefile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { isIndependent } from '../../../pipelines/publish/independent/facts.ts';
import { independentChecks } from '../../../pipelines/publish/independent/independent_checks.ts';
import type { AuditCheck } from '../../../pipelines/report/report.ts';
import type { Config } from '../../../schema/config.ts';
import { hasGdal } from '../../../sources/formats/vector/geodatabase.ts';
import { openPool } from '../../../store/database.ts';
import { WHOLE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { loadedDatabase, sampleFolder } from '../../published_sample.ts';
import { flatGeobuf, geoPackage, type Model } from '../../sources/feature_writers.ts';
import { zipBytes } from '../../sources/zip_writer.ts';
import { refreshSample } from '../sample_run.ts';

/** Refuses the first publication, so that its rows stay staged. */
const REFUSE = ['gates.tables.property.rows_min=100000', 'audit.sample=0'];
const statuses = (checks: readonly AuditCheck[]): string[] =>
  checks.filter(isIndependent).map(({ check, status }) => `${check} ${status}`);
const PASSED = [
  'independent:parcel pass',
  'independent:property pass',
  'independent:property_neighbour pass',
  'independent:property_risk pass',
  'independent:property_proximity pass',
];

describe('the independent audit', () => {
  let database: TestDatabase;
  let dir: string;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  let config: Config;

  beforeAll(async () => {
    // Every dataset is needed, so that each table has facts.
    database = await loadedDatabase(WHOLE);
    dir = await sampleFolder(WHOLE);
    expect((await refreshSample(database, dir, REFUSE)).state).toBe('refused');
    pool = openPool(database.url, 1);
    client = await pool.connect();
    config = (await loadConfig({ config: `${dir}/config.yaml` }, {})).config;
  });
  afterAll(async () => {
    client?.release();
    await pool?.end();
    await database?.drop();
  });

  it('refuses a first publication with a dropped neighbour', async () => {
    const [dropped] = await database.query<{ gnaf_pid: string; neighbour_parcel_id: string }>(
      `DELETE FROM staged.property_neighbour WHERE (gnaf_pid, neighbour_parcel_id) IN (
         SELECT gnaf_pid, neighbour_parcel_id FROM staged.property_neighbour WHERE NOT is_corner ORDER BY 1, 2 LIMIT 1) RETURNING *`,
    );
    const refused = await refreshSample(database, dir, ['audit.sample=900']);
    expect(refused.state).toBe('refused');
    expect(refused.audit.filter(({ status }) => status === 'fail')).toMatchObject([
      {
        check: 'independent:property_neighbour',
        table: 'property_neighbour',
        message: expect.stringContaining(
          `1 differ, for example ${dropped!.gnaf_pid} neighbour ${dropped!.neighbour_parcel_id} false, recomputed true.`,
        ),
      },
    ]);
    await database.query(
      'INSERT INTO staged.property_neighbour SELECT * FROM jsonb_populate_record(NULL::staged.property_neighbour, $1)',
      [JSON.stringify(dropped)],
    );
  });

  it('passes a first publication with facts of each table', async () => {
    const report = await refreshSample(database, dir, ['audit.sample=40']);
    expect(report.state).toBe('published');
    expect(statuses(report.audit)).toEqual(PASSED);
    for (const { message } of report.audit.filter(isIndependent))
      expect(message).toMatch(
        /^[1-9]\d* facts of 40 of 900 changed homes \(seed 1\) (recomputed by Turf|read again by other readers): none/,
      );
  });

  /** Changes the published rows or records, recomputes a home of which `sql` returns the gnaf_pid, and undoes the change. */
  async function auditOf(sql: string, settings = config): Promise<AuditCheck[]> {
    await client.query('BEGIN');
    try {
      const { rows } = await client.query<{ gnaf_pid: string }>(sql);
      expect(rows, 'the fault').toHaveLength(1);
      const sample = { ids: [rows[0]!.gnaf_pid], of: 'one home' };
      return await independentChecks(client, settings, sample, { gates: [], reason: '' }, null);
    } finally {
      await client.query('ROLLBACK');
    }
  }
  const one = (where: string, table = 'property_risk'): string =>
    `(gnaf_pid, layer, hazard_class) = (SELECT gnaf_pid, layer, hazard_class FROM serving.${table} WHERE ${where} ORDER BY 1, 2, 3 LIMIT 1) RETURNING gnaf_pid`;

  /** Changes the record of the first property's parcel. */
  const faultyParcel = (change: string): string =>
    `WITH faulty AS (UPDATE record.parcel SET ${change} WHERE parcel_id = (
         SELECT parcel_id FROM serving.property WHERE parcel_id IS NOT NULL ORDER BY gnaf_pid LIMIT 1) RETURNING parcel_id)
       SELECT gnaf_pid FROM serving.property JOIN faulty USING (parcel_id) ORDER BY 1 LIMIT 1`;

  it.each<[fault: string, tables: string | string[], sql: string]>([
    ['a box that begins 1 mm too far in the east', 'parcel', faultyParcel('min_lon = min_lon + 1e-8')],
    ['a parcel with the number of another record', 'parcel', faultyParcel('source_no = source_no + 1')],
    ['a parcel with a number beyond the file', 'parcel', faultyParcel('source_no = 10000000')],
    [
      'a distance from a parcel 5 cm too long',
      'property_risk',
      `UPDATE serving.property_risk SET parcel_distance_m = parcel_distance_m + 0.05 WHERE ${one('parcel_distance_m BETWEEN 100 AND 900')}`,
    ],
    [
      'a distance from a point 5 cm too short',
      'property_risk',
      `UPDATE serving.property_risk SET point_distance_m = point_distance_m - 0.05 WHERE ${one('point_distance_m BETWEEN 100 AND 900')}`,
    ],
    [
      'a hazard that is not on the property',
      'property_risk',
      `UPDATE serving.property_risk SET on_property = true, parcel_on = true, nearest_distance_m = 0 WHERE ${one('parcel_distance_m > 5')}`,
    ],
    [
      'a hazard on the property that is lost',
      'property_risk',
      `UPDATE serving.property_risk SET on_property = false, parcel_on = false, nearest_distance_m = 1 WHERE ${one('parcel_on AND parcel_share > 0.5')}`,
    ],
    [
      'a lost hazard',
      'property_risk',
      `DELETE FROM serving.property_risk WHERE ${one('nearest_distance_m < 900')}`,
    ],
    [
      'a dropped neighbour',
      'property_neighbour',
      `DELETE FROM serving.property_neighbour WHERE (gnaf_pid, neighbour_parcel_id) = (
         SELECT gnaf_pid, neighbour_parcel_id FROM serving.property_neighbour ORDER BY 1, 2 LIMIT 1) RETURNING gnaf_pid`,
    ],
    [
      'a neighbour that is a corner',
      'property_neighbour',
      `UPDATE serving.property_neighbour SET is_corner = true WHERE (gnaf_pid, neighbour_parcel_id) = (
         SELECT gnaf_pid, neighbour_parcel_id FROM serving.property_neighbour WHERE shared_m > 10 ORDER BY 1, 2 LIMIT 1) RETURNING gnaf_pid`,
    ],
    [
      'a shifted school',
      'property_proximity',
      `WITH shifted AS (UPDATE record.school SET lon = lon + 0.0001 WHERE school_id = (
           SELECT school_id FROM serving.property_proximity WHERE school_m > 100 ORDER BY gnaf_pid LIMIT 1) RETURNING school_id)
         SELECT gnaf_pid FROM serving.property_proximity JOIN shifted USING (school_id) ORDER BY 1 LIMIT 1`,
    ],
    [
      'public housing 2 m too far',
      'property_proximity',
      `UPDATE serving.property_proximity SET public_housing_m = public_housing_m + 2 WHERE gnaf_pid = (
         SELECT gnaf_pid FROM serving.property_proximity WHERE public_housing_m > 0 ORDER BY 1 LIMIT 1) RETURNING gnaf_pid`,
    ],
    [
      'public housing on the property that is lost',
      'property_proximity',
      `UPDATE serving.property_proximity SET public_housing_m = NULL WHERE gnaf_pid = (
         SELECT gnaf_pid FROM serving.property_proximity WHERE public_housing_m = 0 ORDER BY 1 LIMIT 1) RETURNING gnaf_pid`,
    ],
    ['an area 0.01 % too small', ['parcel', 'property'], faultyParcel('area_sqm = area_sqm * 0.9999')],
    [
      'a land area 1 m² too large',
      'property',
      `UPDATE serving.property SET land_area_sqm = land_area_sqm + 1 WHERE gnaf_pid = (
         SELECT gnaf_pid FROM serving.property WHERE land_area_sqm BETWEEN 100 AND 1000 ORDER BY 1 LIMIT 1) RETURNING gnaf_pid`,
    ],
  ])('catches %s', async (_fault, tables, sql) => {
    const checks = await auditOf(sql);
    expect(statuses(checks)).toEqual(
      PASSED.map((line) => {
        const isFaulty = [tables].flat().some((table) => line === `independent:${table} pass`);
        return isFaulty ? line.replace('pass', 'fail') : line;
      }),
    );
  });

  /** Changes the files of the load of the first property's parcel. */
  const otherFiles = (files: string): string =>
    `WITH first AS (SELECT gnaf_pid, load_id FROM serving.property JOIN record.parcel USING (parcel_id) ORDER BY gnaf_pid LIMIT 1)
       UPDATE control.load l SET files = ${files} FROM first WHERE l.load_id = first.load_id RETURNING gnaf_pid`;
  const parcelMessage = (checks: readonly AuditCheck[]): string =>
    checks.find(
      ({ check, status }) => check === 'independent:parcel' && ['pass', 'nothing'].includes(status),
    )!.message;

  it('states why parcels are not read again', async () => {
    const none = /^Nothing to compare in one home\. Not read again: 1 of cadastre_/;
    const asked = async (sql: string, settings = config): Promise<string> => {
      const message = parcelMessage(await auditOf(sql, settings));
      expect(message).toMatch(none);
      return message;
    };
    const gone = await asked(otherFiles(`jsonb_set(files, '{0,bytes}', '1')`));
    expect(gone).toMatch(/cadastre\S+ changed or is gone\.$/);
    const unknown = await asked(otherFiles('files'), { ...config, datasets: {} });
    expect(unknown).toContain('the dataset is not configured.');
    const unindexed = await asked(
      otherFiles(
        `(SELECT jsonb_agg(f) FROM jsonb_array_elements(files) f WHERE f->>'path' NOT LIKE '%.shx')`,
      ),
    );
    expect(unindexed).toContain('it has no .shx or .dbf.');
    const [{ files }] = (await database.query<{ files: { path: string }[] }>(
      `SELECT files FROM control.load JOIN record.parcel USING (load_id) JOIN serving.property USING (parcel_id) ORDER BY gnaf_pid LIMIT 1`,
    )) as [{ files: { path: string }[] }];
    const read = async ({ path }: { path: string }) => ({
      name: basename(path),
      bytes: await readFile(path),
    });
    const zip = await zipBytes(await Promise.all(files.map(read)));
    await writeFile(`${dir}/parcels.zip`, zip);
    const zipped = await asked(
      otherFiles(
        `jsonb_build_array(jsonb_build_object('path', '${dir}/parcels.zip', 'bytes', ${zip.length}, 'sha256', ''))`,
      ),
    );
    expect(zipped).toContain('it is in a zip.');
  });

  it.skipIf(!hasGdal())('reads parcels of a FlatGeobuf file and a GeoPackage again with GDAL', async () => {
    const [{ files }] = (await database.query<{ files: { path: string }[] }>(
      `SELECT files FROM control.load JOIN record.parcel USING (load_id) JOIN serving.property USING (parcel_id) ORDER BY gnaf_pid LIMIT 1`,
    )) as [{ files: { path: string }[] }];
    const shp = files.find(({ path }) => path.endsWith('.shp'))!.path;
    const { features } = await shapefile(shp, shp.replace(/shp$/, 'dbf'));
    const other = async (name: string, bytes: Buffer): Promise<string> => {
      await writeFile(`${dir}/${name}`, bytes);
      return otherFiles(
        `jsonb_build_array(jsonb_build_object('path', '${dir}/${name}', 'bytes', ${bytes.length}, 'sha256', ''))`,
      );
    };
    // Its .prj states GDA2020 / MGA zone 55; one centimetre to the east is a fault.
    const MGA55 = 7855;
    const moved = structuredClone(features);
    for (const { geometry } of moved)
      for (const ring of (geometry as Polygon).coordinates) for (const at of ring) at[0]! += 0.01;
    const table = basename(shp, '.shp');
    for (const [name, write] of [
      [`${table}.fgb`, async (model: Model) => flatGeobuf(model, MGA55)],
      [`${table}.gpkg`, (model: Model) => geoPackage(model, { table, srs: MGA55 })],
    ] as const) {
      const same = await auditOf(await other(name, await write(features)));
      expect(same.find(({ check }) => check === 'independent:parcel')!.message).toMatch(
        /^[1-9]\d* facts of one home read again by other readers: none differs\. The largest/,
      );
      const checks = await auditOf(await other(name, await write(moved)));
      expect(statuses(checks)[0], name).toBe('independent:parcel fail');
    }
  });

  it('recomputes changed homes only, and none after an unchanged run', async () => {
    const same = await refreshSample(database, dir);
    expect(same.state).toBe('unchanged');
    expect(statuses(same.audit)).toEqual([]);
    const night = await refreshSample(database, dir, ['audit.sample=200', 'hazards.on_min_sqm=30']);
    expect(night.state).toBe('published');
    expect(statuses(night.audit)).toEqual(PASSED);
    const risk = night.tables.find(({ table }) => table === 'property_risk')!;
    const [, sampled, changed] = / of (\d+) of (\d+) changed homes \(seed 2\)/.exec(
      night.audit.find(isIndependent)!.message,
    )!;
    expect(Number(changed)).toBeLessThanOrEqual(risk.updated);
    expect(Number(sampled)).toBe(Math.min(25, Number(changed)));
  });
});
