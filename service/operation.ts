import type { z } from 'zod';
import type { NoData, Outcomes } from '../contract/answer.ts';
import type { Serving } from '../schema/serving/database.ts';
import type { RateCard } from '../store/accounts/rate_cards.ts';

/** What a path names: the parameter, and what it may be. */
export interface PathParameter {
  name: 'gnaf_id' | 'suburb_name';
  schema: z.ZodType<string>;
  /** The parameters of the path: this one. */
  path: z.ZodType;
}

/** An answer: the body of a 200, and why it has no data where it has none. */
export interface Answered {
  body: unknown;
  none: NoData | null;
  /** Of a bundle: what became of its parts. */
  parts: Outcomes | null;
  /** The principal that the answer is of, where the id is that of an alias; else null. */
  principal: string | null;
  /** Of a composed operation, instead of a body: its results as texts of JSON, and what each operation that it asked cost together, by path. */
  composed?: { lines: readonly string[]; costs: Readonly<Record<string, number>> };
}

/** How an operation that asks others is let in and paid for. */
export interface Composed {
  /** Paths of the operations that it asks: a key must be allowed each, and each is a charge. */
  reaches(params: Read['params']): string[];
  /** Cents that it costs at most. */
  reserve(params: Read['params'], card: RateCard): number;
  /** Calls of the key's rate that it takes. */
  calls(params: Read['params']): number;
}

/** One operation of the service. Route, tool, OpenAPI operation, price and documentation follow from it. */
export interface Operation {
  /** Name of the tool and of the OpenAPI operation. */
  name: string;
  methods: readonly ('GET' | 'POST')[];
  /** Path with its parameter in braces; the rate card names it so. */
  path: string;
  family: 'A' | 'B';
  tag: string;
  doc: string;
  id: PathParameter | null;
  params: z.ZodType;
  payload: z.ZodType;
  /** The whole body of a 200. */
  response: z.ZodType;
  /** Whether it can be asked as of an earlier publication. */
  hasAsOf: boolean;
  /** Member of the body that its entity tag leaves out, as it differs from call to call; null: none. */
  untagged: string | null;
  /** It asks other operations, and has no price of its own; absent: it has one. */
  composed?: Composed;
  /** Reads the answer; `isGone` says whether the client has hung up. @throws Refusal 499 where long work finds that it has */
  answer(
    db: Serving,
    id: string,
    params: Read['params'],
    card: RateCard,
    isGone?: () => boolean,
  ): Promise<Answered>;
}

/** A request that has been read: the subject of the path, and the parameters as they are meant. */
export interface Read {
  id: string;
  params: Readonly<Record<string, unknown>>;
  asOf: number | null;
}

/** Path of an operation, from that of its endpoint. */
export const operationPath = (path: string): string =>
  path.startsWith('suburb/')
    ? `/v1/suburbs/{suburb_name}/${path.slice('suburb/'.length)}`
    : `/v1/properties/{gnaf_id}/${path}`;
