import { type FileHandle, open, stat } from 'node:fs/promises';
import type { MultiPolygon, Polygon } from 'geojson';
import type pg from 'pg';
import { openDbf, openShp } from 'shapefile';
import type { Config } from '../../../schema/config.ts';
import type { ReleaseFile } from '../../../sources/adapter.ts';
import { type CadastrePart, cadastreAdapter } from '../../../sources/cadastre/adapter.ts';
import { findFields } from '../../../sources/formats/table/columns.ts';
import { recogniseCrs, toGda2020 } from '../../../transforms/geo/crs.ts';
import { fromGeoJson } from '../../../transforms/geo/geometry.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';
import { turfArea } from '../../../transforms/independent/turf_cover.ts';
import { readShape } from '../../../transforms/independent/turf_shape.ts';
import { groupBy } from '../../stages/addresses/by_key.ts';
import type { Facts } from './facts.ts';
import { placeShape, type SampledHome } from './sampled_homes.ts';

interface ParcelRecord {
  parcel_id: string;
  load_id: number;
  source_no: number;
  area_sqm: number;
  box: number[];
  repaired: string | null;
}

interface ParcelLoad {
  load_id: number;
  dataset: string;
  part: string;
  files: ReleaseFile[];
}

/** Allowed differences: degrees of a box, and a share of an area. */
const BOX_DEG = 1e-9;
const AREA = 1e-5;

/** Reads the parcels of homes again from the delivered shapefiles, by record number, and compares them with their records. */
export async function rereadParcels(
  client: pg.ClientBase,
  { datasets }: Config,
  homes: readonly SampledHome[],
  facts: Facts,
): Promise<void> {
  const { rows } = await client.query<ParcelRecord>(
    `SELECT parcel_id, load_id, source_no, area_sqm, ARRAY[min_lon, min_lat, max_lon, max_lat] AS box, repaired
     FROM record.parcel WHERE parcel_id = ANY ($1) ORDER BY parcel_id`,
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
      const { dataset, part } = load;
      facts.notes.push(
        `Not read again: ${parcels.length} of part ${part} of ${dataset}: ${(error as Error).message}.`,
      );
    }
  }
}

/** Reads parcels of one shapefile again. @throws Error that says why they cannot be read */
async function rereadLoad(
  { dataset, part: name, files }: ParcelLoad,
  settings: Config['datasets'][string] | undefined,
  parcels: readonly ParcelRecord[],
  facts: Facts,
): Promise<void> {
  if (settings === undefined) throw new Error('the dataset is not configured');
  for (const { path, bytes } of files)
    if ((await stat(path).catch(() => null))?.size !== bytes) throw new Error(`${path} changed or is gone`);
  const { parts } = await cadastreAdapter.discover({ ...settings, id: dataset, files });
  const part = parts.find(({ id }) => id === name);
  if (part === undefined) throw new Error('the part is not found');
  const { layer, state, map } = part.source as CadastrePart;
  if (layer.format !== 'shapefile' || layer.member !== null)
    throw new Error(`${layer.file} is not a plain shapefile`);
  const shift = toGda2020(recogniseCrs(layer.crs, layer.file));
  const file = await openRecords(layer.path, files);
  try {
    for (const { parcel_id, source_no, area_sqm, box, repaired } of parcels) {
      const key = `${parcel_id} record ${source_no} of ${layer.file}`;
      const found = await file.read(source_no);
      facts.flag(`${key} is a polygon`, true, found !== null);
      if (found === null) continue;
      const names = Object.keys(found.row).map((column) => ({ name: column }));
      const id = findFields(names, map.parcel_id)
        .map((column) => found.row[column.name])
        .find((value) => value !== null);
      facts.flag(`${key} ${id}`, true, `${state}:${id}` === parcel_id, id !== undefined || !map.unnamed);
      const polygons = found.shape.type === 'Polygon' ? [found.shape.coordinates] : found.shape.coordinates;
      const geometry = fromGeoJson(polygons);
      shift(geometry.coords);
      const { shape, scale } = placeShape(readShape(encodeWkb(geometry)));
      const area = turfArea(shape, scale);
      // A lot of several rows is larger than its first one.
      const isClear = repaired === null && !(map.unite_lots && area_sqm > area * (1 + AREA));
      const isSame = shape.box.every((at, i) => Math.abs(at - box[i]!) <= BOX_DEG);
      facts.flag(`${key} box ${shape.box}`, true, isSame, isClear);
      if (isClear) facts.value(`${key} area_sqm`, area_sqm, area, AREA * area);
    }
  } finally {
    await file.close();
  }
}

/** Opens a shapefile whose records are read by number, one a call. Null: the file has no such polygon. */
async function openRecords(path: string, files: readonly ReleaseFile[]) {
  const handles: FileHandle[] = [];
  const close = async (): Promise<void> => {
    for (const handle of handles) await handle.close();
  };
  const openFile = async (extension: string) => {
    const wanted = `${path.slice(0, -4)}${extension}`.toLowerCase();
    const file = files.find((each) => each.path.toLowerCase() === wanted);
    if (file === undefined) throw new Error(`it has no ${extension}`);
    const handle = await open(file.path);
    handles.push(handle);
    return async (from: number, size: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, from);
      return buffer.subarray(0, bytesRead);
    };
  };
  try {
    const [shx, shp, dbf] = [await openFile('.shx'), await openFile('.shp'), await openFile('.dbf')];
    const [header, sizes] = [await shp(0, 100), await dbf(0, 32)];
    const [headerBytes, rowBytes] = [sizes.readUInt16LE(8), sizes.readUInt16LE(10)];
    const columns = await dbf(0, headerBytes);
    return {
      close,
      async read(no: number) {
        const entry = await shx(100 + 8 * (no - 1), 8);
        if (entry.length < 8) return null;
        const record = await shp(entry.readInt32BE(0) * 2, 8 + entry.readInt32BE(4) * 2);
        if (record.readInt32BE(0) !== no) throw new Error('its .shx does not give the positions of records');
        const cells = await dbf(headerBytes + rowBytes * (no - 1), rowBytes);
        const [shapes, rows] = [
          await openShp(Buffer.concat([header, record])),
          await openDbf(Buffer.concat([columns, cells])),
        ];
        const shape = (await shapes.read()).value as Polygon | MultiPolygon | null;
        const row = (await rows.read()).value;
        return shape === null || row === null ? null : { shape, row };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
