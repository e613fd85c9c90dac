import type { z } from 'zod';
import type { RateCard } from '../schema/rate_card.ts';
import type { Serving } from '../schema/serving/database.ts';
import { type Answer, type BundleOutcomes, type Envelope, type NoData, noData } from './answer.ts';
import type { Operation } from './operation.ts';
import {
  isObject,
  notAnObject,
  type ParameterError,
  type ParameterLocation,
  parameterErrors,
} from './parameter_errors.ts';
import { principalOf } from './principal.ts';

/** Parses parameters by their schema, or lists what is wrong with them. `place` is their location in the request. */
export function parseParams<P>(
  schema: z.ZodType<P>,
  query: Readonly<Record<string, unknown>>,
  place: ParameterLocation = 'query',
): { params: P } | { detail: ParameterError[] } {
  if (!isObject(query)) return { detail: [notAnObject(query, place)] };
  const parsed = schema.safeParse(query);
  if (parsed.success) return { params: parsed.data };
  return { detail: parameterErrors(parsed.error.issues, schema, query, place) };
}

/** The parameters of a request with their defaults, or what is wrong with them as the specification has it (section 7). */
export const readParams = <P>(
  { params }: Operation<unknown, P>,
  query: Readonly<Record<string, unknown>>,
  place: ParameterLocation = 'query',
): { params: P } | { detail: ParameterError[] } => parseParams(params, query, place);

/** An answer: the body of a 200, and why it has no data where it has none. */
export interface OperationResult {
  body: unknown;
  none: NoData | null;
  /** Outcomes of the parts of a bundle; null: not a bundle. */
  parts: BundleOutcomes | null;
  /** The principal that the answer is of, where the id is that of an alias; else null. */
  principal: string | null;
}

/** The body of an answer: under /v1 in its envelope. The payload is checked against its schema. */
function bodyOf<T>(
  { family, thing, payload }: Pick<Operation<T>, 'family' | 'thing' | 'payload'>,
  id: string,
  answer: Answer<T>,
): Envelope<T> | T {
  if ('no_data' in answer) {
    const { no_data, of = id, beside } = answer;
    return { ...noData({ thing, of, no_data }), ...beside };
  }
  const data = payload.parse(answer.data);
  return family === 'A' ? { data, ...answer.beside } : data;
}

/** The property that an answer without subject is of, where it is another than the one that a parameter named. */
function principalIn(found: unknown, id: unknown): string | null {
  const { gnaf_pid, property } = found as { gnaf_pid?: string | null; property?: { gnaf_pid: string } };
  const pid = property?.gnaf_pid ?? gnaf_pid ?? null;
  return typeof id === 'string' && pid !== id ? pid : null;
}

/** Asks an operation with parameters that have been read. An alias of a property is answered as its principal. */
export async function answerOf<T, P>(
  operation: Operation<T, P>,
  db: Serving,
  id: string,
  params: P,
  card?: RateCard,
): Promise<OperationResult> {
  // PostgreSQL takes no text with a character 0, so nothing can have that name.
  const asked: Answer<T> = id.includes('\0')
    ? { no_data: operation.subject === 'suburb' ? 'unknown_suburb' : 'unknown_property' }
    : await operation.query(db, id, params, card);
  const mayBeAlias =
    operation.subject === 'property' && 'no_data' in asked && asked.no_data === 'unknown_property';
  const principal = mayBeAlias && !id.includes('\0') ? await principalOf(db, id) : null;
  const answer = principal === null ? asked : await operation.query(db, principal, params, card);
  const isSearch = operation.subject === null && 'data' in answer;
  return {
    body: bodyOf(operation, principal ?? id, answer),
    none: 'no_data' in answer ? answer.no_data : (answer.none ?? null),
    parts: answer.parts ?? null,
    principal: isSearch ? principalIn(answer.data, (params as { id?: unknown }).id) : principal,
  };
}

/**
 * Asks an operation of a subject and wraps the payload as the specification has it. Parameters that are left out take their defaults;
 * wrong ones throw (readParams says what is wrong with them).
 */
export const ask = async <T, P>(
  operation: Operation<T, P>,
  db: Serving,
  id: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<Envelope<T>> =>
  (await answerOf(operation, db, id, operation.params.parse(query))).body as Envelope<T>;

/** The payload of an operation without subject that answers it in any case. Wrong parameters throw. */
export async function find<T, P>(
  operation: Operation<T, P>,
  db: Serving,
  query: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  const answer = await operation.query(db, '', operation.params.parse(query));
  if ('no_data' in answer) throw new TypeError(`${operation.path} has no data: ${answer.no_data}.`);
  return operation.payload.parse(answer.data);
}
