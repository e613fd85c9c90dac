import { sql } from 'kysely';
import { z } from 'zod';
import { censusMeasures } from '../../schema/serving/census_measures.ts';
import { SERVED_LEVELS } from '../../schema/serving/region_demographics.ts';
import { decimals } from '../answers/numbers.ts';
import { search } from '../answers/operation.ts';
import { countParam, levelParam, listParam, stateParam } from '../answers/parameters.ts';

const MEASURES = Object.keys(censusMeasures) as (keyof typeof censusMeasures)[];
/** Values that an answer has if none is requested. */
const USUAL = ['population', 'median_age', 'median_household_income_aud_pw'] as const;

const regionCensusParams = z.strictObject({
  level: levelParam('Level of the regions.', SERVED_LEVELS, 'SAL'),
  state: stateParam(),
  fields: listParam(`Comma-separated values to show; default: ${USUAL.join(', ')}.`, z.enum(MEASURES)),
  limit: countParam('Maximum number of regions.', 1, 5000, 500),
  offset: countParam('Number of regions to skip.', 0, 1_000_000_000, 0),
});
/** `only` restricts the answer to some suburbs. */
type RegionCensusParams = z.infer<typeof regionCensusParams> & { only?: readonly string[] };

/** Census values of regions. A value is absent unless it is requested; null: not known. */
const regionCensusPayload = z.strictObject({
  total: z.int().min(1).meta({ description: 'Number of regions with Census figures, on all pages.' }),
  level: z.enum(SERVED_LEVELS),
  regions: z.array(
    z.strictObject({
      code: z.string(),
      name: z.string(),
      state: z.string().nullable(),
      census_year: z.int(),
      ...(Object.fromEntries(
        MEASURES.map((name) => [
          name,
          decimals(4).nullable().optional().meta({ description: censusMeasures[name].doc }),
        ]),
      ) as Record<never, never>),
    }),
  ),
});
type RegionCensus = z.infer<typeof regionCensusPayload>;

/** The code of a region as its profile has it: the Census has the states by digits. */
const CODE = sql<string>`CASE d.level WHEN 'STE' THEN d.state ELSE d.code END`;
const NAME = sql<string>`COALESCE(a.name, d.name, d.code)`;

/** regions/census: a page of the regions of a level with Census values. */
export const regionCensus = search<RegionCensus, z.infer<typeof regionCensusParams>>({
  methods: ['GET'],
  path: '/v1/regions/census',
  // The price of a search, as of the suburb finder.
  price_cents: 30,
  tool: {
    title: 'Census values by region',
    use: 'Use suburbs_demographics instead for every value and the categories of one suburb or region.',
  },
  doc: 'Census values of every region of a level in the loaded Census, by name, and their count.',
  noun: 'regional_census',
  payload: regionCensusPayload,
  params: regionCensusParams,
  async query(db, { level, state, fields, limit, offset, only }: RegionCensusParams) {
    const matching = db
      .selectFrom('serving.region_demographics as d')
      .leftJoin('serving.search_area as a', (join) =>
        join.onRef('a.level', '=', 'd.level').on('a.code', '=', CODE),
      )
      .where('d.level', '=', level)
      .$if(state !== undefined, (all) => all.where('d.state', '=', state!))
      .$if(only !== undefined, (all) => all.where(sql<boolean>`d.name = ANY (${only})`));
    const { total } = await matching
      .select(sql<number>`count(*)::float8`.as('total'))
      .executeTakeFirstOrThrow();
    if (total === 0) return { no_data: 'not_covered', of: state ?? 'AU' };
    const regions = await matching
      .select([CODE.as('code'), NAME.as('name'), 'd.state', 'd.census_year'])
      .select((fields.length > 0 ? fields : USUAL).map((name) => `d.${name}` as const))
      .orderBy(NAME)
      .orderBy(CODE)
      .limit(limit)
      .offset(offset)
      .execute();
    return { data: { total, level, regions } };
  },
});
