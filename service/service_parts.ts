import type { Config } from '../schema/config.ts';
import { ident } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import { setUpAccounts } from '../store/accounts/account_set_up.ts';
import { type SessionPool, sandboxKey, tagSecret } from '../store/accounts/accounts.ts';
import { forgetOldKeys } from '../store/accounts/idempotency.ts';
import { Unsent } from '../store/accounts/unsent.ts';
import { openPool } from '../store/database.ts';
import { asReader } from '../store/read/serving.ts';
import { isTransactionPooler, settingsSql } from '../store/system/session_settings.ts';
import { AnswerReader } from './answers/answer_reader.ts';
import { CallHandler } from './answers/call_handler.ts';
import { memoryTurns } from './billing/account_turns.ts';
import { Charges } from './billing/charges.ts';
import { RateCards } from './billing/rate_cards.ts';
import { memoryLimit, type Rate, type RateLimit, redisLimit } from './billing/rate_limit.ts';
import type { SharedLimits } from './billing/shared_limits.ts';
import type { PoolCounts } from './http/metrics.ts';

/** What answers and charges calls, apart from HTTP. */
export interface ServiceParts {
  accounts: SessionPool;
  /** Counts of the connection pools, for the metrics. */
  pools: Readonly<Record<'accounts' | 'reads', PoolCounts>>;
  answers: AnswerReader;
  calls: CallHandler;
  unsent: Unsent;
  limit: RateLimit;
  /** Rate of the keys of accounts. */
  prepaidRate: Rate;
  sandboxKey: string;
  tagSecret: string;
}

/** Connections for accounts, charges and as-of reads. */
const ACCOUNT_CONNECTIONS = 6;
/** Seconds that a server has to cancel a slow statement before it counts as frozen. */
const ANSWER_MARGIN_S = 2;
const FORGET_MS = 3_600_000;

/** Codes of PostgreSQL: the user may not take the role, or the role does not exist. */
const NO_ROLE: ReadonlySet<string> = new Set(['42501', '22023']);

/** Reads once with the role of the API. @throws EtlError role_missing */
async function checkReader(reads: AnswerReader, role: string): Promise<void> {
  try {
    await reads.publication();
  } catch (error) {
    if (!NO_ROLE.has((error as { code?: string }).code ?? '')) throw error;
    throw new EtlError(
      'role_missing',
      `The service reads as ${role}, and its user may not: ${(error as Error).message}. Ask an administrator for: GRANT ${ident(role)} TO the user of the database URL;`,
      { cause: error },
    );
  }
}

/** Deletes idempotency keys that are too old, now and every hour. Returns a function that stops it. */
function deleteOldKeys(accounts: SessionPool): () => void {
  const run = () => void forgetOldKeys(accounts).catch(() => undefined);
  run();
  const timer = setInterval(run, FORGET_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Connects to the database and to Redis. `onClose` takes what closes each part; the last part closes first.
 * @throws EtlError rate_card_incomplete, role_missing
 */
export async function openServiceParts(
  url: string,
  { service, database, queue }: Config,
  limits: SharedLimits | undefined,
  onClose: (close: () => unknown) => void,
): Promise<ServiceParts> {
  const timeout = `statement_timeout=${Math.round(service.query_timeout_s * 1000)}`;
  const answer_s = service.query_timeout_s + ANSWER_MARGIN_S;
  const readSettings = [timeout, asReader(database.api_role)];
  // Behind a pooler in transaction mode, settings and role go with each transaction; elsewhere once with each connection.
  const hasSessions = service.read_url === null || !(await isTransactionPooler(service.read_url));
  const accounts = openPool(url, ACCOUNT_CONNECTIONS, { settings: [timeout], answer_s });
  onClose(() => accounts.end());
  const reads = openPool(service.read_url ?? url, service.connections, {
    settings: readSettings,
    answer_s,
    scope: hasSessions ? 'session' : 'transaction',
  });
  onClose(() => reads.end());
  const { rates, turns } = limits ?? { rates: memoryLimit(), turns: memoryTurns() };
  const limit = queue.redis_url === null ? rates : await redisLimit(queue.redis_url, rates);
  onClose(() => limit.close());
  const unsent = new Unsent(url, accounts, answer_s);
  onClose(() => unsent.close());
  const charges = new Charges(accounts, unsent.holder);
  onClose(() => charges.close());

  const client = await accounts.connect();
  try {
    await setUpAccounts(client);
  } finally {
    client.release();
  }
  const cards = new RateCards(accounts);
  await cards.open();
  await unsent.open();
  onClose(deleteOldKeys(accounts));
  const secret = await tagSecret(accounts);
  const answers = new AnswerReader(
    accounts,
    reads,
    hasSessions ? '' : `${settingsSql(readSettings, 'LOCAL')};`,
    turns,
  );
  const prepaidRate = { per_s: service.rate_per_s, burst: service.rate_burst };
  const sandboxRate = { per_s: service.sandbox_rate_per_s, burst: service.sandbox_rate_burst };
  const calls = new CallHandler({
    accounts,
    reads: answers,
    cards,
    charges,
    limit,
    turns,
    rates: { prepaid: prepaidRate, sandbox: sandboxRate },
    tagSecret: secret,
  });
  await calls.version();
  await checkReader(answers, database.api_role);
  return {
    accounts,
    pools: { accounts, reads },
    answers,
    calls,
    unsent,
    limit,
    prepaidRate,
    sandboxKey: await sandboxKey(accounts),
    tagSecret: secret,
  };
}
