import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import type { Answer, NoData } from '../answers/answer.ts';
import { marketCovers } from '../answers/market_coverage.ts';
import { decimals, degrees } from '../answers/numbers.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { comparableSales } from './comparable_sales.ts';

/** Specification, section 2.2: AvmEstimate, with the confidence from 0 to 100 that it describes. */
export const avmPayload = z.strictObject({
  predicted_price: z.int(),
  predicted_price_low: z.int(),
  predicted_price_high: z.int(),
  prediction_date: z.iso.date(),
  confidence_score: z.int().min(0).max(100).nullable().optional(),
});

/** Reasons of property_avm mapped to typed reasons. */
const REASONS: Readonly<Record<string, NoData>> = {
  no_model: 'not_covered',
  type_not_valued: 'type_not_valued',
  outside_evidence: 'outside_evidence',
  not_located: 'not_matched',
  too_few_sales: 'suppressed',
  too_uncertain: 'suppressed',
};
/** Returns why property_avm has no value. */
export const noDataOf = (reason: string): NoData => REASONS[reason] ?? 'suppressed';

/** valuation/avm: estimated value on the valuation date, with its 80 % interval. */
export const avm = ofProperty<z.infer<typeof avmPayload>, NoParams>({
  subpath: 'valuation/avm',
  price_cents: 10,
  tool: {
    title: 'Estimated value',
    use: 'Use properties_comparables_cma_comp_set instead for the sales that support a value.',
  },
  doc: 'The estimated value of a property at the valuation date, with its 80 % interval.',
  noun: 'avm',
  payload: avmPayload,
  params: noParams,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property_avm')
      .select([
        'predicted_price',
        'predicted_price_low',
        'predicted_price_high',
        'prediction_date',
        'confidence as confidence_score',
        'reason',
      ])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) {
      const property = await db
        .selectFrom('serving.property')
        .select('gnaf_pid')
        .where('gnaf_pid', '=', gnafId)
        .executeTakeFirst();
      return { no_data: property ? 'not_covered' : 'unknown_property' };
    }
    const { reason, ...estimate } = row;
    return reason === null ? { data: estimate as z.infer<typeof avmPayload> } : { no_data: noDataOf(reason) };
  },
});

/** Specification, section 2.2: CmaComp. Null: listings of the sold home never stated it. */
const cmaComp = z.strictObject({
  gnaf_pid: z.string(),
  street: z.string().nullable(),
  bedrooms: z.int().nullable(),
  bathrooms: z.int().nullable(),
  garage_spaces: z.int().nullable(),
  dist_score: decimals(3),
  price: z.int(),
  date_sold: z.iso.date(),
  latitude: degrees.nullable(),
  longitude: degrees.nullable(),
  sal: z.string().nullable(),
  state: z.string(),
  property_type: z.string().nullable(),
});
export type CmaComp = z.infer<typeof cmaComp>;

/** Specification, section 4.3: array of CmaComp, most similar first. */
const cmaCompSetPayload = z.array(cmaComp);

/** Reads the comparable sales of a property by rank, at most `most`, or why there are none. */
async function comparables(db: Serving, gnafId: string, most: number): Promise<Answer<CmaComp[]>> {
  const rows = await comparableSales(db, gnafId)
    .select([
      's.gnaf_pid',
      's.street',
      's.bedrooms',
      's.bathrooms',
      's.parking as garage_spaces',
      'e.dist_score',
      's.price',
      's.date as date_sold',
      's.lat as latitude',
      's.lon as longitude',
      's.sal',
      's.state',
      's.dwelling_type as property_type',
    ])
    .limit(most)
    .execute();
  if (rows.length > 0) return { data: rows };
  const property = await db
    .selectFrom('serving.property as p')
    .leftJoin('serving.property_avm as a', 'a.gnaf_pid', 'p.gnaf_pid')
    .select(['p.lon', 'p.state', 'a.reason'])
    .where('p.gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  if (!property) return { no_data: 'unknown_property' };
  if (property.reason === 'type_not_valued') return { no_data: 'type_not_valued' };
  if (!(await marketCovers(db, property.state))) return { no_data: 'not_covered' };
  return { no_data: property.lon === null ? 'not_matched' : 'none_found' };
}

/** comparables/cma-comp-set: the most similar sales, highest dist_score first. */
export const cmaCompSet = ofProperty<CmaComp[], NoParams>({
  subpath: 'comparables/cma-comp-set',
  price_cents: 60,
  tool: {
    title: 'Comparable sales',
    use: 'Use properties_comparables_cma_single_comp instead if the best comparable is enough, and properties_comparables_recent_sales_nearby for every sale near the property.',
  },
  doc: 'The comparable sales of a property: the most similar, highest dist_score first.',
  noun: 'cma_comp_set',
  payload: cmaCompSetPayload,
  params: noParams,
  query: (db, gnafId) => comparables(db, gnafId, 100),
});

/** comparables/cma-single-comp: the comparable with the highest dist_score. */
export const cmaSingleComp = ofProperty<CmaComp, NoParams>({
  subpath: 'comparables/cma-single-comp',
  price_cents: 10,
  tool: {
    title: 'Best comparable sale',
    use: 'Use properties_comparables_cma_comp_set instead for the whole set.',
  },
  doc: 'The one comparable sale of a property with the highest dist_score.',
  noun: 'cma_single_comp',
  payload: cmaComp,
  params: noParams,
  async query(db, gnafId) {
    const answer = await comparables(db, gnafId, 1);
    return 'data' in answer ? { data: answer.data[0]! } : answer;
  },
});
