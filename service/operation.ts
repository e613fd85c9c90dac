import type { OperationResult } from '../contract/ask.ts';
import type { AnyOperation, OperationFacts } from '../contract/operation.ts';
import type { RateCard } from '../schema/rate_card.ts';
import type { Serving } from '../schema/serving/database.ts';

/** A request that has been read: the subject of the path, and the parameters as they are meant. */
export interface ParsedRequest {
  id: string;
  params: Readonly<Record<string, unknown>>;
  asOf: number | null;
}

/** Results of an operation that asks others, as texts of JSON, and what each operation that it asked cost together, by path. */
interface ComposedAnswer {
  readonly lines: readonly string[];
  readonly costs: Readonly<Record<string, number>>;
}

/** An operation that asks others. It has no price of its own. */
export interface ComposedOperation extends OperationFacts {
  readonly composed: {
    /** Paths of the operations that it asks: a key must be allowed each, and each is a charge. */
    reaches(params: ParsedRequest['params']): string[];
    /** Cents that it costs at most. */
    reserve(params: ParsedRequest['params'], card: RateCard): number;
    /** Calls of the key's rate that it takes. */
    calls(params: ParsedRequest['params']): number;
    /** Reads the answer; `isGone` says whether the client has hung up. @throws Refusal 499 where it has */
    answer(
      db: Serving,
      params: ParsedRequest['params'],
      card: RateCard,
      isGone: () => boolean,
    ): Promise<ComposedAnswer>;
  };
}

/** An operation of the service. */
export type ServiceOperation = (AnyOperation & { readonly composed?: undefined }) | ComposedOperation;

/** An answer of the service: its body, or of a composed operation its results. */
export type ServiceAnswer = OperationResult & { composed?: ComposedAnswer };
