import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, tileIdToZxy, zxyToTileId } from 'pmtiles';
import { afterAll, describe, expect, it } from 'vitest';
import { hasGeometry } from '../../../pipelines/export/exported_geometry.ts';
import { Archive } from '../../../pipelines/export/tiles/archive.ts';
import { type ArchiveTile, pyramid } from '../../../pipelines/export/tiles/pyramid.ts';
import { ShapeSpool, type TableShape } from '../../../pipelines/export/tiles/spool.ts';
import { tileFile } from '../../../pipelines/export/tiles/tile_file.ts';
import { tileId } from '../../../pipelines/export/tiles/tile_id.ts';
import { TILED_TABLES } from '../../../pipelines/export/tiles/tiled_tables.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { stopTable } from '../../../schema/serving/stop.ts';
import { col, type Table } from '../../../schema/table.ts';
import { pointShape, wkbShape } from '../../../transforms/geo/map_shape.ts';
import { encodeLineWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';
import { pmtilesFile } from './pmtiles_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const square = (lon: number, lat: number, side: number) =>
  encodeWkb({
    coords: Float64Array.of(lon, lat, lon + side, lat, lon + side, lat + side, lon, lat + side, lon, lat),
    ringEnds: [5],
    polygonEnds: [1],
  });
const line = encodeLineWkb({ coords: Float64Array.of(144, -38, 145, -37, 146, -37.5), lineEnds: [3] });
/** Points, squares and a line that crosses many tiles; every tenth is drawn from zoom 8 on alone. */
const shapes = (n: number): TableShape[] => [
  { ...wkbShape(line, { id: 'line' }), from: 0 },
  ...Array.from({ length: n }, (_, i) => {
    const [lon, lat] = [144.5 + (i % 60) / 60, -38 + Math.floor(i / 60) / 60];
    const says = { id: `${i}`, even: i % 2 === 0 };
    const shape = i % 3 === 0 ? pointShape(lon, lat, says) : wkbShape(square(lon, lat, 0.01), says);
    return { ...shape, from: i % 10 === 0 ? 8 : 0 };
  }),
];

async function tilesOf(n: number, inMemory: number): Promise<ArchiveTile[]> {
  const own = mkdtempSync(join(folder, 'pyramid-'));
  const spool = new ShapeSpool(join(own, 'rows'), inMemory);
  for (const shape of shapes(n)) spool.add(shape);
  const tiles: ArchiveTile[] = [];
  const options = { layer: 'all', min_zoom: 5, max_zoom: 10, folder: own, inMemory };
  for await (const tile of pyramid(spool, options)) tiles.push(tile);
  return tiles;
}

const idsIn = (bytes: Uint8Array): string[] => {
  const { all } = new VectorTile(new PbfReader(bytes)).layers;
  return all ? [...Array(all.length).keys()].map((i) => String(all.feature(i).properties.id)) : [];
};

describe('vector tiles of a table', () => {
  it('exist for every table with a place', () => {
    const placed = SERVING_TABLES.filter((table: Table) => hasGeometry(table));
    expect(Object.keys(TILED_TABLES).sort()).toEqual(placed.map(({ name }) => name).sort());
    for (const { name, columns } of placed as Table[])
      expect(Object.keys(columns), name).toEqual(expect.arrayContaining([...TILED_TABLES[name]!.says]));
  });

  it('have the numbers that readers give them', () => {
    for (let z = 0; z < 6; z++)
      for (let x = 0; x < 2 ** z; x++)
        for (let y = 0; y < 2 ** z; y++) expect(tileId(z, x, y)).toBe(zxyToTileId(z, x, y));
    for (const [z, x, y] of [
      [15, 29578, 20107],
      [16, 59157, 40214],
      [20, 946_523, 643_421],
    ] as const)
      expect(tileId(z, x, y)).toBe(zxyToTileId(z, x, y));
  });

  it('let a signal have its turn while the first of them is made', async () => {
    const own = mkdtempSync(join(folder, 'turns-'));
    const spool = new ShapeSpool(join(own, 'rows'));
    for (const shape of shapes(5000)) spool.add(shape);
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const tiles = pyramid(spool, { layer: 'all', min_zoom: 0, max_zoom: 2, folder: own });
    expect((await tiles.next()).done).toBe(false);
    clearInterval(count);
    await tiles.return(undefined);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('are the same from memory and from files, and hold every shape at the last zoom', async () => {
    const tiles = await tilesOf(600, Number.POSITIVE_INFINITY);
    for (const inMemory of [1, 5000]) expect(await tilesOf(600, inMemory)).toEqual(tiles);
    const at = (z: number) =>
      new Set(tiles.filter((tile) => tile.z === z).flatMap(({ bytes }) => idsIn(bytes)));
    expect(at(10).size).toBe(601);
    expect([at(7).has('10'), at(8).has('10'), at(7).has('9')]).toEqual([false, true, true]);
    expect(tiles.filter(({ bytes, z }) => z === 10 && idsIn(bytes).includes('line')).length).toBeGreaterThan(
      6,
    );
    for (let z = 5; z <= 10; z++) {
      const numbers = tiles.filter((tile) => tile.z === z).map(({ id }) => id);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  });

  it('state the change of each row that has a place', async () => {
    const path = join(folder, 'stop.pmtiles');
    const changes = { ...stopTable, columns: { change: col('text', 'Change.'), ...stopTable.columns } };
    const file = await tileFile(path, stopTable, changes, { name: 'stop' });
    const row = { stop_id: 's', mode: 'tram', label: 'Stop 1', lon: 145, lat: -37.8 };
    await file.add([
      { ...row, change: 'delete' },
      { ...row, stop_id: 'nowhere', change: 'insert', lon: null, lat: null },
    ]);
    await file.end();
    const { source, close } = await pmtilesFile(path);
    const reader = new PMTiles(source);
    const [z, x, y] = [14, 14791, 10052];
    const tile = await reader.getZxy(z, x, y);
    const { stop } = new VectorTile(new PbfReader(new Uint8Array(tile!.data))).layers;
    expect(stop!.length).toBe(1);
    expect(stop!.feature(0).properties).toEqual({
      change: 'delete',
      stop_id: 's',
      mode: 'tram',
      label: 'Stop 1',
    });
    await close();
  });

  it('are found in an archive whose directory has pages', async () => {
    const n = 20_000;
    const path = join(folder, 'many.pmtiles');
    const archive = new Archive(path, mkdtempSync(join(folder, 'zooms-')));
    const first = tileId(12, 0, 0);
    // Steps and lengths of all kinds, as tiles of a country have, so that the directory is not packed to nothing.
    const chance = (i: number): number => Math.floor(((Math.sin(i + 1) + 1) * 1e6) % 400);
    const ids = Array.from({ length: n }, (_, i) => first + i * 400 + chance(i));
    const contentOf = (id: number): string => `tile ${id}${'.'.repeat(chance(id))}`;
    for (const id of ids) archive.add({ id, z: 12, bytes: Buffer.from(contentOf(id)), left_out: 0 });
    await archive.end({ min_zoom: 12, max_zoom: 12, box: [144, -39, 146, -37], metadata: { name: 'many' } });
    const { source, close } = await pmtilesFile(path);
    const reader = new PMTiles(source);
    const header = await reader.getHeader();
    expect(header).toMatchObject({ specVersion: 3, numAddressedTiles: n, clustered: true, minLon: 144 });
    expect(header.leafDirectoryLength).toBeGreaterThan(1000);
    expect(header.rootDirectoryLength + 127).toBeLessThanOrEqual(16_384);
    expect(await reader.getMetadata()).toEqual({ name: 'many' });
    for (const id of [ids[0]!, ids[4095]!, ids[4096]!, ids[13_333]!, ids[n - 1]!]) {
      const tile = await reader.getZxy(...tileIdToZxy(id));
      expect(Buffer.from(tile!.data).toString()).toBe(contentOf(id));
    }
    const absent = [...Array(400).keys()].map((i) => first + 400 * 777 + i).find((id) => id !== ids[777])!;
    expect(await reader.getZxy(...tileIdToZxy(absent))).toBeUndefined();
    await close();
    expect(readFileSync(path).subarray(0, 7).toString()).toBe('PMTiles');
  });
});
