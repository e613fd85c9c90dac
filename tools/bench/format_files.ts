import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FIGURES } from '../../sources/census/figures.ts';
import {
  collection,
  feature,
  flatGeobuf,
  geoPackage,
  geoParquet,
  lines,
  type Model,
} from '../../test/sources/feature_writers.ts';
import { writeShapefile } from '../../test/sources/shapefile_writer.ts';
import { seededRandom } from '../sample/random.ts';

/** Columns of a Vicmap parcel that a cadastre needs. */
export const PARCEL_FIELDS = ['PARCEL_PFI', 'PARCEL_SPI', 'PARCEL_STA', 'PARV_Z_LEV'] as const;

/** Parcels of 5 to 12 vertices: the same ones every time. */
export function parcels(count: number): Model {
  const random = seededRandom(7, 'parcels').next;
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [144 + (i % 300) * 0.001, -38 + Math.floor(i / 300) * 0.001];
    const corners = 4 + Math.floor(random() * 8);
    const ring = Array.from({ length: corners + 1 }, (_each, k) => {
      const angle = (-2 * Math.PI * (k % corners)) / corners;
      return [x + 0.0003 * Math.cos(angle), y + 0.0003 * Math.sin(angle)];
    });
    const properties = {
      PARCEL_PFI: String(200_000_000 + i),
      PARCEL_SPI: `${1 + (i % 90)}\\PS${600_000 + Math.floor(i / 90)}`,
      PARCEL_STA: 'A',
      PARV_Z_LEV: 'G',
      AREA: Math.round(random() * 1e6) / 1000,
    };
    return feature(properties, { type: 'Polygon', coordinates: [ring] });
  });
}

async function shapefile(folder: string, model: Model): Promise<string> {
  await writeShapefile(join(folder, 'layer'), {
    shapeType: 5,
    fields: [
      ['PARCEL_PFI', 'C', 12],
      ['PARCEL_SPI', 'C', 30],
      ['PARCEL_STA', 'C', 1],
      ['PARV_Z_LEV', 'C', 1],
      ['AREA', 'N', 19, 4],
    ],
    rows: model.map(({ properties }) => Object.values(properties ?? {}).map(String)),
    shapes: model.map(({ geometry }) =>
      geometry?.type === 'Polygon' ? geometry.coordinates.map((ring) => ring.flat()) : null,
    ),
  });
  return join(folder, 'layer.shp');
}

/** Writes the parcels in every vector format; paths by format. */
export async function writeParcels(folder: string, count: number) {
  const model = parcels(count);
  const write = async (name: string, bytes: string | Buffer): Promise<string> => {
    await writeFile(join(folder, name), bytes);
    return join(folder, name);
  };
  const geojson = collection(model);
  return {
    shapefile: await shapefile(folder, model),
    geojson: await write('a.geojson', geojson),
    geojsonGz: await write('a.geojson.gz', gzipSync(geojson)),
    ndjson: await write('a.ndjson', lines(model)),
    geopackage: await write('a.gpkg', await geoPackage(model)),
    flatgeobuf: await write('a.fgb', flatGeobuf(model)),
    parquet: await write('a.parquet', geoParquet(model, { rowGroupSize: 20_000 })),
  };
}

/** A feed of 200 routes with ten trips each, all of 40 stops, as publishers quote them; the path of its folder's stop_times. */
export async function writeFeed(folder: string): Promise<void> {
  const put = (name: string, rows: string[]) =>
    writeFile(join(folder, `${name}.txt`), `${rows.join('\r\n')}\r\n`);
  const [routes, trips, stops, times] = [
    ['route_id,agency_id,route_short_name,route_long_name,route_type'],
    ['route_id,service_id,trip_id,shape_id,trip_headsign,direction_id'],
    ['stop_id,stop_name,stop_lat,stop_lon'],
    [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled',
    ],
  ];
  for (let s = 0; s < 4000; s++)
    stops.push(`"${10_000 + s}","Stop ${s}/High St",-37.${800_000 + s},144.${900_000 + s}`);
  for (let r = 0; r < 200; r++) {
    routes.push(`"2-${r}-mjp-1","1","${r}","City - Suburb ${r}","3"`);
    for (let t = 0; t < 40; t++) {
      const trip = `${t}.T0.2-${r}-mjp-1.1.H`;
      trips.push(`"2-${r}-mjp-1","T0","${trip}","2-${r}.1.H","City","0"`);
      for (let s = 0; s < 40; s++) {
        const time = `${String(5 + (t % 18)).padStart(2, '0')}:${String(s).padStart(2, '0')}:00`;
        times.push(
          `"${trip}","${time}","${time}","${10_000 + ((r * 20 + s) % 4000)}","${s + 1}","","0","0","${s * 400.5}"`,
        );
      }
    }
  }
  await Promise.all([
    put('routes', routes),
    put('trips', trips),
    put('stops', stops),
    put('stop_times', times),
  ]);
}

/** The table G01 of a DataPack with its 109 columns, for as many SA1s; its path. */
export async function writeDataPack(folder: string, regions: number): Promise<string> {
  const persons = Object.values(FIGURES).flatMap(({ table, columns }) =>
    table === 'G01' ? columns.map(([name]) => name!.replace(/_P$/, '')) : [],
  );
  const kinds = [...persons, ...Array.from({ length: 36 }, (_, i) => `Other_${i}`)].slice(0, 36);
  const columns = kinds.flatMap((kind) => ['M', 'F', 'P'].map((sex) => `${kind}_${sex}`));
  const random = seededRandom(7, 'census').next;
  const rows = Array.from({ length: regions }, (_, i) =>
    [20_000_000_000 + i, ...columns.map(() => Math.floor(random() * 400))].join(','),
  );
  const path = join(folder, '2021Census_G01_VIC_SA1.csv');
  await writeFile(path, [['SA1_CODE_2021', ...columns].join(','), ...rows, ''].join('\r\n'));
  return path;
}
