import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedPath } from '../../../shared_data.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { shapefileMembers, square } from '../../shapefile_writer.ts';
import { readAll } from './shapefile_reading.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const SHAPES = [145, 146, 147].map((x) => [square(x, -37, 0.01)]);
const { shp, dbf } = shapefileMembers({
  shapeType: 5,
  fields: [['NAME', 'C', 20]],
  rows: [['a'], ['b'], ['c']],
  shapes: SHAPES,
}) as { shp: Buffer; dbf: Buffer };
const RECORD_BYTES = (shp.length - 100) / 3;
const HEADER = shp.subarray(0, 100);
const record = (i: number, number = i + 1): Buffer => {
  const bytes = Buffer.from(shp.subarray(100 + i * RECORD_BYTES, 100 + (i + 1) * RECORD_BYTES));
  bytes.writeInt32BE(number, 0);
  return bytes;
};

/** A .shp of some records and bytes between them; its header states `extra` bytes more than there are. */
function shpOf(pieces: readonly Buffer[], extra = 0): Buffer {
  const bytes = Buffer.concat([HEADER, ...pieces]);
  bytes.writeInt32BE((bytes.length + extra) / 2, 24);
  return bytes;
}

function shxOf(places: readonly number[], length = RECORD_BYTES - 8): Buffer {
  const bytes = Buffer.concat([HEADER, Buffer.alloc(places.length * 8)]);
  bytes.writeInt32BE(bytes.length / 2, 24);
  for (const [i, at] of places.entries()) {
    bytes.writeInt32BE(at / 2, 100 + i * 8);
    bytes.writeInt32BE(length / 2, 104 + i * 8);
  }
  return bytes;
}

const place = (i: number, more = 0): number => 100 + i * RECORD_BYTES + more;
const IN_SEQUENCE = [place(0), place(1), place(2)];

async function read(name: string, shpBytes: Buffer, shx: Buffer) {
  const stem = join(folder.path, name);
  await writeFile(`${stem}.shp`, shpBytes);
  await writeFile(`${stem}.shx`, shx);
  await writeFile(`${stem}.dbf`, dbf);
  return readAll(`${stem}.shp`);
}

describe('a .shp whose records cannot be read in sequence', () => {
  const old = shapefileMembers({
    shapeType: 5,
    fields: [],
    rows: [],
    shapes: [[square(150, -30, 0.01)]],
  }).shp!.subarray(100);
  it.each([
    [
      'a gap',
      shpOf([record(0), record(1), Buffer.alloc(48, 0xee), record(2)]),
      [place(0), place(1), place(2, 48)],
    ],
    ['a deleted record', shpOf([record(0), old, record(1, 3), record(2, 4)]), [place(0), place(2), place(3)]],
    ['a moved record', shpOf([record(0), old, record(2), record(1)]), [place(0), place(3), place(2)]],
    ['wrong record numbers', shpOf([record(0, 1), record(1, 1), record(2, 1)]), IN_SEQUENCE],
    ['a length too long', shpOf([record(0), record(1), record(2)], 64), IN_SEQUENCE],
    ['a length too short', shpOf([record(0), record(1), record(2)], -2 * RECORD_BYTES), IN_SEQUENCE],
  ])('reads %s by the .shx', async (name, shpBytes, places) => {
    const features = await read(name.replaceAll(' ', '_'), shpBytes, shxOf(places));
    expect(features.map(({ rings, properties }) => [properties.NAME, rings])).toEqual([
      ['a', SHAPES[0]],
      ['b', SHAPES[1]],
      ['c', SHAPES[2]],
    ]);
  });

  it.each([
    ['lists other lengths', shxOf(IN_SEQUENCE, 40)],
    ['lists one place twice', shxOf([place(0), place(1), place(1)])],
    ['lists places outside the file', shxOf([place(0), place(1), place(9)])],
    ['lists two of three records', shxOf([place(0), place(1)])],
    ['places records where there are none', shxOf([place(0), place(1), place(2) + 4], RECORD_BYTES - 12)],
  ])('does not use a .shx that %s', async (name, shx) => {
    const features = await read(name.replaceAll(' ', '_'), shp, shx);
    expect(features.map(({ rings }) => rings)).toEqual(SHAPES);
  });

  it('refuses a record whose length differs from the .shx that confirms the others', async () => {
    const damaged = Buffer.from(shp);
    damaged.writeInt32BE(4, place(1) + 4);
    await expect(read('damaged', damaged, shxOf(IN_SEQUENCE))).rejects.toMatchObject({ code: 'bad_shape' });
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
});
