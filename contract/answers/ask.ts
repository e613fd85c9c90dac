import type { z } from 'zod';
import { isRecord } from '../../schema/json_value.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { type Answer, type BundleOutcomes, type Envelope, type NoData, noData } from './answer.ts';
import type { Operation } from './operation.ts';
import {
  notAnObject,
  type ParameterError,
  type ParameterLocation,
  parameterErrors,
} from './parameter_errors.ts';
import { principalOf } from './principal.ts';
import { successorOf } from './successor.ts';

/** Parses parameters by their schema, or lists what is wrong with them. `place` is their location in the request. */
export function parseParams<P>(
  schema: z.ZodType<P>,
  query: Readonly<Record<string, unknown>>,
  location: ParameterLocation = 'query',
): { params: P } | { detail: ParameterError[] } {
  if (!isRecord(query)) return { detail: [notAnObject(query, location)] };
  const parsed = schema.safeParse(query);
  if (parsed.success) return { params: parsed.data };
  return { detail: parameterErrors(parsed.error.issues, schema, query, location) };
}

/** Parses parameters and fills in defaults, or lists what is wrong with them (specification, section 7). */
export const readParams = <P>(
  { params }: Operation<unknown, P>,
  query: Readonly<Record<string, unknown>>,
  location: ParameterLocation = 'query',
): { params: P } | { detail: ParameterError[] } => parseParams(params, query, location);

/** An answer: the body of a 200, and the reason if it has no data. */
export interface OperationResult {
  body: unknown;
  none: NoData | null;
  /** Outcomes of the parts of a bundle; null: not a bundle. */
  parts: BundleOutcomes | null;
  /** Principal address that the answer is for, if the id is an alias; else null. */
  principal: string | null;
}

/** Builds the body of an answer, under /v1 in its envelope. Checks the payload against its schema. */
function bodyOf<T>(
  { family, noun, payload }: Pick<Operation<T>, 'family' | 'noun' | 'payload'>,
  id: string,
  answer: Answer<T>,
  note: string,
): Envelope<T> | T {
  if ('no_data' in answer) {
    const { no_data, of = id, extras } = answer;
    const none = noData({ noun, of, no_data, parts: answer.parts });
    return { ...none, message: none.message + note, ...extras };
  }
  const data = payload.parse(answer.data);
  return family === 'A' ? { data, ...answer.extras } : data;
}

/** Returns the gnaf_pid of the property found by an operation without subject, if it differs from the requested id; else null. */
function principalIn(payload: unknown, id: unknown): string | null {
  const { gnaf_pid, property } = payload as { gnaf_pid?: string | null; property?: { gnaf_pid: string } };
  const pid = property?.gnaf_pid ?? gnaf_pid ?? null;
  return typeof id === 'string' && pid !== id ? pid : null;
}

/** Describes the property at the address or place of an unknown id. Empty: none is known. */
async function successorNote(db: Serving, id: string): Promise<string> {
  const successor = await successorOf(db, id);
  return successor
    ? ` It is retired; ${successor.gnaf_pid} is at its ${successor.evidence}: ${successor.address}.`
    : '';
}

/** Answers an operation with parsed parameters. An alias is answered as its principal. */
export async function answerOf<T, P>(
  operation: Operation<T, P>,
  db: Serving,
  id: string,
  params: P,
  card?: RateCard,
): Promise<OperationResult> {
  // PostgreSQL text cannot contain character 0, so nothing can have that name.
  const ownAnswer: Answer<T> = id.includes('\0')
    ? { no_data: operation.subject === 'suburb' ? 'unknown_suburb' : 'unknown_property' }
    : await operation.query(db, id, params, card);
  const isUnknown =
    operation.subject === 'property' &&
    !id.includes('\0') &&
    'no_data' in ownAnswer &&
    ownAnswer.no_data === 'unknown_property';
  const principal = isUnknown ? await principalOf(db, id) : null;
  const note = isUnknown && principal === null ? await successorNote(db, id) : '';
  const answer = principal === null ? ownAnswer : await operation.query(db, principal, params, card);
  const isSearch = operation.subject === null && 'data' in answer;
  return {
    body: bodyOf(operation, principal ?? id, answer, note),
    none: 'no_data' in answer ? answer.no_data : (answer.none ?? null),
    parts: answer.parts ?? null,
    principal: isSearch ? principalIn(answer.data, (params as { id?: unknown }).id) : principal,
  };
}

/**
 * Answers an operation and wraps the payload in the envelope of the specification. Missing parameters take their defaults; wrong ones throw
 * (use readParams to list them).
 */
export const ask = async <T, P>(
  operation: Operation<T, P>,
  db: Serving,
  id: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<Envelope<T>> =>
  (await answerOf(operation, db, id, operation.params.parse(query))).body as Envelope<T>;

/** Returns the payload of an operation without subject that always has one. Wrong parameters throw. */
export async function find<T, P>(
  operation: Operation<T, P>,
  db: Serving,
  query: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  const answer = await operation.query(db, '', operation.params.parse(query));
  if ('no_data' in answer) throw new TypeError(`${operation.path} has no data: ${answer.no_data}.`);
  return operation.payload.parse(answer.data);
}
