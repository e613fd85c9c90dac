import type { FastifyInstance } from 'fastify';
import { type AccuracyRecord, accuracyOf } from '../../contract/service/accuracy.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { sendConsole } from '../page.ts';
import { accuracyPage } from './page.ts';

export function addAccuracy(app: FastifyInstance, db: Serving): void {
  app.get<{ Querystring: { kind?: string } }>('/accuracy', async (request, reply) => {
    const kind: AccuracyRecord['kind'] = request.query.kind === 'rent' ? 'rent' : 'sale';
    return sendConsole(reply, accuracyPage(kind, await accuracyOf(db, kind, null)));
  });
}
