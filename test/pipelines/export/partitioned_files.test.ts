import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPartition, partitionedFiles } from '../../../pipelines/export/partitioned_files.ts';
import { col, nullable, table } from '../../../schema/table.ts';
import { encodeLineWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';

const PLACES = table({
  schema: 'serving',
  name: 'places',
  doc: 'A table of a test.',
  columns: {
    id: col('int4', 'Key.'),
    level: col('text', 'Level.'),
    state: nullable('text', 'State.'),
    geom: nullable('bytea', 'WKB.'),
  },
  primaryKey: ['id'],
});
const square = encodeWkb({
  coords: Float64Array.from([145, -37, 146, -37, 146, -38, 145, -37]),
  ringEnds: [4],
  polygonEnds: [1],
});
const line = encodeLineWkb({ coords: Float64Array.from([144, -36, 145, -35]), lineEnds: [2] });
const ROWS = [
  { id: 1, level: 'a/b', state: 'VIC', geom: square },
  { id: 2, level: 'x', state: 'VIC', geom: line },
  { id: 3, level: 'x', state: 'VIC', geom: null },
  { id: 4, level: 'x', state: 'VIC', geom: null },
  { id: 5, level: 'x', state: null, geom: square },
];

describe('partitioned files', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'partitioned-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const metadataOf = (path: string) => {
    const bytes = readFileSync(path);
    return parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  };
  const geoOf = (path: string) =>
    JSON.parse(metadataOf(path).key_value_metadata!.find(({ key }) => key === 'geo')!.value!);

  it('have their levels in the path and not inside, and a maximum of rows', async () => {
    const files = partitionedFiles(folder, PLACES, {}, ['state', 'level', 'unknown'], 2);
    await files.add(ROWS.slice(0, 1));
    await files.add(ROWS.slice(1));
    await files.end();
    expect(files.written).toEqual([
      { file: 'places/state=VIC/level=a%2Fb/part-0.parquet', rows: 1 },
      { file: 'places/state=VIC/level=x/part-0.parquet', rows: 2 },
      { file: 'places/state=VIC/level=x/part-1.parquet', rows: 1 },
      { file: 'places/state=__HIVE_DEFAULT_PARTITION__/level=x/part-0.parquet', rows: 1 },
    ]);
    for (const { file, rows } of files.written) {
      const { num_rows, schema } = metadataOf(join(folder, file));
      expect(Number(num_rows)).toBe(rows);
      expect(schema.slice(1).map(({ name }) => name)).toEqual([
        'id',
        'geometry',
        'bbox',
        'xmin',
        'ymin',
        'xmax',
        'ymax',
      ]);
    }
  });

  it('state the geometry types and the bounding box of their own rows', async () => {
    const files = partitionedFiles(join(folder, 'geo'), PLACES, {}, ['state']);
    await files.add(ROWS);
    await files.end();
    const [vic, none] = files.written.map(({ file }) => geoOf(join(folder, 'geo', file)));
    expect(vic).toMatchObject({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: {
        geometry: {
          encoding: 'WKB',
          geometry_types: ['MultiLineString', 'MultiPolygon'],
          bbox: [144, -38, 146, -35],
          crs: { type: 'GeographicCRS', id: { authority: 'EPSG', code: 7844 } },
          covering: {
            bbox: {
              xmin: ['bbox', 'xmin'],
              ymin: ['bbox', 'ymin'],
              xmax: ['bbox', 'xmax'],
              ymax: ['bbox', 'ymax'],
            },
          },
        },
      },
    });
    expect(none.columns.geometry).toMatchObject({
      geometry_types: ['MultiPolygon'],
      bbox: [145, -38, 146, -37],
    });
  });

  it('are one file with every column if the table is empty', async () => {
    const files = partitionedFiles(join(folder, 'none'), PLACES, {}, ['state']);
    await files.end();
    expect(files.written).toEqual([{ file: 'places/part-0.parquet', rows: 0 }]);
    const path = join(folder, 'none/places/part-0.parquet');
    expect(metadataOf(path).schema.map(({ name }) => name)).toContain('state');
    expect(geoOf(path).columns.geometry).not.toHaveProperty('bbox');
  });

  it('are refused for other formats and columns', () => {
    const refused = (partition: string[], format: 'csv' | 'parquet') =>
      expect(() => checkPartition({ partition, format }, [PLACES]));
    refused(['state'], 'csv').toThrow(/csv has no partitions/);
    refused(['id'], 'parquet').toThrow(/--partition id: choose from state, level/);
    expect(() => checkPartition({ partition: ['state'], format: 'parquet' }, [])).toThrow(
      /no exported table/,
    );
    refused(['state', 'level'], 'parquet').not.toThrow();
  });
});
