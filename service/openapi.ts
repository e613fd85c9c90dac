import { CONTRACT_VERSION } from '../contract/version.ts';
import { RATE_CARD, RATE_CARD_VERSION } from '../schema/rate_card.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { componentName, componentSchemas, idSchema, type JsonSchema, paramsSchema } from './schemas.ts';

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

const HEADERS: Readonly<Record<string, readonly [doc: string, schema: JsonSchema]>> = {
  'X-Cost-Cents': ['Exact cents billed for this call.', { type: 'integer', minimum: 0 }],
  'X-Spent-Cents': ['Cumulative cents used from this wallet.', { type: 'integer', minimum: 0 }],
  'X-Remaining-Cents': ['Prepaid credit left after this call.', { type: 'integer', minimum: 0 }],
  'X-Balance-Cents': ['Alias of X-Remaining-Cents.', { type: 'integer', minimum: 0 }],
  'X-Period-End': ['Start of the next UTC calendar month.', { type: 'string', format: 'date-time' }],
  'X-Rate-Card-Version': ['Version of the prices of this call.', { type: 'integer', minimum: 1 }],
  'X-Request-Id': ['Identifier of this call.', { type: 'string', format: 'uuid' }],
  'X-Publication': ['Publication that everything in the answer is of.', { type: 'integer', minimum: 0 }],
  ETag: ['Publication and content of the answer.', { type: 'string' }],
};
const ACCOUNT_HEADERS = ['X-Cost-Cents', 'X-Period-End', 'X-Rate-Card-Version', 'X-Request-Id'];
const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Refusals that every metered operation may give, by status. */
const REFUSALS: Readonly<Record<string, string>> = {
  '401': 'The key is missing or unknown.',
  '402': 'The balance does not cover the call.',
  '403': 'The sandbox key was used outside its samples.',
  '422': 'The path, the query or the body is not valid.',
  '429': 'The key calls too often; Retry-After says when to try again.',
  '503': 'The service or its database is not available; Retry-After says when to try again.',
};
const refusals = (statuses: readonly string[]) =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]));

function parametersOf(operation: Operation): object[] {
  const { properties = {}, required = [] } = paramsSchema(operation);
  const query = Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
  }));
  if (operation.id === null) return query;
  const { description = '', examples: _examples, ...schema } = idSchema(operation);
  return [{ name: operation.id.name, in: 'path', required: true, description, schema }, ...query];
}

function operationOf(operation: Operation, method: 'GET' | 'POST'): object {
  const { name, path, doc, tag, methods, response, payload } = operation;
  const price = RATE_CARD[path];
  const body = componentName(name) + (response === payload ? 'Data' : '');
  return {
    operationId: methods.length > 1 && method === 'POST' ? `${name}_post` : name,
    tags: [tag],
    summary: `${path.replace(/^\/(v1|api)\//, '')} (${price === 0 ? 'free' : `${price} cents`})`,
    description: doc,
    'x-price-cents': price,
    ...(method === 'POST'
      ? { requestBody: { required: true, content: json(paramsSchema(operation)) } }
      : { parameters: parametersOf(operation) }),
    responses: {
      '200': {
        description: 'The answer, or null data with the reason.',
        headers: headerRefs(Object.keys(HEADERS)),
        content: json(ref(body)),
      },
      ...(method === 'GET'
        ? { '304': { description: 'The caller has this answer; it costs nothing.' } }
        : {}),
      ...refusals(Object.keys(REFUSALS)),
    },
  };
}

const PING = {
  tags: ['Account'],
  summary: 'ping (free)',
  description: 'Whether the service answers. Needs no key and is not metered.',
  security: [],
  'x-price-cents': 0,
};

const accountPaths = {
  '/v1/ping': {
    get: {
      operationId: 'ping',
      ...PING,
      responses: {
        '200': {
          description: 'It does.',
          headers: headerRefs(ACCOUNT_HEADERS),
          content: json({ type: 'object' }),
        },
        ...refusals(['503']),
      },
    },
    head: {
      operationId: 'ping_head',
      ...PING,
      responses: { '200': { description: 'It does.' }, ...refusals(['503']) },
    },
  },
  '/v1/me': {
    get: {
      operationId: 'me',
      tags: ['Account'],
      summary: 'me (free)',
      description: 'The calling key, its account, and the balance.',
      'x-price-cents': 0,
      responses: {
        '200': { description: 'Who calls.', headers: headerRefs(ACCOUNT_HEADERS), content: json(ref('Me')) },
        ...refusals(['401', '429', '503']),
      },
    },
  },
};

const count: JsonSchema = { type: 'integer', minimum: 0 };

/** Schema of `/v1/me`. */
const ME: JsonSchema = {
  type: 'object',
  properties: {
    account: { type: 'string' },
    key: { type: 'string', description: 'The part of the key that may be shown.' },
    plan: { type: 'string', enum: ['prepaid', 'sandbox'] },
    sandbox: { type: 'boolean' },
    spent_cents: count,
    remaining_cents: count,
    rate_card_version: count,
    rate_limit: {
      type: 'object',
      properties: { per_s: { type: 'number' }, burst: count },
      required: ['per_s', 'burst'],
    },
    period_end: { type: 'string', format: 'date-time' },
  },
  required: [
    'account',
    'key',
    'plan',
    'sandbox',
    'spent_cents',
    'remaining_cents',
    'rate_card_version',
    'rate_limit',
    'period_end',
  ],
};

const sharedSchemas: Record<string, JsonSchema> = {
  Me: ME,
  Refusal: {
    type: 'object',
    properties: {
      detail: {
        type: 'object',
        properties: { type: { type: 'string' }, msg: { type: 'string' } },
        required: ['type', 'msg'],
      },
    },
    required: ['detail'],
  },
  Validation: {
    type: 'object',
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            type: { type: 'string' },
            loc: { type: 'array', items: { type: ['string', 'integer'] } },
            msg: { type: 'string' },
            input: {},
            ctx: { type: 'object' },
          },
          required: ['type', 'loc', 'msg', 'input'],
        },
      },
    },
    required: ['detail'],
  },
};

/** The OpenAPI document of the service at an address. */
export function openApi(baseUrl: string): object {
  const paths: Record<string, Record<string, object>> = { ...accountPaths };
  for (const operation of OPERATIONS)
    for (const method of operation.methods)
      paths[operation.path] = {
        ...paths[operation.path],
        [method.toLowerCase()]: operationOf(operation, method),
      };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Property and suburb data',
      version: '1.0.0',
      description: `Prepaid, priced by the call (rate card ${RATE_CARD_VERSION}; data contract ${CONTRACT_VERSION}). Every operation under /v1 is a tool at /mcp too.`,
      license: { name: 'As the datasets say', url: 'https://creativecommons.org/licenses/by/4.0/' },
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    tags: ['Account', 'Property', 'Suburb', 'Search', 'Family B'].map((name) => ({
      name,
      description: `Operations of ${name.toLowerCase()}.`,
    })),
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, [description, schema]]) => [name, { description, schema }]),
      ),
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          `Refusal${status}`,
          {
            description,
            headers: headerRefs(['X-Request-Id']),
            content: json(ref(status === '422' ? 'Validation' : 'Refusal')),
          },
        ]),
      ),
      schemas: { ...componentSchemas(), ...sharedSchemas },
    },
  };
}
