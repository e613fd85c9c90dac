import type { z } from 'zod';
import type { Serving } from '../schema/serving/database.ts';
import { type ParameterError, parseParams } from './answer.ts';

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
  query(db: Serving, params: P): Promise<T>;
}

/** The parameters of a search with their defaults, or what is wrong with them as the specification has it (section 7). */
export function readSearch<P>(
  search: Search<unknown, P>,
  query: Readonly<Record<string, unknown>>,
): { params: P } | { detail: ParameterError[] } {
  return parseParams(search.params, query);
}

/** Asks a search and checks the payload against its schema. Wrong parameters throw (readSearch says what is wrong with them). */
export async function find<T, P>(
  search: Search<T, P>,
  db: Serving,
  query: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  return search.payload.parse(await search.query(db, search.params.parse(query)));
}
