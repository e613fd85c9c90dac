import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import type { Answer } from '../answers/answer.ts';
import { search } from '../answers/operation.ts';
import { levelParam, stateParam } from '../answers/parameters.ts';
import { PROFILE_LEVELS, regionIdentity } from './region.ts';

export const regionListPayload = z.array(
  z.strictObject({ ...regionIdentity, state: z.string(), properties: z.int().min(1) }),
);
export type RegionList = z.infer<typeof regionListPayload>;

/** Lists the regions of some levels, in one state or all, by level and name. */
export async function regionsAt(
  db: Serving,
  levels: readonly RegionList[number]['level'][],
  state: string | undefined,
): Promise<Answer<RegionList>> {
  const all = db
    .selectFrom('serving.search_area')
    .select(['level', 'code', 'name', 'state', 'properties'])
    .where('level', 'in', levels);
  const rows = await (state === undefined ? all : all.where('state', '=', state))
    .orderBy('level')
    .orderBy('name')
    .orderBy('code')
    .execute();
  return rows.length > 0 ? { data: rows as RegionList } : { no_data: 'not_covered', of: state ?? 'AU' };
}

const regionListParams = z.strictObject({
  level: levelParam('Level of the regions.', PROFILE_LEVELS, 'LGA'),
  state: stateParam(),
});

/** regions/list: the regions of a level. */
export const regionList = search<RegionList, z.infer<typeof regionListParams>>({
  methods: ['GET'],
  path: '/v1/regions/list',
  // Free, as the list of suburbs.
  price_cents: 0,
  tool: {
    title: 'List of regions',
    use: 'Use suburbs_profile with level for one region, and suburbs_mesh_blocks for the mesh blocks of a suburb.',
  },
  doc: 'Every region of a level with a property: code, name, state and number of properties, by name.',
  noun: 'regions',
  payload: regionListPayload,
  params: regionListParams,
  query: (db, { level, state }) => regionsAt(db, [level], state),
});
