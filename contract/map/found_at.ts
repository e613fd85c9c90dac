import { type Bbox, cellsOfBbox, expandBbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { pointInMultiPolygon } from '../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { meetsBox } from '../answers/in_box.ts';
import { type ShownValue, shownValue } from '../answers/shown_value.ts';
import { addressTitleCase } from '../answers/title_case.ts';

/** Search radius for a parcel, metres: its row is in the cell of the parcel's centre. */
const AROUND_M = 3000;

/** Finds the parcel at a point; the lowest id if there are several. Null: none. */
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

/** Maximum properties of a parcel to list; the rest is counted. */
const LISTED = 100;

/** A property with its main values. Null: not known. */
export interface GlancedProperty {
  gnaf_pid: string;
  address: string;
  land_area_sqm: number | null;
  /** Estimated value. Null: not valued. */
  estimate: ShownValue | null;
  /** Code of the zone, else its name. */
  zone: string | null;
}

/** Properties of a parcel, ordered by address; addresses in title case. */
export interface OnParcel {
  properties: { gnaf_pid: string; address: string }[];
  count: number;
}

export async function propertiesOn(db: Serving, parcel_id: string): Promise<OnParcel> {
  const all = db.selectFrom('serving.property').where('parcel_id', '=', parcel_id);
  const rows = await all
    .select(['gnaf_pid', 'address'])
    .orderBy('address')
    .orderBy('gnaf_pid')
    .limit(LISTED)
    .execute();
  const properties = rows.map((row) => ({ ...row, address: addressTitleCase(row.address) }));
  if (properties.length < LISTED) return { properties, count: properties.length };
  const { count } = await all.select((eb) => eb.fn.countAll<string>().as('count')).executeTakeFirstOrThrow();
  return { properties, count: Number(count) };
}

/** The same with current values and zones. */
export async function describeProperties(
  db: Serving,
  { properties, count }: OnParcel,
): Promise<{ properties: GlancedProperty[]; count: number }> {
  if (properties.length === 0) return { properties: [], count };
  const pids = properties.map(({ gnaf_pid }) => gnaf_pid);
  const rows = await db
    .selectFrom('serving.property as p')
    .leftJoin('serving.property_avm as v', 'v.gnaf_pid', 'p.gnaf_pid')
    .leftJoin('serving.property_zoning as z', 'z.gnaf_pid', 'p.gnaf_pid')
    .select([
      'p.gnaf_pid',
      'p.address',
      'p.land_area_sqm',
      'v.predicted_price',
      'v.confidence',
      'z.code',
      'z.name',
    ])
    .where('p.gnaf_pid', 'in', pids)
    .orderBy('p.address')
    .orderBy('p.gnaf_pid')
    .execute();
  const described = rows.map(({ code, name, address, predicted_price, confidence, ...row }) => ({
    ...row,
    address: addressTitleCase(address),
    estimate: predicted_price === null ? null : shownValue(predicted_price, confidence),
    zone: code ?? name,
  }));
  return { properties: described, count };
}

/** Returns the centre of the suburb with most properties, where a map has most to show. Null: no suburb has coordinates. */
export async function busiestPlace(db: Serving): Promise<[lon: number, lat: number] | null> {
  const row = await db
    .selectFrom('serving.suburb')
    .select(['min_lon', 'min_lat', 'max_lon', 'max_lat'])
    .where('min_lon', 'is not', null)
    .orderBy('properties', 'desc')
    .orderBy('sal')
    .executeTakeFirst();
  return row ? [(row.min_lon! + row.max_lon!) / 2, (row.min_lat! + row.max_lat!) / 2] : null;
}

/** Reads the box around all served properties: the initial view of a map. Null: no property has coordinates. */
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
