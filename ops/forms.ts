import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Backend } from '../jobs/backend.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { userOf } from './access.ts';
import { sendError } from './error_page.ts';
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
function formToken(request: FastifyRequest, reply: FastifyReply): Markup {
  const currentSession = sessionOf(request);
  const session = currentSession ?? randomBytes(32).toString('base64url');
  if (currentSession === undefined)
    reply.header('set-cookie', `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`);
  return html`<input type="hidden" name="${FIELD}" value="${sign(session).toString('base64url')}">`;
}

/** Permission for actions: the hidden field of every form, or why there are no forms. */
export type May = { token: Markup } | { why: string };

/** Says why no action can be requested. Null: it can. */
export const whyNoActions = ({ ops }: Config, backend: Backend | null): string | null =>
  ops.token === null
    ? 'Nothing can be done here without a token: set ops.token (PIPELINE_OPS__TOKEN), or type the command.'
    : backend === null
      ? 'The queue does not answer, so nothing can be requested here: type the command.'
      : null;

/** Permission of a browser's session. `why`: why no action can be requested; null: it can. */
export const mayOf = (why: string | null, request: FastifyRequest, reply: FastifyReply): May =>
  why === null ? { token: formToken(request, reply) } : { why };

/** Renders an action of the operator: its form, or without permission the command to type instead. */
export const actionForm = (
  may: May,
  {
    action,
    command,
    fields = html``,
    button,
  }: { action: string; command: string; fields?: Markup; button: Markup },
): Markup =>
  'why' in may
    ? html`<p>Type <code>pipeline ${command}</code></p>`
    : html`<form method="post" action="/operate/${action}">${may.token}${fields} ${button}</form>`;

/** Renders the action that reads a dataset again. */
export const readAgain = (may: May, dataset: string): Markup =>
  actionForm(may, {
    action: 'dataset',
    command: `refresh --only ${dataset}`,
    fields: html`<input type="hidden" name="dataset" value="${dataset}">`,
    button: html`<button>Read ${dataset} again</button>`,
  });

/** True if a page of this console sent the request: by the browser's fetch metadata, else by its origin. Other clients send neither. */
function isFromHere({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Returns why a form is rejected. Null: it comes from this console and session. */
function refusedForm(request: FastifyRequest, fields: URLSearchParams): string | null {
  if (!isFromHere(request)) return 'Rejected: the form came from another site.';
  const session = sessionOf(request);
  const received = Buffer.from(fields.get(FIELD) ?? '', 'base64url');
  const expected = sign(session ?? '');
  if (session !== undefined && received.length === expected.length && timingSafeEqual(received, expected))
    return null;
  return 'This form is of another session, or from before the console was started: open its page again.';
}

/** What an action of a form needs: the parameters of its path, its fields, and who sent it. */
interface SentForm {
  params: Readonly<Record<string, string>>;
  fields: URLSearchParams;
  who: string;
}

/**
 * Adds a route for a form of this console. `why`: why nothing can be done; null: it can. Other bodies, and forms from elsewhere, are
 * rejected; an EtlError of the action is a 422, or a 503 if the queue does not answer.
 */
export function onForm(
  app: FastifyInstance,
  path: string,
  why: string | null,
  act: (form: SentForm, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, text: string | Buffer) => new URLSearchParams(String(text)),
    );
    scope.post<{ Params: SentForm['params']; Body: URLSearchParams | undefined }>(
      path,
      async (request, reply) => {
        const fields = request.body ?? new URLSearchParams();
        const refused = why ?? refusedForm(request, fields);
        if (refused !== null) return sendError(request, reply, 403, 'refused', refused);
        const who = `${userOf(request.headers)} at ${request.ip}`;
        try {
          return await act({ params: request.params, fields, who }, reply);
        } catch (error) {
          if (!(error instanceof EtlError)) throw error;
          const status = error.code === 'queue_unavailable' ? 503 : 422;
          return sendError(request, reply, status, error.code, error.message);
        }
      },
    );
  });
}
