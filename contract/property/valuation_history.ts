import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { NO_DATA } from '../answers/answer.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { avm, avmPayload, noDataOf } from './valuation.ts';

const NO_ESTIMATE = 'null: its last publication has no estimate, see no_data.';
/** The estimate of a month, or why it has none, and the publication that says so. */
const monthlyEstimate = avmPayload.extend({
  predicted_price: z
    .int()
    .nullable()
    .meta({ description: `Estimated value of the month; ${NO_ESTIMATE}` }),
  predicted_price_low: z
    .int()
    .nullable()
    .meta({ description: `Lower end of its 80 % interval; ${NO_ESTIMATE}` }),
  predicted_price_high: z
    .int()
    .nullable()
    .meta({ description: `Upper end; ${NO_ESTIMATE}` }),
  no_data: z
    .enum(NO_DATA)
    .optional()
    .meta({ description: 'Why the month has no estimate; only if it has none.' }),
  publication: z.int().meta({
    description: 'The publication that set the estimate, or the oldest one that is kept.',
  }),
  published_at: z.iso.datetime().meta({ description: 'Time of that publication, UTC.' }),
});
type MonthlyEstimate = z.infer<typeof monthlyEstimate>;

/** Columns of property_avm, from its row or from the journal. */
type AvmColumns = Readonly<Record<string, unknown>>;
/** Row of a property from a publication on. Null: no row. */
interface PublishedState {
  publication: number;
  row: AvmColumns | null;
}

/** Lists the rows of a property in property_avm since a readable publication, newest first: its row with later changes undone. */
async function statesOf(
  db: Serving,
  gnafId: string,
  served: AvmColumns | null,
  oldest: number,
): Promise<PublishedState[]> {
  const changes = await db
    .selectFrom('serving.change')
    .select(['publication_id as publication', 'change', 'before'])
    .where('table_name', '=', 'property_avm')
    // The first rows of a table have no key.
    .where((eb) => eb.or([eb('key', '=', gnafId), eb('key', 'is', null)]))
    .where('publication_id', '>', oldest)
    .orderBy('publication_id', 'desc')
    .execute();
  const states: PublishedState[] = [];
  let row = served;
  for (const { publication, change, before } of changes) {
    states.push({ publication, row });
    row = change === 'update' || change === 'delete' ? { ...row, ...before } : null;
  }
  return [...states, { publication: oldest, row }];
}

/**
 * Reads the estimate of each month as its last publication has it, newest month first. A month without an estimate has the reason, never an
 * earlier estimate. Publications that a rollback withdrew do not count.
 */
async function monthlyEstimates(
  db: Serving,
  gnafId: string,
  served: AvmColumns | null,
): Promise<MonthlyEstimate[]> {
  const publications = await db
    .selectFrom('serving.publication')
    .select(['publication_id', 'published_at', 'restores'])
    .where('readable', '=', true)
    .orderBy('publication_id')
    .execute();
  const oldest = publications[0]?.publication_id;
  if (oldest === undefined) return [];
  const times = new Map(publications.map(({ publication_id: id, published_at }) => [id, published_at]));
  const months = new Map<string, MonthlyEstimate>();
  let until = Number.POSITIVE_INFINITY;
  for (const { publication, row } of await statesOf(db, gnafId, served, oldest)) {
    const next = until;
    until = publication;
    const isWithdrawn = publications.some(
      ({ publication_id, restores }) => restores !== null && restores < publication && next <= publication_id,
    );
    const month = String(row?.prediction_date).slice(0, 7);
    if (isWithdrawn || row === null || months.has(month)) continue;
    const { predicted_price, predicted_price_low, predicted_price_high, prediction_date, reason } = row;
    months.set(month, {
      ...{ predicted_price, predicted_price_low, predicted_price_high, prediction_date },
      confidence_score: row.confidence,
      ...(reason === null ? {} : { no_data: noDataOf(String(reason)) }),
      publication,
      published_at: times.get(publication)!.toISOString(),
    } as MonthlyEstimate);
  }
  return [...months.values()].sort((a, b) => (a.prediction_date < b.prediction_date ? 1 : -1));
}

/** valuation/history: the estimates that publications recorded. */
export const valuationHistory = ofProperty<MonthlyEstimate[], NoParams>({
  subpath: 'valuation/history',
  // The price of the other histories of a property.
  price_cents: 30,
  tool: {
    title: 'Estimated value by month',
    use: 'Use properties_valuation_avm instead if the latest estimate is enough.',
  },
  doc: 'The estimated value of a property at each monthly valuation date, newest first, as published then: a later sale changes no earlier month. A month whose last publication has no estimate is null, with the reason. It begins with the oldest publication that is kept; no estimate is computed for earlier months.',
  noun: 'valuation_history',
  payload: z.array(monthlyEstimate),
  params: noParams,
  async query(db, gnafId) {
    const latest = await avm.query(db, gnafId, {});
    if ('no_data' in latest && latest.no_data === 'unknown_property') return latest;
    const served = await db
      .selectFrom('serving.property_avm')
      .selectAll()
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    const data = await monthlyEstimates(db, gnafId, served ?? null);
    const hasEstimate = data.some(({ predicted_price }) => predicted_price !== null);
    return hasEstimate || 'data' in latest ? { data } : latest;
  },
});
