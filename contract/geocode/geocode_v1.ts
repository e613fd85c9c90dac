import { z } from 'zod';
import { MATCH_STATUSES } from '../../schema/assets/event.ts';
import { degrees } from '../answers/numbers.ts';
import { search } from '../answers/operation.ts';
import { textParam } from '../answers/parameters.ts';
import { suburbSearchParams, suburbsNamed } from '../suburb/suburb_search.ts';
import { candidatesPayload, matchProperties } from './geocode.ts';

/** Maximum candidates of an answer, and minimum characters of a text. */
const CANDIDATES = 10;
const TEXT_MIN = 2;

const addressPayload = z.strictObject({
  status: z.enum(MATCH_STATUSES),
  gnaf_pid: z.string().nullable(),
  parent_gnaf_pid: z.string().nullable(),
  candidates: candidatesPayload,
});
const addressParams = z.strictObject({
  address: textParam(400).min(TEXT_MIN).regex(/\S/, 'is blank').meta({
    description: 'Address as people write it, with suburb or postcode.',
  }),
});

/** geocode/address: properties that a text may mean. */
export const geocodeAddress = search<z.infer<typeof addressPayload>, z.infer<typeof addressParams>>({
  methods: ['GET'],
  path: '/v1/geocode/address',
  price_cents: 1,
  tool: {
    title: 'Find a property by its address',
    use: 'Use it first: every property tool takes the gnaf_id that it returns. Use property instead to find a property and read all its data in one call.',
  },
  doc: 'The property that matches an address text, and up to 10 candidates, best first.',
  payload: addressPayload,
  params: addressParams,
  noun: 'property',
  async query(db, { address }) {
    const { rule: _, ...data } = await matchProperties(db, address, CANDIDATES);
    return data.candidates.length > 0 ? { data } : { no_data: 'none_found', of: address };
  },
});

const suburbsPayload = z.array(
  z.strictObject({
    suburb_name: z.string(),
    state: z.string(),
    sal_code: z.string(),
    latitude: degrees.nullable(),
    longitude: degrees.nullable(),
    score: z.number().min(0).max(1),
  }),
);
const suburbParams = z.strictObject({
  q: suburbSearchParams.shape.q.min(TEXT_MIN),
  state: suburbSearchParams.shape.state,
});

/** geocode/suburb: suburbs that a name may mean. */
export const geocodeSuburb = search<z.infer<typeof suburbsPayload>, z.infer<typeof suburbParams>>({
  methods: ['GET'],
  path: '/v1/geocode/suburb',
  price_cents: 1,
  tool: {
    title: 'Find a suburb by its name',
    use: 'Use it first: every suburb tool takes the canonical name that it returns. Use suburbs_list instead for all names of a state.',
  },
  doc: 'Up to 10 suburbs that match a name or part of a name, with the canonical name that the suburb endpoints take; best first.',
  payload: suburbsPayload,
  params: suburbParams,
  noun: 'suburb',
  async query(db, { q, state }) {
    const suburbs = await suburbsNamed(db, { q, state, limit: CANDIDATES });
    if (suburbs.length === 0) return { no_data: 'none_found', of: q };
    const data = suburbs.map(({ suburb_name, state, sal_code, latitude, longitude, score }) => ({
      suburb_name,
      state,
      sal_code,
      latitude,
      longitude,
      score,
    }));
    return { data };
  },
});
