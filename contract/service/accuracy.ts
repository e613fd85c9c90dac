import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { ACCURACY_LEVELS } from '../../schema/serving/valuation_accuracy.ts';
import { search } from '../answers/operation.ts';
import { levelParam } from '../answers/parameters.ts';

const percent = z.number().min(0).max(100);

/** Accuracy of the valuation by group of evaluated sales. */
const accuracyPayload = z.array(
  z.strictObject({
    kind: z.enum(['sale', 'rent']),
    region: z.string(),
    level: z.enum(ACCURACY_LEVELS),
    group: z.string(),
    as_of: z.iso.date(),
    sales: z.int().min(1),
    median_error_percent: z.number().min(0),
    within_10_percent: percent,
    within_20_percent: percent,
    median_ratio: z.number().min(0),
    cod: z.number().min(0),
    prd: z.number().min(0),
    prb: z.number().nullable(),
    vei: z.number().nullable(),
    meets_level: z.boolean(),
    meets_uniformity: z.boolean(),
    meets_vertical_equity: z.boolean().nullable(),
    coverage_percent: percent.nullable(),
  }),
);

export type AccuracyRecord = z.infer<typeof accuracyPayload>[number];

const params = z.strictObject({
  kind: levelParam('Kind of estimate.', ['sale', 'rent'], 'sale'),
  by: levelParam('How sales are grouped.', ACCURACY_LEVELS, 'all'),
});

/** Reads the accuracy of a kind, for one level or all, and one group or all, ordered by level, model and group. */
export async function accuracyOf(
  db: Serving,
  kind: AccuracyRecord['kind'],
  level: AccuracyRecord['level'] | null,
  group: string | null = null,
): Promise<AccuracyRecord[]> {
  const all = db
    .selectFrom('serving.valuation_accuracy')
    .select([
      'kind',
      'region',
      'level',
      'group_name as group',
      'as_of',
      'sales',
      'median_error_percent',
      'within_10_percent',
      'within_20_percent',
      'median_ratio',
      'cod',
      'prd',
      'prb',
      'vei',
      'meets_level',
      'meets_uniformity',
      'meets_vertical_equity',
      'coverage_percent',
    ])
    .where('kind', '=', kind);
  const rows = await all
    .$if(level !== null, (some) => some.where('level', '=', level!))
    .$if(group !== null, (some) => some.where('group_name', '=', group!))
    .orderBy('level')
    .orderBy('region')
    .orderBy('group_name')
    .execute();
  return rows as AccuracyRecord[];
}

/** accuracy: distance between estimates and prices of sales that the models had not seen. */
export const accuracy = search<AccuracyRecord[], z.infer<typeof params>>({
  methods: ['GET'],
  path: '/v1/accuracy',
  price_cents: 0,
  tool: {
    title: 'Accuracy of the valuation',
    use: 'Use it to show how accurate estimates are: median error and ratio-study figures by state, dwelling type, price, month or suburb.',
  },
  doc: 'Errors of estimates on sales and rents that the models valued before training on them, by state, dwelling type, price, month or suburb.',
  payload: accuracyPayload,
  params,
  noun: 'accuracy',
  query: async (db, { kind, by }) => ({ data: await accuracyOf(db, kind, by) }),
});
