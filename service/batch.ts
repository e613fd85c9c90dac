import { z } from 'zod';
import { answerOf, type OperationResult } from '../contract/ask.ts';
import { type AnyOperation, operationPath } from '../contract/operation.ts';
import { textParam } from '../contract/parameters.ts';
import { MATCH_STATUSES } from '../schema/assets/event.ts';
import { costOf } from './cost.ts';
import type { ComposedOperation, ParsedRequest } from './operation.ts';
import { clientGone } from './refusal.ts';

/** Maximum properties and endpoints of a batch. */
const MOST_HOMES = 1000;
const MOST_ENDPOINTS = 10;
/** Maximum properties of a batch over MCP, where a model reads the answers. */
export const MOST_HOMES_MCP = 50;
/** Number of answers that count as one call of a key's rate. */
const ANSWERS_OF_CALL = 100;
/** Number of properties to read before other calls get a turn. */
const TOGETHER = 20;

interface BatchRequest {
  ids?: readonly string[];
  addresses?: readonly string[];
  endpoints: readonly string[];
  params: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
}

/** A property of a batch as requested: by id, or by an address with its match. */
interface BatchItem {
  id: string | null;
  address?: string;
  status?: string;
}

/**
 * Declares the batch: several endpoints of many properties in one call. It composes the operations of properties and the address search,
 * and has no query or price of its own. Each answer and its cost equal a single call's.
 */
export function batchOf(properties: readonly AnyOperation[], geocode: AnyOperation): ComposedOperation {
  const byPath = new Map(properties.map((each) => [each.subpath, each]));
  const paths = [...byPath.keys()] as [string, ...string[]];
  const withParams = [...byPath].filter(
    ([, { params }]) => Object.keys((params as z.ZodObject).shape).length > 0,
  );
  const params = z
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
  const payload = z.strictObject({
    results: z
      .array(
        z.strictObject({
          id: z.string().nullable().meta({
            description:
              'GNAF ID that was asked for, or that the address means; null: it means no property for certain.',
          }),
          address: z.string().optional().meta({ description: 'The address as given.' }),
          status: z
            .enum(MATCH_STATUSES)
            .optional()
            .meta({ description: 'Result of the match of the address.' }),
          canonical_gnaf_id: z
            .string()
            .optional()
            .meta({ description: 'Principal that the answers describe; only if the ID is an alias.' }),
          answers: z
            .strictObject(
              Object.fromEntries(
                [...byPath].map(([path, { response }]) => [
                  path,
                  z
                    .strictObject({
                      cost_cents: z.int().min(0).meta({ description: 'Cents billed for this answer.' }),
                      body: response,
                    })
                    .optional()
                    .meta({ description: `The answer of ${path}, if it was asked for.` }),
                ]),
              ),
            )
            .nullable()
            .meta({ description: 'Answers by endpoint; null: there is no property.' }),
        }),
      )
      .meta({ description: 'One result for each home, in the order of the request.' }),
  });
  const reaches = (request: ParsedRequest['params']): string[] => {
    const { addresses, endpoints } = request as unknown as BatchRequest;
    const ownPaths = [...new Set(endpoints.map((subpath) => operationPath(subpath)))];
    return addresses === undefined ? ownPaths : [geocode.path, ...ownPaths];
  };
  const homesOf = (parsedParams: ParsedRequest['params']): number => {
    const { ids, addresses } = parsedParams as unknown as BatchRequest;
    return (ids ?? addresses)!.length;
  };

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
    params,
    payload,
    response: payload,
    hasAsOf: true,
    untagged: null,
    composed: {
      reaches,
      reserve: (asked, { prices }) =>
        homesOf(asked) * reaches(asked).reduce((sum, path) => sum + prices[path]!, 0),
      calls: (asked) => Math.ceil((homesOf(asked) * reaches(asked).length) / ANSWERS_OF_CALL),
      async answer(db, asked, card, isGone) {
        const { ids, addresses, endpoints, params: own } = asked as unknown as BatchRequest;
        const costs: Record<string, number> = {};
        const lines: string[] = [];
        const costing = (answered: OperationResult, path: string): number => {
          const cents = costOf(answered, path, card);
          costs[path] = (costs[path] ?? 0) + cents;
          return cents;
        };
        const operations = [...new Set(endpoints)].map((path) => [path, byPath.get(path)!] as const);
        const defaults = new Map(
          operations.map(([path, { params: schema }]) => [
            path,
            own[path] ?? (schema.parse({}) as Record<string, unknown>),
          ]),
        );
        const subjectOf = async (address: string): Promise<BatchItem> => {
          const answered = await answerOf(geocode, db, '', { address });
          costing(answered, geocode.path);
          const { data } = answered.body as { data: { status: string; gnaf_pid: string | null } | null };
          return { id: data?.gnaf_pid ?? null, address, status: data?.status ?? 'no_match' };
        };
        const lineOf = async (subject: BatchItem): Promise<string> => {
          const { id } = subject;
          if (id === null) return JSON.stringify({ ...subject, answers: null });
          let canonical: string | null = null;
          const answers = await Promise.all(
            operations.map(async ([path, operation]) => {
              const answered = await answerOf(operation, db, id, defaults.get(path)!);
              canonical ??= answered.principal;
              return [path, { cost_cents: costing(answered, operation.path), body: answered.body }];
            }),
          );
          return JSON.stringify({
            ...subject,
            ...(canonical === null ? {} : { canonical_gnaf_id: canonical }),
            answers: Object.fromEntries(answers),
          });
        };
        const all: readonly string[] = (ids ?? addresses)!;
        for (let from = 0; from < all.length; from += TOGETHER) {
          if (isGone()) throw clientGone();
          const some = all.slice(from, from + TOGETHER);
          const subjects =
            ids === undefined
              ? await Promise.all(some.map(subjectOf))
              : some.map((id): BatchItem => ({ id }));
          lines.push(...(await Promise.all(subjects.map(lineOf))));
        }
        return { lines, costs };
      },
    },
  };
}
