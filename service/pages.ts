import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { RATE_CARD, RATE_CARD_VERSION } from '../schema/rate_card.ts';
import type { Desk } from './desk.ts';
import { openApi } from './openapi.ts';
import { TRY_PAGE, TRY_SCRIPT } from './try_page.ts';

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** Sends a page that runs its own script, calls this service, and fetches nothing else. */
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

/** The page to try every call, and the OpenAPI document that it is made from. */
export function addPages(app: FastifyInstance, desk: Desk, sandboxKey: string, baseUrl: () => string): void {
  let document: string | null = null;
  app.get('/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApi(baseUrl(), RATE_CARD, RATE_CARD_VERSION));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  app.get('/sandbox.json', async () => ({ key: sandboxKey, samples: (await desk.samples()).list }));
  app.get('/', async (_request, reply) => sendPage(reply, TRY_PAGE, TRY_SCRIPT));
}
