import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { VectorTile } from '@mapbox/vector-tile';
import type { Feature, Position } from 'geojson';
import { PbfReader } from 'pbf';
import { PMTiles, tileIdToZxy } from 'pmtiles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tileId } from '../../pipelines/export/tiles/tile_id.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { pmtilesFile } from '../pipelines/export/pmtiles_file.ts';
import { publishedSample } from '../published_sample.ts';
import { openFolder, pipeline } from './fixture.ts';

/** Number of the tile of a zoom that has a point. */
function tileIdAt(z: number, lon: number, lat: number): number {
  const rad = (lat * Math.PI) / 180;
  const x = Math.floor(((lon + 180) / 360) * 2 ** z);
  const y = Math.floor(((1 - Math.log(Math.tan(rad) + 1 / Math.cos(rad)) / Math.PI) / 2) * 2 ** z);
  return tileId(z, x, y);
}

describe('exports in programs of others', () => {
  let folder: string;
  let dir: string;
  let database: TestDatabase;

  const out = (name: string): string => join(folder, name);
  const exported = async (name: string, ...flags: string[]): Promise<void> => {
    const { code, stderr } = await pipeline(['export', '--out', out(name), ...flags], {
      DATABASE_URL: database.url,
    });
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  };
  const count = async (sql: string): Promise<number> =>
    (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))[0]!.n;

  beforeAll(async () => {
    folder = openFolder();
    ({ database, dir } = await publishedSample(TOWN));
  });
  afterAll(async () => {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(dir, { recursive: true, force: true });
  });

  describe('DuckDB', () => {
    it('reads every table with its rows, and geometry with its CRS', async () => {
      await exported('parquet');
      const duck = await (await DuckDBInstance.create(':memory:')).connect();
      const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
        (await duck.runAndReadAll(sql)).getRowObjectsJson();
      try {
        for (const { name, columns } of SERVING_TABLES as readonly Table[]) {
          const file = `read_parquet('${out('parquet')}/${name}.parquet')`;
          expect(Number((await ask(`SELECT count(*) AS n FROM ${file}`))[0]!.n), name).toBe(
            await count(`serving.${name}`),
          );
          if (!('geom' in columns) && !('lon' in columns)) continue;
          const [shape] = await ask(
            `SELECT count(geometry) AS n, any_value(typeof(geometry)) AS type, any_value(st_crs(geometry)) AS crs FROM ${file}`,
          );
          const placed = 'geom' in columns ? 'geom IS NOT NULL OR ' : '';
          const known = 'lon' in columns ? `${placed}lon IS NOT NULL` : 'geom IS NOT NULL';
          expect(Number(shape!.n), name).toBe(await count(`serving.${name} WHERE ${known}`));
          expect(String(shape!.type), name).toMatch(/^GEOMETRY/);
          expect(JSON.parse(String(shape!.crs)), name).toMatchObject({
            id: { authority: 'EPSG', code: 7844 },
          });
        }
        const property = `read_parquet('${out('parquet')}/property.parquet')`;
        const [far] = await ask(
          `SELECT count(*) AS n FROM ${property} WHERE lon IS NOT NULL AND st_astext(geometry) <> 'POINT (' || lon || ' ' || lat || ')'`,
        );
        expect(Number(far!.n)).toBe(0);
        // By state: a question about one reads its row group alone.
        const groups = await ask(
          `SELECT stats_min_value AS first, stats_max_value AS last FROM parquet_metadata('${out('parquet')}/property.parquet') WHERE path_in_schema = 'state'`,
        );
        expect(groups.length).toBeGreaterThan(5);
        for (const { first, last } of groups) expect(first).toBe(last);
        const joined = await ask(
          `SELECT count(*) AS n FROM ${property} p JOIN '${out('parquet')}/parcel_shape.parquet' s USING (parcel_id)`,
        );
        expect(Number(joined[0]!.n)).toBe(
          await count('serving.property JOIN serving.parcel_shape USING (parcel_id)'),
        );
      } finally {
        duck.closeSync();
      }
    });

    it('reads CSV with the types that it finds', async () => {
      await exported('csv', '--format', 'csv', '--tables', 'property,sale');
      const duck = await (await DuckDBInstance.create(':memory:')).connect();
      try {
        const sql = `SELECT count(*) AS n, sum(price) AS sum, typeof(any_value(date)) AS day FROM read_csv('${out('csv')}/sale.csv')`;
        const [sale] = (await duck.runAndReadAll(sql)).getRowObjectsJson();
        const [served] = await database.query<{ n: number; sum: string }>(
          'SELECT count(*)::int AS n, sum(price)::text AS sum FROM serving.sale',
        );
        expect([Number(sale!.n), Number(sale!.sum), sale!.day]).toEqual([
          served!.n,
          Number(served!.sum),
          'DATE',
        ]);
      } finally {
        duck.closeSync();
      }
    });
  });

  describe('a reader of PMTiles', () => {
    const digest = (name: string, table: string): string =>
      createHash('sha256')
        .update(readFileSync(join(out(name), `${table}.pmtiles`)))
        .digest('hex');

    /** All tiles of the last zoom around the archive's middle and beyond: every feature, by its tile. */
    async function featuresOf(name: string, table: string) {
      const { source, close } = await pmtilesFile(join(out(name), `${table}.pmtiles`));
      const reader = new PMTiles(source);
      const header = await reader.getHeader();
      const metadata = (await reader.getMetadata()) as {
        vector_layers: { id: string; fields: Record<string, string> }[];
        attribution: string;
        left_out: Record<string, number>;
      };
      const features: Feature[] = [];
      const { minLon, minLat, maxLon, maxLat, maxZoom: z } = header;
      // What there is of a country is in few tiles: they are asked for by the places of the rows.
      const places = await database.query<{ lon: number; lat: number }>(
        `SELECT DISTINCT round(lon::numeric, 3)::float8 AS lon, round(lat::numeric, 3)::float8 AS lat FROM serving.property WHERE lon IS NOT NULL`,
      );
      const seen = new Set<number>();
      for (const { lon, lat } of places) {
        for (const [dx, dy] of [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b) => [a, b] as const))) {
          const [, column, row] = tileIdToZxy(tileIdAt(z, lon, lat));
          const [x, y] = [column + dx, row + dy];
          const id = tileId(z, x, y);
          if (seen.has(id)) continue;
          seen.add(id);
          expect(tileIdToZxy(id)).toEqual([z, x, y]);
          const tile = await reader.getZxy(z, x, y);
          if (tile === undefined) continue;
          const layer = new VectorTile(new PbfReader(new Uint8Array(tile.data))).layers[table];
          for (let i = 0; i < (layer?.length ?? 0); i++)
            features.push(layer!.feature(i).toGeoJSON(x, y, z) as unknown as Feature);
        }
      }
      await close();
      return { header, metadata, features, box: [minLon, minLat, maxLon, maxLat] };
    }

    it('finds every property and parcel where it lies, with its key', async () => {
      await exported('pmtiles', '--format', 'pmtiles');
      const { header, metadata, features } = await featuresOf('pmtiles', 'property');
      expect(header).toMatchObject({
        specVersion: 3,
        tileType: 1,
        clustered: true,
        minZoom: 13,
        maxZoom: 16,
      });
      expect(metadata.vector_layers).toMatchObject([{ id: 'property', fields: { gnaf_pid: 'String' } }]);
      expect(metadata.attribution).toContain('Geoscape');
      expect(metadata.left_out['16']).toBe(0);
      const served = await database.query<{ gnaf_pid: string; lon: number; lat: number }>(
        'SELECT gnaf_pid, lon, lat FROM serving.property WHERE lon IS NOT NULL ORDER BY gnaf_pid',
      );
      const byPid = new Map(features.map((each) => [each.properties!.gnaf_pid as string, each]));
      expect([...byPid.keys()].sort()).toEqual(served.map(({ gnaf_pid }) => gnaf_pid));
      for (const { gnaf_pid, lon, lat } of served) {
        const [x, y] = (byPid.get(gnaf_pid)!.geometry as unknown as { coordinates: Position }).coordinates;
        expect(
          [Math.abs(x! - lon), Math.abs(y! - lat)].every((away) => away < 2e-6),
          gnaf_pid,
        ).toBe(true);
      }
      const parcels = await featuresOf('pmtiles', 'parcel_shape');
      const ids = await database.query<{ parcel_id: string }>(
        'SELECT DISTINCT parcel_id FROM serving.property JOIN serving.parcel_shape USING (parcel_id)',
      );
      const drawn = new Set(parcels.features.map(({ properties }) => properties!.parcel_id));
      expect(ids.filter(({ parcel_id }) => !drawn.has(parcel_id))).toEqual([]);
      const [box] = await database.query<Record<string, number>>(
        'SELECT min(min_lon) AS a, min(min_lat) AS b, max(max_lon) AS c, max(max_lat) AS d FROM serving.parcel_shape',
      );
      parcels.box.forEach((degrees, i) => {
        expect(degrees).toBeCloseTo(Object.values(box!)[i]!, 6);
      });
    });

    it('finds hazards and regions, and nothing in an archive of no rows', async () => {
      const { features } = await featuresOf('pmtiles', 'hazard');
      const layers = new Set(features.map(({ properties }) => properties!.layer));
      expect(layers.size).toBeGreaterThan(4);
      const { source, close } = await pmtilesFile(join(out('pmtiles'), 'region_shape.pmtiles'));
      const reader = new PMTiles(source);
      const levelsAt = async (z: number): Promise<unknown[]> => {
        const tile = await reader.getZxy(...tileIdToZxy(tileIdAt(z, 145, -37.8)));
        if (tile === undefined) return [];
        const layer = new VectorTile(new PbfReader(new Uint8Array(tile.data))).layers.region_shape!;
        const all = [...Array(layer.length).keys()].map((i) => layer.feature(i).properties.level);
        return [...new Set(all)].sort();
      };
      // Each level from its zoom on; what is smaller than a pixel makes no tile.
      expect(await levelsAt(0)).toEqual([]);
      expect(await levelsAt(6)).toEqual(['LGA', 'SA3', 'SA4']);
      expect(await levelsAt(12)).toEqual(['LGA', 'POA', 'SA2', 'SA3', 'SA4', 'SAL']);
      await close();
      await database.query('DELETE FROM serving.school');
      await exported('none', '--format', 'pmtiles', '--tables', 'school');
      const none = await featuresOf('none', 'school');
      expect([none.features, none.header.numAddressedTiles]).toEqual([[], 0]);
    });

    it('gets the same bytes for the same rows', async () => {
      await exported('again', '--format', 'pmtiles', '--tables', 'property,hazard,parcel_shape');
      for (const table of ['property', 'hazard', 'parcel_shape'])
        expect(digest('again', table)).toBe(digest('pmtiles', table));
    });
  });
});
