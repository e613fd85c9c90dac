import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GeojsonWriter } from '../formats/geojson_writer.ts';
import { ShapefileWriter } from '../formats/shapefile_writer.ts';
import { Frame } from '../geography/frame.ts';
import { STATES, type StateCode } from '../geography/places.ts';
import { rectangle, simple, toDegrees } from '../geography/shape.ts';
import type { Truth } from '../truth.ts';
import { CADASTRE_DELIVERIES } from './cadastres.ts';
import type { DeliveredFile, DeliveredRow, Delivery } from './delivery.ts';
import { HAZARD_DELIVERIES } from './hazards.ts';
import { TABLE_DELIVERIES, type TableDelivery } from './tables.ts';
import { ZONE_DELIVERIES } from './zones.ts';

/** Deliveries of layers that the configuration does not name. */
export const DELIVERIES: readonly Delivery[] = [
  ...ZONE_DELIVERIES,
  ...CADASTRE_DELIVERIES,
  ...HAZARD_DELIVERIES,
];

/** Plots of the grid in metres, and how many lie beside each other. */
const WIDTH = 20;
const DEPTH = 35;
const ACROSS = 10;

/** Writes each delivery into its folder, and what becomes of its rows into the truth. */
export function writeDeliveries(out: string, truth: Truth): void {
  for (const delivery of DELIVERIES) {
    const frame = frameOf(delivery.state);
    for (const file of delivery.files) writeFile(out, delivery, file, frame, truth);
  }
  for (const delivery of TABLE_DELIVERIES) writeTables(out, delivery, frameOf(delivery.state), truth);
}

const frameOf = (state: StateCode): Frame => {
  const { lon, lat, turn_deg } = STATES.find(({ code }) => code === state)!.capital;
  return new Frame(lon, lat, turn_deg);
};

/** Two cells of a row that say `…` are the latitude and longitude of its plot. */
function writeTables(out: string, { id, files }: TableDelivery, frame: Frame, truth: Truth): void {
  for (const { path, header, rows } of files) {
    const lines = rows.map(([fate, ...cells], i) => {
      const x = i * 300;
      const place = [frame.lat(x, 0).toFixed(7), frame.lon(x, 0).toFixed(7)];
      const [name, what] = fate === null ? ['nothing', ''] : Object.entries(fate)[0]!;
      truth.files.deliveries.line(`${id},${path},${i + 1},${name},${what}`);
      return cells.map((cell) => (cell === '…' ? place.shift() : cell)).join(',');
    });
    const file = join(out, 'deliveries', id, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${[header, ...lines].join('\n')}\n`);
  }
}

function writeFile(out: string, { id }: Delivery, file: DeliveredFile, frame: Frame, truth: Truth): void {
  const path = join(out, 'deliveries', id, file.path);
  mkdirSync(dirname(path), { recursive: true });
  const writer = file.path.endsWith('.geojson')
    ? new GeojsonWriter(path, file.fields)
    : new ShapefileWriter(path.replace(/\.shp$/, ''), file.fields, file.crs.prj);
  for (const [i, row] of file.rows.entries()) {
    const rings = toDegrees(frame, simple(plotOf(row, i)));
    file.crs.fromGda2020(rings.coords);
    writer.write(rings, row.values);
    const [fate, what] = Object.entries(row.fate)[0]!;
    truth.files.deliveries.line(`${id},${file.path},${i + 1},${fate},${what}`);
  }
  writer.close();
  truth.count(`deliveries/${id}/${file.path}`, file.rows.length);
}

/** The ring of a row's plot, or of those that it spans. */
function plotOf({ at, wide = 1 }: DeliveredRow, i: number): number[] {
  const plot = at ?? i;
  const [x, y] = [(plot % ACROSS) * WIDTH, Math.floor(plot / ACROSS) * DEPTH];
  return wide === 0
    ? [x, y, x + WIDTH, y, x + 2 * WIDTH, y]
    : [...rectangle(x, y, x + wide * WIDTH, y + DEPTH)];
}
