import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, describe, expect, it } from 'vitest';
import { parquetFile } from '../../../pipelines/export/parquet_file.ts';
import { csvFile, geoJsonFile } from '../../../pipelines/export/text_file.ts';
import { col, nullable, table } from '../../../schema/table.ts';
import { encodeLineWkb, encodePointWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';

const folder = mkdtempSync(join(tmpdir(), 'row-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A column of every type, and a shape. */
const everything = table({
  schema: 'serving',
  name: 'everything',
  doc: 'A table of a test.',
  columns: {
    id: col('text', 'Key.'),
    state: nullable('text', 'State.'),
    small: col('int2', 'int2.'),
    whole: nullable('int4', 'int4.'),
    real: nullable('float8', 'float8.'),
    yes: nullable('bool', 'bool.'),
    day: nullable('date', 'date.'),
    words: nullable('text[]', 'text[].'),
    numbers: col('int4[]', 'int4[].'),
    tree: nullable('jsonb', 'jsonb.'),
    geom: nullable('bytea', 'WKB.'),
  },
  primaryKey: ['id'],
});
const square = encodeWkb({
  coords: Float64Array.from([145, -37, 146, -37, 146, -38, 145, -37]),
  ringEnds: [4],
  polygonEnds: [1],
});
const lines = encodeLineWkb({
  coords: Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8]),
  lineEnds: [2, 4],
});
const points = encodePointWkb({ coords: Float64Array.from([1, 2, 3, 4]) });
const blank = {
  state: null,
  whole: null,
  real: null,
  yes: null,
  day: null,
  words: null,
  tree: null,
  geom: null,
};
const ROWS = [
  {
    id: 'a "b", c\r\nd',
    state: 'NSW',
    small: -3,
    whole: 2147483647,
    real: 0.1,
    yes: true,
    day: '1788-01-26',
    words: ['x', '', 'ä'],
    numbers: [1, -2],
    tree: { a: [1, null, 'é'] },
    geom: square,
  },
  { ...blank, id: '', state: 'NSW', small: 0, numbers: [], words: [], geom: lines },
  { ...blank, id: '=1+1', state: 'VIC', small: 1, numbers: [7], yes: false, tree: [], geom: points },
  { ...blank, id: 'last', small: 2, numbers: [] },
];

describe('files of rows', () => {
  it('preserve every type in Parquet, and distinguish null from an empty list', async () => {
    const path = join(folder, 'a.parquet');
    const file = parquetFile(path, everything, { table: 'everything' });
    await file.add(ROWS.slice(0, 2));
    await file.add(ROWS.slice(2));
    await file.end();
    const bytes = readFileSync(path);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const rows = await parquetReadObjects({ file: buffer, compressors, geoparquet: false, utf8: false });
    const dayOf = (value: unknown): string | null =>
      value == null ? null : (value as Date).toISOString().slice(0, 10);
    const hex = (value: unknown): string | null =>
      value == null ? null : Buffer.from(value as Uint8Array).toString('hex');
    expect(
      rows.map(({ day, geometry, bbox: _, words = null, ...row }) => ({
        ...row,
        words,
        day: dayOf(day),
        geom: hex(geometry),
      })),
    ).toEqual(ROWS.map((row) => ({ ...row, geom: hex(row.geom) })));
    expect(rows.map(({ bbox }) => bbox)).toEqual([
      { xmin: 145, ymin: -38, xmax: 146, ymax: -37 },
      { xmin: 1, ymin: 2, xmax: 7, ymax: 8 },
      { xmin: 1, ymin: 2, xmax: 3, ymax: 4 },
      undefined,
    ]);
    expect(parquetMetadata(buffer).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 1, 1]);
  });

  it('distinguish null from an empty text in CSV, quote texts, and write lists as JSON', async () => {
    const path = join(folder, 'a.csv');
    const file = await csvFile(path, everything);
    await file.add(ROWS);
    await file.end();
    const text = readFileSync(path, 'utf8');
    expect(text.split('\r\n')[0]).toBe('id,state,small,whole,real,yes,day,words,numbers,tree,geometry');
    expect(text).toContain('\r\n"",NSW,0,,,,,[],[],,');
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(rows).toHaveLength(ROWS.length);
    expect(rows[0]).toMatchObject({
      id: ROWS[0]!.id,
      real: '0.1',
      yes: 'true',
      words: '["x","","ä"]',
      tree: '{"a":[1,null,"é"]}',
    });
    expect(rows.map(({ geometry }) => geometry)).toEqual(
      [square, lines, points, new Uint8Array()].map((wkb) => Buffer.from(wkb).toString('hex')),
    );
  });

  it('escape CSV texts that a spreadsheet would run, unless raw texts are requested', async () => {
    const texts = ['=1+1', '+61 3', '-2+3', '@SUM(A1)', '\tx', '\rx', 'a=b', '12-14 High St'];
    const rows = texts.map((id) => ({ ...blank, id, small: -1, real: -37.8, numbers: [] }));
    const idsOf = async (name: string, raw: boolean): Promise<string[]> => {
      const file = await csvFile(join(folder, name), everything, raw);
      await file.add(rows);
      await file.end();
      const read: Record<string, string>[] = parse(readFileSync(join(folder, name), 'utf8'), {
        columns: true,
      });
      expect(read[0]).toMatchObject({ small: '-1', real: '-37.8' });
      return read.map(({ id }) => id!);
    };
    expect(await idsOf('shown.csv', false)).toEqual([
      ...texts.slice(0, 6).map((text) => `'${text}`),
      ...texts.slice(6),
    ]);
    expect(await idsOf('raw.csv', true)).toEqual(texts);
  });

  it('contain shapes of every type in GeoJSON, and a valid empty collection', async () => {
    const write = async (name: string, rows: readonly (typeof ROWS)[number][]) => {
      const file = await geoJsonFile(join(folder, name), everything);
      if (rows.length > 0) await file.add(rows);
      await file.end();
      return JSON.parse(readFileSync(join(folder, name), 'utf8'));
    };
    const { type, features } = await write('a.geojson', ROWS);
    expect(type).toBe('FeatureCollection');
    expect(features.map(({ geometry }: { geometry: object }) => geometry)).toEqual([
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [145, -37],
              [146, -37],
              [146, -38],
              [145, -37],
            ],
          ],
        ],
      },
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [1, 2],
            [3, 4],
          ],
          [
            [5, 6],
            [7, 8],
          ],
        ],
      },
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
      null,
    ]);
    const { geom: _, ...properties } = ROWS[0]!;
    expect(features[0].properties).toEqual(properties);
    expect(await write('none.geojson', [])).toEqual({ type: 'FeatureCollection', features: [] });
  });
});
