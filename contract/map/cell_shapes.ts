import { HAZARD_LAYERS, type HazardLayer } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { type MapShape, pieceShape, pointShape, saying, wkbShape } from './shape.ts';

/** Reads what a layer of the map has in one grid cell, by the index of cells. */
export type CellReader = (db: Serving, cell: number) => Promise<MapShape[]>;

const isShape = (shape: MapShape | null): shape is MapShape => shape !== null;

const parcels: CellReader = async (db, cell) => {
  const rows = await db
    .selectFrom('serving.parcel_shape')
    .select(['parcel_id', 'geom'])
    .where('cell', '=', cell)
    .orderBy('parcel_id')
    .execute();
  return rows.map(({ geom, parcel_id }) => wkbShape(geom, { parcel_id }));
};

const addresses: CellReader = async (db, cell) => {
  const rows = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address', 'number_first', 'flat_number', 'lot_number', 'lon', 'lat'])
    .where('cell', '=', cell)
    .where('lon', 'is not', null)
    .orderBy('gnaf_pid')
    .execute();
  return rows.map(({ gnaf_pid, address, number_first, flat_number, lot_number, lon, lat }) => {
    const street = number_first ?? (lot_number === null ? null : `lot ${lot_number}`);
    const number = flat_number !== null && street !== null ? `${flat_number}/${street}` : street;
    return pointShape(lon!, lat!, saying({ gnaf_pid, address, number }));
  });
};

const schools: CellReader = async (db, cell) => {
  const rows = await db
    .selectFrom('serving.school')
    .select(['school_id', 'name', 'level', 'sector', 'lon', 'lat'])
    .where('cell', '=', cell)
    .orderBy('school_id')
    .execute();
  return rows.map(({ lon, lat, ...says }) => pointShape(lon, lat, saying(says)));
};

const stops: CellReader = async (db, cell) => {
  const rows = await db
    .selectFrom('serving.stop')
    .select(['stop_id', 'mode', 'label as name', 'lon', 'lat'])
    .where('cell', '=', cell)
    .orderBy('stop_id')
    .orderBy('mode')
    .execute();
  return rows.map(({ lon, lat, ...says }) => pointShape(lon, lat, saying(says)));
};

const places: CellReader = async (db, cell) => {
  const rows = await db
    .selectFrom('serving.place')
    .select(['place_id', 'category', 'name', 'lon', 'lat', 'geom'])
    .where('cell', '=', cell)
    .orderBy('place_id')
    .orderBy('category')
    .execute();
  return rows
    .map(({ geom, lon, lat, ...says }) =>
      geom === null ? pointShape(lon, lat, saying(says)) : pieceShape(geom, cell, saying(says)),
    )
    .filter(isShape);
};

const hazards =
  (layer: HazardLayer): CellReader =>
  async (db, cell) => {
    const rows = await db
      .selectFrom('serving.hazard')
      .select(['feature_id', 'name', 'code', 'severity', 'is_assessed', 'geom'])
      .where('cell', '=', cell)
      .where('layer', '=', layer)
      .orderBy('feature_id')
      .execute();
    return rows.map(({ geom, ...says }) => pieceShape(geom, cell, saying(says))).filter(isShape);
  };

/** What the map draws of the published tables cell by cell, by the name of its layer. */
export const CELL_READERS: Readonly<Record<string, CellReader>> = {
  parcel: parcels,
  address: addresses,
  school: schools,
  stop: stops,
  place: places,
  ...Object.fromEntries(HAZARD_LAYERS.map((layer) => [layer, hazards(layer)])),
};
