import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import type { propertyTable } from '../../schema/serving/property.ts';
import { SUCCESSOR_EVIDENCE } from '../../schema/serving/property_successor.ts';
import type { Row } from '../../schema/table.ts';
import { type NoParams, noParams, ofProperty } from './operation.ts';

/** The property that an id leads to. */
const successorPayload = z.strictObject({
  gnaf_pid: z.string(),
  address: z.string(),
  evidence: z.enum(['current', ...SUCCESSOR_EVIDENCE]).meta({
    description:
      'current: the id is a property. Otherwise it is retired: address: the property is the only one at its address; place: the only one on its lot or within 5 m.',
  }),
});
type Successor = z.infer<typeof successorPayload>;

/** Reads the served properties that meet a condition, at most two. */
const propertiesWhere = (db: Serving, column: 'gnaf_pid' | 'parcel_id', value: string) =>
  db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address'])
    .where(column, '=', value)
    .limit(2)
    .execute();

/** Finds the successor of a property that was served, and whose address the address file no longer has. Undefined: it was not served. */
async function successorOfServed(db: Serving, id: string): Promise<Successor | null | undefined> {
  const removed = await db
    .selectFrom('serving.change')
    .select('before')
    .where('table_name', '=', 'property')
    .where('key', '=', id)
    .where('change', '=', 'delete')
    .orderBy('publication_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!removed?.before) return undefined;
  const { address, parcel_id, state, locality, number_first } = removed.before as unknown as Row<
    typeof propertyTable
  >;
  const atAddress = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address'])
    .where('state', '=', state)
    .where('locality', '=', locality)
    .where((eb) => eb('number_first', 'is not distinct from', number_first))
    .where('address', '=', address)
    .limit(2)
    .execute();
  if (atAddress.length === 1) return { ...atAddress[0]!, evidence: 'address' };
  const onParcel = parcel_id === null ? [] : await propertiesWhere(db, 'parcel_id', parcel_id);
  return onParcel.length === 1 ? { ...onParcel[0]!, evidence: 'place' } : null;
}

/** Finds the property at the address or place of a retired id. Null: none, or several. Undefined: the id is not known to be retired. */
export async function successorOf(db: Serving, id: string): Promise<Successor | null | undefined> {
  const row = await db
    .selectFrom('serving.property_successor as s')
    .leftJoin('serving.property as p', 'p.gnaf_pid', 's.successor_pid')
    .select(['p.gnaf_pid', 'p.address', 's.evidence'])
    .where('s.retired_pid', '=', id)
    .executeTakeFirst();
  if (row === undefined) return successorOfServed(db, id);
  return row.gnaf_pid === null ? null : (row as Successor);
}

/** successor: the property that an id leads to. */
export const successor = ofProperty<Successor, NoParams>({
  subpath: 'successor',
  // The price of matching an address.
  price_cents: 1,
  tool: {
    title: 'Successor of a retired id',
    use: 'Use it when another tool does not know an id; use geocode_address instead if you have the address.',
  },
  doc: 'The property that is now at the address or place of a retired GNAF ID, and the evidence; of a property, itself. Retired are ids that the address file marks so, and those of properties of earlier publications.',
  noun: 'successor',
  payload: successorPayload,
  params: noParams,
  async query(db, gnafId) {
    const [own] = await propertiesWhere(db, 'gnaf_pid', gnafId);
    if (own) return { data: { ...own, evidence: 'current' } };
    const foundSuccessor = await successorOf(db, gnafId);
    if (foundSuccessor === undefined) return { no_data: 'unknown_property' };
    return foundSuccessor === null ? { no_data: 'not_matched' } : { data: foundSuccessor };
  },
});
