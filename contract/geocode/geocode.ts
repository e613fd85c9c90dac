import { z } from 'zod';
import { MATCH_STATUSES } from '../../schema/assets/event.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { candidates, matchAddress } from '../../transforms/address/match/match.ts';
import { parseText } from '../../transforms/address/parse/parse.ts';
import { degrees } from '../answers/numbers.ts';
import { search } from '../answers/operation.ts';
import { countParam, textParam } from '../answers/parameters.ts';
import { addressesFor } from './address_rows.ts';
import { localitiesOf } from './places.ts';

/** Candidate properties, best first. */
export const candidatesPayload = z.array(
  z.strictObject({
    gnaf_pid: z.string(),
    address: z.string(),
    suburb: z.string().nullable(),
    state: z.string(),
    postcode: z.string().nullable(),
    latitude: degrees.nullable(),
    longitude: degrees.nullable(),
    score: z.number().min(0).max(1),
    rule: z.string(),
  }),
);

/** Properties that an address text may mean. */
const geocodePayload = z.strictObject({
  status: z.enum(MATCH_STATUSES),
  gnaf_pid: z.string().nullable(),
  parent_gnaf_pid: z.string().nullable(),
  rule: z.string(),
  candidates: candidatesPayload,
});
type GeocodePayload = z.infer<typeof geocodePayload>;

const geocodeParams = z.strictObject({
  address: textParam(400)
    .regex(/\S/, 'is blank')
    .meta({ description: 'Address as people write it, with suburb or postcode.' }),
  limit: countParam('Maximum number of candidates.', 1, 50, 5),
});
type GeocodeParams = z.infer<typeof geocodeParams>;

/** Matches an address text to properties by the rules of the address matcher (transforms/address/match). `limit`: maximum candidates. */
export async function matchProperties(db: Serving, address: string, limit: number): Promise<GeocodePayload> {
  const parsed = parseText(address);
  const { index, byPid } = await addressesFor(db, await localitiesOf(db, parsed), parsed);
  const { status, gnaf_pid, parent_pid, rule } = matchAddress(index, { text: address });
  return {
    status,
    gnaf_pid,
    parent_gnaf_pid: parent_pid,
    rule,
    candidates: candidates(index, address, limit).map((candidate) => {
      const row = byPid.get(candidate.gnaf_pid)!;
      return {
        gnaf_pid: candidate.gnaf_pid,
        address: row.address,
        suburb: row.sal,
        state: row.state,
        postcode: row.postcode,
        latitude: row.lat,
        longitude: row.lon,
        score: candidate.score,
        rule: candidate.rule,
      };
    }),
  };
}

/** /api/geocode: properties that an address text may mean. */
export const geocode = search<GeocodePayload, GeocodeParams>({
  methods: ['GET', 'POST'],
  path: '/api/geocode',
  price_cents: 1,
  doc: 'Properties that may match an address text, best first, and the matching property if the match is certain.',
  payload: geocodePayload,
  params: geocodeParams,
  query: async (db, { address, limit }) => ({ data: await matchProperties(db, address, limit) }),
});
