import { sql } from 'kysely';
import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { FINDER_TYPES, type FinderType } from '../../schema/serving/property_finder.ts';
import { type NoParams, noParams, search } from '../answers/operation.ts';
import { choiceParam, levelParam, listParam, numberParam, stateParam } from '../answers/parameters.ts';
import { type RegionList, regionListPayload, regionsAt } from '../regions/region_list.ts';
import { type Area, findAreas, inAreas, REGION_LEVELS } from './areas.ts';
import { limitConditions } from './conditions.ts';
import { type FinderCriterion, limitsOn } from './limits.ts';
import { areaParams, pageParams } from './params.ts';
import { SUBURB_FIELDS } from './suburb_fields.ts';

const NAMES = SUBURB_FIELDS.map(({ name }) => name);
const marketParam = levelParam('Kind of dwelling of market figures and ranks.', FINDER_TYPES, 'house');

/** Criteria: each field has two bounds. An unknown value is outside any bound. */
const CRITERIA = NAMES.map((name): FinderCriterion<string, string> => {
  const [min, max] = [`min_${name}`, `max_${name}`];
  return { column: name, name, unit: 'number', min, max, reach_m: null };
});
const bounds = (side: 'min' | 'max', doc: string) =>
  Object.fromEntries(NAMES.map((name) => [`${side}_${name}`, numberParam(doc)])) as Record<never, never>;

/** Fields that an answer has if none is requested. */
const USUAL = ['median_price', 'median_rent_aud_pw', 'growth_1y_percent', 'gross_yield_percent'];

const suburbFinderParams = z.strictObject({
  ...areaParams((other) => `with ${other}, both are searched; without either, all suburbs`),
  market: marketParam,
  fields: listParam(
    `Comma-separated fields to show, besides those that the search bounds or sorts by; default: ${USUAL.join(', ')}.`,
    z.enum(NAMES),
  ),
  ...pageParams('suburbs; 0: only the count', 0, 100),
  sort_by: choiceParam('Sort field; default: properties. Unknown values come last.', [
    'properties',
    ...NAMES,
  ]),
  ...bounds('min', 'Minimum.'),
  ...bounds('max', 'Maximum.'),
});
type SuburbFinderParams = z.infer<typeof suburbFinderParams>;

/** Suburbs that meet all criteria. A field is absent unless it is requested, bounded or sorted by; null: not known. */
const suburbFinderPayload = z.strictObject({
  total: z.int().min(0).meta({ description: 'Number of suburbs that meet all criteria, on all pages.' }),
  market: z.enum(FINDER_TYPES),
  suburbs: z.array(
    z.strictObject({
      suburb_name: z.string(),
      state: z.string(),
      sal_code: z.string(),
      properties: z.int().min(1),
      ...(Object.fromEntries(
        SUBURB_FIELDS.map(({ name, doc, schema }) => [name, schema.optional().meta({ description: doc })]),
      ) as Record<never, never>),
    }),
  ),
});
type SuburbFinderPayload = z.infer<typeof suburbFinderPayload>;

/** Starts a query of all suburbs with some fields. */
const suburbsWith = (db: Serving, market: FinderType, names: ReadonlySet<string>) =>
  db
    .selectFrom('serving.search_area as a')
    .select(['a.name as suburb_name', 'a.state', 'a.code as sal_code', 'a.properties'])
    .select(['a.sa3', 'a.sa4', 'a.gccsa', 'a.lga'])
    .select(
      SUBURB_FIELDS.flatMap(({ name, value }) => (names.has(name) ? sql`${value(db, market)}`.as(name) : [])),
    )
    .where('a.level', '=', 'SAL');

/** A search. `only` restricts it to some suburbs. */
type SuburbFinderQuery = SuburbFinderParams & { only?: readonly string[] };

/** Reads a page of the suburbs in some areas (none: in all) that meet all criteria, and their count. */
async function findSuburbs(
  db: Serving,
  params: SuburbFinderQuery,
  areas: readonly Area[],
): Promise<SuburbFinderPayload> {
  const { market, only, limit, offset, sort_by = 'properties', sort_direction = 'desc' } = params;
  const limits = limitsOn(CRITERIA, params);
  const fields = params.fields.length > 0 ? params.fields : USUAL;
  const names = new Set([...fields, ...limits.map(({ column }) => column), sort_by]);
  const conditions = limitConditions(limits, false);
  if (areas.length > 0) conditions.push(inAreas(areas, 'suburb_name'));
  if (only !== undefined) conditions.push(sql<boolean>`suburb_name = ANY (${only})`);
  const matching = db
    .with('found', () => suburbsWith(db, market, names))
    .selectFrom('found')
    .where((eb) => eb.and(conditions));
  const { total } = await matching
    .select(sql<number>`count(*)::float8`.as('total'))
    .executeTakeFirstOrThrow();
  const suburbs = await matching
    .select(['suburb_name', 'state', 'sal_code', 'properties'])
    .select(NAMES.filter((name) => names.has(name)).map((name) => sql.ref<number | null>(name).as(name)))
    .orderBy(sql.ref(sort_by), (by) => (sort_direction === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('suburb_name')
    .orderBy('sal_code')
    .limit(limit)
    .offset(offset)
    .execute();
  return { total, market, suburbs };
}

/** suburbs/finder: a page of the suburbs that meet all criteria, and their count. */
export const suburbFinder = search<SuburbFinderPayload, SuburbFinderParams>({
  methods: ['GET', 'POST'],
  path: '/v1/suburbs/finder',
  // The price of a search, as of the property finder.
  price_cents: 30,
  tool: {
    title: 'Find suburbs by criteria',
    use: 'Use it to look for suburbs by market, ranks, Census and hazards; use suburbs_finder_fields instead for what the fields mean.',
  },
  doc: 'Suburbs whose fields are within all bounds, sorted by one field, and their count. An unknown value is outside any bound.',
  noun: 'suburbs',
  payload: suburbFinderPayload,
  params: suburbFinderParams,
  async query(db, params: SuburbFinderQuery) {
    const areas = await findAreas(db, params);
    const names = [...params.suburbs, ...params.regions];
    if (areas.length > 0 || names.length === 0) return { data: await findSuburbs(db, params, areas) };
    const no_data = params.suburbs.length > 0 ? 'unknown_suburb' : 'unknown_region';
    return { no_data, of: names.join(' ') };
  },
});

const suburbFieldsPayload = z.array(
  z.strictObject({
    field: z.string().meta({ description: 'Its name; its bounds are min_ and max_ with this name.' }),
    description: z.string().meta({ description: 'What it is, its unit, and what null means.' }),
  }),
);

/** suburbs/finder/fields: the fields of the finder, in its order. */
const suburbFields = search<z.infer<typeof suburbFieldsPayload>, NoParams>({
  methods: ['GET'],
  path: '/v1/suburbs/finder/fields',
  // Free, as the list of suburbs: it helps to ask.
  price_cents: 0,
  tool: {
    title: 'Fields of the suburb finder',
    use: 'Use suburbs_finder instead to find suburbs by these fields.',
  },
  doc: 'The fields of the suburb finder with their meaning.',
  noun: 'suburb_fields',
  payload: suburbFieldsPayload,
  params: noParams,
  query: async () => ({ data: SUBURB_FIELDS.map(({ name, doc }) => ({ field: name, description: doc })) }),
});

const suburbRegionsParams = z.strictObject({ state: stateParam() });

/** suburbs/finder/regions: the regions that a search can name, by level and name. */
const suburbRegions = search<RegionList, z.infer<typeof suburbRegionsParams>>({
  methods: ['GET'],
  path: '/v1/suburbs/finder/regions',
  // Free, as the list of suburbs.
  price_cents: 0,
  tool: { title: 'Regions of the finders', use: 'Use suburbs_finder or property_finder to search in them.' },
  doc: 'The regions that the finders can search: SA3, SA4, LGA, GCCSA and states with a property.',
  noun: 'regions',
  payload: regionListPayload,
  params: suburbRegionsParams,
  query: (db, { state }) => regionsAt(db, REGION_LEVELS, state),
});

export const SUBURB_FINDER_OPERATIONS = [suburbFinder, suburbFields, suburbRegions] as const;
