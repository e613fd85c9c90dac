import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtlError } from '../../../../schema/errors.ts';
import { openShapefile, readShapefileHeader } from '../../../../sources/formats/vector/shapefile.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { type FieldSpec, shapefileMembers, square } from '../../shapefile_writer.ts';
import { readAll, type ShapefileFeature } from './shapefile_reading.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());
const at = (name: string) => join(folder.path, name);

const NAME: FieldSpec[] = [['NAME', 'C', 20]];
const HERE = square(145, -37, 0.01);

describe('damage', () => {
  const spec = {
    shapeType: 5,
    fields: NAME,
    rows: [['a'], ['b'], ['c']],
    shapes: [[HERE], null, [HERE, square(146, -37, 0.01)]],
  };
  const { shp, dbf } = shapefileMembers(spec) as { shp: Buffer; dbf: Buffer };
  const ends = [100, 100 + 8 + 48 + 80, 100 + 136 + 12];

  /** Writes what is given, reads, and returns the features before the error. */
  async function damaged(
    name: string,
    shpBytes: Buffer,
    dbfBytes = dbf,
  ): Promise<{ features: ShapefileFeature[]; error: EtlError | null }> {
    await writeFile(at(`${name}.shp`), shpBytes);
    await writeFile(at(`${name}.dbf`), dbfBytes);
    const features: ShapefileFeature[] = [];
    const error = await readAll(at(`${name}.shp`), {}, features).then(
      () => null,
      (thrown: unknown) => thrown as EtlError,
    );
    if (error !== null) expect(error).toBeInstanceOf(EtlError);
    return { features, error };
  }

  it('names the feature at which a .shp ends, whatever the byte', async () => {
    for (let length = 0; length < shp.length; length++) {
      const { features, error } = await damaged('cut_shp', shp.subarray(0, length));
      expect(error, `cut at ${length}`).toMatchObject({
        code: 'truncated_shapefile',
        message: expect.stringContaining('cut_shp.shp'),
      });
      const feature = ends.filter((end) => length >= end).length;
      expect(error!.details.feature, `cut at ${length}`).toBe(Math.max(1, feature));
      expect(features.length).toBeLessThan(3);
    }
  });

  it('names the file whose .dbf ends early, whatever the byte', async () => {
    for (let length = 0; length < dbf.length - 1; length++) {
      const { error } = await damaged('cut_dbf', shp, dbf.subarray(0, length));
      expect(error?.code, `cut at ${length}`).toMatch(/^(bad_dbf|truncated_dbf)$/);
      expect(error!.message).toContain('cut_dbf.shp');
    }
  });

  it('ignores bytes beyond the stated length', async () => {
    const { features, error } = await damaged('trailing', Buffer.concat([shp, Buffer.alloc(33, 7)]));
    expect(error).toBeNull();
    expect(features).toHaveLength(3);
  });

  it.each([
    ['more records', [['a'], ['b'], ['c'], ['d']], '4 records'],
    ['fewer records', [['a'], ['b']], '2 records'],
  ])('%s in the .dbf than shapes', async (name, rows, message) => {
    const other = shapefileMembers({ ...spec, rows });
    const { error } = await damaged('mismatch', shp, other.dbf);
    expect(error, name).toMatchObject({
      code: 'dbf_shp_mismatch',
      message: expect.stringContaining(message),
    });
  });

  const lie = (offset: number, value: number, bigEndian = false): Buffer => {
    const bytes = Buffer.from(shp);
    if (bigEndian) bytes.writeInt32BE(value, offset);
    else bytes.writeInt32LE(value, offset);
    return bytes;
  };
  const first = 108;
  const third = ends[2]! + 8;
  it.each([
    ['more points than the record holds', lie(first + 40, 6)],
    ['more points than any record holds', lie(first + 40, 2 ** 31 - 1)],
    ['fewer than no points', lie(first + 40, -1)],
    ['more parts than the record holds', lie(first + 36, 1_000_000)],
    ['fewer than no parts', lie(first + 36, -5)],
    ['no parts', lie(first + 36, 0)],
    ['a first part that does not start at 0', lie(first + 44, 1)],
    ['another shape type', lie(first, 3)],
    ['an unknown shape type', lie(first, 77)],
  ])('%s: the feature alone is bad', async (_name, bytes) => {
    const { features, error } = await damaged('lie', bytes);
    expect(error).toBeNull();
    expect(features.map((feature) => feature.problem !== null)).toEqual([true, false, false]);
    expect(features[2]!.rings).toEqual(spec.shapes[2]);
  });

  it('part starts that go back: the feature alone is bad', async () => {
    const { features } = await damaged('lie', lie(third + 48, 99));
    expect(features.map((feature) => feature.problem !== null)).toEqual([false, false, true]);
  });

  it.each([
    ['shorter than it is', lie(104, 60, true), 2],
    ['nothing', lie(104, 0, true), 1],
    ['negative', lie(104, -8, true), 1],
    ['enormous', lie(104, 2 ** 30, true), 1],
  ])('a record length that is %s stops the file', async (_name, bytes, feature) => {
    const { error } = await damaged('length', bytes);
    expect(error).toMatchObject({ code: 'bad_shape', details: { feature } });
    expect(error!.message).toContain('length.shp');
  });

  it('not a shapefile at all', async () => {
    const { error } = await damaged('text', Buffer.alloc(200, 'PK\x03\x04'));
    expect(error).toMatchObject({ code: 'bad_shape' });
  });

  it('random bytes never give anything but features or an error that names the file', async () => {
    const flip = fc.tuple(fc.integer({ min: 0, max: shp.length - 1 }), fc.integer({ min: 0, max: 255 }));
    const flipDbf = fc.tuple(fc.integer({ min: 0, max: dbf.length - 1 }), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(flip, { maxLength: 6 }),
        fc.array(flipDbf, { maxLength: 3 }),
        async (flips, flipsDbf) => {
          const [a, b] = [Buffer.from(shp), Buffer.from(dbf)];
          for (const [place, value] of flips) a[place] = value;
          for (const [place, value] of flipsDbf) b[place] = value;
          const { features, error } = await damaged('fuzz', a, b);
          if (error !== null) expect(error.message).toContain('fuzz.shp');
          else expect(features.length).toBeLessThanOrEqual(3);
        },
      ),
      { seed: 5, numRuns: 400 },
    );
  });

  it('a missing .dbf, a missing .shp, and a missing folder are named', async () => {
    await writeFile(at('alone.shp'), shp);
    await expect(openShapefile(at('alone.shp'))).rejects.toMatchObject({
      code: 'missing_dbf',
      message: expect.stringContaining('alone.shp'),
    });
    await writeFile(at('nothing.dbf'), dbf);
    await expect(openShapefile(at('nothing.shp'))).rejects.toMatchObject({
      code: 'missing_file',
      message: expect.stringContaining('nothing.shp'),
    });
    await expect(openShapefile(at('no/such.shp'))).rejects.toMatchObject({ code: 'missing_file' });
    await expect(readShapefileHeader(at('no/such.zip'))).rejects.toMatchObject({
      code: 'missing_file',
      message: expect.stringContaining('such.zip'),
    });
  });
});
