import type pg from 'pg';
import { answerOf } from '../../contract/answers/ask.ts';
import { EtlError } from '../../schema/errors.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { SessionPool } from '../../store/accounts/accounts.ts';
import { type ReadOf, readOf } from '../../store/read/of_publication.ts';
import { readAsOf } from '../../store/read/past_serving.ts';
import { shared } from '../../store/system/gather.ts';
import { AccountQueue, type QueuedCall } from '../billing/account_queue.ts';
import { type AccountTurns, memoryTurns } from '../billing/account_turns.ts';
import { choose, isInside, type Samples } from '../billing/sandbox.ts';
import { clientGone, invalid, outsideSandbox } from '../http/refusal.ts';
import type { ParsedRequest, ServiceAnswer, ServiceOperation } from '../operation.ts';

/** An answer and its publication. */
export interface PublishedAnswer {
  answer: ServiceAnswer;
  publication: number | null;
}

/** Limits for composed reads, which take long, in this process. */
const COMPOSED = { atOnce: 1, waitingMax: 16, waitingOfAccount: 5 };
/** Limits for as-of reads in this process. */
const AS_OF = { atOnce: 2, waitingMax: 32, waitingOfAccount: 8 };
/** Error codes for publications that cannot be read. */
const NOT_READABLE: ReadonlySet<string> = new Set(['unknown_publication', 'journal_pruned']);

async function answered(
  operation: ServiceOperation,
  db: Serving,
  { id, params }: ParsedRequest,
  card: RateCard,
  { isGone }: QueuedCall,
): Promise<ServiceAnswer> {
  if (operation.composed === undefined) return answerOf(operation, db, id, params, card);
  const composed = await operation.composed.answer(db, params, card, isGone);
  return { body: null, none: null, parts: null, principal: null, composed };
}

/** Reads answers from the serving tables, each from one publication, and keeps the samples of the sandbox key. */
export class AnswerReader {
  readonly #accounts: SessionPool;
  /** Reads with the role of the API. */
  readonly #readOf: <T>(work: (db: Serving) => Promise<T>) => Promise<ReadOf<T>>;
  readonly #publication: () => Promise<number | null>;
  /** Last known publication. The samples are read again when it changes. */
  #served: number | null = null;
  #samples: { publication: number | null; samples: Promise<Samples> } | null = null;
  readonly #asOf = new AccountQueue(AS_OF);
  readonly #composed = new AccountQueue(COMPOSED);
  readonly #turns: AccountTurns;

  /** `settings`: statements at the start of each read, where the sessions of `reading` keep no settings. */
  constructor(accounts: SessionPool, reading: pg.Pool, settings = '', turns: AccountTurns = memoryTurns()) {
    this.#accounts = accounts;
    this.#turns = turns;
    this.#readOf = (read) => readOf(reading, read, settings);
    this.#publication = shared(async () => (await this.#readOf(async () => null)).publication);
  }

  /** Number of the served publication. */
  async publication(): Promise<number | null> {
    this.#served = await this.#publication();
    return this.#served;
  }

  /** Reads an answer from one publication. @throws Refusal 499 if the client hangs up */
  async read(
    operation: ServiceOperation,
    parsed: ParsedRequest,
    card: RateCard,
    call: QueuedCall,
  ): Promise<PublishedAnswer> {
    if (operation.composed === undefined) return this.#readAt(operation, parsed, card, call);
    return this.#turns.run('composed', call, () =>
      this.#composed.run(call, () => this.#readAt(operation, parsed, card, call)),
    );
  }

  async #readAt(
    operation: ServiceOperation,
    parsedRequest: ParsedRequest,
    card: RateCard,
    call: QueuedCall,
  ): Promise<PublishedAnswer> {
    if (parsedRequest.asOf !== null && parsedRequest.asOf !== (await this.publication()))
      return this.#readAsOf(operation, parsedRequest, parsedRequest.asOf, card, call);
    const { value: answer, publication } = await this.#readOf((db) => {
      // The call may have waited for a connection.
      if (call.isGone()) throw clientGone();
      return answered(operation, db, parsedRequest, card, call);
    });
    this.#served = publication;
    if (parsedRequest.asOf !== null && parsedRequest.asOf !== publication)
      return this.#readAsOf(operation, parsedRequest, parsedRequest.asOf, card, call);
    return { answer, publication };
  }

  /** Reads an answer as of an earlier publication. */
  async #readAsOf(
    operation: ServiceOperation,
    parsedRequest: ParsedRequest,
    publication: number,
    card: RateCard,
    call: QueuedCall,
  ): Promise<PublishedAnswer> {
    const readPast = async (): Promise<ServiceAnswer> => {
      const client = await this.#accounts.connect();
      try {
        return await readAsOf(client, publication, (db) =>
          answered(operation, db, parsedRequest, card, call),
        );
      } catch (error) {
        if (!(error instanceof EtlError) || !NOT_READABLE.has(error.code)) throw error;
        throw invalid([
          { type: error.code, loc: ['query', 'as_of'], msg: error.message, input: publication },
        ]);
      } finally {
        client.release();
      }
    };
    const answer = await this.#turns.run('as_of', call, () => this.#asOf.run(call, readPast));
    return { answer, publication };
  }

  /** Samples of the sandbox key, read again if the publication has changed. */
  #samplesNow(): Promise<Samples> {
    if (this.#samples === null || this.#samples.publication !== this.#served) {
      const chosen = this.#readOf((db) => choose(this.#accounts, db)).then(({ value }) => value);
      this.#samples = { publication: this.#served, samples: chosen };
      chosen.catch(() => {
        this.#samples = null;
      });
    }
    return this.#samples.samples;
  }

  /** Samples of the sandbox key from the served publication. */
  async samples(): Promise<Samples> {
    await this.publication();
    return this.#samplesNow();
  }

  /** Returns the samples if the sandbox key may make the request. Reads them again before it refuses. @throws Refusal 403 */
  async samplesFor(operation: ServiceOperation, parsedRequest: ParsedRequest): Promise<Samples> {
    const current = await this.#samplesNow();
    if (isInside(current, operation, parsedRequest)) return current;
    const samples = await this.samples();
    if (isInside(samples, operation, parsedRequest)) return samples;
    throw outsideSandbox();
  }
}
