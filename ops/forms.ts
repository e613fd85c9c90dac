import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from './html.ts';

const COOKIE = 'console_session';
const IN_COOKIES = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);
/** Signs forms; they end with the process. */
const SECRET = randomBytes(32);
const FIELD = 'form_token';

const sign = (session: string): Buffer => createHmac('sha256', SECRET).update(session).digest();
const sessionOf = ({ headers }: FastifyRequest): string | undefined =>
  IN_COOKIES.exec(headers.cookie ?? '')?.[1];

/** A field that binds the forms of a page to the session of the browser, whose cookie goes to this site alone. */
export function formToken(request: FastifyRequest, reply: FastifyReply): Markup {
  const known = sessionOf(request);
  const session = known ?? randomBytes(32).toString('base64url');
  if (known === undefined)
    reply.header('set-cookie', `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`);
  return html`<input type="hidden" name="${FIELD}" value="${sign(session).toString('base64url')}">`;
}

/** Whether a page of this console sends a request: what the browser says of it, else its origin; who is no browser says neither. */
function isFromHere({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Why a form is not taken; null: it is one of this console and of this session. */
export function refusedForm(request: FastifyRequest, fields: URLSearchParams): string | null {
  if (!isFromHere(request)) return 'Another site sent this form, and it is not taken.';
  const session = sessionOf(request);
  const given = Buffer.from(fields.get(FIELD) ?? '', 'base64url');
  const own = sign(session ?? '');
  if (session !== undefined && given.length === own.length && timingSafeEqual(given, own)) return null;
  return 'This form is of another session, or from before the console was started: open its page again.';
}
