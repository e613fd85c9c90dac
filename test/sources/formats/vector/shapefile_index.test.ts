import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedPath } from '../../../shared_data.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { type FieldSpec, square, writeShapefile } from '../../shapefile_writer.ts';
import { readAll } from './shapefile_reading.ts';

const NAME: FieldSpec[] = [['NAME', 'C', 20]];
const SHAPES = [0, 1, 2, 3].map((i) => [square(145 + i, -37, 0.01)]);
const HEADER = 100;

let folder: ReleaseFolder;
/** The records of a sound shapefile of four squares, each with its header. */
let records: Buffer[];
beforeAll(async () => {
  folder = await releaseFolder();
  const stem = join(folder.path, 'sound');
  await writeShapefile(stem, {
    shapeType: 5,
    fields: NAME,
    rows: [['a'], ['b'], ['c'], ['d']],
    shapes: SHAPES,
  });
  const shp = await readFile(`${stem}.shp`);
  records = [];
  for (let at = HEADER; at < shp.length; ) {
    const end = at + 8 + shp.readInt32BE(at + 4) * 2;
    records.push(shp.subarray(at, end));
    at = end;
  }
});
afterAll(() => folder.remove());

interface Layout {
  /** What follows the header of the .shp: records, or bytes between them. */
  body: readonly Buffer[];
  /** Places in the .shx as offset and length of the content, bytes. */
  index: readonly (readonly [number, number])[];
  /** Bytes that the header adds to the length of the file. */
  lies?: number;
}

/** Writes the layer with another order of bytes and its own .shx; the .dbf stays. @returns the path of the .shp */
async function lay(name: string, { body, index, lies = 0 }: Layout): Promise<string> {
  const [from, to] = [join(folder.path, 'sound'), join(folder.path, name)];
  for (const part of ['dbf', 'prj', 'cpg'])
    await readFile(`${from}.${part}`).then(
      (bytes) => writeFile(`${to}.${part}`, bytes),
      () => undefined,
    );
  const header = Buffer.from((await readFile(`${from}.shp`)).subarray(0, HEADER));
  header.writeInt32BE((HEADER + Buffer.concat(body).length + lies) / 2, 24);
  await writeFile(`${to}.shp`, Buffer.concat([header, ...body]));
  const entries = Buffer.alloc(8 * index.length);
  index.forEach(([at, length], i) => {
    entries.writeInt32BE(at / 2, 8 * i);
    entries.writeInt32BE(length / 2, 8 * i + 4);
  });
  await writeFile(`${to}.shx`, Buffer.concat([header, entries]));
  return `${to}.shp`;
}

/** Where records stand in a body. */
function placesIn(body: readonly Buffer[], wanted: readonly Buffer[]): [number, number][] {
  return wanted.map((record) => {
    const before = body.slice(0, body.indexOf(record));
    return [HEADER + before.reduce((sum, { length }) => sum + length, 0), record.length - 8];
  });
}
const shapesOf = async (path: string) => (await readAll(path)).map(({ rings }) => rings);

describe('a .shp that cannot be walked from record to record, with a sound .shx', () => {
  it('is read by the .shx, for any order of records and any bytes between them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 4, maxLength: 4 }),
        async (order, gaps) => {
          const body = order.flatMap((i, n) => [Buffer.alloc(gaps[n]! * 2, 7), records[i]!]);
          const path = await lay('gaps', { body, index: placesIn(body, records) });
          expect(await shapesOf(path)).toEqual(SHAPES);
        },
      ),
      { numRuns: 40, seed: 1 },
    );
  });

  it('leaves out a record that the .shx does not list', async () => {
    const body = [...records.slice(0, 2), Buffer.from(records[1]!), ...records.slice(2)];
    expect(await shapesOf(await lay('deleted', { body, index: placesIn(body, records) }))).toEqual(SHAPES);
  });

  it.each([-200, -2, 64])('is read whole where the header is wrong by %i bytes', async (lies) => {
    const path = await lay('length', { body: records, index: placesIn(records, records), lies });
    expect(await shapesOf(path)).toEqual(SHAPES);
  });

  it('is read where all records have one number', async () => {
    const body = records.map((record) => {
      const same = Buffer.from(record);
      same.writeInt32BE(1, 0);
      return same;
    });
    expect(await shapesOf(await lay('numbers', { body, index: placesIn(body, body) }))).toEqual(SHAPES);
  });
});

it('a .shx that the lengths in the records contradict is a reason to refuse the file', async () => {
  const body = records.map((record) => Buffer.from(record));
  body[1]!.writeInt32BE(body[1]!.readInt32BE(4) - 8, 4);
  const path = await lay('damaged', { body, index: placesIn(records, records) });
  await expect(shapesOf(path)).rejects.toMatchObject({ code: 'bad_shape', details: { feature: 2 } });
});

describe('a .shx that cannot be true', () => {
  const sound = () => placesIn(records, records);
  it.each<[string, () => [number, number][]]>([
    ['lists fewer records than the .dbf', () => sound().slice(1)],
    ['lists one record four times', () => sound().map(() => sound()[0]!)],
    [
      'lists records over one another',
      () => sound().map(([at, length], i) => [at - (i === 2 ? 8 : 0), length]),
    ],
    ['points behind the end', () => sound().map(([at, length], i) => [at + (i === 3 ? 1000 : 0), length])],
    ['points into the header', () => sound().map(([at, length], i) => [i === 0 ? 50 : at, length])],
    [
      'is of another release, with a record less far on',
      () => sound().map(([at, length], i) => [at, length - (i === 1 ? 16 : 0)]),
    ],
    [
      'is of another release, whose last records came later',
      () => sound().map(([at, length], i) => [at - (i > 1 ? 16 : 0), length - (i === 1 ? 16 : 0)]),
    ],
    ['has a length of nothing', () => sound().map(([at, length], i) => [at, i === 1 ? 0 : length])],
  ])('and %s is not believed: the .shp is walked', async (_, index) => {
    expect(await shapesOf(await lay('lying', { body: records, index: index() }))).toEqual(SHAPES);
  });
});

it.skipIf(!hasSharedData('shapefile_index.test.ts'))('reads the shared cases', async () => {
  const names = [
    'shx_gap',
    'shx_moved',
    'shx_deleted',
    'shx_recno_123_1',
    'shp_header_long',
    'shp_header_short',
  ];
  const counts: number[] = [];
  for (const name of names) counts.push((await readAll(sharedPath(`cases/${name}/flood.shp`))).length);
  expect(counts).toEqual([3, 3, 2, 3, 3, 3]);
  const moved = await readAll(sharedPath('cases/shx_moved/flood.shp'));
  expect(moved[1]!.rings![0]!.length / 2).toBe(11);
});
