import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOf } from './desk.ts';
import { billHeaders } from './headers.ts';
import type { AccessRecord } from './metrics.ts';
import { notFound, Refusal, unavailable, wrongMethod } from './refusal.ts';

/** What the service notes of a request beside Fastify's own. */
export interface Noted {
  started: number;
  refusal: string | null;
  keyId: number | null;
  cost: number;
  publication: number | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    noted: Noted;
  }
}

/** Limits that hold before anything is known of a call. */
export interface GateLimits {
  calls: number;
  connections: number;
  corsOrigins: readonly string[];
}

/** Headers that a page of another origin may read. */
const EXPOSED =
  'X-Request-Id, X-Cost-Cents, X-Spent-Cents, X-Remaining-Cents, X-Balance-Cents, X-Period-End, X-Rate-Card-Version, X-Publication, ETag, Retry-After';

/** Sends a refusal: its body, its headers, and that it costs nothing. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal, version: number | null): FastifyReply {
  reply.request.noted.refusal = refusal.type;
  return reply
    .code(refusal.status)
    .headers({ ...billHeaders({ cost: 0, version, wallet: null }), ...refusal.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ detail: refusal.detail }));
}

/** What Fastify says of a body that it cannot read, as a refusal. */
function ofBody(error: { code?: string; statusCode?: number; message: string }): Refusal | null {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(413, { type: 'too_large', msg: 'The body is larger than the service takes.' });
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal(415, { type: 'unsupported_media_type', msg: 'Send Content-Type: application/json.' });
  const isJson = error.code?.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError;
  if (!isJson) return null;
  return new Refusal(422, [
    { type: 'json_invalid', loc: ['body'], msg: 'JSON decode error', input: {}, ctx: { error: 'not JSON' } },
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

/** Counts connections, and turns further ones away with a 503 of their own. */
export function limitConnections(server: Server, most: number): () => number {
  let open = 0;
  server.prependListener('connection', (socket: Socket) => {
    open++;
    socket.once('close', () => open--);
    if (open <= most) return;
    socket.on('error', () => undefined);
    answerSocket(
      socket,
      '503 Service Unavailable',
      { type: 'unavailable', msg: 'There are too many connections.' },
      'Retry-After: 1\r\n',
    );
  });
  return () => open;
}

/** Which origin a response may be read by; null: none that asked. */
function allowed(origins: readonly string[], origin: string | undefined): string | null {
  if (origin === undefined) return null;
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : null;
}

/**
 * What holds for every request: its id on every response, the limit of calls in hand, the end of service, CORS, errors in their documented
 * shape, and a record of what became of it.
 */
export function addGate(
  app: FastifyInstance,
  limits: GateLimits,
  version: () => Promise<number | null>,
  onAccess: (record: AccessRecord) => void,
): { inHand: () => number; drain: () => void } {
  let inHand = 0;
  let isDraining = false;
  app.decorateRequest('noted', null as unknown as Noted);
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    request.noted = { started: performance.now(), refusal: null, keyId: null, cost: 0, publication: null };
    inHand++;
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const origin = allowed(limits.corsOrigins, request.headers.origin);
    if (origin !== null)
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-expose-headers', EXPOSED)
        .header('vary', 'Origin');
    const isProbe = request.url === '/healthz' || request.url === '/readyz' || request.url === '/metrics';
    if (isDraining) reply.header('connection', 'close');
    if (isDraining && !isProbe) return sendRefusal(reply, unavailable('The service is stopping.', 1), null);
    if (inHand > limits.calls && !isProbe)
      return sendRefusal(reply, unavailable('Too many calls are in hand.', 1), null);
    if (request.method === 'OPTIONS' && origin !== null)
      return reply
        .code(204)
        .header('access-control-allow-methods', 'GET, HEAD, POST, DELETE')
        .header(
          'access-control-allow-headers',
          'Authorization, Content-Type, If-None-Match, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
        )
        .header('access-control-max-age', '600')
        .send();
    return undefined;
  });
  app.addHook('onResponse', async (request, reply) => {
    inHand--;
    const { started, refusal, keyId, cost, publication } = request.noted;
    onAccess({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.config.path ?? request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      refusal,
      key_id: keyId,
      cost_cents: cost,
      publication,
      ms: Math.round((performance.now() - started) * 100) / 100,
    });
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
    inHand: () => inHand,
    drain: () => {
      isDraining = true;
    },
  };
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
