import { z } from 'zod';
import {
  answerOf,
  type Endpoint,
  type Envelope,
  NO_DATA,
  type NoData,
  parseParams,
  shapeOf,
} from '../contract/answer.ts';
import { propertyFinder } from '../contract/finder/property_finder.ts';
import { geocodeAddress } from '../contract/geocode/geocode_v1.ts';
import { ENDPOINTS } from '../contract/index.ts';
import { isObject, notAnObject, type ParameterError, type Place } from '../contract/parameter_errors.ts';
import { numberParam, textParam } from '../contract/parameters.ts';
import { enveloped, findOrNothing, type Search } from '../contract/search.ts';
import { OF_TODAY, SEARCHES } from '../contract/searches.ts';
import { batchOf } from './batch.ts';
import { type Operation, operationPath, type PathParameter, type Read } from './operation.ts';

const pathParameter = (name: PathParameter['name'], schema: z.ZodType<string>): PathParameter => ({
  name,
  schema,
  path: z.strictObject({ [name]: schema }),
});
const GNAF_ID = pathParameter(
  'gnaf_id',
  textParam(50)
    .min(1)
    .meta({ description: "The property's GNAF ID.", examples: ['GAVIC419929404'] }),
);
const SUBURB_NAME = pathParameter(
  'suburb_name',
  textParam(200)
    .min(1)
    .meta({
      description: 'Canonical SAL name of the suburb; with level, the code or name of a region.',
      examples: ['St Kilda (Vic.)'],
    }),
);

/** The envelope of the specification (section 2.1) around a payload. */
const envelopeOf = (payload: z.ZodType, beside: Endpoint['beside']): z.ZodType =>
  z.strictObject({
    data: payload.nullable().meta({ description: 'The payload; null when there is no data.' }),
    available: z.literal(false).optional().meta({ description: 'Only if there is no data.' }),
    reason: z.string().optional().meta({ description: 'no_<thing>_for_<id>; only if there is no data.' }),
    message: z.string().optional(),
    no_data: z.enum(NO_DATA).optional().meta({ description: 'Why there is none.' }),
    ...shapeOf(beside),
  });

const slug = (path: string): string => path.replaceAll(/[^a-z0-9]+/gi, '_').replaceAll(/^_|_$/g, '');
const noneOf = (envelope: Envelope<unknown>): NoData | null =>
  envelope.data === null ? (envelope as { no_data: NoData }).no_data : null;

function ofEndpoint(endpoint: Endpoint): Operation {
  const isProperty = endpoint.subject === 'property';
  const path = endpoint.path.replace(/^suburb\//, '');
  return {
    name: slug(`${isProperty ? 'properties' : 'suburbs'}_${path}`),
    methods: ['GET'],
    path: operationPath(endpoint.path),
    family: 'A',
    tag: isProperty ? 'Property' : 'Suburb',
    doc: endpoint.doc,
    id: isProperty ? GNAF_ID : SUBURB_NAME,
    params: endpoint.params,
    payload: endpoint.payload,
    response: envelopeOf(endpoint.payload, endpoint.beside),
    hasAsOf: true,
    untagged: null,
    async answer(db, id, params) {
      const { envelope, ...told } = await answerOf(endpoint, db, id, params);
      return { body: envelope, none: noneOf(envelope), ...told };
    },
  };
}

/** The property that a search by id found, where it is another than the one that was named. */
function principalIn(found: unknown, id: unknown): string | null {
  const { gnaf_pid, property } = found as { gnaf_pid?: string | null; property?: { gnaf_pid: string } };
  const pid = property?.gnaf_pid ?? gnaf_pid ?? null;
  return typeof id === 'string' && pid !== id ? pid : null;
}

function ofSearch(search: Search): Operation {
  const isFirst = search.path.startsWith('/v1/');
  return {
    name: slug(search.path.replace(isFirst ? '/v1/' : '', '')),
    methods: search.methods,
    path: search.path,
    family: isFirst ? 'A' : 'B',
    tag: isFirst ? 'Search' : 'Family B',
    doc: search.doc,
    id: null,
    params: search.params,
    payload: search.payload,
    response: isFirst ? envelopeOf(search.payload, undefined) : search.payload,
    hasAsOf: !OF_TODAY.has(search.path),
    untagged: search.path === propertyFinder.path ? 'execution_time' : null,
    async answer(db, _id, params) {
      const answer = await findOrNothing(search, db, params);
      return {
        body: isFirst ? enveloped(answer) : answer.found,
        none: answer.nothing?.no_data ?? null,
        parts: search.parts?.(answer.found) ?? null,
        principal: principalIn(answer.found, params.id),
      };
    },
  };
}

const pricesPayload = z.array(
  z.strictObject({ endpoint: z.string(), price_cents: z.int().min(0), version: z.int().min(1) }),
);

/** The prices in effect, which are the accounts' and no published table's. */
const RATE_CARD_OPERATION: Operation = {
  name: 'api_rate_card',
  methods: ['GET'],
  path: '/api/rate_card',
  family: 'B',
  tag: 'Family B',
  doc: 'The price of each endpoint in cents, and the version of the rate card in effect.',
  id: null,
  params: z.strictObject({}),
  payload: pricesPayload,
  response: pricesPayload,
  hasAsOf: false,
  untagged: null,
  async answer(_db, _id, _params, { prices, version }) {
    const body = Object.entries(prices)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([endpoint, price_cents]) => ({ endpoint, price_cents, version }));
    return { body, none: null, parts: null, principal: null };
  },
};

const OF_ENDPOINTS = ENDPOINTS.map(ofEndpoint);
const OF_SEARCHES = SEARCHES.map(ofSearch);

/** Every operation: those over the read contract, many of them in one call, and the prices. */
export const OPERATIONS: readonly Operation[] = [
  ...OF_ENDPOINTS,
  batchOf(
    OF_ENDPOINTS.filter(({ id }) => id === GNAF_ID),
    OF_SEARCHES.find(({ path }) => path === geocodeAddress.path)!,
  ),
  ...OF_SEARCHES,
  RATE_CARD_OPERATION,
];

/** Parameter that every operation with `hasAsOf` takes beside its own. */
export const AS_OF = z.strictObject({
  as_of: numberParam(
    'Answer as of this earlier, readable publication.',
    z.number().int().min(1).max(2_147_483_647),
  ),
});

/** No earlier publication is asked for. */
const NOW = { params: {} } as const;

/** Reads a request by the declaration of its operation, or says everything that is wrong with it. */
export function readRequest(
  operation: Operation,
  id: string,
  given: Readonly<Record<string, unknown>>,
  place: Place,
): Read | { detail: ParameterError[] } {
  if (!isObject(given)) return { detail: [notAnObject(given, place)] };
  const { as_of, ...query } = operation.hasAsOf ? given : { ...given, as_of: undefined };
  const named = operation.id;
  const path = named ? parseParams(named.path, { [named.name]: id }, 'path') : null;
  const when = as_of === undefined ? NOW : parseParams(AS_OF, { as_of }, place);
  const own = parseParams(operation.params, operation.hasAsOf ? query : given, place);
  const detail = [path, own, when].flatMap((each) => (each !== null && 'detail' in each ? each.detail : []));
  if (detail.length > 0) return { detail };
  const params = (own as { params: Record<string, unknown> }).params;
  return { id, params, asOf: (when as { params: { as_of?: number } }).params.as_of ?? null };
}
