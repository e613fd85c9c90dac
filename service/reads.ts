import pLimit from 'p-limit';
import type pg from 'pg';
import { EtlError } from '../schema/errors.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import type { Queryable } from '../store/accounts/accounts.ts';
import type { RateCard } from '../store/accounts/rate_cards.ts';
import { withAsOf } from '../store/journal/as_of.ts';
import { readOf } from '../store/read/of_publication.ts';
import { preparedOnClient, servingAsOf, servingOnClient } from '../store/read/serving.ts';
import { servingTogether } from '../store/read/together.ts';
import { shared } from '../store/system/gather.ts';
import type { Answered, Operation, Read } from './operation.ts';
import { invalid, outsideSandbox, unavailable } from './refusal.ts';
import { choose, isInside, type Samples } from './sandbox.ts';

/** A pool of the database with the accounts, which lends whole sessions too. */
export type Pool = Queryable & { connect(): Promise<pg.PoolClient> };

/** An answer, and the publication that it is of. */
export interface Found {
  answer: Answered;
  publication: number | null;
}

/** Composed reads at once, each of which reads for a long time; and those that wait for their turn. */
const COMPOSED_MAX = 1;
const COMPOSED_WAITING = 16;
/** As-of reads at once, each of which makes tables of its own for as long as it lasts; and those that wait for their turn. */
const AS_OF_MAX = 2;
const AS_OF_WAITING = 32;
/** Codes of earlier publications that cannot be read. */
const NOT_READABLE: ReadonlySet<string> = new Set(['unknown_publication', 'journal_pruned']);

/** Reads answers from the serving tables, each of one publication, and knows the samples of the sandbox key. */
export class Reads {
  readonly #accounts: Pool;
  /** Connections that read as the role of the API. */
  readonly #reading: pg.Pool;
  readonly #publication: () => Promise<number | null>;
  /** The last publication that was heard of; with another the samples are looked at again. */
  #served: number | null = null;
  #samples: { publication: number | null; found: Promise<Samples> } | null = null;
  readonly #asOf = pLimit(AS_OF_MAX);
  readonly #composed = pLimit(COMPOSED_MAX);

  constructor(accounts: Pool, reading: pg.Pool) {
    this.#accounts = accounts;
    this.#reading = reading;
    this.#publication = shared(async () => (await readOf(reading, async () => null)).publication);
  }

  /** Number of the publication that is served. */
  async publication(): Promise<number | null> {
    this.#served = await this.#publication();
    return this.#served;
  }

  /** Reads an answer of which everything comes from one publication. */
  async read(operation: Operation, read: Read, card: RateCard): Promise<Found> {
    if (operation.composed === undefined) return this.#read(operation, read, card);
    if (this.#composed.pendingCount >= COMPOSED_WAITING) throw unavailable('Too many concurrent batches.', 2);
    return this.#composed(() => this.#read(operation, read, card));
  }

  async #read(operation: Operation, read: Read, card: RateCard): Promise<Found> {
    if (read.asOf !== null && read.asOf !== (await this.publication()))
      return this.#readAsOf(operation, read, read.asOf, card);
    const { value: answer, publication } = await readOf(
      this.#reading,
      (db) => operation.answer(db, read.id, read.params, card),
      operation.composed ? servingTogether : read.id === '' ? servingOnClient : preparedOnClient,
    );
    this.#served = publication;
    if (read.asOf !== null && read.asOf !== publication)
      return this.#readAsOf(operation, read, read.asOf, card);
    return { answer, publication };
  }

  /** Reads an answer as of an earlier publication. */
  async #readAsOf(operation: Operation, read: Read, publication: number, card: RateCard): Promise<Found> {
    if (this.#asOf.pendingCount >= AS_OF_WAITING)
      throw unavailable('Too many concurrent reads of earlier publications.', 2);
    const answer = await this.#asOf(async () => {
      const client = await this.#accounts.connect();
      try {
        return await withAsOf(client, SERVING_TABLES, publication, () =>
          operation.answer(
            servingAsOf(client, '', operation.composed ? servingTogether : servingOnClient),
            read.id,
            read.params,
            card,
          ),
        );
      } catch (error) {
        if (!(error instanceof EtlError) || !NOT_READABLE.has(error.code)) throw error;
        throw invalid([
          { type: error.code, loc: ['query', 'as_of'], msg: error.message, input: publication },
        ]);
      } finally {
        client.release();
      }
    });
    return { answer, publication };
  }

  /** The samples of the sandbox key, looked at again when an answer was of another publication. */
  #samplesNow(): Promise<Samples> {
    if (this.#samples === null || this.#samples.publication !== this.#served) {
      const found = readOf(this.#reading, (db) => choose(this.#accounts, db)).then(({ value }) => value);
      this.#samples = { publication: this.#served, found };
      found.catch(() => {
        this.#samples = null;
      });
    }
    return this.#samples.found;
  }

  /** The samples of the sandbox key by the publication that is served now. */
  async samples(): Promise<Samples> {
    await this.publication();
    return this.#samplesNow();
  }

  /** The samples where the sandbox key may ask for it; before it may not, they are looked at again. @throws Refusal 403 */
  async samplesFor(operation: Operation, read: Read): Promise<Samples> {
    const known = await this.#samplesNow();
    if (isInside(known, operation, read)) return known;
    const samples = await this.samples();
    if (isInside(samples, operation, read)) return samples;
    throw outsideSandbox();
  }
}
