import { createHash, createHmac } from 'node:crypto';
import type { ParameterLocation } from '../../contract/answers/parameter_errors.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { SessionPool } from '../../store/accounts/accounts.ts';
import type { Caller } from '../../store/accounts/calls.ts';
import { keepAnswer, type Repeated, repeated } from '../../store/accounts/idempotency.ts';
import { versionInEffect } from '../../store/accounts/rate_cards.ts';
import { shared } from '../../store/system/gather.ts';
import type { QueuedCall } from '../billing/account_queue.ts';
import type { AccountTurns } from '../billing/account_turns.ts';
import type { AuthenticatedCall } from '../billing/authenticated_call.ts';
import { Callers } from '../billing/callers.ts';
import type { Charges } from '../billing/charges.ts';
import { chargesOf } from '../billing/cost.ts';
import { Payments } from '../billing/payments.ts';
import type { RateCards } from '../billing/rate_cards.ts';
import { type Rate, type RateLimit, type RateLimitResult, rateHeaders } from '../billing/rate_limit.ts';
import { freeCard, limited, onlySamples, type Samples } from '../billing/sandbox.ts';
import type { Bill } from '../http/headers.ts';
import {
  clientGone,
  internal,
  invalid,
  missingKey,
  noCredit,
  noCreditForPast,
  outsideSandbox,
  outsideScope,
  rateLimited,
} from '../http/refusal.ts';
import type { ParsedRequest, ServiceOperation } from '../operation.ts';
import type { AnswerReader, PublishedAnswer } from './answer_reader.ts';
import type { ExampleSubjects } from './examples.ts';
import { readRequest } from './operations.ts';
import {
  matchesEtag,
  type PricedResponse,
  priceResponse,
  responseText,
  type StoredAnswer,
} from './priced_response.ts';

/** Dependencies of the call handler. */
export interface CallHandlerDeps {
  accounts: SessionPool;
  reads: AnswerReader;
  cards: RateCards;
  charges: Charges;
  limit: RateLimit;
  turns: AccountTurns;
  rates: Readonly<Record<Caller['plan'], Rate>>;
  /** Secret of the installation for entity tags. */
  tagSecret: string;
}

/** Protocol of a call. The scope of a key may name it. */
type ApiProtocol = 'rest' | 'mcp';

/** A request to an operation. */
export interface OperationRequest {
  requestId: string;
  protocol: ApiProtocol;
  id: string;
  query: Readonly<Record<string, unknown>>;
  parameterLocation: ParameterLocation;
  ifNoneMatch?: string | undefined;
  /** Idempotency-Key header: repeats of the call are charged once. */
  idempotencyKey?: string | undefined;
  /** True: the results of a composed operation are sent as JSON lines. */
  lines?: boolean;
  /** Returns true if the client has hung up. */
  isGone?: () => boolean;
}

/** Maximum age of the known rate card version, for answers that do not wait for the database. */
const VERSION_MS = 1000;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Handles a call from key to charge, with checks in the documented order: 401, 429, 422, 403, 402, then the query. */
export class CallHandler {
  readonly #deps: CallHandlerDeps;
  readonly #callers: Callers;
  readonly #payments: Payments;
  readonly #version: () => Promise<number | null>;
  #lastVersion: number | null = null;
  #askAgain = 0;

  constructor(deps: CallHandlerDeps) {
    this.#deps = deps;
    this.#callers = new Callers(deps.accounts);
    this.#payments = new Payments(deps.accounts, deps.charges, (visit) => this.#asOfNow(visit));
    this.#version = shared(() => versionInEffect(deps.accounts));
  }

  /** Version of the rate card in effect. */
  async version(): Promise<number | null> {
    this.#lastVersion = await this.#version();
    return this.#lastVersion;
  }

  /** Last known version of the rate card, without waiting. Reads it again in the background at most once a second. */
  lastVersion(): number | null {
    const now = performance.now();
    if (now >= this.#askAgain) {
      this.#askAgain = now + VERSION_MS;
      this.version().catch(() => undefined);
    }
    return this.#lastVersion;
  }

  /**
   * Authenticates the Authorization header, and takes a call of the key's rate unless `counts` is false. `isFresh`: read the caller from
   * the database. @throws Refusal 401, 429
   */
  async enter(
    authorization: string | undefined,
    { counts = true, isFresh = false }: { counts?: boolean; isFresh?: boolean } = {},
  ): Promise<AuthenticatedCall> {
    const startedAt = performance.now();
    const key = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) throw missingKey();
    const cachedCaller = await (isFresh ? this.#callers.now(key) : this.#callers.of(key));
    this.#lastVersion = cachedCaller.version;
    const rateLimit = counts ? await this.take(cachedCaller.caller) : null;
    return {
      ...cachedCaller,
      key,
      card: await this.#card(cachedCaller.version),
      started: startedAt,
      rateLimit,
    };
  }

  #card(version: number | null): Promise<RateCard> | RateCard {
    if (version === null) throw internal();
    return this.#deps.cards.at(version);
  }

  /** Reads the same caller from the database. */
  async #asOfNow(call: AuthenticatedCall): Promise<AuthenticatedCall> {
    const freshCaller = await this.#callers.now(call.key);
    return { ...call, ...freshCaller, card: await this.#card(freshCaller.version) };
  }

  /** The samples of the sandbox key. */
  samples(): Promise<Samples> {
    return this.#deps.reads.samples();
  }

  /** Subjects of examples that the sandbox key can call. Null: it has no samples. */
  async exampleSubjects(): Promise<ExampleSubjects | null> {
    const [sample] = (await this.samples()).list;
    const publication = await this.#deps.reads.publication();
    return sample === undefined || publication === null ? null : { ...sample, publication };
  }

  /** The card in effect. */
  async card(): Promise<RateCard> {
    return this.#card(await this.version());
  }

  /** Rate limit of a caller. */
  rateOf({ plan }: Caller): Rate {
    return this.#deps.rates[plan];
  }

  /** True if the key of a caller covers a REST path. */
  mayAsk({ scope }: Caller, path: string): boolean {
    return isInScope(scope, 'rest', path);
  }

  /** Takes calls of the key's rate. @throws Refusal 429 */
  async take(caller: Caller, calls = 1): Promise<RateLimitResult> {
    const rate = this.rateOf(caller);
    const result = await this.#deps.limit.take(caller.key_id, rate, calls);
    if (result.wait_s > 0) throw rateLimited(result.wait_s, rateHeaders(rate, result));
    return result;
  }

  /** Answers an operation and charges it. @throws Refusal */
  async serve(
    operation: ServiceOperation,
    call: AuthenticatedCall,
    request: OperationRequest,
  ): Promise<PricedResponse> {
    const parsed = readRequest(operation, request.id, request.query, request.parameterLocation);
    if ('detail' in parsed) throw invalid(parsed.detail);
    const { caller } = call;
    const paths = operation.composed?.reaches(parsed.params) ?? [operation.path];
    if (!paths.every((path) => isInScope(caller.scope, request.protocol, path))) throw outsideScope();
    const calls = Math.min(operation.composed?.calls(parsed.params) ?? 1, this.rateOf(caller).burst);
    // Authentication has taken the first call.
    if (calls > 1) await this.take(caller, calls - 1);
    if (caller.plan === 'sandbox') return this.#serveSandbox(operation, call, request, parsed);
    const price = priceOf(operation, parsed, call.card);
    const repeat = price > 0 ? await this.#repeated(operation, call, request, parsed) : null;
    if (repeat?.answer) return this.#again(call, repeat);
    return this.#serveMetered(
      operation,
      call,
      { ...request, requestId: repeat?.request_id ?? request.requestId },
      parsed,
      repeat !== null,
    );
  }

  /** Answers a request of the sandbox key free of charge. */
  async #serveSandbox(
    operation: ServiceOperation,
    call: AuthenticatedCall,
    request: OperationRequest,
    parsed: ParsedRequest,
  ): Promise<PricedResponse> {
    const samples = await this.#deps.reads.samplesFor(operation, parsed);
    const limitedRead = limited(samples, operation, parsed);
    const sandboxAnswer = await this.#readSandbox(operation, limitedRead, call, request);
    const { answer, leftOut } = onlySamples(samples, operation, limitedRead, sandboxAnswer.answer);
    const { publication } = sandboxAnswer;
    const text = responseText(answer, request.lines);
    const etag = this.#tagOf(operation, call, limitedRead, text);
    const bill = { cost: 0, version: call.card.version, wallet: call.caller };
    const response = priceResponse(request, { text, etag, publication, principal: answer.principal, bill });
    const note: Record<string, string> = leftOut === 0 ? {} : { 'x-sandbox-left-out': String(leftOut) };
    return { ...response, headers: { ...response.headers, ...note } };
  }

  async #readSandbox(
    operation: ServiceOperation,
    parsed: ParsedRequest,
    call: AuthenticatedCall,
    request: OperationRequest,
  ): Promise<PublishedAnswer> {
    // The answers of a batch state their cost.
    const card = operation.composed === undefined ? call.card : freeCard(call.card);
    const queued = queuedCall(call, request);
    const answer = () => this.#deps.reads.read(operation, parsed, card, queued);
    if (parsed.asOf === null && operation.composed === undefined) return answer();
    return this.#deps.turns.run('sandbox', queued, answer);
  }

  async #serveMetered(
    operation: ServiceOperation,
    first: AuthenticatedCall,
    request: OperationRequest,
    parsed: ParsedRequest,
    isKept: boolean,
  ): Promise<PricedResponse> {
    let call = first;
    // A read of the past is more work than its price says, and for some operations that is nothing.
    const least = parsed.asOf === null ? 0 : 1;
    // The account may have been topped up since the caller was cached.
    if (!call.isFresh && call.caller.balance_cents < Math.max(least, priceOf(operation, parsed, call.card)))
      call = await this.#asOfNow(call);
    const price = priceOf(operation, parsed, call.card);
    if (call.caller.balance_cents < price) throw noCredit(price, call.caller.balance_cents);
    if (call.caller.balance_cents < least) throw noCreditForPast();
    if (request.isGone?.()) throw clientGone();
    const published = await this.#deps.reads.read(operation, parsed, call.card, queuedCall(call, request));
    const text = responseText(published.answer, request.lines);
    const etag = this.#tagOf(operation, call, parsed, text);
    const isFree =
      matchesEtag(request.ifNoneMatch, etag) ||
      chargesOf(published.answer, operation.path, call.card).length === 0;
    const {
      publication,
      answer: { principal },
    } = published;
    if (isFree)
      return priceResponse(request, {
        text,
        etag,
        publication,
        principal,
        bill: { cost: 0, version: call.card.version, wallet: call.caller },
      });
    if (request.isGone?.()) throw clientGone();
    const { charged, isRepeat, ...bill } = await this.#payments.charge(call, request.requestId, (card) =>
      chargesOf(published.answer, operation.path, card),
    );
    if (isKept) {
      const stored: StoredAnswer = { text, etag, publication, principal, version: bill.version };
      try {
        await keepAnswer(this.#deps.accounts, request.requestId, JSON.stringify(stored));
      } catch (error) {
        this.#payments.refund(charged);
        throw error;
      }
    }
    const priced = priceResponse(request, { text, etag, publication, principal, bill, charged });
    return isRepeat ? asReplay(priced) : priced;
  }

  /**
   * Returns the entity tag of an answer, with its quotes. Only the holder of the secret can build it; equal account, call and content give
   * an equal tag in every publication.
   */
  #tagOf(
    operation: ServiceOperation,
    { caller }: AuthenticatedCall,
    { id, params, asOf }: ParsedRequest,
    text: string,
  ): string {
    const call = JSON.stringify([caller.account_id, operation.path, id, params, asOf]);
    const tag = createHmac('sha256', this.#deps.tagSecret)
      .update(`${call}\n`)
      .update(withoutField(text, operation.untagged))
      .digest('base64url');
    return `"${tag}"`;
  }

  /** Finds the earlier call with the same idempotency key; null: no key. @throws Refusal 422 if the key belongs to another call */
  async #repeated(
    operation: ServiceOperation,
    { caller }: AuthenticatedCall,
    request: OperationRequest,
    parsed: ParsedRequest,
  ): Promise<Repeated | null> {
    const key = request.idempotencyKey;
    if (key === undefined) return null;
    const wrong = (msg: string) =>
      invalid([{ type: 'value_error', loc: ['header', 'Idempotency-Key'], msg, input: key }]);
    if (!IDEMPOTENCY_KEY.test(key)) throw wrong('The key has 1 to 255 visible ASCII characters.');
    const call = createHash('sha256')
      .update(
        JSON.stringify([
          operation.path,
          parsed.id,
          parsed.params,
          parsed.asOf,
          ...(request.lines ? ['lines'] : []),
        ]),
      )
      .digest();
    const repeat = await repeated(this.#deps.accounts, caller.account_id, key, {
      call,
      requestId: request.requestId,
    });
    if (!repeat.call.equals(call)) throw wrong('The key was already used for another call.');
    return repeat;
  }

  /** Answers a repeated call from its stored answer, free of charge. */
  #again({ caller }: AuthenticatedCall, { request_id, answer }: Repeated): PricedResponse {
    const { text, etag, publication, principal, version } = JSON.parse(answer!) as StoredAnswer;
    const response = priceResponse(
      { requestId: request_id },
      { text, etag, publication, principal, bill: { cost: 0, version, wallet: caller } },
    );
    return asReplay(response);
  }

  /** Charges an account once for something (`Payments.buyOnce`). @throws Refusal 401, 402, 403 */
  buy(call: AuthenticatedCall, path: string, what: string): Promise<{ bill: Bill; charged: string[] }> {
    if (call.caller.plan === 'sandbox') throw outsideSandbox();
    if (!this.mayAsk(call.caller, path)) throw outsideScope();
    return this.#payments.buyOnce(call, path, what);
  }
}

/** Removes the first field of a name, whose value is a number, from the text of an answer. Null: removes nothing. */
const withoutField = (text: string, name: string | null): string =>
  name === null ? text : text.replace(new RegExp(`"${name}":[^,}]*`), '');

/** Marks an answer as the replay of an earlier call. */
const asReplay = (answer: PricedResponse): PricedResponse => ({
  ...answer,
  headers: { ...answer.headers, 'idempotent-replayed': 'true' },
});

/** The call in the form that the queues of long reads need. */
const queuedCall = (
  { caller }: AuthenticatedCall,
  { isGone = () => false }: OperationRequest,
): QueuedCall => ({
  account: caller.account_id,
  isGone,
});

/** Maximum price of a call. */
const priceOf = (operation: ServiceOperation, parsed: ParsedRequest, card: RateCard): number =>
  operation.composed?.reserve(parsed.params, card) ?? card.prices[operation.path]!;

/** True if the scope of a key covers a call: its protocol and its path prefix, if the scope lists any. */
function isInScope(scope: Caller['scope'], protocol: ApiProtocol, path: string): boolean {
  if (scope === null) return true;
  const prefixes = scope.filter((each) => each.startsWith('/'));
  const faces = scope.filter((each) => !each.startsWith('/'));
  return (
    (faces.length === 0 || faces.includes(protocol)) &&
    (prefixes.length === 0 || prefixes.some((prefix) => path.startsWith(prefix)))
  );
}
