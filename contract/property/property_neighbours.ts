import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { toGeoJson } from '../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { featureCollection, multiPolygonGeometry } from '../answers/geojson.ts';
import { search } from '../answers/operation.ts';
import { WrongParameters } from '../answers/parameter_errors.ts';
import { flagParam, textParam } from '../answers/parameters.ts';
import { principalOf } from '../answers/principal.ts';

/** Specification, section 4.7: parameters of /api/property/neighbours. */
const params = z.strictObject({
  id: textParam(50).min(1).meta({ description: "The property's GNAF ID." }),
  geojson: flagParam('Adds the shapes of the parcels.'),
});

const historyItem = z.strictObject({
  date: z.iso.date(),
  price: z.int().nullable(),
  type: z.enum(['Sold', 'For Sale', 'For Rent']),
});

/** Specification, section 2.3: a property with its status and history. Null: never stated. */
const describedProperty = z.strictObject({
  address: z.string(),
  bathrooms: z.int().nullable(),
  bedrooms: z.int().nullable(),
  garage_spaces: z.int().nullable(),
  gnaf_pid: z.string(),
  property_type: z.string().nullable(),
  status: z.string().meta({
    description: 'owner-occupied, rented, sold, for sale, under offer, for rent or unknown.',
    examples: ['owner-occupied'],
  }),
  property_history: z.array(historyItem),
});
type DescribedProperty = z.infer<typeof describedProperty>;

const shapes = featureCollection(
  z.strictObject({ parcel_id: z.string(), is_subject: z.boolean(), gnaf_pids: z.array(z.string()) }),
  multiPolygonGeometry,
);

/** `geojson` is present if requested. */
const propertyNeighboursPayload = z.strictObject({
  property: describedProperty,
  neighbours: z.array(describedProperty),
  geojson: shapes.optional(),
});
export type PropertyNeighbours = z.infer<typeof propertyNeighboursPayload>;

/** A property before its history is added. */
type NeighbourWithoutHistory = Omit<DescribedProperty, 'property_history'> & { parcel_id: string | null };

const describing = (db: Serving) =>
  db
    .selectFrom('serving.property as p')
    .leftJoin('serving.property_basics as b', 'b.gnaf_pid', 'p.gnaf_pid')
    .select((eb) => [
      'p.address',
      'b.bathrooms',
      'b.bedrooms',
      'b.parking as garage_spaces',
      'p.gnaf_pid',
      eb.fn.coalesce('b.dwelling_type', 'p.dwelling_type').as('property_type'),
      eb.fn.coalesce('b.status', eb.val('unknown')).as('status'),
      'p.parcel_id',
    ]);

/** Addresses on adjoining parcels, in the order of the endpoint neighbours. */
const neighboursOf = (db: Serving, gnafId: string): Promise<NeighbourWithoutHistory[]> =>
  describing(db)
    .innerJoin('serving.property_neighbour as n', 'n.neighbour_parcel_id', 'p.parcel_id')
    .where('n.gnaf_pid', '=', gnafId)
    .where('n.is_corner', '=', false)
    .orderBy('n.shared_m', 'desc')
    .orderBy('p.address')
    .orderBy('p.gnaf_pid')
    .execute();

type HistoryItem = z.infer<typeof historyItem>;

/** Reads the histories of properties, newest first. */
async function historiesOf(db: Serving, pids: readonly string[]): Promise<Map<string, HistoryItem[]>> {
  const rows = await db
    .selectFrom('serving.property_event as e')
    .select((eb) => ['e.gnaf_pid', eb.cast<string>('e.date', 'text').as('date'), 'e.price', 'e.type'])
    .where('e.gnaf_pid', 'in', pids)
    .orderBy('e.date', 'desc')
    .orderBy('e.type', 'desc')
    .orderBy('e.event_id')
    .execute();
  const histories = new Map<string, HistoryItem[]>(pids.map((pid) => [pid, []]));
  for (const { gnaf_pid, date, price, type } of rows)
    histories.get(gnaf_pid)!.push({ date, price, type: type as HistoryItem['type'] });
  return histories;
}

/** Reads the parcels of properties: the subject's first, then by id. */
async function shapesOf(
  db: Serving,
  all: readonly NeighbourWithoutHistory[],
): Promise<z.infer<typeof shapes>> {
  const subject = all[0]!.parcel_id;
  const ids = [...new Set(all.map(({ parcel_id }) => parcel_id).filter((id) => id !== null))];
  const parcels =
    ids.length === 0
      ? []
      : await db
          .selectFrom('serving.parcel_shape')
          .select(['parcel_id', 'geom'])
          .where('parcel_id', 'in', ids)
          .orderBy('parcel_id')
          .execute();
  parcels.sort((a, b) => Number(b.parcel_id === subject) - Number(a.parcel_id === subject));
  return {
    type: 'FeatureCollection',
    features: parcels.map(({ parcel_id, geom }) => ({
      type: 'Feature',
      properties: {
        parcel_id,
        is_subject: parcel_id === subject,
        gnaf_pids: all.filter((each) => each.parcel_id === parcel_id).map(({ gnaf_pid }) => gnaf_pid),
      },
      geometry: toGeoJson(decodeWkb(geom)),
    })),
  };
}

/** /api/property/neighbours: a property and the addresses on adjoining parcels, with status and history. */
export const propertyNeighbours = search<PropertyNeighbours, z.infer<typeof params>>({
  methods: ['GET'],
  path: '/api/property/neighbours',
  price_cents: 30,
  doc: 'A property and its surrounding neighbours with attributes, status and transaction history.',
  payload: propertyNeighboursPayload,
  params,
  async query(db, { id, geojson }) {
    const described = (pid: string): Promise<NeighbourWithoutHistory | undefined> =>
      describing(db).where('p.gnaf_pid', '=', pid).executeTakeFirst();
    let subject = await described(id);
    const principal = subject ? null : await principalOf(db, id);
    if (principal !== null) subject = await described(principal);
    if (!subject) {
      const msg = 'There is no property with this id';
      throw new WrongParameters({ type: 'value_error', loc: ['query', 'id'], msg, input: id });
    }
    const all = [subject, ...(await neighboursOf(db, subject.gnaf_pid))];
    const histories = await historiesOf(
      db,
      all.map(({ gnaf_pid }) => gnaf_pid),
    );
    const [property, ...neighbours] = all.map(({ parcel_id: _, ...each }) => ({
      ...each,
      property_history: histories.get(each.gnaf_pid)!,
    }));
    const shapes = geojson ? { geojson: await shapesOf(db, all) } : {};
    return { data: { property: property!, neighbours, ...shapes } };
  },
});
