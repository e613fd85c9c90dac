import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { startOps } from '../../ops/server.ts';
import { startService } from '../../service/server.ts';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import { type FrozenLink, openLink } from '../frozen_link.ts';
import { type PublishedSample, publishedSample } from '../published_sample.ts';
import { PATIENT, WAIT_MS } from '../waiting.ts';

/** What a probe may take. */
const PROBE_MS = 2000;

describe('a database that freezes while it serves', () => {
  let sample: PublishedSample;
  const links: FrozenLink[] = [];
  const link = async (): Promise<FrozenLink> => {
    const made = await openLink(sample.database.url);
    links.push(made);
    return made;
  };

  beforeAll(async () => {
    sample = await publishedSample();
  });
  afterAll(async () => {
    for (const each of links) await each.close();
    await sample?.database.drop();
    if (sample) await rm(sample.dir, { recursive: true, force: true });
  });

  /** Status of a GET, and the milliseconds until it was there. */
  const timed = async (url: string, headers: Record<string, string> = {}): Promise<[number, number]> => {
    const began = performance.now();
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(WAIT_MS) });
    await response.arrayBuffer();
    return [response.status, performance.now() - began];
  };
  const untilStatus = async (url: string, status: number): Promise<void> =>
    vi.waitFor(async () => expect((await timed(url))[0]).toBe(status), PATIENT);

  it.concurrent('is reported by /healthz of ops within two seconds, until it answers again', async () => {
    const through = await link();
    const { config } = await loadConfig({ set: ['ops.port=0'] }, {});
    const ops = await startOps(through.url, config);
    try {
      const probe = `${ops.url}/healthz`;
      expect((await timed(probe))[0]).toBe(200);
      through.freeze();
      // Pages that wait are no reason for a probe to wait.
      const pages = Array.from({ length: 4 }, () => timed(`${ops.url}/runs`).catch(() => null));
      for (let i = 0; i < 3; i++) {
        const [status, ms] = await timed(probe);
        expect(status).toBe(503);
        expect(ms).toBeLessThan(PROBE_MS);
      }
      through.renew();
      await untilStatus(probe, 200);
      for (const page of await Promise.all(pages)) expect(page?.[0]).toBe(503);
      expect((await timed(`${ops.url}/runs`))[0]).toBe(200);
    } finally {
      await ops.close();
    }
  });

  it.concurrent('is reported by /readyz of the service within two seconds, and calls end without a charge', async () => {
    const through = await link();
    const pool = openPool(sample.database.url, 1);
    const { config } = await loadConfig({ set: ['service.port=0', 'service.query_timeout_s=2'] }, {});
    const service = await startService(through.url, config);
    const { account, token } = await openAccount(pool, 'frozen');
    expect(token).not.toBeNull();
    const { key } = await createKey(pool, account.account_id, 'test');
    await addCredit(pool, account.account_id, 'topup', 1000, null);
    const [{ pid }] = (await pool.query<{ pid: string }>('SELECT min(gnaf_pid) AS pid FROM serving.property'))
      .rows as [{ pid: string }];
    try {
      const call = `${service.base_url}/v1/properties/${pid}/profile`;
      const headers = { authorization: `Bearer ${key}` };
      expect((await timed(call, headers))[0]).toBe(200);
      expect((await timed(`${service.base_url}/readyz`))[0]).toBe(200);
      through.freeze();
      const [status, ms] = await timed(`${service.base_url}/readyz`);
      expect(status).toBe(503);
      expect(ms).toBeLessThan(PROBE_MS);
      // A ping, and what is found nowhere, ask no database.
      for (const [path, wanted] of [
        ['/v1/ping', 200],
        ['/nowhere', 404],
      ] as const) {
        const [answered, after] = await timed(service.base_url + path);
        expect([path, answered]).toEqual([path, wanted]);
        expect(after).toBeLessThan(PROBE_MS);
      }
      const [failed, took] = await timed(call, headers);
      expect(failed).toBe(503);
      expect(took).toBeLessThan(10_000);
      through.renew();
      await untilStatus(`${service.base_url}/readyz`, 200);
      expect((await timed(call, headers))[0]).toBe(200);
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM account.ledger WHERE account_id = $1 AND kind = 'charge'`,
        [account.account_id],
      );
      expect(rows[0]!.n).toBe(2);
    } finally {
      await service.close();
      await pool.end();
    }
  });
});
