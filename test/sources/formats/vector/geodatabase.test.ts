import { execFile } from 'node:child_process';
import { cp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewFiles } from '../../../../pipelines/recognise/file_view.ts';
import { cadastreAdapter } from '../../../../sources/cadastre/adapter.ts';
import { locateFeatures } from '../../../../sources/formats/vector/feature_places.ts';
import {
  GEODATABASE_LIMITS,
  hasGdal,
  openGeodatabase,
} from '../../../../sources/formats/vector/geodatabase.ts';
import { findFeatureFiles } from '../../../../sources/release/feature_release.ts';
import { adapterConformance } from '../../conformance.ts';
import { collection, feature, type Model, squareAt } from '../../feature_writers.ts';
import { readDataset } from '../../read_dataset.ts';
import { readFeatures } from '../../read_features.ts';
import { datasetOf, type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { zipBytes } from '../../zip_writer.ts';

const WRITER = fileURLToPath(new URL('../../geodatabase_writer.mjs', import.meta.url));

/** Parcels as Victoria has them, of which one has no shape; a name of two bytes a letter. */
const PARCELS: Model = ['1\\PS1', '2\\PS1', 'Émile', '3\\PS1'].map((spi, i) =>
  feature(
    { PARCEL_PFI: String(900 + i), PARCEL_SPI: spi, PARCEL_STATUS: 'A', SIZE: i + 0.5 },
    i === 3 ? null : squareAt(145 + i / 100, -37),
  ),
);
const ROADS: Model = [
  feature(
    { ROAD: 'High St' },
    {
      type: 'LineString',
      coordinates: [
        [145, -37, 9],
        [145.01, -37, 12],
      ],
    },
  ),
];
const TABLE: Model = [feature({ CODE: 'A' }, null)];

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
  const layer = async (name: string, model: Model, ...options: string[]) => {
    const text = JSON.stringify({
      options: ['-nln', name, ...options],
      ...JSON.parse(collection(model, 'EPSG:4283')),
    });
    return folder.write(`in/${name}.geojson`, text);
  };
  await folder.write('out/readme.txt', 'x');
  await promisify(execFile)(process.execPath, [
    WRITER,
    join(folder.path, 'out'),
    'state',
    await layer('roads', ROADS, '-nlt', 'MULTILINESTRINGZ'),
    await layer('parcels', PARCELS, '-nlt', 'MULTIPOLYGON'),
    await layer('codes', TABLE, '-nlt', 'NONE'),
  ]);
});
afterAll(() => folder.remove());

const database = () => join(folder.path, 'out/state.gdb');

async function zipped(): Promise<string> {
  const names = await readdir(database());
  const members = await Promise.all(
    names.map(async (name) => ({
      name: `delivery/state.gdb/${name}`,
      bytes: await readFile(join(database(), name)),
    })),
  );
  await folder.write('zip/state.gdb.zip', await zipBytes(members));
  return join(folder.path, 'zip');
}

/** A geodatabase keeps coordinates as multiples of a nanodegree. */
const rounded = (row: object) =>
  Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'number' ? value.toPrecision(9) : name === 'geom' ? value.length : value,
  ]);

const leftovers = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`release-${process.pid}-`));

describe('a file geodatabase', () => {
  it('is inspected as one, however many files it has', async () => {
    const files = (await readdir(database())).map((name) => join(database(), name));
    expect(files.length).toBeGreaterThan(10);
    const views = await viewFiles(files);
    expect(views.map(({ file, looked }) => [file, looked])).toEqual([
      ['state.gdb › parcels', 4],
      ['state.gdb › roads', 1],
    ]);
  });

  it('is described again once it has changed', async () => {
    const copy = join(folder.path, 'changed/state.gdb');
    await cp(database(), copy, { recursive: true });
    const names = async () => (await locateFeatures([copy])).places.map(({ layer }) => layer);
    expect(await names()).toEqual(['parcels', 'roads']);
    await truncate(join(copy, 'a00000001.gdbtable'), 40);
    await expect(names()).rejects.toMatchObject({ code: 'bad_geodatabase' });
  });

  it('is a layer for each table with shapes, with columns, CRS and kind', async () => {
    const { found, crs } = await findFeatureFiles(await datasetOf(join(folder.path, 'out')), null);
    expect(found.map(({ id, source, families }) => [id, source.file, [...families]])).toEqual([
      ['parcels', 'state.gdb › parcels', ['polygon']],
      ['roads', 'state.gdb › roads', ['line']],
    ]);
    expect(found[0]!.fields.map(({ name, numeric }) => [name, numeric])).toEqual([
      ['OBJECTID', true],
      ['PARCEL_PFI', false],
      ['PARCEL_SPI', false],
      ['PARCEL_STATUS', false],
      ['SIZE', true],
    ]);
    expect(crs.applied).toBe('EPSG:4283');
    const dataset = await datasetOf(database());
    const own = await findFeatureFiles(dataset, ['PARCELS']);
    expect(own.found.map(({ source }) => source.file)).toEqual(['state.gdb › parcels']);
  });

  it('gives features in the order of their rows, flat, with nulls', async () => {
    const read = (layer: string) => readFeatures(database(), 'geodatabase', { layer });
    const parcels = await read('parcels');
    expect(parcels.map(({ properties }) => properties)).toEqual(
      PARCELS.map(({ properties }, i) => ({
        OBJECTID: String(i + 1),
        ...properties,
        SIZE: String(properties!.SIZE),
      })),
    );
    expect(parcels.map(({ kind }) => kind)).toEqual(['polygon', 'polygon', 'polygon', 'none']);
    expect(await read('roads')).toMatchObject([{ kind: 'line', coords: [145, -37, 145.01, -37] }]);
    expect(await leftovers()).toEqual([]);
  });

  it('loads as the same features in GeoJSON do, from a folder and from a zip', async () => {
    const options = { state: 'VIC', layers: 'parcels' };
    await folder.write('json/parcels.geojson', collection(PARCELS, 'EPSG:4283'));
    const rowsIn = async (path: string) => {
      const { rowsOf, rejects, release } = await readDataset(
        cadastreAdapter,
        await datasetOf(path, { options }),
      );
      const codes = rejects.map(({ at, code }) => [at, code]);
      return [cadastreAdapter.tables.map((table) => rowsOf(table).map(rounded)), codes, release.crs];
    };
    const wanted = await rowsIn(join(folder.path, 'json'));
    expect(wanted[1]).toEqual([['feature 4', 'no_geometry']]);
    expect(await rowsIn(database())).toEqual(wanted);
    expect(await rowsIn(await zipped())).toEqual(wanted);
    expect(await leftovers()).toEqual([]);
  });

  it('says what to install where the package is absent', async () => {
    expect([hasGdal(), hasGdal('no-such-package')]).toEqual([true, false]);
    await expect(findFeatureFiles(await datasetOf(database()), null, false)).rejects.toMatchObject({
      code: 'file_geodatabase',
      message: expect.stringMatching(
        /run npm install gdal3\.js, or convert it with: ogr2ogr -f FlatGeobuf "state" "state\.gdb"/,
      ),
    });
    await expect(findFeatureFiles(await datasetOf(await zipped()), null, false)).rejects.toMatchObject({
      message: expect.stringContaining('"/vsizip/state.gdb.zip/delivery/state.gdb"'),
    });
    await folder.write('both/a.geojson', collection(PARCELS));
    await folder.write('both/b.gdb/x', 'x');
    const { found, notes } = await findFeatureFiles(await datasetOf(join(folder.path, 'both')), null, false);
    expect(found).toHaveLength(1);
    expect(notes[0]).toContain('b.gdb is a file geodatabase; skipped. To read it, ');
  });
});

describe('a geodatabase that is not as it should be', () => {
  const open = (limits = GEODATABASE_LIMITS, path = database(), signal?: AbortSignal) =>
    openGeodatabase(
      { path, member: null, layer: 'parcels', format: 'geodatabase', file: 'state.gdb' },
      signal,
      limits,
    );
  const read = async (...given: Parameters<typeof open>) => {
    const file = await open(...given);
    let count = 0;
    for await (const batch of file.features(() => {}, file.fields)) count += batch.count;
    return count;
  };

  it('ends within its time, and within what it may grow to', async () => {
    const slow = { ...GEODATABASE_LIMITS, seconds: 0, bytes_per_s: Number.POSITIVE_INFINITY };
    await expect(read(slow)).rejects.toMatchObject({
      code: 'bad_geodatabase',
      message: expect.stringContaining('it is not read within 0 s'),
    });
    const narrow = { ...GEODATABASE_LIMITS, ratio: 0.001, floor_bytes: 0 };
    await expect(read(narrow)).rejects.toMatchObject({ code: 'archive_bomb' });
    expect(await leftovers()).toEqual([]);
  });

  it('ends with the reader that stops it', async () => {
    const stop = new AbortController();
    const reading = read(GEODATABASE_LIMITS, database(), stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(reading).rejects.toThrow('enough');
    expect(await leftovers()).toEqual([]);
  });

  it('is never taken for whole where a table is cut or overwritten', async () => {
    await expect(read(GEODATABASE_LIMITS, folder.path)).rejects.toMatchObject({
      message: expect.stringContaining('it has no a00000001.gdbtable'),
    });
    // the table of the parcels, which are the second layer
    const table = 'a0000000a.gdbtable';
    const { length } = await readFile(join(database(), table));
    for (const damage of ['cut', 'zeros', 'catalogue', 'offsets'] as const) {
      const path = join(folder.path, `${damage}.gdb`);
      await cp(database(), path, { recursive: true });
      if (damage === 'cut') await truncate(join(path, table), length - 60);
      if (damage === 'zeros') await writeFile(join(path, table), Buffer.alloc(length));
      if (damage === 'catalogue') await writeFile(join(path, 'a00000001.gdbtable'), 'x');
      if (damage === 'offsets') await writeFile(join(path, 'a0000000a.gdbtablx'), Buffer.alloc(64, 0xff));
      await expect(read(GEODATABASE_LIMITS, path), damage).rejects.toMatchObject({ code: 'bad_geodatabase' });
    }
    expect(await leftovers()).toEqual([]);
  });
});

adapterConformance('cadastre, a file geodatabase', async () => ({
  adapter: cadastreAdapter,
  dataset: await datasetOf(database(), { options: { state: 'VIC', layers: 'parcels' } }),
}));
