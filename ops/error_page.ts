import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from './html.ts';
import { type Page, sendConsole } from './page.ts';

const TITLES: Readonly<Record<number, readonly [title: string, heading: string]>> = {
  403: ['Refused', 'This is refused'],
  404: ['Not here', 'That is not here'],
  422: ['Not understood', 'That cannot be done as it is asked'],
};

/** Renders an error page. `status`: HTTP status. `code`: error code. */
const errorPage = (status: number, code: string, message: string): Page => {
  const [title, heading] = TITLES[status] ?? ['No answer', 'This page is unavailable'];
  return {
    title,
    at: '/error',
    body: html`<h1>${heading}</h1><p>${message}</p><p class="note"><code>${code}</code>, status ${status}. <a href="/">What is served</a></p>`,
  };
};

/** Sends an error: a page to browsers, JSON to other clients. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
): FastifyReply {
  reply.code(status);
  if (request.headers.accept?.includes('text/html'))
    return sendConsole(reply, errorPage(status, code, message));
  return reply.send({ error: code, message });
}
