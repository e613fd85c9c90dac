import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { type PublishedSample, publishedSample } from '../published_sample.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const PATHS = [
  '/',
  '/sql?q=SELECT+1+AS+x',
  '/operate',
  '/operate/rollback?to=1',
  '/jobs',
  '/queue',
  '/tables/property/csv',
  '/property/GAVIC900000001/payload/profile',
  '/find?q=a',
  '/metrics',
  '/static/x',
  '/nowhere',
];
const FORMS = [
  '/operate/run',
  '/operate/accept',
  '/operate/rollback',
  '/operate/dataset',
  '/sql',
  '/jobs/avm',
];

describe('the console before pages of other sites', () => {
  let sample: PublishedSample;
  let open: OpsServer;
  let guarded: OpsServer;

  beforeAll(async () => {
    sample = await publishedSample();
    const start = async (...set: string[]) =>
      startOps(
        sample.database.url,
        (await loadConfig({ config: `${sample.dir}/config.yaml`, set: ['ops.port=0', ...set] }, {})).config,
      );
    open = await start();
    guarded = await start(`ops.token=${TOKEN}`);
  });
  afterAll(async () => {
    await open?.close();
    await guarded?.close();
    await sample?.database.drop();
    await rm(sample.dir, { recursive: true, force: true });
  });

  /** Sends a request with any Host header: `fetch` sends its own. */
  const send = (
    server: OpsServer,
    path: string,
    headers: Record<string, string>,
    body: string | null = null,
  ): Promise<{ status: number; text: string; headers: Record<string, unknown> }> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(server.url);
      const sent = request(
        { host: '127.0.0.1', port, path, method: body === null ? 'GET' : 'POST', headers, setHost: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode!, text, headers: response.headers }),
          );
        },
      );
      sent.on('error', reject).end(body ?? undefined);
    });

  it.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '127.0.0.1:80:80',
    'localhost@evil.example',
    'evil.example#localhost',
    '[::1].evil.example',
    '0.0.0.0',
    '10.0.0.1',
    '2130706433',
    '',
  ])('answers 403 to every page and form for the Host "%s", without a token', async (host) => {
    for (const path of PATHS) {
      const { status, text } = await send(open, path, { host });
      expect([path, status]).toEqual([path, 403]);
      expect(text).not.toContain('<html');
    }
    for (const path of FORMS)
      expect(
        (await send(open, path, { host, 'content-type': 'application/x-www-form-urlencoded' }, 'job='))
          .status,
        path,
      ).toBe(403);
    // The probe says no more than its status.
    expect(Object.keys(JSON.parse((await send(open, '/healthz', { host })).text))).toEqual(['status']);
  });

  it('lets no other site read its answers, frame them or run its SQL', async () => {
    const { host } = new URL(open.url);
    for (const path of PATHS) {
      const { headers } = await send(open, path, { host, origin: 'https://evil.example' });
      expect(headers['access-control-allow-origin'], path).toBeUndefined();
      expect(headers['x-frame-options'], path).toBe('DENY');
      expect(headers['x-content-type-options'], path).toBe('nosniff');
    }
    const sql = async (site: string | null) =>
      (
        await send(open, '/sql?q=SELECT+4711*2+AS+x', {
          host,
          ...(site === null ? {} : { 'sec-fetch-site': site }),
        })
      ).text;
    for (const site of ['cross-site', 'same-site']) expect(await sql(site), site).not.toContain('9422');
    for (const site of [null, 'none', 'same-origin']) expect(await sql(site), String(site)).toContain('9422');
  });

  it('takes no form of another site, with or without the token, and records no action', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const password = { authorization: `Basic ${Buffer.from(`anna:${TOKEN}`).toString('base64')}` };
    const { host } = new URL(guarded.url);
    for (const path of FORMS)
      for (const from of [
        { origin: 'https://evil.example' },
        { origin: `http://127.0.0.1:1` },
        { 'sec-fetch-site': 'same-site', origin: `http://${host}` },
      ] as Record<string, string>[]) {
        const { status } = await send(
          guarded,
          path,
          { host, ...form, ...password, ...from },
          'job=&reason=x',
        );
        expect([403, 404], `${path} ${JSON.stringify(from)}`).toContain(status);
      }
    for (const path of PATHS.filter((one) => one !== '/nowhere'))
      expect((await send(guarded, path, { host: 'evil.example' })).status, path).toBe(401);
    expect(await sample.database.query('SELECT * FROM control.action')).toEqual([]);
  });
});
