import { z } from 'zod';
import { stateParam } from './parameters.ts';
import type { Search } from './search.ts';

const suburbListPayload = z.array(
  z.strictObject({ suburb_name: z.string(), state: z.string(), sal_code: z.string() }),
);
const suburbListParams = z.strictObject({
  state: stateParam(),
});

/** suburbs/list: the canonical names that the suburb endpoints take. */
export const suburbList: Search<z.infer<typeof suburbListPayload>, z.infer<typeof suburbListParams>> = {
  methods: ['GET'],
  path: '/v1/suburbs/list',
  doc: 'Every suburb with a property, by canonical name, with its state.',
  payload: suburbListPayload,
  params: suburbListParams,
  nothing: (found, { state }) =>
    found.length > 0 ? null : { thing: 'suburbs', of: state ?? 'AU', no_data: 'not_covered' },
  async query(db, { state }) {
    const all = db
      .selectFrom('serving.search_area')
      .select(['name as suburb_name', 'state', 'code as sal_code'])
      .where('level', '=', 'SAL');
    const rows = await (state === undefined ? all : all.where('state', '=', state)).orderBy('name').execute();
    return rows;
  },
};
