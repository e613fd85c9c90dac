import { type Bbox, cellsOfBbox, expandBbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { pointInMultiPolygon } from '../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { meetsBox } from '../in_box.ts';

/** A parcel is looked for in the cells so many metres around: it stands in that of its middle. */
const AROUND_M = 3000;

/** The parcel at a place, of several the first by id; null: there is none. */
export async function parcelAt(db: Serving, lon: number, lat: number): Promise<string | null> {
  const at: Bbox = [lon, lat, lon, lat];
  const rows = await db
    .selectFrom('serving.parcel_shape')
    .select(['parcel_id', 'geom'])
    .where('cell', 'in', cellsOfBbox(expandBbox(at, AROUND_M)))
    .where(meetsBox(at))
    .orderBy('parcel_id')
    .execute();
  return rows.find(({ geom }) => pointInMultiPolygon(lon, lat, decodeWkb(geom)))?.parcel_id ?? null;
}

/** Properties of a parcel that are listed; the others are counted. */
const LISTED = 100;

/** The properties of a parcel, by address. */
export interface OnParcel {
  properties: { gnaf_pid: string; address: string }[];
  /** How many there are in all. */
  count: number;
}

export async function propertiesOn(db: Serving, parcel_id: string): Promise<OnParcel> {
  const all = db.selectFrom('serving.property').where('parcel_id', '=', parcel_id);
  const properties = await all
    .select(['gnaf_pid', 'address'])
    .orderBy('address')
    .orderBy('gnaf_pid')
    .limit(LISTED)
    .execute();
  if (properties.length < LISTED) return { properties, count: properties.length };
  const { count } = await all.select((eb) => eb.fn.countAll<string>().as('count')).executeTakeFirstOrThrow();
  return { properties, count: Number(count) };
}

/** The box around everything that is served: where a map begins. Null: no property has coordinates. */
export async function servedBox(db: Serving): Promise<[number, number, number, number] | null> {
  const row = await db
    .selectFrom('serving.suburb')
    .select((eb) => [
      eb.fn.min('min_lon').as('west'),
      eb.fn.min('min_lat').as('south'),
      eb.fn.max('max_lon').as('east'),
      eb.fn.max('max_lat').as('north'),
    ])
    .executeTakeFirst();
  if (!row || row.west === null || row.south === null || row.east === null || row.north === null) return null;
  return [row.west, row.south, row.east, row.north];
}
