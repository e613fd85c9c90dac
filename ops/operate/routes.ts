import type { FastifyInstance } from 'fastify';
import type { Backend } from '../../jobs/backend.ts';
import { queueAction, rollbackPreview } from '../../jobs/operator/actions.ts';
import { readView } from '../../jobs/operator/operate_view.ts';
import type { Config } from '../../schema/config.ts';
import { mayOf, onForm, whyNoActions } from '../forms.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { operatePage, rollbackPage } from './page.ts';

/** Adds the operator's actions: they need the token and a form of this console, and go through the same queue as `worker --now`. */
export function addOperate(
  app: FastifyInstance,
  runRead: ReadRunner,
  backend: Backend | null,
  config: Config,
): void {
  const why = whyNoActions(config, backend);

  app.get('/operate', async (request, reply) => {
    const view = await runRead((client) => readView(client, backend?.queue ?? null, config));
    return sendConsole(reply, operatePage(mayOf(why, request, reply), view, Date.now()));
  });

  app.get<{ Querystring: { to?: string | string[] } }>('/operate/rollback', async (request, reply) => {
    const preview = await runRead((client) => rollbackPreview(client, config, String(request.query.to)));
    return sendConsole(reply, rollbackPage(mayOf(why, request, reply), preview, Date.now()));
  });

  onForm(app, '/operate/:action', why, async ({ params, fields, who }, reply) => {
    await runRead((client) =>
      queueAction(client, backend!.queue, config, { action: params.action!, fields, who }),
    );
    return reply.redirect('/operate#log', 303);
  });
}
