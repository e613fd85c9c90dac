import { z } from 'zod';
import { MATCH_STATUSES } from '../../schema/assets/event.ts';
import { degrees } from '../numbers.ts';
import { textParam } from '../parameters.ts';
import type { Search } from '../search.ts';
import { suburbSearch, suburbSearchParams } from '../suburb_search.ts';
import { candidatesPayload, geocode } from './geocode.ts';

/** Most candidates of an answer, and fewest characters of a text. */
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

/** geocode/address: the properties that a text may mean. */
export const geocodeAddress: Search<z.infer<typeof addressPayload>, z.infer<typeof addressParams>> = {
  methods: ['GET'],
  path: '/v1/geocode/address',
  doc: 'The property that an address text means, and up to 10 that it may mean, best first.',
  payload: addressPayload,
  params: addressParams,
  nothing: ({ candidates }, { address }) =>
    candidates.length > 0 ? null : { thing: 'property', of: address, no_data: 'none_found' },
  async query(db, { address }) {
    const { rule: _, ...found } = await geocode.query(db, { address, limit: CANDIDATES });
    return found;
  },
};

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

/** geocode/suburb: the suburbs that a name may mean. */
export const geocodeSuburb: Search<z.infer<typeof suburbsPayload>, z.infer<typeof suburbParams>> = {
  methods: ['GET'],
  path: '/v1/geocode/suburb',
  doc: 'Up to 10 suburbs that a name, or a part of one, may mean, with the canonical name that the suburb endpoints take; best first.',
  payload: suburbsPayload,
  params: suburbParams,
  nothing: (found, { q }) => (found.length > 0 ? null : { thing: 'suburb', of: q, no_data: 'none_found' }),
  async query(db, { q, state }) {
    const { results } = await suburbSearch.query(db, { q, state, limit: CANDIDATES });
    return results.map(({ suburb_name, state, sal_code, latitude, longitude, score }) => ({
      suburb_name,
      state,
      sal_code,
      latitude,
      longitude,
      score,
    }));
  },
};
