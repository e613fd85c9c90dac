import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { refusalOf } from './desk.ts';
import { billHeaders } from './headers.ts';
import type { AccessRecord } from './metrics.ts';
import { notFound, Refusal, unavailable, wrongMethod } from './refusal.ts';

/** One tool call of an MCP request. */
export interface ToolCall {
  request_id: string;
  tool: string;
  cost_cents: number;
  publication: number | null;
  refusal: string | null;
}

/** What the service notes of a request beside Fastify's own. */
export interface Noted {
  started: number;
  /** Id of the call: the request's own, or that of the call which it repeats. */
  requestId: string;
  refusal: string | null;
  keyId: number | null;
  cost: number;
  publication: number | null;
  tools: ToolCall[];
  /** Calls that are charged, and whose answer has not left yet. */
  unsent: string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    noted: Noted;
  }
}

/** What holds before anything is known of a call. */
export interface GateOptions {
  corsOrigins: readonly string[];
  /** Longest delay of the event loop, milliseconds; beyond it calls are refused until it is shorter. */
  loopDelayMs: number;
  /** Most calls in hand; beyond it calls are refused until they are fewer. */
  calls: number;
}

/** Headers that a page of another origin may read. */
const EXPOSED =
  'X-Request-Id, X-Cost-Cents, X-Spent-Cents, X-Remaining-Cents, X-Balance-Cents, X-Period-End, X-Rate-Card-Version, X-Publication, X-Canonical-Gnaf-Id, ETag, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, Content-Range';

/** Sends a refusal: its body, its headers, and that it costs nothing. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal, version: number | null): FastifyReply {
  reply.request.noted.refusal = refusal.type;
  return reply
    .code(refusal.status)
    .headers({ ...billHeaders({ cost: 0, version, wallet: null }), ...refusal.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ detail: refusal.detail }));
}

/** Deepest nesting of a body. */
const DEPTH_MAX = 32;

/** Reads a body of JSON. Names such as `__proto__` are members like any others: the schemas of the operations refuse them. */
export function parseBody(text: string): unknown {
  let depth = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === '[' || mark === '{') depth++;
    else if (mark === ']' || mark === '}') depth--;
    if (depth > DEPTH_MAX) throw new SyntaxError(`nested deeper than ${DEPTH_MAX}`);
  }
  return JSON.parse(text);
}

/** What Fastify says of a body that it cannot read, as a refusal. */
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

/** Writes a response to a socket that has no request, and hangs up. */
function answerSocket(socket: Socket, status: string, detail: object, more = ''): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nX-Cost-Cents: 0\r\n${more}Connection: close\r\n\r\n${body}`,
  );
}

/** A request that cannot be parsed, whose header is too large, or that took too long. */
export function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') return;
  if (error.code === 'HPE_HEADER_OVERFLOW')
    answerSocket(socket, '431 Request Header Fields Too Large', {
      type: 'header_too_large',
      msg: 'The header is larger than the service takes.',
    });
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    answerSocket(socket, '408 Request Timeout', { type: 'timeout', msg: 'The request took too long.' });
  else answerSocket(socket, '400 Bad Request', { type: 'bad_request', msg: 'This is not HTTP.' });
}

/** Turns connections beyond a number away with a 503 of their own. Node counts them. */
export function limitConnections(server: Server, most: number): void {
  server.prependListener('connection', (socket: Socket) => {
    server.getConnections((_error, open) => {
      if (open <= most) return;
      socket.on('error', () => undefined);
      answerSocket(
        socket,
        '503 Service Unavailable',
        { type: 'unavailable', msg: 'There are too many connections.' },
        'Retry-After: 1\r\n',
      );
    });
  });
}

/** Which origin a response may be read by; null: none that asked. */
function allowed(origins: readonly string[], origin: string | undefined): string | null {
  if (origin === undefined) return null;
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : null;
}

/** Paths that probes ask: they are answered whatever the load. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
/** How often the calls in hand are counted, milliseconds. */
const COUNT_MS = 250;
/** Status in the log of a call whose client hung up before its answer was sent. */
const CLIENT_GONE = 499;

/** Writes what became of a request, once for each tool call where it is one of MCP. */
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

/** Allows what a page of another origin asks before a call. */
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

/** What a gate lets others see and do. */
export interface Gate {
  /** Calls whose request has arrived and whose answer is not sent. */
  inHand(): number;
  /** Takes no further calls, and waits for those in hand, for so long. */
  drain(ms: number): Promise<void>;
  /** Does for a request that Fastify refuses before its hooks what the hooks do for others. */
  begin(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * What holds for every request: its id on every response, the shedding of load, the end of service, CORS, errors in their documented
 * shape, and a record of what became of it.
 */
export function addGate(
  app: FastifyInstance,
  options: GateOptions,
  version: () => Promise<number | null>,
  onAccess: (record: AccessRecord) => void,
): Gate {
  // Node emits `close` once for every response, sent or not, so that nothing stays in here.
  const live = new Set<unknown>();
  let drained: (() => void) | null = null;
  const begin = (request: FastifyRequest, reply: FastifyReply): void => {
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
      live.delete(reply.raw);
      if (live.size === 0) drained?.();
      record(request, reply, onAccess);
    });
  };
  app.decorateRequest('noted', null as unknown as Noted);
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    begin(request, reply);
    const origin = allowed(options.corsOrigins, request.headers.origin);
    if (origin !== null)
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    if (drained !== null) {
      reply.header('connection', 'close');
      if (!PROBES.has(request.url))
        return sendRefusal(reply, unavailable('The service is stopping.', 1), null);
    }
    if (request.method === 'OPTIONS' && origin !== null) return preflight(reply);
    return undefined;
  });
  app.register(underPressure, {
    // The package takes an interval in which it measured nothing for an endless delay: one as long as the limit must pass for that.
    sampleInterval: options.loopDelayMs,
    maxEventLoopDelay: options.loopDelayMs,
    healthCheck: async () => live.size <= options.calls,
    healthCheckInterval: COUNT_MS,
    pressureHandler: async (request) => {
      if (!PROBES.has(request.url)) throw unavailable('The service has more calls than it can answer.', 1);
    },
  });
  // The whole request has arrived: what a client sends slowly, or never, is no call in hand.
  app.addHook('preValidation', async (_request, reply) => {
    if (!reply.raw.destroyed) live.add(reply.raw);
  });
  app.setNotFoundHandler(async (_request, reply) =>
    sendRefusal(reply, notFound(), await version().catch(() => null)),
  );
  app.setErrorHandler(async (error: Error & { code?: string; statusCode?: number }, request, reply) => {
    const refusal = ofBody(error) ?? refusalOf(error);
    if (refusal.status === 500) app.log.error({ request_id: request.id, err: error }, 'failed');
    return sendRefusal(reply, refusal, await version().catch(() => null));
  });
  return {
    begin,
    inHand: () => live.size,
    drain: (ms) =>
      new Promise((resolve) => {
        drained = resolve;
        if (live.size === 0) resolve();
        else setTimeout(resolve, ms).unref();
      }),
  };
}

/** Says before the answer of a charged call is written, and after all else that is done to it, that it leaves (store/accounts/unsent.ts). */
export function onLeave(app: FastifyInstance, sent: (requestIds: readonly string[]) => void): void {
  app.addHook('onRoute', (route) => {
    const leave: onSendHookHandler = ({ noted }, _reply, payload, done) => {
      if (noted.unsent.length > 0) sent(noted.unsent);
      done(null, payload);
    };
    route.onSend = [...[route.onSend ?? []].flat(), leave];
  });
}

/** Answers 405 where a path that is routed while `add` runs is asked by another method. */
export function withMethods(app: FastifyInstance, add: () => void): void {
  const routed = new Map<string, { methods: Set<string>; path: string | undefined }>();
  let isOwn = true;
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!isOwn) return;
    const known = routed.get(url) ?? { methods: new Set<string>(), path: config?.path };
    for (const each of [method].flat()) known.methods.add(each);
    routed.set(url, known);
  });
  add();
  isOwn = false;
  for (const [url, { methods, path }] of routed)
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      config: path === undefined ? {} : { path },
      handler: async () => {
        throw wrongMethod([...methods]);
      },
    });
}
