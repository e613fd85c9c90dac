import { type Bbox, cellsOfBbox, expandBbox } from '../../schema/grid.ts';
import { append } from '../../schema/group_by.ts';
import { HAZARD_LAYERS, type HazardLayer } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import {
  lineShape,
  type MapShape,
  pieceShape,
  pointShape,
  withoutNulls,
  wkbShape,
} from '../../transforms/geo/map_shape.ts';
import { streetLines } from '../../transforms/geo/street_line.ts';
import { inBox, meetsBox } from '../answers/in_box.ts';
import { addressTitleCase } from '../answers/title_case.ts';

/** Reads the shapes of a map layer in a box, through the index of cells. */
export type BoxReader = (db: Serving, box: Bbox) => Promise<MapShape[]>;

/** Maximum distance in metres between a row's own position (its centre or its address) and its shape. */
const BESIDE_M = 500;
const cellsAround = (box: Bbox): number[] => cellsOfBbox(expandBbox(box, BESIDE_M));

const isShape = (shape: MapShape | null): shape is MapShape => shape !== null;

const parcels: BoxReader = async (db, box) => {
  const rows = await db
    .selectFrom('serving.parcel_shape')
    .select(['parcel_id', 'geom'])
    .where('cell', 'in', cellsAround(box))
    .where(meetsBox(box))
    .orderBy('parcel_id')
    .execute();
  return rows.map(({ geom, parcel_id }) => wkbShape(geom, { parcel_id }));
};

const addresses: BoxReader = async (db, box) => {
  const rows = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address', 'number_first', 'flat_number', 'lot_number', 'lon', 'lat'])
    .where('cell', 'in', cellsAround(box))
    .where(inBox(box))
    .orderBy('gnaf_pid')
    .execute();
  return rows.map(({ gnaf_pid, address, number_first, flat_number, lot_number, lon, lat }) => {
    const street = number_first ?? (lot_number === null ? null : `lot ${lot_number}`);
    const number = flat_number !== null && street !== null ? `${flat_number}/${street}` : street;
    return pointShape(lon!, lat!, withoutNulls({ gnaf_pid, address, number }));
  });
};

/** Margin around the box, metres. Addresses of the other side of a street show its course, even if none of them is inside the box. */
const OTHER_SIDE_M = 120;

/** Reads streets as lines through their addresses, to place their names along. */
const streets: BoxReader = async (db, inside) => {
  const box = expandBbox(inside, OTHER_SIDE_M);
  const rows = await db
    .selectFrom('serving.property')
    .select(['street', 'locality', 'lon', 'lat'])
    .distinct()
    .where('cell', 'in', cellsOfBbox(box))
    .where(inBox(box))
    .where('street', 'is not', null)
    .where('is_parcel_position', '=', true)
    .orderBy('street')
    .orderBy('locality')
    .orderBy('lon')
    .orderBy('lat')
    .execute();
  const points = new Map<string, [number, number][]>();
  for (const { street, locality, lon, lat } of rows) {
    const key = `${street}, ${locality}`;
    append(points, key, [lon!, lat!]);
  }
  return [...points].flatMap(([key, own]) =>
    streetLines(own).map((line) =>
      lineShape(line, { name: addressTitleCase(key.slice(0, key.indexOf(','))) }),
    ),
  );
};

const schools: BoxReader = async (db, box) => {
  const rows = await db
    .selectFrom('serving.school')
    .select(['school_id', 'name', 'level', 'sector', 'lon', 'lat'])
    .where('cell', 'in', cellsOfBbox(box))
    .where(inBox(box))
    .orderBy('school_id')
    .execute();
  return rows.map(({ lon, lat, ...says }) => pointShape(lon, lat, withoutNulls(says)));
};

const stops: BoxReader = async (db, box) => {
  const rows = await db
    .selectFrom('serving.stop')
    .whereRef('one_stop_id', '=', 'stop_id')
    .select(['stop_id', 'mode', 'label as name', 'lon', 'lat'])
    .where('cell', 'in', cellsOfBbox(box))
    .where(inBox(box))
    .orderBy('stop_id')
    .orderBy('mode')
    .execute();
  return rows.map(({ lon, lat, ...says }) => pointShape(lon, lat, withoutNulls(says)));
};

const places: BoxReader = async (db, box) => {
  const rows = await db
    .selectFrom('serving.place')
    .select(['place_id', 'category', 'name', 'lon', 'lat', 'cell', 'geom'])
    .where('cell', 'in', cellsOfBbox(box))
    .where(meetsBox(box))
    .orderBy('place_id')
    .orderBy('category')
    .execute();
  return rows
    .map(({ geom, lon, lat, cell, ...says }) =>
      geom === null ? pointShape(lon, lat, withoutNulls(says)) : pieceShape(geom, cell, withoutNulls(says)),
    )
    .filter(isShape);
};

const hazards =
  (layer: HazardLayer): BoxReader =>
  async (db, box) => {
    const rows = await db
      .selectFrom('serving.hazard')
      .select(['feature_id', 'name', 'code', 'severity', 'is_assessed', 'cell', 'geom'])
      .where('cell', 'in', cellsOfBbox(box))
      .where(meetsBox(box))
      .where('layer', '=', layer)
      .orderBy('feature_id')
      .execute();
    return rows.map(({ geom, cell, ...says }) => pieceShape(geom, cell, withoutNulls(says))).filter(isShape);
  };

/** Readers of map layers from the serving tables, by name of the layer. */
export const BOX_READERS: Readonly<Record<string, BoxReader>> = {
  parcel: parcels,
  address: addresses,
  street: streets,
  school: schools,
  stop: stops,
  place: places,
  ...Object.fromEntries(HAZARD_LAYERS.map((layer) => [layer, hazards(layer)])),
};
