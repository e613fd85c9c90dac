import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { OpsServer } from '../../ops/server.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import { openAccount } from '../../store/accounts/accounts.ts';
import { openPool, withClient } from '../../store/database.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { deliverListings } from '../pipelines/night_deliveries.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { type ConsoleScene, openConsole } from './console_scene.ts';

const TOKEN = 'a-token-of-sixteen-characters';

describe('the pages of changes', () => {
  let database: TestDatabase;
  let dir: string;
  let scene: ConsoleScene | undefined;
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
    scene = await openConsole({ database, dir }, [`ops.token=${TOKEN}`]);
    ({ server } = scene);
  });
  afterAll(async () => {
    await scene?.close();
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

  it('say in sentences how many estimates a publication changed, why, and which one most', async () => {
    const [run] = await database.query<{ run_id: number }>(
      'SELECT run_id FROM control.publication WHERE publication_id = 2',
    );
    expect(await (await get(`/runs/${run!.run_id}`)).text()).toMatch(
      /<p>Publication 2 changed [^<]*, because /,
    );
    // The town has too few sales for estimates, so the journal gets a publication that changed some.
    const homes = await database.query<{ pid: string; sal: string; address: string }>(
      `SELECT gnaf_pid AS pid, sal, address FROM serving.property WHERE sal = (SELECT sal FROM serving.property
         GROUP BY sal ORDER BY count(*) DESC, sal LIMIT 1) ORDER BY gnaf_pid LIMIT 5`,
    );
    const [most] = homes;
    const journal = (
      table: string,
      key: string,
      change: string,
      before: object | null,
      after: object | null,
    ) =>
      database.query(
        `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
         SELECT 3, $1, (SELECT 100000 + count(*) FROM control.change WHERE publication_id = 3), $2, $3, $4, $5`,
        [table, change, key, before && JSON.stringify(before), after && JSON.stringify(after)],
      );
    await database.query(
      `INSERT INTO control.publication (publication_id, run_id, kind, tables, datasets, audit, held)
       SELECT 3, run_id, kind, tables, datasets, audit, false FROM control.publication WHERE publication_id = 2`,
    );
    // By 84,000, and by 1 % each; one gains an estimate.
    const prices = [
      [1_000_000, 1_084_000],
      [500_000, 505_000],
      [600_000, 594_000],
    ] as const;
    for (const [i, [was, now]] of prices.entries())
      await journal(
        'property_avm',
        homes[i]!.pid,
        'update',
        { gnaf_pid: homes[i]!.pid, predicted_price: was, confidence: 70 },
        { gnaf_pid: homes[i]!.pid, predicted_price: now, confidence: 71 },
      );
    const added = { gnaf_pid: homes[3]!.pid, predicted_price: null };
    await journal('property_avm', homes[3]!.pid, 'update', added, { ...added, predicted_price: 700_000 });
    await journal(
      'property_comparable',
      most!.pid,
      'update',
      { gnaf_pid: most!.pid, sale_pids: ['A', 'B', 'C'] },
      { gnaf_pid: most!.pid, sale_pids: ['A', 'D', 'E'] },
    );
    for (const id of ['x', 'y'])
      await journal('sale', `${most!.pid}|${id}`, 'insert', null, {
        gnaf_pid: most!.pid,
        event_id: id,
        sal: most!.sal,
      });
    const place = most!.sal;
    const sentence = `Publication 3 changed 3 estimates, 2 of them by less than 2 %, added one estimate, because 2 sales arrived in ${place}.`;
    const visible = async (path: string): Promise<string> =>
      (await (await get(path)).text()).replaceAll(/<[^>]*>/g, '');
    const suburb = await visible(`/suburb/${encodeURIComponent(place)}/changes`);
    expect(suburb).toContain(sentence);
    const home = addressTitleCase(most!.address);
    expect(suburb).toContain(`Largest: ${home}, +$84,000, 2 new comparables.`);
    const own = await visible(`/property/${most!.pid}/changes`);
    expect(own).toContain(
      `Publication 3 changed one estimate, because 2 sales arrived in ${place}. Largest: ${home}, +$84,000`,
    );
    // Rows are one click away.
    expect(await (await get(`/property/${most!.pid}/changes`)).text()).toMatch(
      /<details><summary>4 rows of its own changed/,
    );
    // The preview of a rollback has the same estimates in the other direction; a change that was undone is none.
    await database.query(
      `INSERT INTO control.publication (publication_id, run_id, kind, tables, datasets, audit, held)
       SELECT 4, run_id, kind, tables, datasets, audit, false FROM control.publication WHERE publication_id = 2`,
    );
    await database.query(
      `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
       SELECT 4, table_name, seq, change, key, after, before FROM control.change WHERE publication_id = 3 AND key = $1 AND table_name = 'property_avm'`,
      [homes[1]!.pid],
    );
    const preview = await visible('/operate/rollback?to=2');
    expect(preview).toContain(`Back from publication 4 to 2`);
    expect(preview).toContain('undoes publications 3 to 4');
    // Three estimates, the comparables and two sales.
    expect(preview).toContain('6 rows of 3 tables change, and 3 properties.');
    expect(preview).toContain(`${home}$1,080,000$1,000,000−$84,000`);
    await database.query('DELETE FROM control.change WHERE publication_id > 2');
    await database.query('DELETE FROM control.publication WHERE publication_id > 2');
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
