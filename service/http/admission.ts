import type { ServerResponse } from 'node:http';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { refusalOf } from './failure.ts';
import { billHeaders } from './headers.ts';
import type { CardVersion } from './http_server.ts';
import type { AccessRecord } from './metrics.ts';
import { badRequest, notFound, Refusal, unavailable, wrongMethod } from './refusal.ts';

/** One tool call of an MCP request. */
export interface ToolCall {
  request_id: string;
  tool: string;
  cost_cents: number;
  publication: number | null;
  refusal: string | null;
}

/** State of a request in addition to Fastify's own. */
interface RequestState {
  started: number;
  /** Id of the call: the request's own, or the id of the call that it repeats. */
  requestId: string;
  refusal: string | null;
  keyId: number | null;
  cost: number;
  publication: number | null;
  tools: ToolCall[];
  /** Charged calls whose answer has not been sent yet. */
  unsent: string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    noted: RequestState;
  }
  interface FastifyContextConfig {
    /** True: the answer is a file, which may take as long as its client reads. */
    isFile?: boolean;
  }
}

/** Limits that apply before anything about a call is known. */
export interface AdmissionOptions {
  corsOrigins: readonly string[];
  /** Maximum delay of the event loop, milliseconds; above it calls are refused. */
  loopDelayMs: number;
  /** Maximum calls in progress; above it calls are refused. */
  calls: number;
  /** Called for every failed call. */
  onFailure: (error: unknown) => void;
  /** Called for every call. */
  onAccess: (record: AccessRecord) => void;
  /** Maximum seconds that an answer waits for a client that does not read; then its connection is closed. */
  unreadS: number;
  /** Version of the rate card, for the headers of refusals. */
  version: CardVersion;
}

/** Response headers that a page of another origin may read. */
const EXPOSED =
  'X-Request-Id, X-Cost-Cents, X-Spent-Cents, X-Remaining-Cents, X-Balance-Cents, X-Period-End, X-Rate-Card-Version, X-Publication, X-Canonical-Gnaf-Id, X-Sandbox-Left-Out, ETag, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, Content-Range';

/** Sends a refusal: body, headers, and a cost of zero. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal, version: number | null): FastifyReply {
  reply.request.noted.refusal = refusal.type;
  return reply
    .code(refusal.status)
    .headers({ ...billHeaders({ cost: 0, version, wallet: null }), ...refusal.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ detail: refusal.detail }));
}

/** Converts Fastify's error for an unreadable body to a refusal. */
function ofBody(error: { code?: string; statusCode?: number; message: string }): Refusal | null {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(413, { type: 'too_large', msg: 'The body is too large.' });
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal(415, { type: 'unsupported_media_type', msg: 'Send Content-Type: application/json.' });
  const isJson = error.code?.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError;
  if (!isJson) return null;
  return new Refusal(422, [
    {
      type: 'json_invalid',
      loc: ['body'],
      msg: 'JSON decode error',
      input: {},
      ctx: { error: error.message.startsWith('nested') ? error.message : 'not JSON' },
    },
  ]);
}

/** Origin that may read a response. Null: none. */
function allowed(origins: readonly string[], origin: string | undefined): string | null {
  if (origin === undefined) return null;
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : null;
}

/** Paths of probes, which are answered under any load. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
/** Status in the access log of a call whose client hung up before its answer was sent. */
const CLIENT_GONE = 499;

/** Logs the outcome of a request: once, or for MCP once for each tool call. */
function record(
  request: FastifyRequest,
  reply: FastifyReply,
  onAccess: (record: AccessRecord) => void,
): void {
  const { started, requestId, refusal, keyId, cost, publication, tools } = request.noted;
  const common = {
    request_id: requestId,
    method: request.method,
    route: request.routeOptions.config?.path ?? request.routeOptions.url ?? 'unknown',
    tool: null,
    status: reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE,
    refusal,
    key_id: keyId,
    cost_cents: cost,
    publication,
    ms: Math.round((performance.now() - started) * 100) / 100,
  };
  if (tools.length === 0) onAccess(common);
  for (const call of tools) onAccess({ ...common, ...call });
}

/** Answers the preflight request of a page of another origin. */
const preflight = (reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, DELETE')
    .header(
      'access-control-allow-headers',
      'Authorization, Content-Type, Idempotency-Key, If-None-Match, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
    )
    .header('access-control-max-age', '600')
    .send();

/** Maximum time to send an answer other than a file, milliseconds, however slowly the client reads. */
const ANSWER_MAX_MS = 120_000;

/** Closes the connection of a client that stops reading an answer, or that takes too long to read one other than a file. */
function limitAnswer(response: ServerResponse, unreadS: number, isFile: boolean): void {
  response.setTimeout(unreadS * 1000);
  if (isFile) return;
  const timer = setTimeout(() => response.destroy(), ANSWER_MAX_MS).unref();
  response.once('close', () => clearTimeout(timer));
}

const tooMany = (): Refusal => unavailable('The service has more calls than it can answer.', 1);

/** Handles every request: an id on each response, load shedding, shutdown, CORS, errors in the documented format, and the access log. */
export class AdmissionControl {
  readonly #options: AdmissionOptions;
  // Node emits `close` once for every response, sent or not, so the sets empty themselves.
  readonly #inProgress = new Set<ServerResponse>();
  /** Calls in progress without probes. */
  readonly #limitedCalls = new Set<ServerResponse>();
  /** Calls whose answer is not sent completely. */
  readonly #unsent = new Set<ServerResponse>();
  #onDrained: (() => void) | null = null;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Number of calls that have arrived and have no answer yet. */
  inProgress(): number {
    return this.#inProgress.size;
  }

  /** True if a further call is refused. */
  isFull(): boolean {
    return this.#limitedCalls.size >= this.#options.calls;
  }

  /** Takes no further calls, and waits up to this long until the answers of the others are sent. */
  drain(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      if (this.#unsent.size === 0) resolve();
      else setTimeout(resolve, ms).unref();
    });
  }

  /** Prepares a request. Fastify refuses some before its hooks run. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    request.noted = {
      started: performance.now(),
      requestId: request.id,
      refusal: null,
      keyId: null,
      cost: 0,
      publication: null,
      tools: [],
      unsent: [],
    };
    reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('vary', 'Authorization, Origin');
    reply.raw.once('close', () => {
      this.#inProgress.delete(reply.raw);
      this.#limitedCalls.delete(reply.raw);
      this.#unsent.delete(reply.raw);
      if (this.#unsent.size === 0) this.#onDrained?.();
      record(request, reply, this.#options.onAccess);
    });
  }

  /** Adds the hooks and handlers to the service. */
  addTo(app: FastifyInstance): void {
    const { loopDelayMs, unreadS, onFailure, version } = this.#options;
    app.decorateRequest('noted', null as unknown as RequestState);
    app.addHook('onRequest', async (request, reply) => this.#refuseOrAccept(request, reply));
    app.register(underPressure, {
      // The package treats an interval without a measurement as an infinite delay. An interval as long as the limit avoids that.
      sampleInterval: loopDelayMs,
      maxEventLoopDelay: loopDelayMs,
      pressureHandler: async (request) => {
        if (!PROBES.has(request.url)) throw tooMany();
      },
    });
    app.addHook('preValidation', async (request, reply) => this.#count(request, reply.raw));
    app.addHook('onSend', async (_request, { raw, request }) => {
      this.#inProgress.delete(raw);
      this.#limitedCalls.delete(raw);
      limitAnswer(raw, unreadS, request.routeOptions.config?.isFile === true);
      raw.once('finish', () => this.#unsent.delete(raw));
    });
    app.setNotFoundHandler(async (_request, reply) => sendRefusal(reply, notFound(), version()));
    app.setErrorHandler(async (error: Error & { code?: string; statusCode?: number }, request, reply) => {
      onFailure(error);
      const refusal = ofBody(error) ?? refusalOf(error);
      if (refusal.status === 500) app.log.error({ request_id: request.id, err: error }, 'failed');
      return sendRefusal(reply, refusal, version());
    });
  }

  /** Refuses what can be refused before a body is read. */
  #refuseOrAccept(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const { corsOrigins, version } = this.#options;
    this.begin(request, reply);
    const origin = allowed(corsOrigins, request.headers.origin);
    if (origin !== null)
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    if (this.#onDrained !== null) {
      reply.header('connection', 'close');
      if (!PROBES.has(request.url))
        return sendRefusal(reply, unavailable('The service is stopping.', 1), version());
    }
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0')
      return sendRefusal(reply, badRequest('The header Host is missing.'), version());
    if (request.method === 'OPTIONS' && origin !== null) return preflight(reply);
    if (request.is404) return sendRefusal(reply, notFound(), version());
    return undefined;
  }

  /**
   * Counts a call as in progress, from the end of its request until its answer is ready. A client that sends slowly or does not read uses
   * a connection but no call.
   */
  #count({ url }: FastifyRequest, response: ServerResponse): void {
    if (response.destroyed) return;
    if (!PROBES.has(url)) {
      if (this.isFull()) throw tooMany();
      this.#limitedCalls.add(response);
    }
    this.#inProgress.add(response);
    this.#unsent.add(response);
    // The timeout of the connection's last answer does not apply to this call.
    response.setTimeout(0);
  }
}

/** Runs `leave` before the answer of a charged call is written (store/accounts/unsent.ts). */
export function onLeave(app: FastifyInstance, leave: (requestIds: readonly string[]) => Promise<void>): void {
  app.addHook('onRoute', (route) => {
    const hook: onSendHookHandler = ({ noted }, _reply, payload, done) => {
      if (noted.unsent.length === 0) done(null, payload);
      else void leave(noted.unsent).then(() => done(null, payload));
    };
    route.onSend = [...[route.onSend ?? []].flat(), hook];
  });
}

/** Answers 405 for other methods of the paths that `add` routes. */
export function withMethods(app: FastifyInstance, add: () => void): void {
  const routed = new Map<string, { methods: Set<string>; path: string | undefined }>();
  let isOwn = true;
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!isOwn) return;
    const existing = routed.get(url) ?? { methods: new Set<string>(), path: config?.path };
    for (const each of [method].flat()) existing.methods.add(each);
    routed.set(url, existing);
  });
  add();
  isOwn = false;
  for (const [url, { methods, path }] of routed)
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      config: path === undefined ? {} : { path },
      // Before a body is read.
      onRequest: async () => {
        throw wrongMethod([...methods]);
      },
      handler: async () => undefined,
    });
}
