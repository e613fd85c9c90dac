import { z } from 'zod';
import { search } from '../answers/operation.ts';
import { stateParam } from '../answers/parameters.ts';

const suburbListPayload = z.array(
  z.strictObject({ suburb_name: z.string(), state: z.string(), sal_code: z.string() }),
);
const suburbListParams = z.strictObject({
  state: stateParam(),
});

/** suburbs/list: canonical names, as the suburb endpoints take them. */
export const suburbList = search<z.infer<typeof suburbListPayload>, z.infer<typeof suburbListParams>>({
  methods: ['GET'],
  path: '/v1/suburbs/list',
  price_cents: 0,
  tool: {
    title: 'List of suburbs',
    use: 'Use geocode_suburb instead if you know the name or part of it: this list is long.',
  },
  doc: 'Every suburb with a property, by canonical name, with its state.',
  payload: suburbListPayload,
  params: suburbListParams,
  noun: 'suburbs',
  async query(db, { state }) {
    const all = db
      .selectFrom('serving.search_area')
      .select(['name as suburb_name', 'state', 'code as sal_code'])
      .where('level', '=', 'SAL');
    const rows = await (state === undefined ? all : all.where('state', '=', state)).orderBy('name').execute();
    return rows.length > 0 ? { data: rows } : { no_data: 'not_covered', of: state ?? 'AU' };
  },
});
