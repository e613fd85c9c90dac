import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EtlError } from '../schema/errors.ts';
import {
  type Account,
  accountOfToken,
  createKey,
  listKeys,
  type Queryable,
  revokeKey,
  usageOf,
} from '../store/accounts.ts';
import { sendPage } from './pages.ts';
import { PORTAL_PAGE, PORTAL_SCRIPT } from './portal_page.ts';
import type { RateLimit } from './rate_limit.ts';
import { notFound, Refusal, rateLimited, unknownKey } from './refusal.ts';

/** Days of usage that the page shows. */
const DAYS = 31;
const LABEL_MAX = 100;
/** Most keys of an account that are not revoked. */
const KEYS_MAX = 50;

/** A number that stands for whoever asks with a token, right or wrong, so that guessing is as slow as calling. */
const bucketOf = (token: string): number => -1 - createHash('sha256').update(token).digest().readUInt32BE();

/** The page of an account, for who has its token: balance, spend by day and endpoint, keys. */
export function addPortal(app: FastifyInstance, accounts: Queryable, limit: RateLimit): void {
  const holder = async (request: FastifyRequest): Promise<Account> => {
    const token = /^bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const wait = await limit.take(bucketOf(token));
    if (wait > 0) throw rateLimited(wait);
    const account = await accountOfToken(accounts, token);
    if (account === undefined) throw unknownKey();
    return account;
  };
  app.get('/portal', async (_request, reply) => sendPage(reply, PORTAL_PAGE, PORTAL_SCRIPT));
  app.get('/portal/account', async (request, reply) => {
    const { account_id, ...account } = await holder(request);
    const keys = (await listKeys(accounts, account_id)).map(({ account: _name, ...key }) => key);
    return reply
      .header('cache-control', 'no-store')
      .send({ ...account, keys, usage: await usageOf(accounts, account_id, DAYS) });
  });
  app.post('/portal/keys', async (request, reply) => {
    const { account_id } = await holder(request);
    const { label } = (request.body ?? {}) as { label?: unknown };
    if (typeof label !== 'string' || label.length > LABEL_MAX)
      throw new Refusal(422, [
        {
          type: 'string_type',
          loc: ['body', 'label'],
          msg: `A label is a text of at most ${LABEL_MAX} characters.`,
          input: label ?? null,
        },
      ]);
    const open = (await listKeys(accounts, account_id)).filter(({ revoked_at }) => revoked_at === null);
    if (open.length >= KEYS_MAX)
      throw new Refusal(409, { type: 'too_many_keys', msg: `An account has at most ${KEYS_MAX} keys.` });
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send(await createKey(accounts, account_id, label));
  });
  app.delete<{ Params: { prefix: string } }>('/portal/keys/:prefix', async (request, reply) => {
    const { account_id } = await holder(request);
    try {
      await revokeKey(accounts, request.params.prefix, account_id);
    } catch (error) {
      if (error instanceof EtlError) throw notFound();
      throw error;
    }
    return reply.code(204).send();
  });
}
