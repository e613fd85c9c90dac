import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openParquet } from '../../../../sources/formats/table/parquet.ts';
import { seededRandom } from '../../../../tools/sample/random.ts';
import { feature, geoParquet, squareAt } from '../../feature_writers.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const ROWS = 5000;
const numbers = Array.from({ length: ROWS }, (_, i) => i);
type Columns = Parameters<typeof parquetWriteBuffer>[0]['columnData'];
type Codec = 'SNAPPY' | 'UNCOMPRESSED';

/** A column of every encoding that writers use. */
const columns = (rows: number): Columns => {
  const own = numbers.slice(0, rows);
  return [
    { name: 'id', data: own.map((i) => 3 * i), type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
    { name: 'kind', data: own.map((i) => `kind ${i % 17}`), type: 'STRING' },
    { name: 'flag', data: own.map((i) => i % 2 === 0), type: 'BOOLEAN', encoding: 'RLE' },
    { name: 'name', data: own.map((i) => `name ${i}`), type: 'STRING', encoding: 'DELTA_LENGTH_BYTE_ARRAY' },
    { name: 'label', data: own.map((i) => `label ${i}`), type: 'STRING', encoding: 'DELTA_BYTE_ARRAY' },
    {
      name: 'note',
      data: own.map((i) => (i % 9 === 0 ? null : `note ${i}`)),
      type: 'STRING',
      nullable: true,
    },
    { name: 'value', data: own.map((i) => i / 7), type: 'DOUBLE', encoding: 'BYTE_STREAM_SPLIT' },
    { name: 'large', data: own.map((i) => 2n ** 53n + BigInt(i)), type: 'INT64' },
  ];
};

const written = (columnData: Columns, codec: Codec, rowGroupSize = 1000): Buffer =>
  Buffer.from(parquetWriteBuffer({ columnData, codec, rowGroupSize, statistics: false }));

async function read(
  bytes: Buffer,
  seconds = 20,
  heap_mb = 512,
): Promise<Readonly<Record<string, unknown>>[]> {
  const path = await folder.write('a.parquet', bytes);
  const place = { path, member: null, file: 'a.parquet' };
  const file = await openParquet(place, { seconds, bytes_per_s: 1 << 20, heap_mb });
  const all = [];
  for await (const rows of file.rows()) all.push(...rows);
  return all;
}

describe('Parquet', () => {
  it.each(['SNAPPY', 'UNCOMPRESSED'] as const)('gives every value of every row group (%s)', async (codec) => {
    const model = columns(ROWS);
    const rows = await read(written(model, codec));
    expect(rows).toHaveLength(ROWS);
    for (const at of [0, 1, 9, 999, 1000, 4095, 4096, ROWS - 1]) {
      const expected = Object.fromEntries(model.map(({ name, data }) => [name, (data as unknown[])[at]]));
      // what no double holds comes as digits
      expect(rows[at]).toEqual({ ...expected, large: String(expected.large) });
    }
  });

  it('that keeps its decoder busy without end is damaged, and the next file is read', async () => {
    const bytes = written([columns(150)[3]!, columns(150)[6]!], 'UNCOMPRESSED');
    // how often the last column has a value: 38 times and not 150, so that the decoder never has its rows together
    const levels = bytes.lastIndexOf(Buffer.of(0xac, 0x02, 0x01));
    expect(levels).toBeGreaterThan(0);
    const damaged = Buffer.from(bytes);
    damaged[levels] = 76;
    // with so large a heap the time is up first
    await expect(read(damaged, 1, 8192)).rejects.toMatchObject({
      code: 'bad_parquet',
      message: expect.stringContaining('not decoded within 1 s'),
    });
    // and with a small one the process is lost, not the program
    await expect(read(damaged, 60, 64)).rejects.toMatchObject({
      code: 'bad_parquet',
      message: expect.stringContaining('memory limit'),
    });
    expect(await read(bytes)).toHaveLength(150);
  });

  it('that takes all memory of its decoder is damaged, and the next file is read', async () => {
    const data = Array.from({ length: 2_000_000 }, () => 7);
    const bytes = written([{ name: 'n', data, type: 'INT32' }], 'SNAPPY', data.length);
    await expect(read(bytes, 60, 48)).rejects.toMatchObject({
      code: 'bad_parquet',
      message: expect.stringMatching(/a\.parquet.*memory limit/),
    });
    expect(await read(written(columns(150), 'SNAPPY'))).toHaveLength(150);
  });

  it('with damage anywhere in its pages gives rows or an error, and always ends', async () => {
    const random = seededRandom(11, 'parquet').next;
    const outcomes = new Set<string>();
    for (const codec of ['SNAPPY', 'UNCOMPRESSED'] as const) {
      const bytes = written(columns(300), codec, 150);
      const pages = bytes.length - bytes.readUInt32LE(bytes.length - 8) - 8;
      for (let i = 0; i < 150; i++) {
        const damaged = Buffer.from(bytes);
        for (let flips = 0; flips < 1 + (i % 3); flips++) {
          damaged[4 + Math.floor(random() * (pages - 4))] =
            random() < 0.4 ? 0xff : Math.floor(random() * 256);
        }
        const outcome = await read(damaged, 2).then(
          (rows) => (rows.length === 300 ? 'rows' : `${rows.length} rows`),
          (error) => error.code ?? String(error),
        );
        outcomes.add(outcome);
      }
    }
    expect([...outcomes].sort()).toEqual(['bad_parquet', 'rows']);
  });

  it('reads tables without geometries column by column, with dates and nested values as text', async () => {
    const model = ['a', 'b', 'c'].map((id, i) => feature({ id, n: i }, squareAt(145 + i / 10, -37)));
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
});
