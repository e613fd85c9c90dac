import { z } from 'zod';
import { answerOf, type OperationResult } from '../../contract/answers/ask.ts';
import { type AnyOperation, operationPath } from '../../contract/answers/operation.ts';
import { textParam } from '../../contract/answers/parameters.ts';
import { MATCH_STATUSES } from '../../schema/assets/event.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { costOf } from '../billing/cost.ts';
import { clientGone } from '../http/refusal.ts';
import type { ComposedOperation, ParsedRequest } from '../operation.ts';

/** Maximum properties and endpoints of a batch. */
const MOST_HOMES = 1000;
const MOST_ENDPOINTS = 10;
/** Maximum properties of a batch over MCP, where a model reads the answers. */
export const MOST_HOMES_MCP = 50;
/** Number of answers that count as one call of a key's rate. */
const ANSWERS_OF_CALL = 100;
/** Number of properties to read before other calls get a turn. */
const TOGETHER = 20;

type EndpointParams = Readonly<Record<string, unknown>>;
/** Operations of properties by their path after the id. */
type Endpoints = ReadonlyMap<string, AnyOperation>;

interface BatchRequest {
  ids?: readonly string[];
  addresses?: readonly string[];
  endpoints: readonly string[];
  params: Readonly<Record<string, EndpointParams | undefined>>;
}

const batchRequest = (params: ParsedRequest['params']): BatchRequest => params as unknown as BatchRequest;

/** A property of a batch as requested: by id, or by an address with its match. */
interface BatchItem {
  id: string | null;
  address?: string;
  status?: string;
}

/** Schema of the request. */
function requestSchema(endpoints: Endpoints) {
  const paths = [...endpoints.keys()] as [string, ...string[]];
  const withParams = [...endpoints].filter(
    ([, { params }]) => Object.keys((params as z.ZodObject).shape).length > 0,
  );
  return z
    .strictObject({
      ids: z
        .array(textParam(50).min(1))
        .min(1)
        .max(MOST_HOMES)
        .optional()
        .meta({
          description: `GNAF IDs, at most ${MOST_HOMES}; these or addresses are required.`,
        }),
      addresses: z
        .array(textParam(400).min(2).regex(/\S/, 'is blank'))
        .min(1)
        .max(MOST_HOMES)
        .optional()
        .meta({
          description: `Addresses as people write them, at most ${MOST_HOMES}; each is matched first, at the price of a match.`,
        }),
      endpoints: z
        .array(z.enum(paths))
        .min(1)
        .max(MOST_ENDPOINTS)
        .meta({
          description: `Paths of property endpoints after the id, at most ${MOST_ENDPOINTS}.`,
          examples: [['valuation/avm', 'basics/land-area-sqm']],
        }),
      params: z
        .strictObject(Object.fromEntries(withParams.map(([path, each]) => [path, each.params.optional()])))
        .default({})
        .meta({ description: 'Parameters of an endpoint by its path.' }),
    })
    .refine(({ ids, addresses }) => (ids === undefined) !== (addresses === undefined), {
      path: ['ids'],
      message: 'exactly one of ids and addresses is required',
    });
}

/** Schema of the answers of one property. */
function answersSchema(endpoints: Endpoints) {
  const answer = (response: z.ZodType, path: string) =>
    z
      .strictObject({
        cost_cents: z.int().min(0).meta({ description: 'Cents billed for this answer.' }),
        body: response,
      })
      .optional()
      .meta({ description: `The answer of ${path}, if it was asked for.` });
  return z
    .strictObject(
      Object.fromEntries([...endpoints].map(([path, { response }]) => [path, answer(response, path)])),
    )
    .nullable()
    .meta({ description: 'Answers by endpoint; null: there is no property.' });
}

/** Schema of the response. */
function payloadSchema(endpoints: Endpoints) {
  const result = z.strictObject({
    id: z.string().nullable().meta({
      description:
        'GNAF ID that was asked for, or that the address means; null: it means no property for certain.',
    }),
    address: z.string().optional().meta({ description: 'The address as given.' }),
    status: z.enum(MATCH_STATUSES).optional().meta({ description: 'Result of the match of the address.' }),
    canonical_gnaf_id: z
      .string()
      .optional()
      .meta({ description: 'Principal that the answers describe; only if the ID is an alias.' }),
    answers: answersSchema(endpoints),
  });
  return z.strictObject({
    results: z.array(result).meta({ description: 'One result for each home, in the order of the request.' }),
  });
}

/** Answers one batch, and sums what its answers cost. */
class BatchAnswer {
  /** Cents by the path of the operation. */
  readonly costs: Record<string, number> = {};
  readonly #db: Serving;
  readonly #card: RateCard;
  readonly #geocode: AnyOperation;
  readonly #operations: readonly (readonly [path: string, operation: AnyOperation, params: EndpointParams])[];

  constructor(
    { endpoints: paths, params }: BatchRequest,
    endpoints: Endpoints,
    geocode: AnyOperation,
    { db, card }: { db: Serving; card: RateCard },
  ) {
    this.#db = db;
    this.#card = card;
    this.#geocode = geocode;
    this.#operations = [...new Set(paths)].map((path) => {
      const operation = endpoints.get(path)!;
      return [path, operation, params[path] ?? (operation.params.parse({}) as EndpointParams)];
    });
  }

  /** Cents of one answer. */
  #charge(answer: OperationResult, path: string): number {
    const cents = costOf(answer, path, this.#card);
    this.costs[path] = (this.costs[path] ?? 0) + cents;
    return cents;
  }

  /** Matches an address. */
  async match(address: string): Promise<BatchItem> {
    const answer = await answerOf(this.#geocode, this.#db, '', { address });
    this.#charge(answer, this.#geocode.path);
    const { data } = answer.body as { data: { status: string; gnaf_pid: string | null } | null };
    return { id: data?.gnaf_pid ?? null, address, status: data?.status ?? 'no_match' };
  }

  /** Result of one property as JSON. */
  async line(item: BatchItem): Promise<string> {
    const { id } = item;
    if (id === null) return JSON.stringify({ ...item, answers: null });
    let principal: string | null = null;
    const answers = await Promise.all(
      this.#operations.map(async ([path, operation, params]) => {
        const answer = await answerOf(operation, this.#db, id, params);
        principal ??= answer.principal;
        return [path, { cost_cents: this.#charge(answer, operation.path), body: answer.body }];
      }),
    );
    return JSON.stringify({
      ...item,
      ...(principal === null ? {} : { canonical_gnaf_id: principal }),
      answers: Object.fromEntries(answers),
    });
  }
}

/** Results of a batch in the order of the request. @throws Refusal 499 if the client hangs up */
async function answerLines(
  { ids, addresses }: BatchRequest,
  batch: BatchAnswer,
  isGone: () => boolean,
): Promise<string[]> {
  const homes = (ids ?? addresses)!;
  const lines: string[] = [];
  for (let from = 0; from < homes.length; from += TOGETHER) {
    if (isGone()) throw clientGone();
    const some = homes.slice(from, from + TOGETHER);
    const items =
      ids === undefined
        ? await Promise.all(some.map((address) => batch.match(address)))
        : some.map((id): BatchItem => ({ id }));
    lines.push(...(await Promise.all(items.map((item) => batch.line(item)))));
  }
  return lines;
}

/**
 * Declares the batch: several endpoints of many properties in one call. It composes the operations of properties and the address search,
 * and has no query or price of its own. Each answer and its cost equal a single call's.
 */
export function batchOf(properties: readonly AnyOperation[], geocode: AnyOperation): ComposedOperation {
  const endpoints: Endpoints = new Map(properties.map((operation) => [operation.subpath, operation]));
  const payload = payloadSchema(endpoints);
  const pathsOf = ({ addresses, endpoints: subpaths }: BatchRequest): string[] => [
    ...(addresses === undefined ? [] : [geocode.path]),
    ...new Set(subpaths.map((subpath) => operationPath(subpath))),
  ];
  const homeCount = ({ ids, addresses }: BatchRequest): number => (ids ?? addresses)!.length;
  return {
    name: 'batch',
    methods: ['POST'],
    path: '/v1/batch',
    family: 'A',
    tag: 'Property',
    tool: {
      title: 'Many properties at once',
      use: 'Use it for more than three properties: up to 50 of them and 10 endpoints in one call. Use the tool of the endpoint for one property.',
    },
    doc: 'Up to 10 endpoints of up to 1,000 properties in one call, in order, each answer with its envelope and cost. With Accept: application/x-ndjson one result a line.',
    id: null,
    params: requestSchema(endpoints),
    payload,
    response: payload,
    hasAsOf: true,
    untagged: null,
    composed: {
      reaches: (params) => pathsOf(batchRequest(params)),
      reserve(params, { prices }) {
        const request = batchRequest(params);
        return homeCount(request) * pathsOf(request).reduce((sum, path) => sum + prices[path]!, 0);
      },
      calls(params) {
        const request = batchRequest(params);
        return Math.ceil((homeCount(request) * pathsOf(request).length) / ANSWERS_OF_CALL);
      },
      async answer(db, params, card, isGone) {
        const request = batchRequest(params);
        const batch = new BatchAnswer(request, endpoints, geocode, { db, card });
        return { lines: await answerLines(request, batch, isGone), costs: batch.costs };
      },
    },
  };
}
