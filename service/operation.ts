import type { OperationResult } from '../contract/answers/ask.ts';
import type { AnyOperation, OperationFacts } from '../contract/answers/operation.ts';
import type { RateCard } from '../schema/rate_card.ts';
import type { Serving } from '../schema/serving/database.ts';

/** A parsed request: the subject of the path, and the parameters. */
export interface ParsedRequest {
  id: string;
  params: Readonly<Record<string, unknown>>;
  asOf: number | null;
}

/** Results of a composed operation as JSON texts, and the total cost of each operation that it called, by path. */
interface ComposedAnswer {
  readonly lines: readonly string[];
  readonly costs: Readonly<Record<string, number>>;
}

/** An operation that calls others. It has no price of its own. */
export interface ComposedOperation extends OperationFacts {
  readonly composed: {
    /** Paths of the operations that it calls. A key must be allowed to call each, and each is charged. */
    reaches(params: ParsedRequest['params']): string[];
    /** Maximum cost in cents. */
    reserve(params: ParsedRequest['params'], card: RateCard): number;
    /** Number of calls of the key's rate that it takes. */
    calls(params: ParsedRequest['params']): number;
    /** Reads the answer. `isGone`: returns true if the client has hung up. @throws Refusal 499 if it has */
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

/** An answer: its body, or the results of a composed operation. */
export type ServiceAnswer = OperationResult & { composed?: ComposedAnswer };
