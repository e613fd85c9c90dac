import { CONTRACT_VERSION } from '../../contract/service/version.ts';
import type { PriceList } from '../../store/accounts/rate_cards.ts';
import { EXAMPLE_SUBJECTS, type ExampleSubjects, exampleOf, parameterExample } from '../answers/examples.ts';
import { OPERATIONS } from '../answers/operations.ts';
import {
  componentName,
  componentSchemas,
  idSchema,
  type JsonSchema,
  paramsSchema,
} from '../answers/schemas.ts';
import type { ServiceOperation } from '../operation.ts';
import { otherPaths } from './other_paths.ts';

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

type Schemas = Readonly<Record<string, JsonSchema>>;

const HEADERS: Readonly<Record<string, readonly [doc: string, schema: JsonSchema]>> = {
  'X-Cost-Cents': ['Exact cents billed for this call.', { type: 'integer', minimum: 0 }],
  'X-Spent-Cents': ['Cumulative cents used from this wallet.', { type: 'integer', minimum: 0 }],
  'X-Remaining-Cents': ['Prepaid credit left after this call.', { type: 'integer', minimum: 0 }],
  'X-Balance-Cents': ['Alias of X-Remaining-Cents.', { type: 'integer', minimum: 0 }],
  'X-Period-End': ['Start of the next UTC calendar month.', { type: 'string', format: 'date-time' }],
  'X-Rate-Card-Version': ['Version of the prices of this call.', { type: 'integer', minimum: 1 }],
  'X-Request-Id': ['Identifier of this call.', { type: 'string', format: 'uuid' }],
  'X-Publication': ['Publication of the whole answer.', { type: 'integer', minimum: 0 }],
  'X-Canonical-Gnaf-Id': [
    'Principal that the answer describes; only if the id is an alias.',
    { type: 'string' },
  ],
  'X-Sandbox-Left-Out': [
    'Other homes and suburbs that the answer leaves out; only with the sandbox key.',
    { type: 'integer', minimum: 1 },
  ],
  ETag: ['Publication and content of the answer.', { type: 'string' }],
};
const ACCOUNT_HEADERS = ['X-Cost-Cents', 'X-Period-End', 'X-Rate-Card-Version', 'X-Request-Id'];
const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Refusals by status. */
const REFUSALS: Readonly<Record<string, string>> = {
  '400':
    'The request is not valid HTTP: its path is not percent-encoded UTF-8, or the header Host is missing.',
  '401': 'The key is missing or unknown.',
  '402': 'The balance does not cover the call.',
  '403': 'The sandbox key was used outside its samples.',
  '404': 'Unknown path: a part of it is empty.',
  '405': 'The path takes another method; Allow says which.',
  '409': 'The account has its maximum of watches.',
  '413': 'The body is too large.',
  '415': 'The body is not application/json.',
  '422': 'The path, the query or the body is not valid.',
  '429': 'The key calls too often; Retry-After says when to try again.',
  '500': 'The service failed; report X-Request-Id.',
  '503': 'The service or its database is not available; Retry-After says when to try again.',
};
const refusals = (statuses: readonly string[]) =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]));

/** Statuses of the refusals that an operation can return. */
const refusalsOf = ({ id }: ServiceOperation, method: 'GET' | 'POST', price: number): string[] => [
  '400',
  '401',
  ...(price > 0 ? ['402'] : []),
  '403',
  ...(id === null ? [] : ['404']),
  '405',
  ...(method === 'POST' ? ['413', '415'] : []),
  '422',
  '429',
  '500',
  '503',
];

function parametersOf(operation: ServiceOperation, subjects: ExampleSubjects): object[] {
  const { properties = {}, required = [] } = paramsSchema(operation);
  const query = Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    example: parameterExample(name, schema, subjects),
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
  }));
  if (operation.id === null) return query;
  const { description = '', examples: _, ...schema } = idSchema(operation);
  const { name } = operation.id;
  const example = parameterExample(name, schema, subjects);
  return [{ name, in: 'path', required: true, description, schema, example }, ...query];
}

/** Parameters that name the subject of a request. */
const SUBJECT_NAMES = ['id', 'ids', 'suburbs'];

/** Example of a body: its subject, and what else the request must state. */
function bodyExample(operation: ServiceOperation, subjects: ExampleSubjects): object {
  const { properties = {}, required = [] } = paramsSchema(operation);
  const names = [...new Set([...SUBJECT_NAMES, ...required])].filter((name) => name in properties);
  return Object.fromEntries(names.map((name) => [name, parameterExample(name, properties[name]!, subjects)]));
}

function operationOf(
  operation: ServiceOperation,
  method: 'GET' | 'POST',
  prices: PriceList,
  { schemas, subjects }: { schemas: Schemas; subjects: ExampleSubjects },
): object {
  const { name, path, doc, tag, methods, response, payload } = operation;
  const price = prices[path] ?? null;
  const body = componentName(name) + (response === payload ? 'Data' : '');
  return {
    operationId: methods.length > 1 && method === 'POST' ? `${name}_post` : name,
    tags: [tag],
    summary: `${path.replace(/^\/(v1|api)\//, '')} (${price === null ? 'what its answers cost' : price === 0 ? 'free' : `${price} cents`})`,
    description: doc,
    ...(price === null ? {} : { 'x-price-cents': price }),
    ...(method === 'POST'
      ? {
          requestBody: {
            required: true,
            content: json(paramsSchema(operation), bodyExample(operation, subjects)),
          },
        }
      : { parameters: parametersOf(operation, subjects) }),
    responses: {
      '200': {
        description: operation.family === 'A' ? 'The answer, or null data with the reason.' : 'The answer.',
        headers: headerRefs(Object.keys(HEADERS)),
        content: json(ref(body), exampleOf(schemas[body]!, schemas)),
      },
      ...(method === 'GET' ? { '304': { description: 'Not modified; free.' } } : {}),
      ...refusals(refusalsOf(operation, method, price ?? 1)),
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
          content: json(
            {
              type: 'object',
              properties: { status: { type: 'string', description: 'Always ok.' } },
            },
            { status: 'ok' },
          ),
        },
        ...refusals(['400', '405', '500', '503']),
      },
    },
    head: {
      operationId: 'ping_head',
      ...PING,
      responses: { '200': { description: 'It does.' }, ...refusals(['400', '405', '500', '503']) },
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
        '200': {
          description: 'Who calls.',
          headers: headerRefs(ACCOUNT_HEADERS),
          content: json(ref('Me'), {
            account: 'example',
            key: 'pk_1a2b3c4d',
            plan: 'prepaid',
            sandbox: false,
            spent_cents: 130,
            remaining_cents: 9870,
            rate_card_version: 1,
            rate_limit: { per_s: 10, burst: 20 },
            period_end: '2026-07-01T00:00:00Z',
          }),
        },
        ...refusals(['400', '401', '405', '429', '500', '503']),
      },
    },
  },
};

const count: JsonSchema = { type: 'integer', minimum: 0 };

/** Schema of `/v1/me`. */
const ME: JsonSchema = {
  type: 'object',
  properties: {
    account: { type: 'string', description: 'Name of the account.' },
    key: { type: 'string', description: 'The part of the key that may be shown.' },
    plan: { type: 'string', enum: ['prepaid', 'sandbox'], description: 'How calls are paid.' },
    sandbox: { type: 'boolean', description: 'Whether this is the sandbox key.' },
    spent_cents: { ...count, description: 'Cumulative cents used from this wallet.' },
    remaining_cents: { ...count, description: 'Prepaid credit left.' },
    rate_card_version: { ...count, description: 'Version of the prices in effect.' },
    rate_limit: {
      type: 'object',
      description: 'Rate limit of the key.',
      properties: {
        per_s: { type: 'number', description: 'Calls a second.' },
        burst: { ...count, description: 'Calls at once.' },
      },
      required: ['per_s', 'burst'],
    },
    period_end: {
      type: 'string',
      format: 'date-time',
      description: 'Start of the next UTC calendar month.',
    },
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
        description: 'What was refused.',
        properties: {
          type: { type: 'string', description: 'Stable name of the refusal.' },
          msg: { type: 'string', description: 'The refusal in a sentence.' },
        },
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
        description: 'All findings.',
        items: {
          type: 'object',
          properties: {
            type: { type: 'string', description: 'Kind of error, such as missing.' },
            loc: {
              type: 'array',
              items: { type: ['string', 'integer'] },
              description: 'Location: path, query or body, then the name.',
            },
            msg: { type: 'string', description: 'The error in a sentence.' },
            input: { description: 'The invalid value; null if missing.' },
            ctx: { type: 'object', description: 'Constraints that the value violates.' },
          },
          required: ['type', 'loc', 'msg', 'input'],
        },
      },
    },
    required: ['detail'],
  },
};

/** Builds the OpenAPI document for a base URL, with the prices of a rate card version. `subjects`: subjects of the example requests. */
export function openApi(
  baseUrl: string,
  prices: PriceList,
  version: number,
  subjects: ExampleSubjects = EXAMPLE_SUBJECTS,
): object {
  const schemas = { ...componentSchemas(), ...sharedSchemas };
  const paths: Record<string, Record<string, object>> = {
    ...accountPaths,
    ...otherPaths(prices, subjects, { refusals, headers: headerRefs(ACCOUNT_HEADERS) }),
  };
  for (const operation of OPERATIONS)
    for (const method of operation.methods)
      paths[operation.path] = {
        ...paths[operation.path],
        [method.toLowerCase()]: operationOf(operation, method, prices, { schemas, subjects }),
      };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Property and suburb data',
      version: '1.0.0',
      description: `Prepaid, priced by the call (rate card ${version}; data contract ${CONTRACT_VERSION}). Every operation under /v1 is a tool at /mcp too, except exports and watches, which are no MCP tools.`,
      license: { name: 'As the datasets say', url: 'https://creativecommons.org/licenses/by/4.0/' },
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    tags: ['Account', 'Property', 'Suburb', 'Search', 'Exports', 'Watches', 'Family B'].map((name) => ({
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
      schemas,
    },
  };
}
