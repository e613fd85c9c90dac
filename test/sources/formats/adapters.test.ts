import type { Geometry } from 'geojson';
import { describe, expect, it } from 'vitest';
import type { SourceAdapter } from '../../../sources/adapter.ts';
import { asgsAdapter } from '../../../sources/asgs/adapter.ts';
import { cadastreAdapter } from '../../../sources/cadastre/adapter.ts';
import { zoningAdapter } from '../../../sources/zoning/adapter.ts';
import { readPart } from '../conformance.ts';
import {
  collection,
  feature,
  flatGeobuf,
  geoPackage,
  geoParquet,
  lines,
  type Model,
  squareAt,
} from '../feature_writers.ts';
import { releaseFolder } from '../release_folder.ts';
import { GDA2020_PRJ } from '../shapefile_writer.ts';
import { zipBytes } from '../zip_writer.ts';

const EPSG = 'urn:ogc:def:crs:EPSG::7844';

/** The same features in each format; the name of the layer is always `layer`. */
const FORMATS: Readonly<Record<string, (model: Model) => Promise<[name: string, bytes: Buffer | string]>>> = {
  GeoJSON: async (model) => ['layer.geojson', collection(model, EPSG)],
  'GeoJSON in a zip': async (model) => [
    'layer.zip',
    await zipBytes([{ name: 'layer.geojson', bytes: Buffer.from(collection(model, EPSG)) }]),
  ],
  NDJSON: async (model) => ['layer.ndjson', lines(model)],
  GeoPackage: async (model) => ['layer.gpkg', await geoPackage(model)],
  FlatGeobuf: async (model) => ['layer.fgb', flatGeobuf(model)],
  GeoParquet: async (model) => ['layer.parquet', geoParquet(model)],
};

const across: Geometry = squareAt(145.03, -37.82, 0.06);

const CASES: Readonly<
  Record<string, { adapter: SourceAdapter; options: Record<string, unknown>; model: Model }>
> = {
  cadastre: {
    adapter: cadastreAdapter,
    options: { state: 'VIC' },
    model: [
      feature(
        { PARCEL_PFI: '1', PARCEL_SPI: '1\\PS1', PARCEL_STATUS: 'A', PARV_STATUS: 'A', PARV_Z_LEVEL: 'G' },
        squareAt(145, -37.8, 0.001),
      ),
      feature(
        { PARCEL_PFI: '2', PARCEL_SPI: '2\\PS1', PARCEL_STATUS: 'P', PARV_STATUS: 'A', PARV_Z_LEVEL: 'G' },
        squareAt(145.1, -37.8, 0.001),
      ),
      feature(
        { PARCEL_PFI: '', PARCEL_SPI: '3\\PS1', PARCEL_STATUS: 'A', PARV_STATUS: 'A', PARV_Z_LEVEL: 'G' },
        across,
      ),
      feature(
        { PARCEL_PFI: '4', PARCEL_SPI: '4\\PS1', PARCEL_STATUS: 'A', PARV_STATUS: 'A', PARV_Z_LEVEL: 'G' },
        across,
      ),
    ],
  },
  zoning: {
    adapter: zoningAdapter,
    options: { state: 'VIC', coverage: 'none' },
    model: [
      feature({ PFI: '10', ZONE_CODE: 'GRZ1', ZONE_DESCR: 'x', ZONE_STATU: 'g' }, across),
      feature({ PFI: '11', ZONE_CODE: 'C1Z', ZONE_DESCR: 'COMMERCIAL 1 ZONE', ZONE_STATU: 'p' }, across),
    ],
  },
  asgs: {
    adapter: asgsAdapter,
    options: {},
    model: [
      feature(
        {
          SA2_CODE21: '206071139',
          SA2_NAME21: 'Abbotsford',
          SA3_CODE21: '20607',
          GCC_CODE21: '2GMEL',
          AREASQKM21: 1.74,
        },
        across,
      ),
    ],
  },
};

async function readAll(
  name: string,
  adapter: SourceAdapter,
  options: Record<string, unknown>,
  fill: (folder: Awaited<ReturnType<typeof releaseFolder>>) => Promise<unknown>,
) {
  const folder = await releaseFolder();
  try {
    await fill(folder);
    const { release, parts } = await adapter.discover(await folder.dataset({ id: name, options, crs: null }));
    const results = [];
    for (const part of parts) results.push(await readPart(adapter, release, part));
    return {
      parts: parts.map(({ id }) => id),
      rows: results.flatMap(({ rows }) => [...rows].map(([table, held]) => [table.name, held])),
      rejects: results.flatMap(({ rejects }) => rejects.map(({ code, at, message }) => [code, at, message])),
      accounts: results.flatMap(({ accounts }) => accounts.map(({ file: _, ...account }) => account)),
    };
  } finally {
    await folder.remove();
  }
}

describe.each(Object.keys(CASES))('%s', (name) => {
  const { adapter, options, model } = CASES[name]!;
  it.each(Object.keys(FORMATS))('gives the same rows from %s as from a shapefile', async (format) => {
    const names = Object.keys(model[0]!.properties!);
    const expected = await readAll(name, adapter, options, (folder) =>
      folder.shapefile('layer', {
        shapeType: 5,
        fields: names.map((each) =>
          typeof model[0]!.properties![each] === 'number' ? [each, 'N', 12, 2] : [each, 'C', 40],
        ),
        rows: model.map(({ properties }) => names.map((each) => String(properties![each]))),
        shapes: model.map(({ geometry }) =>
          geometry?.type === 'Polygon' ? geometry.coordinates.map((ring) => ring.flat()) : null,
        ),
        prj: GDA2020_PRJ,
      }),
    );
    const [file, bytes] = await FORMATS[format]!(model);
    const found = await readAll(name, adapter, options, (folder) => folder.write(file, bytes));
    expect(found).toEqual(expected);
    expect(found.rows.length).toBeGreaterThan(0);
  });

  it('rejects what is damaged in a GeoJSON file, and accounts for it', async () => {
    const [first, ...others] = model.map((each) => JSON.stringify(each));
    const wrong = JSON.stringify({ ...model[0], geometry: { type: 'Point', coordinates: [145, -37] } });
    const text = `{"type":"FeatureCollection","features":[${[first, wrong, '{"type":"Feature","properties":NaN}', ...others].join(',\n')}]}`;
    const { rejects, accounts } = await readAll(name, adapter, options, (folder) =>
      folder.write('layer.geojson', text),
    );
    expect(rejects.map(([code, at]) => [code, at])).toEqual(
      expect.arrayContaining([
        ['wrong_geometry', 'feature 2'],
        ['bad_json', 'feature 3'],
      ]),
    );
    for (const { rows_in, records, rejects: set, drops } of accounts)
      expect(rows_in).toBe(records + set + Object.values(drops).reduce((sum, n) => sum + n, 0));
  });
});
