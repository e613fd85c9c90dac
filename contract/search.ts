import type { z } from 'zod';
import type { Serving } from '../schema/serving/database.ts';
import { type Envelope, type NoData, noData, type Outcomes, parseParams } from './answer.ts';
import type { ParameterError, Place } from './parameter_errors.ts';

/** An endpoint that is asked with parameters alone and finds any number of things; none found is an answer like any other. */
export interface Search<T = unknown, P = unknown> {
  /** Methods under which it is offered; with POST the parameters are the members of a JSON body. */
  readonly methods: readonly ('GET' | 'POST')[];
  /** Path after the base address. */
  readonly path: string;
  /** One sentence. */
  readonly doc: string;
  readonly payload: z.ZodType<T>;
  readonly params: z.ZodType<P>;
  /** Why what was found counts as nothing, where it does; under /v1 there is no data then. */
  nothing?(found: T, params: P): Nothing | null;
  /** Of a bundle: what became of its parts; null: there are none. */
  parts?(found: T): Outcomes | null;
  query(db: Serving, params: P): Promise<T>;
}

/** Why there is no data: of what, for whom, and the typed reason. */
export interface Nothing {
  thing: string;
  of: string;
  no_data: NoData;
}

/** The parameters of a search with their defaults, or what is wrong with them as the specification has it (section 7). */
export function readSearch<P>(
  search: Search<unknown, P>,
  query: Readonly<Record<string, unknown>>,
  place: Place = 'query',
): { params: P } | { detail: ParameterError[] } {
  return parseParams(search.params, query, place);
}

/** Asks a search and checks the payload against its schema. Wrong parameters throw (readSearch says what is wrong with them). */
export async function find<T, P>(
  search: Search<T, P>,
  db: Serving,
  query: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  return search.payload.parse(await search.query(db, search.params.parse(query)));
}

/** Asks a search with parameters that have been read, and says why what it found counts as nothing, where it does. */
export async function findOrNothing<T, P>(
  search: Search<T, P>,
  db: Serving,
  params: P,
): Promise<{ found: T; nothing: Nothing | null }> {
  const found = search.payload.parse(await search.query(db, params));
  return { found, nothing: search.nothing?.(found, params) ?? null };
}

/** The answer of a search under /v1, wrapped as those of the endpoints are. */
export const enveloped = <T>({ found, nothing }: { found: T; nothing: Nothing | null }): Envelope<T> =>
  nothing === null ? { data: found } : noData(nothing);
