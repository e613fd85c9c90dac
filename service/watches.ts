import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseParams } from '../contract/answer.ts';
import { textParam } from '../contract/parameters.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import type { Queryable } from '../store/accounts/accounts.ts';
import { addWatch, listWatches, removeWatch } from '../store/accounts/watches.ts';
import type { Desk } from './desk.ts';
import { billHeaders } from './headers.ts';
import type { Reads } from './reads.ts';
import { invalid, notFound, outsideSandbox, outsideScope, Refusal } from './refusal.ts';

export const WATCHES_PATH = '/v1/watches';
export const WATCH_PATH = '/v1/watches/{watch_id}';
/** Most watches of an account, properties of a watch, and bytes of a request for one. */
const MOST_WATCHES = 100;
const MOST_IDS = 10_000;
const BODY = 1 << 20;

/** What may be watched: a table of properties, or one of its columns. */
const FIELDS: ReadonlySet<string> = new Set(
  SERVING_TABLES.filter(({ primaryKey }) => primaryKey[0] === 'gnaf_pid').flatMap(({ name, columns }) => [
    name,
    ...Object.keys(columns).map((column) => `${name}.${column}`),
  ]),
);

/** What a watch is asked for with. */
const newWatch = (mayBePlain: boolean) =>
  z.strictObject({
    url: textParam(2000).refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      return (
        url !== null &&
        (url.protocol === 'https:' || (mayBePlain && url.protocol === 'http:')) &&
        url.username === '' &&
        url.password === ''
      );
    }, 'is an https address without a user'),
    ids: z.array(textParam(50).min(1)).min(1).max(MOST_IDS),
    fields: z
      .array(z.string().refine((name) => FIELDS.has(name), 'is a table of properties, or table.column'))
      .max(200)
      .default([]),
  });

/** Lets accounts watch properties; the workers of the queue tell the receivers (jobs/watches.ts). */
export function addWatches(
  app: FastifyInstance,
  desk: Desk,
  { accounts, reads, mayBePlain }: { accounts: Queryable; reads: Reads; mayBePlain: boolean },
): void {
  const asked = newWatch(mayBePlain);
  const enter = async (authorization: string | undefined, path: string) => {
    const visit = await desk.enter(authorization);
    if (visit.caller.plan === 'sandbox') throw outsideSandbox();
    if (!desk.mayAsk(visit.caller, path)) throw outsideScope();
    return visit;
  };
  const headers = (version: number) => ({
    ...billHeaders({ cost: 0, version, wallet: null }),
    'cache-control': 'no-store',
  });
  app.get(WATCHES_PATH, { config: { path: WATCHES_PATH } }, async (request, reply) => {
    const { caller, card } = await enter(request.headers.authorization, WATCHES_PATH);
    request.noted.keyId = caller.key_id;
    return reply
      .headers(headers(card.version))
      .send({ watches: await listWatches(accounts, caller.account_id) });
  });
  app.post(WATCHES_PATH, { bodyLimit: BODY, config: { path: WATCHES_PATH } }, async (request, reply) => {
    const { caller, card } = await enter(request.headers.authorization, WATCHES_PATH);
    request.noted.keyId = caller.key_id;
    const read = parseParams(asked, (request.body ?? {}) as Record<string, unknown>, 'body');
    if ('detail' in read) throw invalid(read.detail);
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const since = (await reads.publication()) ?? 0;
    const watch_id = await addWatch(
      accounts,
      caller.account_id,
      { ...read.params, secret, since },
      MOST_WATCHES,
    );
    if (watch_id === null)
      throw new Refusal(409, {
        type: 'too_many_watches',
        msg: `An account has at most ${MOST_WATCHES} watches.`,
      });
    return reply
      .code(201)
      .headers(headers(card.version))
      .send({ watch_id, secret, state: 'unverified', since });
  });
  app.delete(`${WATCHES_PATH}/:watch_id`, { config: { path: WATCH_PATH } }, async (request, reply) => {
    const { caller, card } = await enter(request.headers.authorization, WATCH_PATH);
    request.noted.keyId = caller.key_id;
    const { watch_id: text } = request.params as { watch_id: string };
    if (!/^\d{1,9}$/.test(text) || !(await removeWatch(accounts, caller.account_id, Number(text))))
      throw notFound();
    return reply.code(204).headers(headers(card.version)).send();
  });
}
