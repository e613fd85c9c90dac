import { truncate } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeatureFormat } from '../../../sources/formats/feature.ts';
import { MAX_GEOPACKAGE_BYTES } from '../../../sources/formats/geopackage.ts';
import { geometryOfBlob } from '../../../sources/formats/geopackage_blob.ts';
import { openParquet } from '../../../sources/formats/parquet.ts';
import {
  feature,
  flatGeobuf,
  geoPackage,
  geoParquet,
  gpkgBlob,
  type Model,
  squareAt,
} from '../feature_writers.ts';
import { readFeatures } from '../read_features.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const model: Model = ['a', 'b', 'c'].map((id, i) => feature({ id, n: i }, squareAt(145 + i / 10, -37)));
let next = 0;
const read = async (bytes: Uint8Array, format: FeatureFormat, layer: string | null = null) =>
  readFeatures(await folder.write(`${next++}`, bytes), format, { layer });

/** Damage to every n-th byte in turn gives features, problems or an EtlError, never anything else. */
async function survives(
  bytes: Buffer,
  format: FeatureFormat,
  step: number,
  layer: string | null = null,
  from = 0,
): Promise<void> {
  for (let at = from; at < bytes.length; at += step) {
    for (const value of [0, 0xff]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = value;
      const outcome = await read(damaged, format, layer).catch((error) => error.name);
      expect(Array.isArray(outcome) || outcome === 'EtlError', `byte ${at}: ${String(outcome)}`).toBe(true);
    }
  }
}

describe('FlatGeobuf', () => {
  const bytes = flatGeobuf(model);
  it('gives a problem for a feature whose bytes lie, and goes on', async () => {
    const damaged = Buffer.from(bytes);
    // the vector of coordinates of the first feature states more than there are
    const at = damaged.indexOf(Buffer.from(new Float64Array([145, -37]).buffer));
    damaged.writeUInt32LE(0x7fffffff, at - 4);
    const features = await read(damaged, 'flatgeobuf');
    expect(features.map((each) => each.problem)).toEqual(['bad_feature', null, null]);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('<html>not a flatgeobuf file at all</html>')],
    ['cut in the header', bytes.subarray(0, 40)],
    ['cut in a feature', bytes.subarray(0, bytes.length - 9)],
    ['cut between features', bytes.subarray(0, bytes.length - (bytes.length % 8) - 8)],
    ['a header of 4 GB', Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(4, 0xff), bytes.subarray(12)])],
  ])('is refused where it is %s', async (_what, damaged) => {
    await expect(read(damaged, 'flatgeobuf')).rejects.toMatchObject({ code: 'bad_flatgeobuf' });
  });

  it('survives any byte', async () => survives(bytes, 'flatgeobuf', 5));
});

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

  it('rejects rows with a broken geometry, and reads the others', async () => {
    const bytes = await geoPackage(model, { also: "UPDATE layer SET geom = x'4750' WHERE fid = 2" });
    const features = await read(bytes, 'geopackage', 'layer');
    expect(features.map((each) => each.reject ?? each.kind)).toEqual(['polygon', 'bad_shape', 'polygon']);
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

  it('sets aside a row with an endless text', async () => {
    const bytes = await geoPackage(model, {
      also: 'UPDATE layer SET id = hex(zeroblob(1000000)) WHERE fid = 1',
    });
    expect((await read(bytes, 'geopackage', 'layer')).map((each) => each.problem)).toEqual([
      'long_value',
      null,
      null,
    ]);
  });

  it('reads a table whose names need quotes', async () => {
    const bytes = await geoPackage([feature({ 'a "b" c': 'x' })], { table: "it's; a table" });
    expect(await read(bytes, 'geopackage', "it's; a table")).toMatchObject([
      { properties: { 'a "b" c': 'x' } },
    ]);
  });

  it('gives the command for one that is too large', async () => {
    const path = await folder.write('vic/large.gpkg', 'SQLite format 3\0');
    await truncate(path, MAX_GEOPACKAGE_BYTES + 1);
    await expect(readFeatures(path, 'geopackage', { layer: 'x' })).rejects.toMatchObject({
      code: 'file_too_large',
      message: expect.stringContaining('ogr2ogr -f FlatGeobuf'),
    });
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('no database')],
    ['a header only', Buffer.from('SQLite format 3\0'.padEnd(100, 'x'))],
  ])('is refused where it is %s', async (_what, bytes) => {
    await expect(read(bytes, 'geopackage', 'layer')).rejects.toMatchObject({ code: 'bad_geopackage' });
  });

  it('survives any byte, and being cut', async () => {
    const bytes = await geoPackage(model);
    await survives(bytes, 'geopackage', 509, 'layer');
    for (const length of [4096, 8192, bytes.length - 4096]) {
      const outcome = await read(bytes.subarray(0, length), 'geopackage', 'layer').catch(
        (error) => error.code,
      );
      expect(outcome).toBe('bad_geopackage');
    }
  });
});

describe('GeoParquet', () => {
  const bytes = geoParquet(model, { rowGroupSize: 2 });

  it('reads tables without geometries column by column, with dates and nested values as text', async () => {
    const path = await folder.write('plain.parquet', geoParquet(model, { geo: null }));
    const file = await openParquet({ path, member: null, file: 'plain.parquet' });
    expect(file.columns).toEqual([
      { name: 'id', numeric: false },
      { name: 'n', numeric: true },
      { name: 'geometry', numeric: false },
    ]);
    expect([file.count, file.metadata('geo')]).toEqual([3, null]);
    const rows = [];
    for await (const batch of file.rows(['n'])) rows.push(...batch);
    expect(rows).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('a table of text that is long enough')],
    ['cut off', bytes.subarray(0, bytes.length - 20)],
    ['a footer of 4 GB', Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4, 0xff), bytes.subarray(-4)])],
    ['without geo metadata', geoParquet(model, { geo: null })],
    [
      'of another encoding',
      geoParquet(model, {
        geo: { primary_column: 'geometry', columns: { geometry: { encoding: 'point' } } },
      }),
    ],
    [
      'without its geometry column',
      geoParquet(model, { geo: { primary_column: 'g', columns: { g: { encoding: 'WKB' } } } }),
    ],
  ])('is refused where it is %s', async (_what, damaged) => {
    await expect(read(damaged, 'parquet')).rejects.toMatchObject({ code: 'bad_parquet' });
  });

  it('gives a problem for a geometry that is no WKB', async () => {
    const damaged = Buffer.from(bytes);
    const at = damaged.indexOf(Buffer.from([1, 6, 0, 0, 0]));
    damaged[at + 1] = 99;
    const features = await read(damaged, 'parquet');
    expect(features.map((each) => each.reject)).toEqual(['bad_shape', null, null]);
  });

  it('refuses pages whose sizes lie, before they are unpacked', async () => {
    for (const [at, value] of [
      [5, 0x00],
      [7, 0xff],
      [8, 0x00],
      [10, 0x00],
    ] as const) {
      const damaged = Buffer.from(bytes);
      damaged[at] = value;
      await expect(read(damaged, 'parquet')).rejects.toMatchObject({ code: 'bad_parquet' });
    }
  });

  it('survives any byte of its footer', async () => {
    const footer = bytes.readUInt32LE(bytes.length - 8) + 8;
    await survives(bytes, 'parquet', 11, null, bytes.length - footer);
  });
});
