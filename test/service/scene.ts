import { rm } from 'node:fs/promises';
import { loadConfig } from '../../cli/load_config.ts';
import { type Service, type ServiceHooks, startService } from '../../service/server.ts';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import type { TestDatabase } from '../database.ts';
import { type PublishedSample, publishedSample } from '../published_sample.ts';

/** A published sample country, and services over it on real sockets. */
export interface Scene {
  database: TestDatabase;
  dir: string;
  /** A property and its suburb that the sandbox key does not unlock. */
  pid: string;
  sal: string;
  start(set?: readonly string[], hooks?: ServiceHooks): Promise<Service>;
  /** An account with credit: its key, and its number. */
  funded(name: string, cents: number): Promise<{ key: string; account_id: number; token: string }>;
  /** Balance, spend, and whether the ledger adds up to them. */
  wallet(accountId: number): Promise<{ balance: number; spent: number; calls: number; adds_up: boolean }>;
  close(): Promise<void>;
}

/** A published sample country of core datasets for tests of the service; `given`: one on another server. */
export async function setScene(given?: PublishedSample): Promise<Scene> {
  const { database, dir } = given ?? (await publishedSample());
  // One suburb of a sample as small as this is to be none of the sandbox.
  await database.query(`DELETE FROM serving.sandbox_sample WHERE state = 'WA'`);
  const pool = openPool(database.url, 2);
  const services: Service[] = [];
  const start: Scene['start'] = async (set = [], hooks = {}) => {
    // Whoever tests a limit sets it. On a busy machine the event loop of a test lags, which is no load to shed.
    const roomy = [
      'service.sandbox_rate_per_s=100000',
      'service.sandbox_rate_burst=100000',
      'service.loop_delay_ms=60000',
    ];
    const { config } = await loadConfig({ set: ['service.port=0', ...roomy, ...set] }, {});
    const service = await startService(database.url, config, hooks);
    services.push(service);
    return service;
  };
  await start();
  const [row] = await database.query<{ pid: string; sal: string }>(
    `SELECT (SELECT min(gnaf_pid) FROM serving.property WHERE lon IS NOT NULL AND gnaf_pid NOT IN (SELECT gnaf_pid FROM serving.sandbox_sample)) AS pid,
       (SELECT min(name) FROM serving.search_area WHERE level = 'SAL' AND name NOT IN (SELECT sal FROM serving.sandbox_sample)) AS sal`,
  );
  return {
    database,
    dir,
    ...row!,
    start,
    async funded(name, cents) {
      const { account, token } = await openAccount(pool, name);
      const { key } = await createKey(pool, account.account_id, 'test');
      if (cents > 0) await addCredit(pool, account.account_id, 'topup', cents, null);
      return { key, account_id: account.account_id, token: token! };
    },
    async wallet(accountId) {
      const [found] = await database.query<{
        balance: number;
        spent: number;
        calls: number;
        adds_up: boolean;
      }>(
        `SELECT balance_cents::float8 AS balance, spent_cents::float8 AS spent, count(*) FILTER (WHERE kind = 'charge')::int AS calls,
           balance_cents = COALESCE(sum(cents), 0) AND spent_cents = COALESCE(-sum(cents) FILTER (WHERE key_id IS NOT NULL), 0) AS adds_up
         FROM account.account a LEFT JOIN account.ledger l USING (account_id) WHERE a.account_id = $1 GROUP BY a.account_id`,
        [accountId],
      );
      return found!;
    },
    async close() {
      await Promise.all(services.map((service) => service.close()));
      await pool.end();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
