import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeatureFormat } from '../../../sources/formats/feature.ts';
import { openParquet } from '../../../sources/formats/table/parquet.ts';
import { feature, flatGeobuf, geoParquet, type Model, squareAt } from '../feature_writers.ts';
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
