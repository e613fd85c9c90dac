import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { type NoParams, noParams, type OfSubject, ofProperty } from '../answers/operation.ts';
import { whyNothingStated } from './basics.ts';

/** Specification, section 2.2: HistoryRecord. `price` is absent if it is not disclosed. */
const historyRecord = z.strictObject({
  date: z.iso.date(),
  price: z.int().optional(),
  type: z.enum(['Sold', 'For Sale', 'For Rent']),
  address: z.string(),
});
export type HistoryRecord = z.infer<typeof historyRecord>;
type HistoryRecordType = HistoryRecord['type'];

const SALE: readonly HistoryRecordType[] = ['Sold', 'For Sale'];
const RENT: readonly HistoryRecordType[] = ['For Rent'];

/** Reads events of a property, newest first. On one day, a sale comes before the listing that led to it. */
async function historyOf(
  db: Serving,
  gnafId: string,
  types: readonly HistoryRecordType[],
  limit: number | null,
): Promise<HistoryRecord[]> {
  const query = db
    .selectFrom('serving.property_event as e')
    .innerJoin('serving.property as p', 'p.gnaf_pid', 'e.gnaf_pid')
    .select((eb) => [eb.cast<string>('e.date', 'text').as('date'), 'e.price', 'e.type', 'p.address'])
    .where('e.gnaf_pid', '=', gnafId)
    .where('e.type', 'in', types)
    .orderBy('e.date', 'desc')
    .orderBy('e.type', 'desc')
    .orderBy('e.event_id');
  const rows = await (limit === null ? query : query.limit(limit)).execute();
  return rows.map(({ date, price, type, address }) => ({
    date,
    ...(price === null ? {} : { price }),
    type: type as HistoryRecordType,
    address,
  }));
}

/** Shared declaration of the operations on sale or rent history. */
type HistoryDeclaration = Pick<
  OfSubject<unknown, unknown>,
  'subpath' | 'noun' | 'price_cents' | 'tool' | 'doc'
>;

const KIND = { Sold: 'sale', 'For Sale': 'listing', 'For Rent': 'rent' } as const;
const whyNone = (db: Serving, gnafId: string, types: readonly HistoryRecordType[]) =>
  whyNothingStated(
    db,
    gnafId,
    types.map((type) => KIND[type]),
  );

const allOf = (types: readonly HistoryRecordType[], declaration: HistoryDeclaration) =>
  ofProperty<HistoryRecord[], NoParams>({
    ...declaration,
    params: noParams,
    payload: z.array(historyRecord),
    async query(db, gnafId) {
      const rows = await historyOf(db, gnafId, types, null);
      return rows.length > 0 ? { data: rows } : { no_data: await whyNone(db, gnafId, types) };
    },
  });

const latestOf = (types: readonly HistoryRecordType[], declaration: HistoryDeclaration) =>
  ofProperty<HistoryRecord, NoParams>({
    ...declaration,
    params: noParams,
    payload: historyRecord,
    async query(db, gnafId) {
      const [latest] = await historyOf(db, gnafId, types, 1);
      return latest ? { data: latest } : { no_data: await whyNone(db, gnafId, types) };
    },
  });

export const saleHistory = allOf(SALE, {
  subpath: 'sale-history',
  price_cents: 30,
  tool: {
    title: 'Sale history',
    use: 'Use properties_sale_history_latest instead if the most recent sale is enough.',
  },
  noun: 'sale_history',
  doc: 'Sales and sale listings of a property, most recent first. A listing has its first day and its last asking price.',
});
export const saleHistoryLatest = latestOf(SALE, {
  subpath: 'sale-history-latest',
  price_cents: 10,
  tool: { title: 'Latest sale', use: 'Use properties_sale_history instead for all sales and sale listings.' },
  noun: 'sale_history_latest',
  doc: 'The most recent sale or sale listing of a property.',
});
export const rentHistory = allOf(RENT, {
  subpath: 'rent-history',
  price_cents: 30,
  tool: {
    title: 'Rent history',
    use: 'Use properties_rent_history_latest instead if the most recent rent is enough.',
  },
  noun: 'rent_history',
  doc: 'Rent listings of a property with their weekly rent, most recent first.',
});
export const rentHistoryLatest = latestOf(RENT, {
  subpath: 'rent-history-latest',
  price_cents: 10,
  tool: { title: 'Latest rent', use: 'Use properties_rent_history instead for all rent listings.' },
  noun: 'rent_history_latest',
  doc: 'The most recent rent listing of a property.',
});
