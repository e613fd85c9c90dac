import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import { openAccount } from '../../store/accounts/accounts.ts';
import { openPool, withClient } from '../../store/database.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { deliverListings } from '../pipelines/night_deliveries.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';

const TOKEN = 'a-token-of-sixteen-characters';

describe('the pages of changes', () => {
  let database: TestDatabase;
  let dir: string;
  let server: OpsServer;
  const get = (path: string, more: RequestInit = {}) =>
    fetch(new URL(path, server.url), {
      ...more,
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/html', ...(more.headers as object) },
    });

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
    await deliverListings(dir, 20);
    expect((await refreshSample(database, dir, OPEN_GATES)).state).toBe('published');
    const set = ['ops.port=0', `ops.token=${TOKEN}`];
    server = await startOps(
      database.url,
      (await loadConfig({ config: join(dir, 'config.yaml'), set }, {})).config,
    );
  });
  afterAll(async () => {
    await server?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('list the changes of a property and a suburb by publication, with the delivery that caused them', async () => {
    const [event] = await database.query<{ gnaf_pid: string; sal: string }>(
      `SELECT p.gnaf_pid, p.sal FROM control.change c JOIN serving.property p ON p.gnaf_pid = split_part(c.key, '|', 1)
       WHERE c.table_name = 'property_event' AND c.publication_id = 2 AND p.sal IS NOT NULL ORDER BY 1 LIMIT 1`,
    );
    const home = await (await get(`/property/${event!.gnaf_pid}/changes`)).text();
    expect(home).toMatch(/Publication 2, .*because of [^<]*listings/s);
    expect(home).toContain('property_event');
    expect(home).toContain('name="account"');
    const suburb = await (await get(`/suburb/${encodeURIComponent(event!.sal)}/changes`)).text();
    expect(suburb).toContain('Publication 2');
    expect(suburb).not.toContain('>property_event<');
    const [same] = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property p WHERE NOT EXISTS (
         SELECT FROM control.change c WHERE split_part(c.key, '|', 1) = p.gnaf_pid) ORDER BY 1 LIMIT 1`,
    );
    expect(await (await get(`/property/${same!.gnaf_pid}/changes`)).text()).toContain('Nothing since');
    expect((await get('/property/GANOTHERE/changes')).status).toBe(404);
    expect((await get('/suburb/Nowhere/changes')).status).toBe(404);
  });

  it('let an operator watch a property for an account, by a form of the console alone', async () => {
    const pool = openPool(database.url, 1);
    await withClient(pool, setUpAccounts);
    await openAccount(pool, 'acme');
    await pool.end();
    const [home] = await database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property LIMIT 1',
    );
    const path = `/property/${home!.gnaf_pid}`;
    const page = await get(`${path}/changes`);
    const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
    const [, token] = /name="form_token" value="([^"]+)"/.exec(await page.text())!;
    const send = (fields: Record<string, string>) =>
      get(`${path}/watch`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      });
    const [url, account] = ['https://example.com/hook', 'acme'];
    expect((await send({ account, url })).status).toBe(403);
    expect((await send({ form_token: token!, account, url: 'http://127.0.0.1/' })).status).toBe(422);
    expect((await send({ form_token: token!, account: 'nobody', url })).status).toBe(422);
    const made = await send({ form_token: token!, account, url });
    expect(made.status).toBe(200);
    expect(await made.text()).toContain('whsec_');
    expect(
      await database.query(
        'SELECT a.name, w.url, w.ids FROM account.watch w JOIN account.account a USING (account_id)',
      ),
    ).toEqual([{ name: 'acme', url, ids: [home!.gnaf_pid] }]);
    expect(await (await get('/operate')).text()).toContain('watch');
  });
});
