import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../service/server.ts';
import { CHROMIUM, keepPicture, seriousFindings, tooWide, WINDOWS } from '../ops/browser.ts';
import { type Scene, setScene } from './scene.ts';

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** Nothing is wider than the window or hard to read, at both widths, by day and by night; last on a phone by night. */
async function isFineEverywhere(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of WINDOWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    expect(await tooWide(page), `${name} ${width} ${colorScheme}`).toEqual([]);
    expect(await seriousFindings(page), `${name} ${width} ${colorScheme}`).toEqual([]);
    await keepPicture(page, `${name}-${width}-${colorScheme}`);
  }
}

describe('the pages of the service', () => {
  let scene: Scene;
  let service: Service;
  let holder: { key: string; account_id: number; token: string };

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start();
    holder = await scene.funded('holder', 500);
    for (let i = 0; i < 3; i++)
      await fetch(`${service.base_url}/v1/properties/${scene.pid}/profile`, { headers: bearer(holder.key) });
  });
  afterAll(() => scene?.close());

  it('show the holder of a token what the account used, and its keys', async () => {
    const get = (token: string) => fetch(`${service.base_url}/portal/account`, { headers: bearer(token) });
    expect((await get(holder.key)).status).toBe(401);
    expect((await get('token_wrong')).status).toBe(401);
    const account = (await (await get(holder.token)).json()) as { keys: object[] };
    expect(account).toMatchObject({
      name: 'holder',
      balance_cents: 491,
      spent_cents: 9,
      usage: [{ endpoint: '/v1/properties/{gnaf_id}/profile', calls: 3, cents: 9 }],
    });
    expect(account.keys).toHaveLength(1);
    expect(JSON.stringify(account)).not.toContain(holder.key);
  });

  it('create and revoke keys of that account alone', async () => {
    const made = await fetch(`${service.base_url}/portal/keys`, {
      method: 'POST',
      headers: { ...bearer(holder.token), 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'second' }),
    });
    expect(made.status).toBe(201);
    const { key, prefix } = (await made.json()) as { key: string; prefix: string };
    const me = () => fetch(`${service.base_url}/v1/me`, { headers: bearer(key) });
    expect((await me()).status).toBe(200);
    const revoke = (token: string) =>
      fetch(`${service.base_url}/portal/keys/${prefix}`, { method: 'DELETE', headers: bearer(token) });
    const other = await scene.funded('other', 0);
    expect((await revoke(other.token)).status).toBe(404);
    expect((await me()).status).toBe(200);
    expect((await revoke(holder.token)).status).toBe(204);
    expect((await me()).status).toBe(401);
  });

  if (!CHROMIUM) console.warn('SKIPPED: pages of the service in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)('work in a browser, fetch nothing from elsewhere, and try every call', async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (asked) => {
        if (!asked.url().startsWith(service.base_url)) problems.push(asked.url());
      });
      await page.goto(service.base_url);
      // A call is found by what it answers, and says so in a sentence.
      await page.locator('#properties_profile').waitFor();
      const all = await page.locator('#operations details').count();
      await page.fill('#search', 'property profile');
      const left = page.locator('#operations details:visible');
      expect(await left.count()).toBeLessThan(all / 4);
      expect(await page.textContent('#count')).toBe(
        `${await left.count()} call${(await left.count()) === 1 ? '' : 's'}`,
      );
      expect((await page.locator('#count').boundingBox())!.y).toBeLessThan(400);
      expect((await page.textContent('#properties_profile .brief'))!.length).toBeGreaterThan(20);
      await page.locator('#properties_profile summary').click();
      await page.locator('#properties_profile button', { hasText: 'Try it' }).click();
      await page.locator('#properties_profile pre').waitFor({ state: 'visible' });
      expect(await page.textContent('#properties_profile .status')).toMatch(/^200 in .*cost \$0\.00, /);
      expect(await page.textContent('#properties_profile pre')).toContain('"mesh_block"');
      // What is copied as curl is a command that answers the same.
      await page.locator('#properties_profile button', { hasText: 'curl' }).click();
      const curl = (await page.textContent('#properties_profile pre'))!;
      const run = promisify(execFile);
      expect((await run('sh', ['-c', `${curl} -s`])).stdout).toContain('"mesh_block"');
      await page.locator('#properties_profile button', { hasText: 'fetch' }).click();
      const script = (await page.textContent('#properties_profile pre'))!;
      expect((await run('node', ['--input-type=module', '-e', script])).stdout).toContain('mesh_block');
      // What was wrong is named.
      await page.fill('#properties_profile input[name=gnaf_id]', 'x y');
      await page.locator('#properties_profile button', { hasText: 'Try it' }).click();
      await page.locator('#properties_profile .status.fail', { hasText: /^4\d\d: \S.* in \d+ ms/ }).waitFor();
      // Prices are dollars, and only what costs nothing is free; the calls are listed beside.
      const summary = (id: string) => page.locator(`#${id} summary span`).first().textContent();
      await page.fill('#search', '');
      expect(await summary('properties_valuation_avm')).toMatch(/^\$0\.\d\d$/);
      expect(await summary('batch')).toBe('price of its answers');
      expect(await summary('me')).toBe('free');
      await page.locator('#contents a', { hasText: 'valuation/avm' }).first().click();
      await page.locator('#properties_valuation_avm[open]').waitFor();
      await page.getByRole('link', { name: 'guide' }).first().click();
      await page.getByRole('heading', { name: 'Ten lines to a valuation' }).waitFor();
      expect(await page.textContent('main')).toContain('Retry-After');
      expect(await page.locator('main a[href$=".md"]').count()).toBe(0);
      // Each example has a button that copies it, and the calls have their real answers beside them.
      const examples = page.locator('.guide .example');
      await examples.first().waitFor();
      expect(await examples.count()).toBeGreaterThanOrEqual(5);
      expect(await page.locator('.guide .example button', { hasText: 'Copy' }).count()).toBe(
        await examples.count(),
      );
      const answers = page.locator('.guide .answer');
      await page.locator('.guide .answer', { hasText: '"results"' }).waitFor();
      await page.locator('.guide .answer', { hasText: 'no_data' }).first().waitFor();
      expect(await answers.count()).toBe((await examples.count()) - 1);
      expect(await answers.filter({ hasText: 'No answer' }).count()).toBe(0);
      const copied = examples.nth(1).getByRole('button');
      await copied.click();
      await expect.poll(() => copied.textContent()).toMatch(/Copied|Selected/);
      await isFineEverywhere(page, 'guide');
      // A long path stands beside the plot.
      await scene.database.query(
        `INSERT INTO account.ledger (account_id, kind, cents, request_id, key_id, endpoint, rate_card_version)
         SELECT account_id, kind, -1, gen_random_uuid(), key_id, '/v1/properties/{gnaf_id}/comparables/recent-sales-nearby', rate_card_version
         FROM account.ledger WHERE account_id = $1 AND kind = 'charge' LIMIT 1`,
        [holder.account_id],
      );
      await page.goto(`${service.base_url}/portal`);
      await page.fill('#token', holder.token);
      await page.keyboard.press('Enter');
      await page.locator('#account svg rect').first().waitFor();
      expect(await page.textContent('#says')).toContain('balance $4.91');
      // The axis says dollars: a tick above the greatest sum of a day, and zero.
      const ticks = await page.locator('#account svg .tick').allTextContents();
      expect(ticks).toEqual(['$0.00', '$0.05', '$0.10', '$0.15', '$0.20']);
      // A key with an end, a cap and a scope.
      await page.fill('#label', 'third');
      await page.fill('#expires_at', '2099-01-02T03:04');
      await page.fill('#day_max', '12.5');
      await page.fill('#scope', 'mcp, /v1/suburbs');
      await page.click('#create button');
      await page.locator('#made.pass').waitFor();
      const row = page.locator('#keys tr', { hasText: 'third' });
      await row.waitFor();
      for (const told of ['2099-01-02 03:04 UTC', '$12.50', 'mcp /v1/suburbs'])
        expect(await row.textContent()).toContain(told);
      const account = await fetch(`${service.base_url}/portal/account`, { headers: bearer(holder.token) });
      const { keys } = (await account.json()) as { keys: { label: string }[] };
      expect(keys.find(({ label }) => label === 'third')).toMatchObject({
        expires_at: '2099-01-02T03:04:00.000Z',
        day_cents_max: 1250,
        scope: ['mcp', '/v1/suburbs'],
      });
      await page.fill('#label', 'fourth');
      await page.fill('#scope', 'everything');
      await page.click('#create button');
      await page.locator('#made.fail', { hasText: 'scope' }).waitFor();
      await page.fill('#scope', '');
      await keepPicture(page, 'portal-1280');
      // On a phone by night: nothing is wider than it, nothing is hard to read, and what is wrong is named.
      await isFineEverywhere(page, 'portal');
      // The button that revokes has the colour of a failure.
      const colour = await page.evaluate(`getComputedStyle(document.querySelector('#keys button')).color`);
      expect(colour).toBe('rgb(255, 143, 134)');
      await page.fill('#label', 'x'.repeat(101));
      await page.click('#create button');
      await page.locator('#made', { hasText: /^label: / }).waitFor();
      await page.fill('#token', 'token_wrong');
      await page.click('#open button');
      await page.locator('#says', { hasText: 'No account has this token.' }).waitFor();
      await page.goto(service.base_url);
      await page.locator('#properties_profile summary').click();
      await isFineEverywhere(page, 'try');
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
