import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CallHandler } from '../answers/call_handler.ts';
import { notFound } from '../http/refusal.ts';
import { openApi } from '../routes/openapi.ts';
import { guidePage } from './guide.ts';
import { TRY_PAGE } from './try_page.ts';

/** Folder of the modules of the pages. No other file is served. */
const BROWSER = new URL('./browser/', import.meta.url);
const MODULES = new Map(readdirSync(BROWSER).map((name) => [name, readFileSync(new URL(name, BROWSER))]));

/** An answer that many share: it is compressed once. */
interface SharedAnswer {
  plain: Buffer;
  gzip: Buffer;
}

export const sharedAnswer = (text: string): SharedAnswer => {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain) };
};

/** Sends a shared answer from a route with `compress: false`. */
function sendShared(reply: FastifyReply, { plain, gzip }: SharedAnswer): FastifyReply {
  reply.header('vary', 'Origin, Accept-Encoding');
  if (!/\bgzip\b/.test(reply.request.headers['accept-encoding'] ?? '')) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzip);
}

/** Sends a page that runs only modules of the service and may call only this service, from a route with `compress: false`. */
export const sendPage = (reply: FastifyReply, page: SharedAnswer): FastifyReply =>
  sendShared(
    reply
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8'),
    page,
  );

/** Adds the page to try every call, the guide, and the OpenAPI document behind them. */
export function addPages(app: FastifyInstance, calls: CallHandler, sandboxKey: string): void {
  // Anyone may read the document without a key, so it is built once for each rate card and the samples that its examples name.
  let document = { of: '', answer: sharedAnswer('') };
  app.get('/openapi.json', { compress: false }, async (_request, reply) => {
    const { prices, version } = await calls.card();
    const subjects = (await calls.exampleSubjects()) ?? undefined;
    const of = JSON.stringify([version, subjects]);
    if (document.of !== of)
      document = {
        of,
        answer: sharedAnswer(JSON.stringify(openApi(app.baseUrl, prices, version, subjects))),
      };
    return sendShared(reply.type('application/json; charset=utf-8'), document.answer);
  });
  app.get('/sandbox.json', async () => ({ key: sandboxKey, samples: (await calls.samples()).list }));
  const tryPage = sharedAnswer(TRY_PAGE);
  app.get('/', { compress: false }, async (_request, reply) => sendPage(reply, tryPage));
  let guide = { of: '', answer: sharedAnswer('') };
  app.get('/guide', { compress: false }, async (_request, reply) => {
    const subjects = await calls.exampleSubjects();
    const subject = subjects && { ...subjects, base_url: app.baseUrl, key: sandboxKey };
    const of = JSON.stringify(subject);
    if (guide.of !== of) guide = { of, answer: sharedAnswer(guidePage(subject)) };
    return sendPage(reply, guide.answer);
  });
  app.get<{ Params: { name: string } }>('/static/:name', async (request, reply) => {
    const text = MODULES.get(request.params.name);
    if (text === undefined) throw notFound();
    return reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(text);
  });
}
