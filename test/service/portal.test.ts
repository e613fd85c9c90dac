import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../service/server.ts';
import { CHROMIUM, seriousFindings, tooWide } from '../ops/browser.ts';
import { type Scene, setScene } from './scene.ts';

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

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
      await page.locator('#properties_profile summary').click();
      await page.locator('#properties_profile button').click();
      await page.locator('#properties_profile pre').waitFor({ state: 'visible' });
      expect(await page.textContent('#properties_profile .status')).toMatch(/^200 in .*x-cost-cents 0/);
      expect(await page.textContent('#properties_profile pre')).toContain('"mesh_block"');
      await page.goto(`${service.base_url}/portal`);
      await page.fill('#token', holder.token);
      await page.click('#open');
      await page.locator('#account svg rect').first().waitFor();
      expect(await page.textContent('#says')).toContain('balance $4.91');
      // On a phone by night: nothing is wider than it, nothing is hard to read, and what is wrong is named.
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await tooWide(page)).toEqual([]);
      expect(await seriousFindings(page)).toEqual([]);
      // The button that revokes has the colour of a failure.
      const colour = await page.evaluate(`getComputedStyle(document.querySelector('#keys button')).color`);
      expect(colour).toBe('rgb(255, 143, 134)');
      await page.fill('#label', 'x'.repeat(101));
      await page.click('#create');
      await page.locator('#made', { hasText: /^label: / }).waitFor();
      await page.fill('#token', 'token_wrong');
      await page.click('#open');
      await page.locator('#says', { hasText: 'No account has this token.' }).waitFor();
      await page.goto(service.base_url);
      await page.locator('#properties_profile').waitFor();
      expect(await tooWide(page)).toEqual([]);
      expect(await seriousFindings(page)).toEqual([]);
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
