import type { Serving } from '../../schema/serving/database.ts';

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
