import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CallHandler } from './call_handler.ts';
import { guidePage } from './guide.ts';
import { openApi } from './openapi.ts';
import { notFound } from './refusal.ts';
import { TRY_PAGE } from './try_page.ts';

const BROWSER = new URL('./browser/', import.meta.url);
/** Modules of the pages. No other file is served. */
const MODULES = new Map(
  ['page.mjs', 'portal_page.mjs', 'try_page.mjs'].map((name) => [name, readFileSync(new URL(name, BROWSER))]),
);

/** Sends a page that runs only modules of the service and may call only this service. */
export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html);

/** Adds the page to try every call, the guide, and the OpenAPI document behind them. */
export function addPages(
  app: FastifyInstance,
  desk: CallHandler,
  sandboxKey: string,
  baseUrl: () => string,
): void {
  // Anyone may read the document without a key, so it is built and compressed once for each rate card and shared by all answers. While
  // there are no samples for its examples, it is built again.
  let document = { version: 0, hasSamples: false, plain: Buffer.alloc(0), gzip: Buffer.alloc(0) };
  app.get('/openapi.json', { compress: false }, async (request, reply) => {
    const card = await desk.card();
    if (document.version !== card.version || !document.hasSamples) {
      const subjects = await desk.exampleSubjects();
      const text = JSON.stringify(openApi(baseUrl(), card.prices, card.version, subjects ?? undefined));
      const plain = Buffer.from(text);
      const hasSamples = subjects !== null;
      document = { version: card.version, hasSamples, plain, gzip: gzipSync(plain) };
    }
    reply.type('application/json; charset=utf-8').header('vary', 'Origin, Accept-Encoding');
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(document.plain);
    return reply.header('content-encoding', 'gzip').send(document.gzip);
  });
  app.get('/sandbox.json', async () => ({ key: sandboxKey, samples: (await desk.samples()).list }));
  app.get('/', async (_request, reply) => sendPage(reply, TRY_PAGE));
  const guide = guidePage();
  app.get('/guide', async (_request, reply) => sendPage(reply, guide));
  app.get<{ Params: { name: string } }>('/static/:name', async (request, reply) => {
    const text = MODULES.get(request.params.name);
    if (text === undefined) throw notFound();
    return reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(text);
  });
}
