import { open, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeatureFormat, FeaturePlace } from '../../../../sources/formats/feature.ts';
import { openFeatureFile } from '../../../../sources/formats/vector/feature_file.ts';
import { listGeoPackageLayers } from '../../../../sources/formats/vector/geopackage.ts';
import { geometryOfBlob } from '../../../../sources/formats/vector/geopackage_blob.ts';
import { feature, geoPackage, gpkgBlob, type Model, squareAt } from '../../feature_writers.ts';
import { readFeatures } from '../../read_features.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { zipBytes } from '../../zip_writer.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const model: Model = ['a', 'b', 'c'].map((id, i) => feature({ id, n: i }, squareAt(145 + i / 10, -37)));
let next = 0;
const read = async (bytes: Uint8Array, format: FeatureFormat, layer: string | null = null) =>
  readFeatures(await folder.write(`${next++}`, bytes), format, { layer });

const placeOf = async (bytes: Uint8Array): Promise<FeaturePlace> => ({
  path: await folder.write(`${next++}`, bytes),
  member: null,
  file: 'x.gpkg',
  format: 'geopackage',
  layer: null,
});

const pagesOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / 4096 }, (_, i) => bytes.subarray(4096 * i, 4096 * (i + 1)));

describe('GeoPackage', () => {
  it('reads blobs with any envelope, and says what is wrong with others', () => {
    for (const envelope of [0, 1, 2, 3, 4]) {
      expect(geometryOfBlob(gpkgBlob(squareAt(145, -37), envelope))).toMatchObject({
        kind: 'polygon',
        ends: [5],
      });
    }
    expect(geometryOfBlob(null)).toBeNull();
    const blob = Buffer.from(gpkgBlob(squareAt(145, -37))!);
    const changed = (at: number, value: number): Buffer =>
      Buffer.concat([blob.subarray(0, at), Buffer.of(value), blob.subarray(at + 1)]);
    expect(geometryOfBlob(changed(3, 0x11))).toBeNull();
    for (const bad of [
      'text',
      Buffer.of(1),
      changed(0, 1),
      changed(3, 0x0d),
      changed(3, 0x21),
      blob.subarray(0, 60),
      changed(40, 9),
    ]) {
      expect(geometryOfBlob(bad)).toMatchObject({ code: 'bad_shape' });
    }
  });

  it('calls no function that the file defines, and reads no view', async () => {
    const bytes = await geoPackage(model, {
      also: 'ALTER TABLE layer ADD COLUMN big GENERATED ALWAYS AS (hex(zeroblob(900000000))); CREATE VIEW v AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x FROM r) SELECT x FROM r;',
    });
    expect((await read(bytes, 'geopackage', 'layer')).map((each) => Object.keys(each.properties))).toEqual(
      Array(3).fill(['fid', 'id', 'n']),
    );
    await expect(read(bytes, 'geopackage', 'v')).rejects.toMatchObject({ code: 'bad_geopackage' });
  });

  it('finds a table whose name is written in other capitals', async () => {
    const bytes = await geoPackage(model, {
      also: "UPDATE gpkg_contents SET table_name = 'LAYER'; UPDATE gpkg_geometry_columns SET table_name = 'Layer', column_name = 'GEOM'",
    });
    expect(await listGeoPackageLayers(await placeOf(bytes))).toEqual(['LAYER']);
    const features = await read(bytes, 'geopackage', 'LAYER');
    expect(features.map((each) => [each.kind, Object.keys(each.properties)])).toEqual(
      Array(3).fill(['polygon', ['fid', 'id', 'n']]),
    );
  });

  it('reads a table with columns named rowid', async () => {
    const bytes = await geoPackage(model, {
      also: 'ALTER TABLE layer ADD COLUMN RowId INTEGER; ALTER TABLE layer ADD COLUMN _rowid_ TEXT; UPDATE layer SET RowId = 7 - fid % 2',
    });
    const features = await read(bytes, 'geopackage', 'layer');
    expect(features.map(({ properties }) => [properties.id, properties.RowId])).toEqual([
      ['a', '6'],
      ['b', '7'],
      ['c', '6'],
    ]);
  });

  it('refuses a view, and suggests to save it as a table', async () => {
    const bytes = await geoPackage(model, {
      also: "CREATE VIEW now AS SELECT * FROM layer; UPDATE gpkg_contents SET table_name = 'now'; UPDATE gpkg_geometry_columns SET table_name = 'now'",
    });
    const refused = {
      code: 'bad_geopackage',
      message: expect.stringMatching(/now is a view, and views are not read\. Save its features/),
    };
    await expect(listGeoPackageLayers(await placeOf(bytes))).rejects.toMatchObject(refused);
    await expect(read(bytes, 'geopackage', 'now')).rejects.toMatchObject(refused);
  });

  it('reads a table whose names need quotes', async () => {
    const bytes = await geoPackage([feature({ 'a "b" c': 'x' })], { table: "it's; a table" });
    expect(await read(bytes, 'geopackage', "it's; a table")).toMatchObject([
      { properties: { 'a "b" c': 'x' } },
    ]);
  });

  /** Puts the only page of a table at a place far out, with nothing before it. */
  async function farOut(page: number): Promise<string> {
    const near = await geoPackage(model, {
      also: `PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = ${page} WHERE name = 'layer'`,
    });
    const root = pagesOf(near).findIndex((each) => each.includes('GP\0', 0, 'latin1'));
    near.writeUInt32BE(page, 28);
    const path = await folder.write(`far${page}.gpkg`, near);
    const handle = await open(path, 'r+');
    await handle.write(pagesOf(near)[root]!, 0, 4096, (page - 1) * 4096);
    await handle.close();
    return path;
  }

  it.each([
    ['2 GB', 600_000],
    ['4 GB', 1_100_000],
  ])('reads rows that lie beyond %s, where they are', async (_what, page) => {
    const path = await farOut(page);
    const before = await readdir(folder.path);
    const seen: string[] = [];
    const file = await openFeatureFile({
      path,
      format: 'geopackage',
      member: null,
      layer: 'layer',
      file: 'x',
      crs: 'EPSG:7844',
    });
    for await (const batch of file.batches()) {
      for (let row = 0; row < batch.count; row++) seen.push(batch.text(row, file.fields[1]!)!);
      expect(await readdir(folder.path), 'nothing is put beside the file').toEqual(before);
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('reads a file in WAL mode, and refuses one with changes in a separate log or journal', async () => {
    const bytes = await geoPackage(model);
    bytes.fill(2, 18, 20);
    const path = await folder.write('wal.gpkg', bytes);
    expect(await readFeatures(path, 'geopackage', { layer: 'layer' })).toHaveLength(3);
    await folder.write('wal.gpkg-wal', '');
    expect(await readFeatures(path, 'geopackage', { layer: 'layer' })).toHaveLength(3);
    await folder.write('wal.gpkg-wal', 'x');
    const refused = { code: 'bad_geopackage', message: expect.stringContaining('beside it') };
    await expect(readFeatures(path, 'geopackage', { layer: 'layer' })).rejects.toMatchObject(refused);
    const zipped = await zipBytes([
      { name: 'wal.gpkg', bytes },
      { name: 'wal.gpkg-wal', bytes: Buffer.from('x') },
    ]);
    const inside = await folder.write('wal.zip', zipped);
    const inZip = { layer: 'layer', member: 'wal.gpkg' };
    await expect(readFeatures(inside, 'geopackage', inZip)).rejects.toMatchObject(refused);
    const other = await folder.write('hot.gpkg', await geoPackage(model));
    await folder.write('hot.gpkg-journal', Buffer.from('d9d505f920a163d70000', 'hex'));
    await expect(readFeatures(other, 'geopackage', { layer: 'layer' })).rejects.toMatchObject(refused);
  });
});
