import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FaultServer, startServer } from './fault_server.ts';
import { type Bench, openBench } from './fetching.ts';

let server: FaultServer;
let bench: Bench;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  bench = openBench();
});
afterEach(() => bench.remove());

const url = (path: string) => ({ url: `${server.url}${path}` });
const filesOf = (of: Bench): string[] =>
  readdirSync(of.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('a download without end', () => {
  it.each([
    ['by its body', {}, { downloads: { max_mb: 1 } }],
    ['by its header', { 'content-length': '99000000' }, { downloads: { max_mb: 1 } }],
    ['by the limit of the dataset', {}, {}],
  ])('ends at downloads.max_mb and leaves nothing: %s', async (what, headers, options) => {
    let sent = 0;
    server.on('/endless.csv', (_request, response) => {
      response.writeHead(200, headers);
      const chunk = Buffer.alloc(100_000, 'x');
      const more = (): void => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    const fetch = { ...url('/endless.csv'), ...(what.includes('dataset') ? { max_mb: 1 } : {}) };
    const result = await bench.run(fetch, options);
    expect(result).toMatchObject({ action: 'failed', code: 'download_too_large' });
    expect(sent).toBeLessThan(20_000_000);
    expect(filesOf(bench)).toEqual([]);
  });
});

describe('a file whose name says nothing', () => {
  it('is judged by its first bytes: a zip that is cut off is no release', async () => {
    const zip = Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(96)]);
    server.on('/download', (_request, response) => response.writeHead(200).end(zip));
    const result = await bench.run(url('/download'));
    expect(result).toMatchObject({ action: 'failed', code: 'download_damaged' });
  });
});

describe('a redirect', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/x',
    'http://10.0.0.1/x',
    'http://192.168.1.1/x',
    'http://localhost:5432/x',
    'http://127.0.0.1:1/x',
  ])('goes to no address inside the network, whatever the first host was: %s', async (location) => {
    server.on('/away.csv', (_request, response) => response.writeHead(302, { location }).end());
    const result = await bench.run(url('/away.csv'));
    expect(result).toMatchObject({ action: 'failed', code: 'source_unavailable' });
    expect(result.action === 'failed' && result.message).toContain('not a public internet address');
  });

  it('goes to no link-local address even in an intranet', async () => {
    server.on('/away.csv', (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    const result = await bench.run(url('/away.csv'), { downloads: { private_addresses: true } });
    expect(result.action === 'failed' && result.message).toContain('not a public internet address');
  });
});
