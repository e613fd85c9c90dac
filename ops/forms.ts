import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from './html.ts';

const COOKIE = 'console_session';
const IN_COOKIES = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);
/** Signs forms. Forms become invalid when the process ends. */
const SECRET = randomBytes(32);
const FIELD = 'form_token';

const sign = (session: string): Buffer => createHmac('sha256', SECRET).update(session).digest();
const sessionOf = ({ headers }: FastifyRequest): string | undefined =>
  IN_COOKIES.exec(headers.cookie ?? '')?.[1];

/** Builds a hidden field that binds a form to the browser's session. The session's cookie is sent to this site only. */
export function formToken(request: FastifyRequest, reply: FastifyReply): Markup {
  const known = sessionOf(request);
  const session = known ?? randomBytes(32).toString('base64url');
  if (known === undefined)
    reply.header('set-cookie', `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`);
  return html`<input type="hidden" name="${FIELD}" value="${sign(session).toString('base64url')}">`;
}

/** True if a page of this console sent the request: by the browser's fetch metadata, else by its origin. Other clients send neither. */
function isFromHere({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Returns why a form is rejected. Null: it comes from this console and session. */
export function refusedForm(request: FastifyRequest, fields: URLSearchParams): string | null {
  if (!isFromHere(request)) return 'Rejected: the form came from another site.';
  const session = sessionOf(request);
  const given = Buffer.from(fields.get(FIELD) ?? '', 'base64url');
  const own = sign(session ?? '');
  if (session !== undefined && given.length === own.length && timingSafeEqual(given, own)) return null;
  return 'This form is of another session, or from before the console was started: open its page again.';
}
