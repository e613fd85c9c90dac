import { open, stat } from 'node:fs/promises';
import type { MultiPolygon, Polygon } from 'geojson';
import type pg from 'pg';
import { openDbf, openShp } from 'shapefile';
import type { Config } from '../../../schema/config.ts';
import { groupBy } from '../../../schema/group_by.ts';
import type { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import type { ReleaseFile } from '../../../sources/adapter.ts';
import { type CadastrePart, cadastreAdapter } from '../../../sources/cadastre/adapter.ts';
import type { FeatureSource } from '../../../sources/formats/feature.ts';
import { findFields } from '../../../sources/formats/table/columns.ts';
import { recogniseCrs, toGda2020 } from '../../../transforms/geo/crs.ts';
import { fromGeoJson } from '../../../transforms/geo/geometry.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';
import { turfArea } from '../../../transforms/independent/turf_cover.ts';
import { readShape } from '../../../transforms/independent/turf_shape.ts';
import { AREA_SHARE, type Facts } from './facts.ts';
import { type RereadRecord, readWithGdal } from './gdal_records.ts';
import { placeShape, type SampledHome } from './sampled_homes.ts';

type ParcelRecord = Row<typeof parcelRecord> & { box: readonly number[] };

/** A load of parcels, and the files that it was read from. */
interface ParcelLoad {
  load_id: number;
  dataset: string;
  part: string;
  files: ReleaseFile[];
}

/** Allowed difference of the edges of a box, degrees. */
const BOX_DEG = 1e-9;

/**
 * Reads the parcels of homes again from the delivered files, by record number, and compares them with their records: shapefiles with the
 * package `shapefile`, FlatGeobuf and GeoPackage with GDAL.
 */
export async function rereadParcels(
  client: pg.ClientBase,
  { datasets }: Config,
  homes: readonly SampledHome[],
  facts: Facts,
): Promise<void> {
  const { rows } = await client.query<ParcelRecord>(
    `SELECT *, ARRAY[min_lon, min_lat, max_lon, max_lat] AS box FROM record.parcel WHERE parcel_id = ANY ($1) ORDER BY parcel_id`,
    [homes.map(({ parcel_id }) => parcel_id)],
  );
  const records = groupBy(rows, ({ load_id }) => load_id);
  const loads = await client.query<ParcelLoad>(
    'SELECT load_id, dataset, part, files FROM control.load WHERE load_id = ANY ($1) ORDER BY dataset, part',
    [[...records.keys()]],
  );
  for (const load of loads.rows) {
    const parcels = records.get(load.load_id)!;
    try {
      await rereadLoad(load, datasets[load.dataset], parcels, facts);
    } catch (error) {
      const of = `${parcels.length} of ${load.dataset}, part ${load.part}`;
      facts.notes.push(`Not read again: ${of}: ${(error as Error).message}.`);
    }
  }
}

/** Returns a reader of records by number, of other people's code: the package `shapefile`, or GDAL. @throws Error that says why there is none */
async function recordReader(
  layer: FeatureSource,
  files: readonly ReleaseFile[],
  parcels: readonly ParcelRecord[],
): Promise<(no: number) => Promise<RereadRecord | null>> {
  if (layer.format === 'shapefile') return (no) => readRecord(layer.path, files, no);
  if (layer.format !== 'flatgeobuf' && layer.format !== 'geopackage')
    throw new Error(`no other reader of ${layer.format} is used`);
  const records = await readWithGdal(
    layer,
    parcels.map(({ source_no }) => source_no),
  );
  return async (no) => records.get(no) ?? null;
}

/** Reads parcels of one file again. @throws Error that says why they cannot be read */
async function rereadLoad(
  { dataset, part, files }: ParcelLoad,
  settings: Config['datasets'][string] | undefined,
  parcels: readonly ParcelRecord[],
  facts: Facts,
): Promise<void> {
  if (settings === undefined) throw new Error('the dataset is not configured');
  for (const { path, bytes } of files)
    if ((await stat(path).catch(() => null))?.size !== bytes) throw new Error(`${path} changed or is gone`);
  const { parts } = await cadastreAdapter.discover({ ...settings, id: dataset, files });
  const partSource = parts.find(({ id }) => id === part);
  if (partSource === undefined) throw new Error('its files have no such part');
  const { layer, state, map } = partSource.source as CadastrePart;
  if (layer.member !== null) throw new Error('it is in a zip');
  const recordOf = await recordReader(layer, files, parcels);
  const shift = toGda2020(recogniseCrs(layer.crs, layer.file));
  for (const parcel of parcels) {
    const { parcel_id, source_no, area_sqm, box } = parcel;
    const key = `${parcel_id} record ${source_no} of ${layer.file}`;
    const record = await recordOf(source_no);
    facts.flag(`${key} is a polygon`, true, record !== null);
    if (record === null) continue;
    const columns = findFields(
      Object.keys(record.row).map((name) => ({ name })),
      map.parcel_id,
    );
    const id = columns.map(({ name }) => record.row[name]).find((value) => value !== null);
    const isNamed = id !== undefined || !map.unnamed;
    facts.flag(`${key} ${id}`, true, isNamed ? `${state}:${id}` === parcel_id : null);
    const geometry = fromGeoJson(record.polygons);
    shift(geometry.coords);
    const { shape, scale } = placeShape(readShape(encodeWkb(geometry)));
    const area = turfArea(shape, scale);
    // A lot of several rows is larger than its first one.
    const isWhole = parcel.repaired === null && !(map.unite_lots && area_sqm > area * (1 + AREA_SHARE));
    const isSame = shape.box.every((at, i) => Math.abs(at - box[i]!) <= BOX_DEG);
    facts.flag(`${key} box ${shape.box}`, true, isWhole ? isSame : null);
    facts.value(`${key} area_sqm`, area_sqm, isWhole ? area : Number.NaN, AREA_SHARE * area);
  }
}

/** Reads bytes of a file, fewer at its end. */
async function bytesAt(path: string, from: number, size: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Reads one record of a shapefile with its package, which gets a file of that record alone. Null: the file has no such polygon. */
async function readRecord(
  path: string,
  files: readonly ReleaseFile[],
  no: number,
): Promise<RereadRecord | null> {
  const stem = path.slice(0, -3).toLowerCase();
  const [shx, dbf] = ['shx', 'dbf'].map(
    (end) => files.find((file) => file.path.toLowerCase() === stem + end)?.path,
  );
  if (shx === undefined || dbf === undefined) throw new Error('it has no .shx or .dbf');
  const entry = await bytesAt(shx, 92 + 8 * no, 8);
  if (entry.length < 8) return null;
  const shape = await bytesAt(path, entry.readInt32BE(0) * 2, 8 + entry.readInt32BE(4) * 2);
  if (shape.readInt32BE(0) !== no) throw new Error('its .shx does not give the positions of records');
  const sizes = await bytesAt(dbf, 8, 4);
  const [header, size] = [sizes.readUInt16LE(0), sizes.readUInt16LE(2)];
  const cells = await bytesAt(dbf, header + size * (no - 1), size);
  const shapes = await openShp(Buffer.concat([await bytesAt(path, 0, 100), shape]));
  const rows = await openDbf(Buffer.concat([await bytesAt(dbf, 0, header), cells]));
  const geometry = (await shapes.read()).value as Polygon | MultiPolygon | null;
  const row = (await rows.read()).value;
  if (geometry === null || row === null) return null;
  return { row, polygons: geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates };
}
