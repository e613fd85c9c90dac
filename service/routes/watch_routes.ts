import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseParams } from '../../contract/answers/ask.ts';
import { textParam } from '../../contract/answers/parameters.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { SessionPool } from '../../store/accounts/accounts.ts';
import {
  createWatch,
  isReceiver,
  listWatches,
  removeWatch,
  WATCHED_MAX,
  WATCHES_MAX,
} from '../../store/accounts/watches.ts';
import type { AnswerReader } from '../answers/answer_reader.ts';
import type { CallHandler } from '../answers/call_handler.ts';
import { billHeaders } from '../http/headers.ts';
import {
  invalid,
  noCreditToWatch,
  notFound,
  outsideSandbox,
  outsideScope,
  Refusal,
} from '../http/refusal.ts';
import { entering } from './routes.ts';

export const WATCHES_PATH = '/v1/watches';
export const WATCH_PATH = '/v1/watches/{watch_id}';
/** Maximum bytes of a request for a watch. */
const BODY_BYTES = 1 << 20;

/** Fields that a watch can name: a table of properties, or one of its columns. */
const FIELDS: ReadonlySet<string> = new Set(
  SERVING_TABLES.filter(({ primaryKey }) => primaryKey[0] === 'gnaf_pid').flatMap(({ name, columns }) => [
    name,
    ...Object.keys(columns).map((column) => `${name}.${column}`),
  ]),
);

/** Request for a new watch. */
const newWatch = (mayGoInside: boolean) =>
  z.strictObject({
    url: textParam(2000).refine(
      (text) => isReceiver(text, mayGoInside),
      'is a public https address without a user',
    ),
    ids: z.array(textParam(50).min(1)).min(1).max(WATCHED_MAX),
    fields: z
      .array(z.string().refine((name) => FIELDS.has(name), 'is a table of properties, or table.column'))
      .max(200)
      .default([]),
  });

/** Lets accounts watch properties. Workers notify the receivers (jobs/watch_messages.ts). */
export function addWatches(
  app: FastifyInstance,
  calls: CallHandler,
  { accounts, reads, mayGoInside }: { accounts: SessionPool; reads: AnswerReader; mayGoInside: boolean },
): void {
  const newWatchSchema = newWatch(mayGoInside);
  const enter = entering(calls, true);
  /** Authenticates an account before the body is read. */
  const onRequest =
    (path: string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await enter(request, reply);
      const { caller } = request.visit;
      if (caller.plan === 'sandbox') throw outsideSandbox();
      if (!calls.mayAsk(caller, path)) throw outsideScope();
    };
  const route = (path: string) => ({ config: { path }, onRequest: onRequest(path) });
  const headers = ({ visit }: FastifyRequest) => ({
    ...billHeaders({ cost: 0, version: visit.card.version, wallet: null }),
    'cache-control': 'no-store',
  });
  app.get(WATCHES_PATH, route(WATCHES_PATH), async (request, reply) => {
    const watches = await listWatches(accounts, request.visit.caller.account_id);
    return reply.headers(headers(request)).send({ watches });
  });
  app.post(WATCHES_PATH, { bodyLimit: BODY_BYTES, ...route(WATCHES_PATH) }, async (request, reply) => {
    const { account_id, balance_cents } = request.visit.caller;
    const parsed = parseParams(newWatchSchema, (request.body ?? {}) as Record<string, unknown>, 'body');
    if ('detail' in parsed) throw invalid(parsed.detail);
    if (balance_cents <= 0) throw noCreditToWatch();
    const since = (await reads.publication()) ?? 0;
    const watch = await createWatch(accounts, account_id, { ...parsed.params, since });
    if (watch === null)
      throw new Refusal(409, {
        type: 'too_many_watches',
        msg: `An account has at most ${WATCHES_MAX} watches.`,
      });
    return reply
      .code(201)
      .headers(headers(request))
      .send({ ...watch, state: 'unverified', since });
  });
  app.delete(`${WATCHES_PATH}/:watch_id`, route(WATCH_PATH), async (request, reply) => {
    const { watch_id: text } = request.params as { watch_id: string };
    const { account_id } = request.visit.caller;
    if (!/^\d{1,9}$/.test(text) || !(await removeWatch(accounts, account_id, Number(text)))) throw notFound();
    return reply.code(204).headers(headers(request)).send();
  });
}
