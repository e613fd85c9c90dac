import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Backend } from '../../jobs/backend.ts';
import { perform, rollbackPreview } from '../../jobs/operator/actions.ts';
import { readView } from '../../jobs/operator/view.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { userOf } from '../access.ts';
import { sendError } from '../error_page.ts';
import { formToken, refusedForm } from '../forms.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { type May, operatePage, rollbackPage } from './page.ts';

/** Adds the operator's actions: they need the token and a form of this console, and go through the same queue as `worker --now`. */
export function addOperate(
  app: FastifyInstance,
  read: ReadRunner,
  backend: Backend | null,
  config: Config,
): void {
  const why =
    config.ops.token === null
      ? 'Nothing can be done here without a token: set ops.token (PIPELINE_OPS__TOKEN), or type what follows.'
      : backend === null
        ? 'The queue does not answer, so nothing can be asked for here: type what follows.'
        : null;
  const mayOf = (request: FastifyRequest, reply: FastifyReply): May =>
    why === null ? { token: formToken(request, reply) } : { why };

  app.get('/operate', async (request, reply) => {
    const view = await read((client) => readView(client, backend?.queue ?? null, config));
    return sendConsole(reply, operatePage(mayOf(request, reply), view, Date.now()));
  });

  app.get<{ Querystring: { to?: string | string[] } }>('/operate/rollback', async (request, reply) => {
    const found = await read((client) => rollbackPreview(client, config, String(request.query.to)));
    return sendConsole(reply, rollbackPage(mayOf(request, reply), found));
  });

  app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, text: string | Buffer) => new URLSearchParams(String(text)),
    );
    own.post<{ Params: { action: string }; Body: URLSearchParams | undefined }>(
      '/operate/:action',
      async (request, reply) => {
        const { action } = request.params;
        const fields = request.body ?? new URLSearchParams();
        const refused = why ?? refusedForm(request, fields);
        if (refused !== null || backend === null) return sendError(request, reply, 403, 'refused', refused!);
        const who = `${userOf(request.headers)} at ${request.ip}`;
        try {
          await read((client) => perform(client, backend.queue, config, action, fields, who));
        } catch (error) {
          if (!(error instanceof EtlError)) throw error;
          return sendError(
            request,
            reply,
            error.code === 'queue_unavailable' ? 503 : 422,
            error.code,
            error.message,
          );
        }
        return reply.redirect('/operate#log', 303);
      },
    );
  });
}
