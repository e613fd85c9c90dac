import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../schema/config.ts';
import { answerInTurn } from '../../store/system/answer_in_turn.ts';
import { billHeaders } from './headers.ts';
import {
  badRequest,
  expectationFailed,
  headerTooLarge,
  type Refusal,
  requestTimeout,
  unavailable,
} from './refusal.ts';

/** Maximum bytes of the headers of a request. */
export const HEADERS_MAX = 16 * 1024;
const KEEP_ALIVE_MS = 65_000;
/** Interval of Node's check for requests that arrive too slowly. */
const SLOW_CHECK_MS = 1000;

/** Last known version of the rate card, without a query. Null: not known yet. */
export type CardVersion = () => number | null;

/** Headers of a refusal outside the routes. */
const refusalHeaders = ({ headers }: Refusal, version: number | null): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': randomUUID(),
  ...billHeaders({ cost: 0, version, wallet: null }),
  ...headers,
  connection: 'close',
});

/** Writes a refusal to a socket that has no request, and closes it. */
function refuseSocket(socket: Socket, refusal: Refusal, version: number | null): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ detail: refusal.detail });
  const headers = { ...refusalHeaders(refusal, version), 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines, '', body].join('\r\n'));
}

/** Answers a request that cannot be parsed, whose header is too large, or that took too long. */
export const onClientError =
  (version: CardVersion) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') return;
    const refusal =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? headerTooLarge()
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? requestTimeout()
          : badRequest('This is not HTTP.');
    refuseSocket(socket, refusal, version());
  };

/** Answers a request with a refusal, and closes its connection. */
const refuseWith =
  (refusal: Refusal, version: CardVersion): RequestListener =>
  (_request, response) => {
    response
      .writeHead(refusal.status, refusalHeaders(refusal, version()))
      .end(JSON.stringify({ detail: refusal.detail }));
  };

/** Refuses connections beyond a maximum with a 503. Node counts them. */
function limitConnections(server: Server, max: number, version: CardVersion): void {
  server.on('connection', (socket: Socket) => {
    server.getConnections((_error, open) => {
      if (open <= max) return;
      socket.on('error', () => undefined);
      refuseSocket(socket, unavailable('There are too many connections.', 1), version());
    });
  });
}

/** Creates the HTTP server around a listener, with the limits on connections and on what arrives over them. */
export function makeHttpServer(
  answer: RequestListener,
  config: Config['service'],
  version: CardVersion,
): Server {
  const tooMany = unavailable('Too many requests wait on this connection. Send each after an answer.', 1);
  const server = createServer(
    {
      // Admission control refuses requests without Host, with the headers of every answer.
      requireHostHeader: false,
      maxHeaderSize: HEADERS_MAX,
      requestTimeout: config.request_timeout_s * 1000,
      headersTimeout: config.request_timeout_s * 1000,
      connectionsCheckingInterval: SLOW_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    answerInTurn(answer, refuseWith(tooMany, version)),
  );
  limitConnections(server, config.connections_max, version);
  // Node does not pass requests with a header `Expect` other than `100-continue` to the listener.
  server.on('checkExpectation', refuseWith(expectationFailed(), version));
  return server;
}
