import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { deliveryNotes } from '../../../pipelines/checks/delivery_notes.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { openPool } from '../../../store/database.ts';
import { gda2020ToGda94 } from '../../../tools/sample/gda94.ts';
import { toGeoJson } from '../../../transforms/geo/geometry.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { GDA2020_PRJ, writeShapefile } from '../../sources/shapefile_writer.ts';
import { moved, town } from '../../transforms/geo/town.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

const SENTENCE =
  /^zoning_vic and cadastre_vic seem to be 1\.5\d m apart: of \d+ parallel edges \d+ coincide when zoning_vic is moved 0\.\d\d m west and 1\.4\d m south, \d+ without a move\./;

describe('a GDA94 cadastre whose GeoJSON states CRS84', () => {
  let dir: string;
  let database: TestDatabase;

  beforeAll(async () => {
    dir = await sampleFolder();
    const { lots, zones } = town(0.2);
    const features = moved(lots, gda2020ToGda94).map((lot, i) => ({
      type: 'Feature',
      properties: { id: `L${i}` },
      geometry: toGeoJson(lot),
    }));
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } };
    await writeFile(join(dir, 'lots.geojson'), JSON.stringify({ type: 'FeatureCollection', crs, features }));
    await writeShapefile(join(dir, 'zones'), {
      fields: [
        ['PFI', 'N', 12],
        ['ZONESTATUS', 'C', 1],
        ['ZONE_CODE', 'C', 12],
      ],
      rows: zones.map((_, i) => [`${i + 1}`, 'g', 'GRZ1']),
      shapeType: 5,
      shapes: zones.map(({ coords }) => [[...coords]]),
      prj: GDA2020_PRJ,
    });
    const path = join(dir, 'config.yaml');
    const { datasets } = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
    const { gnaf, asgs } = datasets;
    const licence = 'generated';
    const cadastre_vic = {
      adapter: 'cadastre',
      path: 'lots.geojson',
      licence,
      options: { state: 'VIC', field_map: { parcel_id: 'id' } },
    };
    const zoning_vic = { adapter: 'zoning', path: 'zones.shp', licence, options: { state: 'VIC' } };
    await writeFile(path, stringify({ datasets: { gnaf, asgs, cadastre_vic, zoning_vic } }));
    database = await createDatabase();
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const run = (...set: string[]): Promise<RunReport> => refreshSample(database, dir, [...OPEN_GATES, ...set]);
  const doctor = async (): Promise<string[]> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      return await deliveryNotes(client);
    } finally {
      client.release();
      await pool.end();
    }
  };
  const apart = (notes: string[]): string[] => notes.filter((note) => note.includes('seem to be'));

  it('is detected from the edges of the zones, and the note names the crs to set', async () => {
    const report = await run();
    expect(report.error).toBeNull();
    const [note, ...others] = apart(report.notes);
    expect(others).toEqual([]);
    expect(note).toMatch(SENTENCE);
    expect(note).toContain('cadastre_vic is GDA94 but was read as GDA2020: set its crs to EPSG:4283');
    expect(note).not.toContain('or that');
    expect(apart(await doctor())).toEqual([note]);
  });

  it('is not reported once its crs is set', async () => {
    const report = await run('datasets.cadastre_vic.crs=EPSG:4283');
    expect(report.error).toBeNull();
    expect(report.datasets.find(({ dataset }) => dataset === 'cadastre_vic')?.action).toBe('loaded');
    expect(apart(report.notes)).toEqual([]);
    expect(apart(await doctor())).toEqual([]);
  });

  it('reports a dataset wrongly read as GDA94, and names no datum for another offset', async () => {
    const zones = 'datasets.zoning_vic.crs=EPSG:4283';
    const [one] = apart((await run(zones, 'datasets.cadastre_vic.crs=EPSG:4283')).notes);
    expect(one).toContain('seem to be 1.5');
    expect(one).toContain('zoning_vic is GDA2020 but was read as GDA94: set its crs to EPSG:7844');
    const [both] = apart((await run(zones)).notes);
    expect(both).toContain('seem to be 3.1');
    expect(both).toContain('One of them is displaced');
  });
});
