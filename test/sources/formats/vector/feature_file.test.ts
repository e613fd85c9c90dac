import { gzipSync } from 'node:zlib';
import type { Geometry } from 'geojson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeatureFormat } from '../../../../sources/formats/feature.ts';
import { openFeatureFile } from '../../../../sources/formats/vector/feature_file.ts';
import {
  collection,
  feature,
  flatGeobuf,
  geoPackage,
  geoParquet,
  lines,
  type Model,
  squareAt,
} from '../../feature_writers.ts';
import { type ReadFeature, readFeatures } from '../../read_features.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { GDA2020_PRJ } from '../../shapefile_writer.ts';
import { zipBytes } from '../../zip_writer.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const withHole: Geometry = {
  type: 'MultiPolygon',
  coordinates: [
    [
      [
        [145, -37],
        [145.01, -37],
        [145.01, -36.99],
        [145, -36.99],
        [145, -37],
      ],
      [
        [145.002, -36.998],
        [145.004, -36.998],
        [145.004, -36.996],
        [145.002, -36.998],
      ],
    ],
    [
      [
        [145.02, -37],
        [145.03, -37],
        [145.03, -36.99],
        [145.02, -37],
      ],
    ],
  ],
};
const polygons: Model = [
  feature({ id: '007', name: 'Caf\u00e9  ', area: 12.5 }),
  feature({ id: 'b', name: '', area: 3 }, withHole),
  feature({ id: '1\\PS12', name: 'x'.repeat(300), area: 20001001234 }, squareAt(150.5, -33.5)),
];
const lineModel: Model = [
  feature(
    { id: 'a' },
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [145, -37],
          [145.1, -37.1],
        ],
        [
          [146, -37],
          [146, -36.5],
          [146.2, -36],
        ],
      ],
    },
  ),
];
const points: Model = [
  feature(
    { id: 'a' },
    {
      type: 'MultiPoint',
      coordinates: [
        [145, -37],
        [146, -38],
      ],
    },
  ),
];

type Write = (
  model: Model,
) => Promise<{ path: string; format: FeatureFormat; member?: string; layer?: string }>;
let next = 0;
const write = async (name: string, bytes: Uint8Array | string) => folder.write(`${next++}/${name}`, bytes);
const WRITERS: Readonly<Record<string, Write>> = {
  GeoJSON: async (model) => ({ path: await write('a.geojson', collection(model)), format: 'geojson' }),
  'GeoJSON.gz': async (model) => ({
    path: await write('a.geojson.gz', gzipSync(collection(model))),
    format: 'geojson',
  }),
  'GeoJSON in a zip': async (model) => ({
    path: await write('a.zip', await zipBytes([{ name: 'd/a.json', bytes: Buffer.from(collection(model)) }])),
    format: 'geojson',
    member: 'd/a.json',
  }),
  'pretty GeoJSON': async (model) => ({
    path: await write('a.geojson', JSON.stringify(JSON.parse(collection(model)), null, 2)),
    format: 'geojson',
  }),
  NDJSON: async (model) => ({ path: await write('a.ndjson', lines(model)), format: 'ndjson' }),
  'GeoJSON text sequence': async (model) => ({
    path: await write('a.geojsons', model.map((each) => `\x1e${JSON.stringify(each, null, 1)}\n`).join('')),
    format: 'ndjson',
  }),
  'lines named .geojson': async (model) => ({
    path: await write('a.geojson', lines(model)),
    format: 'geojson',
  }),
  'a bare list': async (model) => ({ path: await write('a.json', JSON.stringify(model)), format: 'geojson' }),
  GeoPackage: async (model) => ({
    path: await write('a.gpkg', await geoPackage(model)),
    format: 'geopackage',
    layer: 'layer',
  }),
  'GeoPackage in a zip': async (model) => ({
    path: await write('a.zip', await zipBytes([{ name: 'a.gpkg', bytes: await geoPackage(model) }])),
    format: 'geopackage',
    member: 'a.gpkg',
    layer: 'layer',
  }),
  FlatGeobuf: async (model) => ({ path: await write('a.fgb', flatGeobuf(model)), format: 'flatgeobuf' }),
  'FlatGeobuf in a zip': async (model) => ({
    path: await write('a.zip', await zipBytes([{ name: 'a.fgb', bytes: flatGeobuf(model) }])),
    format: 'flatgeobuf',
    member: 'a.fgb',
  }),
  GeoParquet: async (model) => ({ path: await write('a.parquet', geoParquet(model)), format: 'parquet' }),
  'GeoParquet in a zip': async (model) => ({
    path: await write(
      'a.zip',
      await zipBytes([{ name: 'a.parquet', bytes: geoParquet(model, { rowGroupSize: 1 }) }]),
    ),
    format: 'parquet',
    member: 'a.parquet',
  }),
};

async function read(name: string, model: Model): Promise<ReadFeature[]> {
  const { path, format, ...inside } = await WRITERS[name]!(model);
  const features = await readFeatures(path, format, inside);
  // a GeoPackage has its row number as a further column
  for (const each of features) delete each.properties.fid;
  return features;
}

describe.each(Object.keys(WRITERS))('%s', (name) => {
  it('preserves attributes and polygons', async () => {
    const features = await read(name, polygons);
    expect(features.map((each) => each.at)).toEqual([1, 2, 3]);
    expect(features.map((each) => each.kind)).toEqual(['polygon', 'polygon', 'polygon']);
    expect(features[0]!.properties).toEqual({ id: '007', name: 'Café', area: '12.5' });
    expect(features[1]!.properties).toEqual({ id: 'b', name: null, area: '3' });
    expect(features[2]!.properties).toEqual({ id: '1\\PS12', name: 'x'.repeat(300), area: '20001001234' });
    expect(features[0]!.coords).toEqual([
      145,
      -37.8,
      145.01,
      -37.8,
      145.01,
      -37.8 + 0.01,
      145,
      -37.8 + 0.01,
      145,
      -37.8,
    ]);
    expect(features[1]!.ends).toEqual([5, 9, 13]);
  });

  it('gives lines and points', async () => {
    expect(await read(name, lineModel)).toMatchObject([
      { kind: 'line', coords: [145, -37, 145.1, -37.1, 146, -37, 146, -36.5, 146.2, -36], ends: [2, 5] },
    ]);
    expect(await read(name, points)).toMatchObject([{ kind: 'point', coords: [145, -37, 146, -38] }]);
  });

  it('stops when it is aborted, and closes when the reader stops early', async () => {
    const { path, format, member = null, layer = null } = await WRITERS[name]!(polygons);
    const source = { path, format, member, layer, file: 'x', crs: 'EPSG:7844' };
    await expect(openFeatureFile(source, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    const file = await openFeatureFile(source);
    for await (const batch of file.batches()) {
      expect(batch.count).toBeGreaterThan(0);
      break;
    }
    await file.close();
    await file.close();
  });
});

describe('openFeatureFile', () => {
  const source = async (model: Model, crs = 'EPSG:7844') => ({
    path: await write('a.geojson', collection(model)),
    format: 'geojson' as const,
    member: null,
    layer: null,
    file: 'a.geojson',
    crs,
  });

  it('moves shapes from the CRS of the file to GDA2020, once', async () => {
    const file = await openFeatureFile(
      await source(
        [feature({ id: 1 }, { type: 'Point', coordinates: [133.885513291, -23.670123893] })],
        'EPSG:4283',
      ),
    );
    for await (const batch of file.batches()) {
      for (const shape of [batch.shape(0), batch.shape(0)]) {
        if (shape.kind !== 'point') throw new Error(shape.kind);
        // the national test point ALIC on both datums
        expect(shape.geometry.coords[0]).toBeCloseTo(133.885521609, 8);
        expect(shape.geometry.coords[1]).toBeCloseTo(-23.670110139, 8);
      }
    }
  });

  it('reads a shapefile of lines, points and multipoints', async () => {
    const spec = { fields: [['ID', 'C', 4]] as const, rows: [['a'], ['b']], prj: GDA2020_PRJ };
    await folder.shapefile('s/line', {
      ...spec,
      shapeType: 3,
      shapes: [
        [
          [145, -37, 146, -37],
          [145, -38, 145, -38],
        ],
        null,
      ],
    });
    await folder.shapefile('s/point', { ...spec, shapeType: 11, shapes: [[[145, -37]], [[0, 0]]] });
    await folder.shapefile('s/multi', {
      ...spec,
      shapeType: 8,
      shapes: [[[145, -37, 146, -37]], [[Number.NaN, 1]]],
    });
    expect(await readFeatures(`${folder.path}/s/line.shp`, 'shapefile')).toMatchObject([
      { kind: 'line', coords: [145, -37, 146, -37], ends: [2], properties: { ID: 'a' } },
      { kind: 'none' },
    ]);
    expect(await readFeatures(`${folder.path}/s/point.shp`, 'shapefile')).toMatchObject([
      { kind: 'point', coords: [145, -37] },
      { reject: 'outside_australia' },
    ]);
    expect(await readFeatures(`${folder.path}/s/multi.shp`, 'shapefile')).toMatchObject([
      { kind: 'point', coords: [145, -37, 146, -37] },
      { reject: 'bad_coordinate' },
    ]);
  });

  it('refuses a file of another family', async () => {
    await expect(openFeatureFile(await source(lineModel), undefined, ['polygon'])).rejects.toMatchObject({
      code: 'wrong_shape_type',
      message: 'a.geojson: the file holds lines, polygons are needed. Check that it is the right layer.',
    });
  });
});
