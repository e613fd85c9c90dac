import { open as openFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findField } from '../../../../sources/formats/table/columns.ts';
import { decoderOf } from '../../../../sources/formats/table/encoding.ts';
import { openDbfFile } from '../../../../sources/formats/vector/dbf.ts';
import { openShapefile, readShapefileHeader } from '../../../../sources/formats/vector/shapefile.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { type FieldSpec, shapefileMembers, square, writeShapefile } from '../../shapefile_writer.ts';
import { readAll } from './shapefile_reading.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());
const at = (name: string) => join(folder.path, name);

const NAME: FieldSpec[] = [['NAME', 'C', 20]];
const HERE = square(145, -37, 0.01);

describe('shapes', () => {
  const TWO_RINGS = [square(145, -37, 0.1), square(145.02, -36.98, 0.01)];
  it.each([
    ['point', 1, [[145, -37]]],
    ['point Z', 11, [[145, -37]]],
    ['point M', 21, [[145, -37]]],
    [
      'line',
      3,
      [
        [145, -37, 146, -38],
        [147, -39, 148, -40, 149, -41],
      ],
    ],
    ['line Z', 13, [[145, -37, 146, -38]]],
    ['line M', 23, [[145, -37, 146, -38]]],
    ['polygon', 5, TWO_RINGS],
    ['polygon Z', 15, TWO_RINGS],
    ['polygon M', 25, TWO_RINGS],
    ['multipoint', 8, [[145, -37, 146, -38, 147, -39]]],
    ['multipoint Z', 18, [[145, -37, 146, -38, 147, -39]]],
    ['multipoint M', 28, [[145, -37, 146, -38, 147, -39]]],
  ])('%s becomes 2D', async (name, shapeType, shape) => {
    const stem = at(name.replace(' ', '_'));
    await writeShapefile(stem, {
      shapeType,
      fields: NAME,
      rows: [['a'], ['b'], ['c']],
      shapes: [shape, null, shape],
    });
    const features = await readAll(`${stem}.shp`);
    expect(features.map((feature) => feature.rings)).toEqual([shape, null, shape]);
    expect(features.map((feature) => feature.at)).toEqual([1, 2, 3]);
  });

  it('reads a feature larger than the read buffer, and small ones around it', async () => {
    const ring: number[] = [];
    for (let i = 0; i <= 300_000; i++) {
      const angle = (-2 * Math.PI * (i % 300_000)) / 300_000;
      ring.push(145 + Math.cos(angle), -37 + Math.sin(angle));
    }
    await writeShapefile(at('big'), {
      shapeType: 5,
      fields: NAME,
      rows: [['a'], ['b'], ['c']],
      shapes: [[HERE], [ring], [HERE]],
    });
    const features = await readAll(at('big.shp'));
    expect(features.map((feature) => feature.rings?.[0]?.length)).toEqual([10, 600_002, 10]);
    expect(features[1]!.rings![0]).toEqual(ring);
    expect(features[2]!.rings).toEqual([HERE]);
  });

  it('spreads many features over batches without losing one', async () => {
    const shapes = Array.from({ length: 5000 }, (_, i) => [square(140 + i / 1000, -37, 0.0005)]);
    await writeShapefile(at('many'), {
      shapeType: 5,
      fields: NAME,
      rows: shapes.map((_, i) => [`n${i}`]),
      shapes,
    });
    const features = await readAll(at('many.shp'));
    expect(features.map((feature) => feature.at)).toEqual(shapes.map((_, i) => i + 1));
    expect(features.map((feature) => feature.properties.NAME)).toEqual(shapes.map((_, i) => `n${i}`));
    expect(features[4999]!.rings).toEqual(shapes[4999]);
  });

  it('does not need the .shx, finds upper-case siblings, and reads a file without features', async () => {
    const members = shapefileMembers({
      shapeType: 5,
      fields: NAME,
      rows: [],
      shapes: [],
      prj: 'P',
      cpg: 'UTF-8',
    });
    for (const [part, bytes] of Object.entries(members))
      await writeFile(at(`UPPER.${part.toUpperCase()}`), bytes);
    const reader = await openShapefile(at('UPPER.SHP'));
    expect([reader.count, reader.prj, reader.encoding]).toEqual([0, 'P', 'utf-8']);
    await reader.close();
    expect(await readAll(at('UPPER.SHP'))).toEqual([]);
  });
});

describe('attributes', () => {
  const FIELDS: FieldSpec[] = [
    ['TEXT', 'C', 12],
    ['NUM', 'N', 10, 2],
    ['FLOAT', 'F', 20, 8],
    ['DAY', 'D', 8],
    ['FLAG', 'L', 1],
  ];
  it.each([
    ['plain', ['abc', '12.50', '-1.5e+003', '20190315', 'T'], ['abc', 12.5, -1500, '2019-03-15', true]],
    ['blank', ['', '', '', '', ''], [null, null, null, null, null]],
    ['overflow', ['*', '**********', '********************', '********', '?'], ['*', null, null, null, null]],
    ['left blanks stay', ['  x', '7', '7', '00000000', 'n'], ['  x', 7, 7, null, false]],
    ['not a number', ['x', '1.2.3', 'NaN', '20191341', 'x'], ['x', null, null, null, null]],
    ['C text', ['ab\0rest', '3\0', '0', '18991230', 'Y'], ['ab', 3, 0, '1899-12-30', true]],
  ])('%s', async (name, row, wanted) => {
    const stem = at(`att_${name.replaceAll(' ', '_')}`);
    await writeShapefile(stem, { shapeType: 5, fields: FIELDS, rows: [row], shapes: [null] });
    const [feature] = await readAll(`${stem}.shp`);
    expect(Object.values(feature!.properties)).toEqual(wanted);
  });

  it.each([
    ['N', '3099431', '3099431'],
    ['N', '3099431.00', '3099431'],
    ['F', ' 3.099431000e+006', '3099431'],
    ['N', '12345678901234567890', '12345678901234567890'],
    ['N', '1.5', '1.5'],
    ['N', '*****', null],
    ['C', '515 amalgamation_of_', '515 amalgamation_of_'],
    ['C', '007', '007'],
    ['C', '   ', null],
  ])('identifier of type %s: %s', async (type, text, wanted) => {
    await writeShapefile(at('id'), {
      shapeType: 5,
      fields: [['ID', type, 20, 2]],
      rows: [[text]],
      shapes: [null],
    });
    const reader = await openShapefile(at('id.shp'));
    for await (const batch of reader.features()) expect(batch.rows.id(0, reader.fields[0]!)).toBe(wanted);
  });

  it.each([
    ['UTF-8', 'utf8', 'Müller’s Crécy', 'Müller’s Crécy'],
    ['65001', 'utf8', 'Ngāti 東', 'Ngāti 東'],
    ['\ufeffUTF8\r\n', 'utf8', 'é', 'é'],
    ['1252', 'latin1', 'caf\u00e9 \u0093x\u0094 \u0080', 'café “x” €'],
    ['ANSI 1252', 'latin1', '\u0092', '’'],
    ['ISO-8859-1', 'latin1', 'Zo\u00eb', 'Zoë'],
    [undefined, 'latin1', '\u00c9\u0096', 'É–'],
  ] as const)('decodes %s', async (cpg, encoding, written, wanted) => {
    await rm(at('enc.cpg'), { force: true });
    await writeShapefile(at('enc'), {
      shapeType: 5,
      fields: NAME,
      rows: [[written]],
      shapes: [null],
      cpg,
      encoding,
    });
    expect((await readAll(at('enc.shp')))[0]!.properties.NAME).toBe(wanted);
  });

  it('reads every number to the nearest double', async () => {
    const written = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc
        .tuple(fc.double({ min: -1e12, max: 1e12, noNaN: true }), fc.integer({ min: 0, max: 15 }))
        .map(([value, digits]) => value.toFixed(digits)),
      fc.constantFrom(
        '0',
        '-0',
        '.5',
        '5.',
        '-',
        '.',
        '-.',
        '00012',
        '+7',
        '0x10',
        '1e3',
        '0.00000000000000000001',
        '--1',
        '1-',
        ' ',
      ),
    );
    const short = written.filter((text) => text.length <= 32);
    await fc.assert(
      fc.asyncProperty(fc.array(short, { minLength: 1, maxLength: 50 }), async (texts) => {
        await writeShapefile(at('num'), {
          shapeType: 5,
          fields: [['NUM', 'N', 32, 8]],
          rows: texts.map((text) => [text]),
          shapes: texts.map(() => null),
        });
        const numbers = (await readAll(at('num.shp'))).map((feature) => feature.properties.NUM);
        expect(numbers).toEqual(
          texts.map((text) => (text.trim() === '' || Number.isNaN(Number(text)) ? null : Number(text))),
        );
      }),
      { seed: 3, numRuns: 50 },
    );
  });

  it('drops the half character at the end of a full UTF-8 field', async () => {
    await writeShapefile(at('cut'), {
      shapeType: 5,
      fields: [['NAME', 'C', 4]],
      rows: [['abcé']],
      shapes: [null],
      cpg: 'UTF-8',
      encoding: 'utf8',
    });
    expect((await readAll(at('cut.shp')))[0]!.properties.NAME).toBe('abc');
  });

  it('an option overrides the .cpg, and an unknown .cpg is an error', async () => {
    await writeShapefile(at('over'), {
      shapeType: 5,
      fields: NAME,
      rows: [['é']],
      shapes: [null],
      cpg: 'EBCDIC',
      encoding: 'utf8',
    });
    await expect(openShapefile(at('over.shp'))).rejects.toMatchObject({
      code: 'unknown_encoding',
      message: expect.stringContaining('over.shp'),
    });
    expect((await readAll(at('over.shp'), { encoding: 'UTF-8' }))[0]!.properties.NAME).toBe('é');
  });

  it('tells deleted rows', async () => {
    await writeShapefile(at('del'), {
      shapeType: 5,
      fields: NAME,
      rows: [['a'], ['b'], ['c']],
      shapes: [[HERE], [HERE], [HERE]],
      deleted: [1],
    });
    expect((await readAll(at('del.shp'))).map((feature) => feature.deleted)).toEqual([false, true, false]);
  });

  it('finds columns by alias, without case and cut to ten characters', () => {
    const fields = ['PARCEL_STA', 'Zone_Code', 'SPI'].map((name) => ({
      name,
      type: 'C',
      length: 1,
      decimals: 0,
      offset: 1,
    }));
    expect(findField(fields, ['parcel_status'])?.name).toBe('PARCEL_STA');
    expect(findField(fields, ['nothing', 'ZONE_CODE'])?.name).toBe('Zone_Code');
    expect(findField(fields, ['SP'])).toBeNull();
  });

  it('reads records beyond 2 GB by position', async () => {
    const count = 3_000_000;
    const header = Buffer.alloc(65);
    header.writeUInt32LE(count, 4);
    header.writeUInt16LE(65, 8);
    header.writeUInt16LE(1001, 10);
    header.write('NAME', 32);
    header.write('C', 43);
    header[48] = 250;
    header[64] = 0x0d;
    const handle = await openFile(at('huge.dbf'), 'w');
    await handle.write(header, 0, 65, 0);
    const last = Buffer.alloc(1001, 0x20);
    last.write('the last', 1);
    await handle.write(last, 0, 1001, 65 + (count - 1) * 1001);
    await handle.close();
    const dbf = await openDbfFile(at('huge.dbf'), 'huge.dbf', decoderOf('utf-8'));
    const rows = await dbf.rows(count - 1, 1);
    expect(rows.text(0, dbf.header.fields[0]!)).toBe('the last');
    await dbf.close();
    await rm(at('huge.dbf'));
  });
});

it('a missing .dbf, a missing .shp, and a missing folder are named', async () => {
  const { shp, dbf } = shapefileMembers({ shapeType: 5, fields: NAME, rows: [['a']], shapes: [[HERE]] }) as {
    shp: Buffer;
    dbf: Buffer;
  };
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
