import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseParams } from '../../contract/answers/ask.ts';
import { textParam } from '../../contract/answers/parameters.ts';
import { EtlError } from '../../schema/errors.ts';
import {
  type Account,
  accountOfToken,
  createKey,
  EXPIRY_YEARS,
  isExpiry,
  listKeys,
  revokeKey,
  rotateToken,
  SCOPE,
  type SessionPool,
  usageOf,
  withAccountLocked,
} from '../../store/accounts/accounts.ts';
import { listWatches } from '../../store/accounts/watches.ts';
import type { Rate, RateLimit } from '../billing/rate_limit.ts';
import { invalid, notFound, Refusal, rateLimited, unknownToken } from '../http/refusal.ts';
import { sendPage, sharedAnswer } from './pages.ts';
import { PORTAL_PAGE } from './portal_page.ts';

/** Days of usage on the page. */
const DAYS = 31;
/** Request for a new key. */
const newKey = z.strictObject({
  label: textParam(100),
  expires_at: z.iso
    .datetime({ offset: true })
    .refine(isExpiry, `is between the years ${EXPIRY_YEARS.join(' and ')}`)
    .nullable()
    .default(null),
  day_cents_max: z.int().min(0).max(100_000_000).nullable().default(null),
  scope: z
    .array(z.string().regex(SCOPE, 'is rest, mcp or a path that begins with /v1/ or /api/'))
    .min(1)
    .max(50)
    .nullable()
    .default(null),
});
/** Maximum active keys of an account. */
const KEYS_MAX = 50;

/** Rate-limit bucket of a token, valid or not, so that guessing is as slow as calling. */
const bucketOf = (token: string): number => -1 - createHash('sha256').update(token).digest().readUInt32BE();

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the request's token, on portal routes. */
    holder: Account;
  }
}

/** Serves the account page to holders of the account's token: balance, spend by day and endpoint, keys. */
export function addPortal(app: FastifyInstance, accounts: SessionPool, limit: RateLimit, rate: Rate): void {
  app.decorateRequest('holder', null as unknown as Account);
  // Before a body is read.
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    const token = /^bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const { wait_s } = await limit.take(bucketOf(token), rate);
    if (wait_s > 0) throw rateLimited(wait_s);
    const account = await accountOfToken(accounts, token);
    if (account === undefined) throw unknownToken();
    request.holder = account;
  };
  const page = sharedAnswer(PORTAL_PAGE);
  app.get('/portal', { compress: false }, async (_request, reply) => sendPage(reply, page));
  app.get('/portal/account', { onRequest }, async (request, reply) => {
    const { account_id, ...account } = request.holder;
    const keys = (await listKeys(accounts, account_id)).map(({ account: _name, ...key }) => key);
    return reply.header('cache-control', 'no-store').send({
      ...account,
      keys,
      usage: await usageOf(accounts, account_id, DAYS),
      watches: await listWatches(accounts, account_id),
    });
  });
  app.post('/portal/keys', { onRequest }, async (request, reply) => {
    const { account_id } = request.holder;
    const parsed = parseParams(newKey, (request.body ?? {}) as Record<string, unknown>, 'body');
    if ('detail' in parsed) throw invalid(parsed.detail);
    const { label, ...limits } = parsed.params;
    const createdKey = await withAccountLocked(accounts, account_id, async (client) => {
      const keys = await listKeys(client, account_id);
      const isFull = keys.filter(({ revoked_at }) => revoked_at === null).length >= KEYS_MAX;
      return isFull ? null : createKey(client, account_id, label, limits);
    });
    if (createdKey === null)
      throw new Refusal(409, { type: 'too_many_keys', msg: `An account has at most ${KEYS_MAX} keys.` });
    return reply.code(201).header('cache-control', 'no-store').send(createdKey);
  });
  app.post('/portal/token', { onRequest }, async (request, reply) => {
    const { account_id } = request.holder;
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ token: await rotateToken(accounts, account_id) });
  });
  app.delete<{ Params: { prefix: string } }>(
    '/portal/keys/:prefix',
    { onRequest },
    async (request, reply) => {
      const { account_id } = request.holder;
      if (request.params.prefix.includes('\0')) throw notFound();
      try {
        await revokeKey(accounts, request.params.prefix, account_id);
      } catch (error) {
        if (error instanceof EtlError) throw notFound();
        throw error;
      }
      return reply.code(204).send();
    },
  );
}
