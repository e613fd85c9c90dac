import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Place } from '../contract/parameter_errors.ts';
import { servedPublication } from '../contract/service.ts';
import { EtlError } from '../schema/errors.ts';
import type { Serving } from '../schema/serving/database.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import { hashOf, type Queryable } from '../store/accounts.ts';
import { withAsOf } from '../store/as_of.ts';
import { type Caller, callersOf, type Entry } from '../store/calls.ts';
import { lostConnection } from '../store/connection_error.ts';
import { type RateCard, versionInEffect } from '../store/rate_cards.ts';
import { servingAsOf } from '../store/serving.ts';
import type { Charges } from './charges.ts';
import { gather } from './gather.ts';
import { type Bill, billHeaders } from './headers.ts';
import { type Answered, type Operation, type Read, readRequest } from './operations.ts';
import type { RateCards } from './rate_cards.ts';
import type { RateLimit } from './rate_limit.ts';
import {
  internal,
  invalid,
  missingKey,
  noCredit,
  outsideSandbox,
  Refusal,
  rateLimited,
  unavailable,
  unknownKey,
} from './refusal.ts';
import { choose, isInside, meansSample, type Samples } from './sandbox.ts';

/** A pool of the database with the accounts, which lends whole sessions too. */
export type Pool = Queryable & { connect(): Promise<pg.PoolClient> };

/** What the desk works with. */
export interface Means {
  accounts: Pool;
  db: Serving;
  cards: RateCards;
  charges: Charges;
  limit: RateLimit;
  /** Whether accounts and tables are in one database, so that a statement on the accounts knows the publication too. */
  isOne: boolean;
}

/** An answer, and the publication that it is of. */
interface Found {
  answer: Answered;
  publication: number | null;
}

/** What an answer costs of its price: `none_found` is an answer; what nobody could know is not. */
const costOf = ({ none }: Answered, price: number): number =>
  none === null || none === 'none_found' ? price : 0;

/** The entity tag of an answer: its publication and content. */
const tagOf = (publication: number | null, text: string): string =>
  `"${publication ?? 0}-${createHash('sha1').update(text).digest('base64url')}"`;

/** Who calls, under which card, and which publication was served when the call came. */
export interface Visit {
  caller: Caller;
  card: RateCard;
  publication: number | null;
}

/** What a request asks of an operation. */
export interface Wish {
  requestId: string;
  id: string;
  query: Readonly<Record<string, unknown>>;
  place: Place;
  ifNoneMatch?: string | undefined;
}

/** An answer with its price. */
export interface Served {
  status: 200 | 304;
  /** JSON of the body; empty for a 304. */
  text: string;
  body: unknown;
  bill: Bill;
  headers: Record<string, string>;
}

/** As-of reads at once: each makes tables of its own for as long as it lasts. */
const AS_OF_MAX = 2;
/** Reads of a request that a publication overtook, before it is read in a transaction. */
const READS = 2;

/** Codes of earlier publications that cannot be read. */
const NOT_READABLE: ReadonlySet<string> = new Set(['unknown_publication', 'journal_pruned']);

/** Does a call from key to charge, in the order that is documented: 401, 429, 422, 403, 402, then the query. */
export class Desk {
  readonly #means: Means;
  readonly #callerOf: (hash: Buffer) => Promise<Entry>;
  readonly #publication: (of: null) => Promise<number | null>;
  readonly #version: (of: null) => Promise<number | null>;
  #samples: { publication: number | null; found: Promise<Samples> } | null = null;
  #asOf = 0;

  constructor(means: Means) {
    this.#means = means;
    this.#callerOf = gather((hashes) => callersOf(means.accounts, hashes));
    const once = <T>(read: () => Promise<T>) =>
      gather<null, T>(async (items) => {
        const value = await read();
        return items.map(() => value);
      });
    this.#publication = once(() => servedPublication(means.db));
    this.#version = once(() => versionInEffect(means.accounts));
  }

  /** Version of the rate card in effect. */
  version(): Promise<number | null> {
    return this.#version(null);
  }

  /** Number of the publication that is served. */
  publication(): Promise<number | null> {
    return this.#publication(null);
  }

  /** Lets a caller in by the header Authorization. @throws Refusal 401, 429 */
  async enter(authorization: string | undefined, counts = true): Promise<Visit> {
    const key = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) throw missingKey();
    const entering = this.#callerOf(hashOf(key));
    const [{ caller, version, publication: last }, read] = await Promise.all([
      entering,
      this.#means.isOne ? null : this.publication(),
    ]);
    const publication = this.#means.isOne ? last : read;
    if (caller === null) throw unknownKey();
    if (version === null) throw internal();
    if (counts) await this.take(caller);
    return { caller, card: await this.#means.cards.at(version), publication };
  }

  /** Takes a call of the key's rate. @throws Refusal 429 */
  async take(caller: Caller): Promise<void> {
    const wait = await this.#means.limit.take(caller.key_id);
    if (wait > 0) throw rateLimited(wait);
  }

  /** Answers an operation and charges it. @throws Refusal */
  async serve(operation: Operation, visit: Visit, wish: Wish): Promise<Served> {
    const read = readRequest(operation, wish.id, wish.query, wish.place);
    if ('detail' in read) throw invalid(read.detail);
    const { caller, card } = visit;
    const isSandbox = caller.plan === 'sandbox';
    const samples = isSandbox ? await this.#samplesAt(visit.publication) : null;
    if (samples !== null && !isInside(samples, operation, read)) throw outsideSandbox();
    const price = isSandbox ? 0 : card.prices[operation.path]!;
    if (caller.balance_cents < price) throw noCredit(price, caller.balance_cents);
    const isQuick = this.#means.isOne && price > 0 && read.asOf === null && wish.ifNoneMatch === undefined;
    let { answer, publication } = isQuick
      ? await this.#readOnce(operation, read, visit.publication)
      : await this.#read(operation, read, visit.publication);
    if (samples !== null && !meansSample(samples, read, answer)) throw outsideSandbox();
    const isGiven = matches(wish.ifNoneMatch, tagOf(publication, JSON.stringify(answer.body)));
    let cost = isGiven ? 0 : costOf(answer, price);
    let wallet: NonNullable<Bill['wallet']> = caller;
    if (cost > 0) {
      const charged = await this.#pay(operation, visit, wish, cost);
      wallet = charged;
      // The statement of the charge began after the answer was read: the same publication then means that none came between.
      if (isQuick && charged.publication !== publication) {
        ({ answer, publication } = await this.#snapshot(operation, read));
        if (costOf(answer, price) === 0) {
          await this.#means.charges.back(wish.requestId, cost);
          wallet = { ...charged, balance_cents: charged.balance_cents + cost };
          cost = 0;
        }
      }
    }
    const text = isGiven ? '' : JSON.stringify(answer.body);
    const etag = isGiven ? wish.ifNoneMatch! : tagOf(publication, text);
    const bill = { cost, version: card.version, wallet };
    const headers = {
      etag,
      'x-publication': String(publication ?? 0),
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      ...billHeaders(bill),
    };
    return { status: isGiven ? 304 : 200, text, body: answer.body, bill, headers };
  }

  async #pay(operation: Operation, { caller, card }: Visit, { requestId }: Wish, cents: number) {
    const charged = await this.#means.charges.pay({
      account_id: caller.account_id,
      key_id: caller.key_id,
      cents,
      request_id: requestId,
      endpoint: operation.path,
      version: card.version,
    });
    if (!charged.paid) throw noCredit(cents, charged.balance_cents);
    return charged;
  }

  /** Reads an answer that a charge will tell to be of one publication; one that costs nothing is looked at here. */
  async #readOnce(operation: Operation, read: Read, publication: number | null): Promise<Found> {
    const answer = await operation.answer(this.#means.db, read.id, read.query);
    if (costOf(answer, 1) > 0 || (await this.publication()) === publication) return { answer, publication };
    return this.#snapshot(operation, read);
  }

  /** Reads an answer of which everything comes from one publication. */
  async #read(operation: Operation, read: Read, before: number | null): Promise<Found> {
    const { db } = this.#means;
    if (read.asOf !== null && read.asOf !== before)
      return { answer: await this.#readAsOf(operation, read, read.asOf), publication: read.asOf };
    let publication = before;
    for (let i = 0; i < READS; i++) {
      const answer = await operation.answer(db, read.id, read.query);
      // Publications only come: the same number before and after means that none came between.
      const after = await this.#publication(null);
      if (after === publication) return { answer, publication };
      publication = after;
    }
    return this.#snapshot(operation, read);
  }

  /** Reads in one snapshot, whatever is published meanwhile. */
  #snapshot(operation: Operation, read: Read): Promise<Found> {
    return this.#means.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (snapshot) => ({
        publication: await servedPublication(snapshot),
        answer: await operation.answer(snapshot, read.id, read.query),
      }));
  }

  async #readAsOf(operation: Operation, read: Read, publication: number): Promise<Answered> {
    if (this.#asOf >= AS_OF_MAX)
      throw unavailable('Too many answers of earlier publications are in hand.', 2);
    this.#asOf++;
    const client = await this.#means.accounts.connect();
    try {
      return await withAsOf(client, SERVING_TABLES, publication, () =>
        operation.answer(servingAsOf(client), read.id, read.query),
      );
    } catch (error) {
      if (!(error instanceof EtlError) || !NOT_READABLE.has(error.code)) throw error;
      throw invalid([{ type: error.code, loc: ['query', 'as_of'], msg: error.message, input: publication }]);
    } finally {
      this.#asOf--;
      client.release();
    }
  }

  /** The samples of the sandbox key, looked at again when there is another publication. */
  #samplesAt(publication: number | null): Promise<Samples> {
    if (this.#samples === null || this.#samples.publication !== publication) {
      const found = choose(this.#means.accounts, this.#means.db);
      this.#samples = { publication, found };
      found.catch(() => {
        this.#samples = null;
      });
    }
    return this.#samples.found;
  }

  /** The samples of the sandbox key. */
  async samples(): Promise<Samples> {
    return this.#samplesAt(await this.publication());
  }
}

/** Whether one of the entity tags of If-None-Match is that of the answer. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .includes(etag);
}

/** Codes of PostgreSQL that say that a query took too long. */
const TOO_LONG = '57014';

/** What a failure is for the client: a refusal as it is, a database that is away 503, anything else 500. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code } = error as { code?: string };
  if (code === TOO_LONG) return unavailable('The query took too long.', 5);
  if (code === '53300' || code === 'ECONNREFUSED' || code === '3D000' || lostConnection(error) !== null)
    return unavailable('The database does not answer.', 2);
  return internal();
}
