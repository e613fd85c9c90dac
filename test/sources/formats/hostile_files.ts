import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { OsmPbfWriter } from '../../../tools/sample/places/osm_pbf_writer.ts';
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
import { address, geocode, membersOf, tinyTables } from '../gnaf/tiny_release.ts';
import { type FieldSpec, shapefileMembers, square } from '../shapefile_writer.ts';
import { xlsxBytes } from '../workbook_fixture.ts';
import { zipBytes } from '../zip_writer.ts';

/** A whole file of one kind, which the tests damage. */
export interface WholeFile {
  /** Key of READERS. */
  readonly kind: string;
  readonly name: string;
  readonly bytes: Buffer;
  /** Files beside it, by name, that stay whole. */
  readonly beside: Readonly<Record<string, Buffer>>;
  /** True where a file that ends early can be a whole one with fewer rows. */
  readonly isOpen: boolean;
  /** Files with flipped bits or overwritten bytes that are tried. */
  readonly flips: number;
  /** Codes of the errors that a file which ends early may give. */
  readonly cut: RegExp;
}

export const ROWS = 40;
const model: Model = Array.from({ length: ROWS }, (_, i) =>
  feature({ id: `id-${i}`, name: `Straße ${i}`, n: i / 7 }, squareAt(145 + i / 100, -37)),
);

const table = (delimiter: string, header: string[]): Buffer => {
  const rows = Array.from({ length: ROWS }, (_, i) =>
    [`id${i}`, `"né ${i}"`, 145 + i / 100, -37].join(delimiter),
  );
  return Buffer.from([header.join(delimiter), ...rows, ''].join('\n'));
};

/** The shapefile that stands for all. */
export const LAYER = {
  shapeType: 5,
  fields: [
    ['ID', 'C', 12],
    ['N', 'N', 12, 3],
  ] as FieldSpec[],
  rows: model.map((_each, i) => [`id-${i}`, `${i}.5`]),
  shapes: model.map((_each, i) => [square(145 + i / 100, -37, 0.01)]),
  cpg: 'UTF-8',
};
const layer = shapefileMembers(LAYER) as { shp: Buffer; dbf: Buffer; cpg: Buffer };

async function pbf(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-pbf-'));
  const path = join(folder, 'a.osm.pbf');
  const writer = new OsmPbfWriter(path, 'a.osm.pbf');
  for (let serial = 1; serial <= ROWS; serial++) {
    const place = { category: 'restaurant', name: '', drop: null, at: { point: [0, 0] } } as const;
    writer.write({ ...place, serial, tags: { amenity: 'cafe', name: `Café ${serial}` } } as never, [
      Float64Array.of(145 + serial / 1000, -37),
    ]);
  }
  writer.close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return bytes;
}

const xml = (): Buffer => {
  const listing = (i: number) =>
    `<residential modTime="2026-01-05" status="current"><agentID>AG</agentID><uniqueID>${i}</uniqueID><price>500000</price><address><streetNumber>${i}</streetNumber><street>High St</street><suburb>Kew</suburb></address></residential>`;
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<propertyList>${Array.from({ length: ROWS }, (_, i) => listing(i)).join('\n')}</propertyList>`,
  );
};

async function feed(): Promise<Buffer> {
  const member = (name: string, rows: string[]) => ({ name, bytes: Buffer.from(`${rows.join('\r\n')}\r\n`) });
  const stops = Array.from({ length: ROWS }, (_, i) => `s${i},Stop ${i},-37.8,${144.9 + i / 1000}`);
  const inner = await zipBytes([
    member('stops.txt', ['stop_id,stop_name,stop_lat,stop_lon', ...stops]),
    member('routes.txt', ['route_id,agency_id,route_short_name,route_long_name,route_type', 'r,1,1,City,3']),
    member('trips.txt', ['route_id,service_id,trip_id', 'r,s,t']),
    member('stop_times.txt', [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
      ...stops.map((_each, i) => `t,05:00:00,05:00:00,s${i},${i}`),
    ]),
  ]);
  return zipBytes([{ name: '1/google_transit.zip', bytes: inner, store: true }]);
}

/** A release of G-NAF in which each table has a row, and that of addresses ROWS. */
const gnaf = (): Promise<Buffer> => {
  const numbers = Array.from({ length: ROWS }, (_, i) => i);
  const tables = {
    ...tinyTables(),
    ADDRESS_DETAIL: numbers.map((n) => address(n)),
    ADDRESS_DEFAULT_GEOCODE: numbers.map((n) => geocode(n)),
  };
  return zipBytes(
    Object.entries(membersOf(tables)).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
  );
};

const TEXT = { beside: {}, isOpen: true, flips: 60, cut: /./ };
const CLOSED = { beside: {}, isOpen: false, flips: 100 };
const ARCHIVE = { ...CLOSED, cut: /^bad_archive$/ };

/** A whole file of every kind; its rows are ROWS, or some more of several tables. */
export async function wholeFiles(): Promise<WholeFile[]> {
  const { shp, dbf, cpg } = layer;
  const members = Object.entries(layer).map(([part, bytes]) => ({ name: `layer.${part}`, bytes }));
  const shapefile = { kind: 'shapefile', ...CLOSED, flips: 150 };
  return [
    { kind: 'csv', name: 'a.csv', bytes: table(',', ['id', 'name', 'longitude', 'latitude']), ...TEXT },
    { kind: 'psv', name: 'a.psv', bytes: table('|', ['ID', 'NAME', 'LON', 'LAT']), ...TEXT },
    {
      ...shapefile,
      cut: /^truncated_shapefile$/,
      name: 'a.shp',
      bytes: shp,
      beside: { 'a.dbf': dbf, 'a.cpg': cpg },
    },
    {
      ...shapefile,
      cut: /^(bad|truncated)_dbf$/,
      name: 'b.dbf',
      bytes: dbf,
      beside: { 'b.shp': shp, 'b.cpg': cpg },
    },
    { kind: 'zip', name: 'layer.zip', bytes: await zipBytes(members), ...ARCHIVE },
    {
      kind: 'geojson',
      name: 'a.geojson',
      bytes: Buffer.from(collection(model)),
      ...CLOSED,
      cut: /^(bad_geojson|truncated_json)$/,
    },
    { kind: 'ndjson', name: 'a.ndjson', bytes: Buffer.from(lines(model)), ...TEXT },
    { kind: 'gz', name: 'a.geojson.gz', bytes: gzipSync(collection(model)), ...ARCHIVE },
    {
      kind: 'geopackage',
      name: 'a.gpkg',
      bytes: await geoPackage(model),
      ...CLOSED,
      cut: /^bad_geopackage$/,
    },
    { kind: 'flatgeobuf', name: 'a.fgb', bytes: flatGeobuf(model), ...CLOSED, cut: /^bad_flatgeobuf$/ },
    {
      kind: 'parquet',
      name: 'a.parquet',
      bytes: geoParquet(model, { rowGroupSize: 15 }),
      ...CLOSED,
      flips: 100,
      cut: /^bad_parquet$/,
    },
    {
      kind: 'xlsx',
      name: 'a.xlsx',
      bytes: await xlsxBytes([{ name: 'S', rows: model.map((_each, i) => [`a ${i}`, i, null]) }]),
      ...ARCHIVE,
    },
    { kind: 'xml', name: 'a.xml', bytes: xml(), ...CLOSED, cut: /./ },
    { kind: 'pbf', name: 'a.osm.pbf', bytes: await pbf(), ...CLOSED, cut: /./, isOpen: true },
    { kind: 'nested', name: 'feeds.zip', bytes: await feed(), ...CLOSED, cut: /./, flips: 30 },
    { kind: 'gnaf', name: 'gnaf_gda2020.zip', bytes: await gnaf(), ...ARCHIVE },
  ];
}
