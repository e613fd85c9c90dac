import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CallHandler } from './call_handler.ts';
import { openApi } from './openapi.ts';
import { TRY_PAGE, TRY_SCRIPT } from './try_page.ts';

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** Sends a page that runs its own script and may call only this service. */
export function sendPage(reply: FastifyReply, html: string, script: string): FastifyReply {
  return reply
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'unsafe-inline'; script-src ${hashOf(script)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Adds the page to try every call, and the OpenAPI document behind it. */
export function addPages(
  app: FastifyInstance,
  desk: CallHandler,
  sandboxKey: string,
  baseUrl: () => string,
): void {
  // Anyone may read the document without a key, so it is built and compressed once for each rate card and shared by all answers.
  let document = { version: 0, plain: Buffer.alloc(0), gzip: Buffer.alloc(0) };
  app.get('/openapi.json', { compress: false }, async (request, reply) => {
    const card = await desk.card();
    if (document.version !== card.version) {
      const plain = Buffer.from(JSON.stringify(openApi(baseUrl(), card.prices, card.version)));
      document = { version: card.version, plain, gzip: gzipSync(plain) };
    }
    reply.type('application/json; charset=utf-8').header('vary', 'Origin, Accept-Encoding');
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(document.plain);
    return reply.header('content-encoding', 'gzip').send(document.gzip);
  });
  app.get('/sandbox.json', async () => ({ key: sandboxKey, samples: (await desk.samples()).list }));
  app.get('/', async (_request, reply) => sendPage(reply, TRY_PAGE, TRY_SCRIPT));
}
