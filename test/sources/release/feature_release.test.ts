import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFeatureFiles } from '../../../sources/release/feature_release.ts';
import { collection, feature, flatGeobuf, geoPackage, geoParquet, lines } from '../feature_writers.ts';
import { datasetOf, type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { GDA94_PRJ, shapefileMembers, square } from '../shapefile_writer.ts';
import { zipBytes } from '../zip_writer.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const model = [feature({ id: 'a' })];
const shp = {
  shapeType: 5,
  fields: [['ID', 'C', 4]] as const,
  rows: [['a']],
  shapes: [[square(145, -37, 0.01)]],
  prj: GDA94_PRJ,
};
let next = 0;

async function find(
  files: Readonly<Record<string, Buffer | string>>,
  config = {},
  layers: string[] | null = null,
) {
  const name = `r${++next}`;
  for (const [path, bytes] of Object.entries(files)) await folder.write(`${name}/${path}`, bytes);
  return findFeatureFiles(await datasetOf(`${folder.path}/${name}`, config), layers);
}

const shapefile = (stem: string): Record<string, Buffer> =>
  Object.fromEntries(
    Object.entries(shapefileMembers(shp)).map(([part, bytes]) => [`${stem}.${part}`, bytes]),
  );

describe('findFeatureFiles', () => {
  it('finds every format, plain and zipped, names parts and settles CRSs', async () => {
    const zip = await zipBytes([
      ...Object.entries(shapefile('d/zones')).map(([name, bytes]) => ({ name, bytes })),
      { name: 'd/extra.geojson', bytes: Buffer.from(collection(model, 'urn:ogc:def:crs:EPSG::7855')) },
      { name: 'd/doc.pdf', bytes: Buffer.from('x') },
      { name: '__MACOSX/d/._extra.geojson', bytes: Buffer.from('x') },
    ]);
    const { found, crs, notes } = await find({
      ...shapefile('a'),
      'b.geojson': collection(model),
      'c.ndjson': lines(model),
      'd.gpkg': await geoPackage(model, { table: 'SA2_2021', srs: 4283 }),
      'e.fgb': flatGeobuf(model, 28355),
      'f.parquet': geoParquet(model),
      'g.zip': zip,
      'readme.txt': 'x',
      'about.json': '{"title":"about"}',
    });
    expect(found.map(({ id, source }) => [id, source.format, source.file])).toEqual([
      ['a', 'shapefile', 'a.shp'],
      ['b', 'geojson', 'b.geojson'],
      ['c', 'ndjson', 'c.ndjson'],
      ['SA2_2021', 'geopackage', 'd.gpkg › SA2_2021'],
      ['e', 'flatgeobuf', 'e.fgb'],
      ['f', 'parquet', 'f.parquet'],
      ['extra', 'geojson', 'g.zip › d/extra.geojson'],
      ['zones', 'shapefile', 'g.zip › d/zones.shp'],
    ]);
    expect(crs.datum_assumed).toBe(true);
    expect(crs.applied).toBe('EPSG:28355, EPSG:4283, EPSG:4326, EPSG:7844, EPSG:7855');
    expect(notes).toEqual(['about.json is not GeoJSON; skipped.']);
    expect(found.map(({ fields }) => fields.some(({ name }) => name.toLowerCase() === 'id'))).toEqual(
      Array(8).fill(true),
    );
  });

  it('reads the layers that are named, and takes the configured CRS', async () => {
    const files = {
      'a.geojson': collection(model),
      'b.gpkg': await geoPackage(model, { table: 'wanted', srs: 0 }),
    };
    await expect(find(files)).rejects.toMatchObject({
      code: 'missing_crs',
      message: expect.stringContaining('b.gpkg'),
    });
    const { found, crs, notes } = await find(files, { crs: 'EPSG:7844' }, ['WANTED']);
    expect(found.map(({ id }) => id)).toEqual(['wanted']);
    expect(crs).toEqual({ applied: 'EPSG:7844', stated: null, overridden: true });
    expect(notes).toEqual([
      'a.geojson is not one of the layers; skipped.',
      'CRS of b.gpkg › wanted: the file states none; the configured EPSG:7844 applies.',
    ]);
    await expect(find(files, {}, ['x'])).rejects.toMatchObject({
      code: 'missing_file',
      message: expect.stringContaining('a.geojson'),
    });
  });

  it('tells parts of one name apart, and labels the release by a date', async () => {
    const zip = await zipBytes([{ name: 'lots.geojson', bytes: Buffer.from(collection(model)) }]);
    const { found, label } = await find({ 'north_MAY24.zip': zip, 'south/lots.geojson': collection(model) });
    expect(found.map(({ id }) => id)).toEqual(['north_MAY24.zip › lots.geojson', 'south/lots.geojson']);
    expect(label).toBe('2024-05');
    expect((await find({ 'a.gpkg': await geoPackage(model) })).label).toBe('2024-05-17');
    expect((await find({ 'a.geojson': collection(model) })).label).toMatch(/^files [0-9a-f]{12}$/);
  });

  it.each([
    ['nothing', { 'a.txt': 'x' }, 'missing_file'],
    ['a .json alone that is none', { 'a.json': '{"a":1}' }, 'bad_geojson'],
    ['a CRS of no known number', { 'a.geojson': collection(model, 'EPSG:2154') }, 'unknown_crs'],
    ['a CRS that is null', { 'a.geojson': collection(model).replace('{', '{"crs":null,') }, 'missing_crs'],
  ])('refuses %s', async (_what, files, code) => {
    await expect(find(files as Record<string, string>)).rejects.toMatchObject({ code });
  });

  it('refuses a zip without a vector file', async () => {
    const zip = await zipBytes([{ name: 'a.pdf', bytes: Buffer.from('x') }]);
    await expect(find({ 'a.zip': zip })).rejects.toMatchObject({
      code: 'no_features',
      message: expect.stringContaining('a.pdf'),
    });
  });
});
