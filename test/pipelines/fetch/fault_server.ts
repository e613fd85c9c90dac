import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request; `n` counts the requests of the path from 1. */
type Handler = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/** One request as it arrived. */
interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
}

/** A web server that can be as faulty as one likes. */
export interface FaultServer {
  url: string;
  seen: Seen[];
  on(path: string, handler: Handler): void;
  close(): Promise<void>;
}

/** Starts a server on a free port of the loopback address. */
export async function startServer(): Promise<FaultServer> {
  const handlers = new Map<string, Handler>();
  const counts = new Map<string, number>();
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const n = (counts.get(path) ?? 0) + 1;
    counts.set(path, n);
    seen.push({ path, headers: { ...request.headers } });
    const handler = handlers.get(path);
    if (handler) handler(request, response, n);
    else response.writeHead(404).end('no such page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (path, handler) => {
      handlers.set(path, handler);
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Bytes without a pattern, the same for the same seed. */
export function noise(bytes: number, seed = 1): Buffer {
  const out = Buffer.alloc(bytes);
  let state = seed >>> 0 || 1;
  for (let i = 0; i < bytes; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    out[i] = state & 0xff;
  }
  return out;
}

export const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

export interface FileHeaders {
  etag?: string;
  modified?: string;
}

const headersOf = ({ etag, modified }: FileHeaders): Record<string, string> => ({
  ...(etag ? { etag } : {}),
  ...(modified ? { 'last-modified': modified } : {}),
});

/** Serves a file as a good server does: conditional requests, ranges, If-Range. Cuts the answer off after `cut` bytes. */
export function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  about: FileHeaders,
  cut = Number.POSITIVE_INFINITY,
): void {
  const { headers } = request;
  const validators = [about.etag, about.modified];
  if (
    (about.etag && headers['if-none-match'] === about.etag) ||
    (!headers['if-none-match'] && about.modified && headers['if-modified-since'] === about.modified)
  ) {
    response.writeHead(304, headersOf(about)).end();
    return;
  }
  const start = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  const isRange = start !== undefined && validators.includes(headers['if-range'] as string);
  const from = isRange ? Number(start) : 0;
  const body = content.subarray(from);
  response.writeHead(isRange ? 206 : 200, {
    ...headersOf(about),
    'accept-ranges': 'bytes',
    'content-length': body.length,
    ...(isRange ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
  });
  if (body.length <= cut) response.end(body);
  else response.write(body.subarray(0, cut), () => setTimeout(() => response.destroy(), 200));
}
