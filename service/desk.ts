import { hash } from 'node:crypto';
import pLimit from 'p-limit';
import type pg from 'pg';
import { type Place, WrongParameters } from '../contract/parameter_errors.ts';
import { servedPublication } from '../contract/service.ts';
import { EtlError } from '../schema/errors.ts';
import type { Serving } from '../schema/serving/database.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import type { Queryable } from '../store/accounts.ts';
import { withAsOf } from '../store/as_of.ts';
import type { Caller } from '../store/calls.ts';
import { isAway } from '../store/connection_error.ts';
import { readOf, readSnapshot } from '../store/of_publication.ts';
import { type RateCard, versionInEffect } from '../store/rate_cards.ts';
import { servingAsOf } from '../store/serving.ts';
import { Callers } from './callers.ts';
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
  /** For searches, and for what is read in a transaction. */
  db: Serving;
  /** For reads by key, on connections that they share. */
  points: Serving;
  cards: RateCards;
  charges: Charges;
  limit: RateLimit;
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
  `"${publication ?? 0}-${hash('sha1', text, 'base64url')}"`;

/** Who calls, by which key, under which card; and when the call came. */
export interface Visit {
  caller: Caller;
  key: string;
  /** Whether caller and card are as the database said for this call, and not as it said a moment before. */
  isFresh: boolean;
  card: RateCard;
  came: number;
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

/** As-of reads at once, each of which makes tables of its own for as long as it lasts; and those that wait for their turn. */
const AS_OF_MAX = 2;
const AS_OF_WAITING = 32;
/** Rate cards that a call is priced by when the first is not that of its time. */
const CARDS = 3;

/** Codes of earlier publications that cannot be read. */
const NOT_READABLE: ReadonlySet<string> = new Set(['unknown_publication', 'journal_pruned']);

/** Does a call from key to charge, in the order that is documented: 401, 429, 422, 403, 402, then the query. */
export class Desk {
  readonly #means: Means;
  readonly #callers: Callers;
  readonly #publication: (of: null) => Promise<number | null>;
  readonly #version: (of: null) => Promise<number | null>;
  /** The last publication that was heard of; with another the samples are looked at again. */
  #served: number | null = null;
  #samples: { publication: number | null; found: Promise<Samples> } | null = null;
  readonly #asOf = pLimit(AS_OF_MAX);

  constructor(means: Means) {
    this.#means = means;
    this.#callers = new Callers(means.accounts);
    const once = <T>(read: () => Promise<T>) =>
      gather<null, T>(async (items) => {
        const value = await read();
        return items.map(() => value);
      });
    this.#publication = once(async () => (await readOf(means.points, servedPublication)).value);
    this.#version = once(() => versionInEffect(means.accounts));
  }

  /** Version of the rate card in effect. */
  version(): Promise<number | null> {
    return this.#version(null);
  }

  /** Number of the publication that is served. */
  async publication(): Promise<number | null> {
    this.#served = await this.#publication(null);
    return this.#served;
  }

  /** Lets a caller in by the header Authorization; with `isFresh` as the database says now. @throws Refusal 401, 429 */
  async enter(
    authorization: string | undefined,
    { counts = true, isFresh = false }: { counts?: boolean; isFresh?: boolean } = {},
  ): Promise<Visit> {
    const came = performance.now();
    const key = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) throw missingKey();
    const known = await (isFresh ? this.#callers.now(key) : this.#callers.of(key));
    if (counts) await this.take(known.caller);
    return { ...known, key, card: await this.#card(known.version), came };
  }

  #card(version: number | null): Promise<RateCard> | RateCard {
    if (version === null) throw internal();
    return this.#means.cards.at(version);
  }

  /** The same caller as the database says now. */
  async #again(visit: Visit): Promise<Visit> {
    const known = await this.#callers.now(visit.key);
    return { ...visit, ...known, card: await this.#card(known.version) };
  }

  /** Takes a call of the key's rate. @throws Refusal 429 */
  async take(caller: Caller): Promise<void> {
    const wait = await this.#means.limit.take(caller.key_id);
    if (wait > 0) throw rateLimited(wait);
  }

  /** Answers an operation and charges it. @throws Refusal */
  async serve(operation: Operation, first: Visit, wish: Wish): Promise<Served> {
    const read = readRequest(operation, wish.id, wish.query, wish.place);
    if ('detail' in read) throw invalid(read.detail);
    let visit = first;
    const isSandbox = visit.caller.plan === 'sandbox';
    if (isSandbox && !(await this.#isUnlocked(operation, read))) throw outsideSandbox();
    const priceOf = ({ card }: Visit): number => (isSandbox ? 0 : card.prices[operation.path]!);
    // What a moment ago did not cover the call may have been topped up.
    if (!visit.isFresh && visit.caller.balance_cents < priceOf(visit)) visit = await this.#again(visit);
    const price = priceOf(visit);
    if (visit.caller.balance_cents < price) throw noCredit(price, visit.caller.balance_cents);
    const { answer, publication } = await this.#read(operation, read);
    if (isSandbox && !meansSample(await this.#samplesNow(), read, answer)) throw outsideSandbox();
    const text = JSON.stringify(answer.body);
    const etag = tagOf(publication, text);
    const isGiven = matches(wish.ifNoneMatch, etag);
    let cost = isGiven ? 0 : costOf(answer, price);
    let wallet: NonNullable<Bill['wallet']> = visit.caller;
    let { version } = visit.card;
    if (cost > 0) {
      ({ cost, version, wallet } = await this.#pay(operation, visit, wish, (card) =>
        costOf(answer, priceOf({ ...visit, card })),
      ));
    }
    const bill = { cost, version, wallet };
    const headers = {
      etag,
      'x-publication': String(publication ?? 0),
      ...(answer.principal === null ? {} : { 'x-canonical-gnaf-id': answer.principal }),
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      ...billHeaders(bill),
    };
    return { status: isGiven ? 304 : 200, text: isGiven ? '' : text, body: answer.body, bill, headers };
  }

  /** Charges a call by the card that held when it came; one that came since is looked at again. @throws Refusal 401, 402 */
  async #pay(operation: Operation, visit: Visit, { requestId }: Wish, costBy: (card: RateCard) => number) {
    const { caller } = visit;
    for (let { card } = visit, i = 0; i < CARDS; i++, { card } = await this.#again(visit)) {
      const cost = costBy(card);
      if (cost === 0) return { cost, version: card.version, wallet: caller };
      const charged = await this.#means.charges.pay({
        account_id: caller.account_id,
        key_id: caller.key_id,
        cents: cost,
        request_id: requestId,
        endpoint: operation.path,
        version: card.version,
        came: visit.came,
      });
      const { outcome, ...wallet } = charged;
      Object.assign(caller, wallet);
      if (outcome === 'paid') return { cost, version: card.version, wallet };
      if (outcome === 'short') throw noCredit(cost, charged.balance_cents);
      if (outcome === 'revoked') throw unknownKey();
    }
    throw unavailable('The prices are changing.', 1);
  }

  /** Where an operation reads: one by key takes little. */
  #dbOf({ id }: Operation): Serving {
    return id === null ? this.#means.db : this.#means.points;
  }

  /** Reads an answer of which everything comes from one publication. */
  async #read(operation: Operation, read: Read): Promise<Found> {
    if (read.asOf !== null && read.asOf !== (await this.publication()))
      return this.#readAsOf(operation, read, read.asOf);
    const answering = (db: Serving) => operation.answer(db, read.id, read.params);
    let { value: answer, publications } = await readOf(this.#dbOf(operation), answering);
    // One came in between.
    if (publications.size > 1)
      ({ value: answer, publications } = await readSnapshot(this.#means.db, answering));
    const [publication = await this.publication()] = publications;
    this.#served = publication;
    if (read.asOf !== null && read.asOf !== publication) return this.#readAsOf(operation, read, read.asOf);
    return { answer, publication };
  }

  /** Reads an answer as of an earlier publication. */
  async #readAsOf(operation: Operation, read: Read, publication: number): Promise<Found> {
    if (this.#asOf.pendingCount >= AS_OF_WAITING)
      throw unavailable('Too many answers of earlier publications are in hand.', 2);
    const answer = await this.#asOf(async () => {
      const client = await this.#means.accounts.connect();
      try {
        return await withAsOf(client, SERVING_TABLES, publication, () =>
          operation.answer(servingAsOf(client), read.id, read.params),
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
      const found = readOf(this.#means.db, (db) => choose(this.#means.accounts, db)).then(
        ({ value }) => value,
      );
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

  /** Whether the sandbox key may ask for it; before it may not, the samples are looked at again. */
  async #isUnlocked(operation: Operation, read: Read): Promise<boolean> {
    return (
      isInside(await this.#samplesNow(), operation, read) || isInside(await this.samples(), operation, read)
    );
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

/** What a failure is for the client: a refusal as it is, parameters that the contract refuses 422, a database that is away 503, anything else 500. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof WrongParameters) return invalid(error.detail);
  const { code } = error as { code?: string };
  if (code === TOO_LONG) return unavailable('The query took too long.', 5);
  if (isAway(error)) return unavailable('The database does not answer.', 2);
  return internal();
}
