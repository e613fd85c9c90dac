import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isDue } from '../../../pipelines/fetch/fetch_dataset.ts';
import { pathsOf } from '../../../pipelines/ingest/fetched_paths.ts';
import { withDownloadLock } from '../../../store/downloads/lock.ts';
import {
  currentManifest,
  downloadFolder,
  type ReleaseManifest,
} from '../../../store/downloads/release_manifest.ts';
import { type FaultServer, noise, serveFile, sha256Of, startServer } from './fault_server.ts';
import { type Bench, openBench } from './fetching.ts';

const FIRST = noise(20_000, 1);
const SECOND = noise(21_000, 2);
const JULY = 'Wed, 01 Jul 2026 00:00:00 GMT';
const AUGUST = 'Mon, 17 Aug 2026 00:00:00 GMT';

let server: FaultServer;
let bench: Bench;
beforeEach(async () => {
  server = await startServer();
  bench = openBench();
});
afterEach(async () => {
  await server.close();
  bench.remove();
});

const url = (): object => ({ url: `${server.url}/file.csv` });
const folder = (): string => downloadFolder(bench.dataDir, 'd');
const manifest = (): Promise<ReleaseManifest | null> => currentManifest(folder());
const serve = (content: Buffer, about: { etag?: string; modified?: string }): void =>
  server.on('/file.csv', (request, response) => serveFile(request, response, content, about));

describe('a release', () => {
  it('lies at dataset, release and hash, and its manifest says what it is', async () => {
    serve(FIRST, { etag: '"a"', modified: JULY });
    const result = await bench.run(url());
    const path = `2026-07-01/${sha256Of(FIRST).slice(0, 16)}/file.csv`;
    expect(result).toMatchObject({ action: 'fetched', files: [join(folder(), path)] });
    expect(await manifest()).toMatchObject({
      dataset: 'd',
      release: '2026-07-01',
      files: [{ path, bytes: 20_000, sha256: sha256Of(FIRST), etag: '"a"', verified: ['form', 'size'] }],
    });
    expect(readdirSync(join(folder(), '.partial'))).toEqual([]);
    expect(readdirSync(join(folder(), '.lock'))).toEqual([]);
  });

  it.each([
    ['by a 304', { etag: '"a"', modified: JULY }, false],
    ['by an equal ETag though the answer is 200', { etag: '"a"' }, true],
    ['by date and size though the answer is 200', { modified: JULY }, true],
  ])('that is the same is not downloaded again: told %s', async (_name, about, isRude) => {
    serve(FIRST, about);
    await bench.run(url());
    if (isRude)
      server.on('/file.csv', (request, response) => {
        delete request.headers['if-none-match'];
        delete request.headers['if-modified-since'];
        serveFile(request, response, FIRST, about);
      });
    const before = await manifest();
    expect(await bench.run(url())).toMatchObject({ action: 'unchanged', release: before!.release });
    expect((await manifest())!.retrieved_at).toBe(before!.retrieved_at);
  });

  it('keeps its folder if only its ETag and date change', async () => {
    serve(FIRST, { etag: '"a"', modified: JULY });
    await bench.run(url());
    serve(FIRST, { etag: '"b"', modified: AUGUST });
    expect(await bench.run(url())).toMatchObject({ action: 'unchanged', release: '2026-07-01' });
    expect((await manifest())!.files[0]!.etag).toBe('"b"');
  });

  it('that is newer takes over when it is complete, and old ones are deleted', async () => {
    const months = [JULY, AUGUST, 'Tue, 17 Nov 2026 00:00:00 GMT'];
    for (const [i, modified] of months.entries()) {
      serve(noise(5000, i + 1), { etag: `"${i}"`, modified });
      expect((await bench.run(url(), { checkOnly: true })).action).toBe('newer');
      expect((await bench.run(url())).action).toBe('fetched');
      expect((await bench.run(url(), { checkOnly: true })).action).toBe('unchanged');
    }
    const kept = readdirSync(folder()).filter((name) => name.startsWith('20'));
    expect(kept).toEqual(['2026-08-17', '2026-11-17']);
    expect(readdirSync(join(folder(), 'manifests'))).toHaveLength(2);
  });

  it('stays the current one while a newer one fails', async () => {
    serve(FIRST, { etag: '"a"', modified: JULY });
    const first = await bench.run(url());
    server.on('/file.csv', (request, response) =>
      serveFile(request, response, SECOND, { etag: '"b"', modified: AUGUST }, 5000),
    );
    expect((await bench.run(url())).action).toBe('failed');
    const config = bench.config(url());
    expect(await pathsOf(config, 'd', config.datasets.d!)).toEqual((first as { files: string[] }).files);
  });

  it('that was damaged on the disk is downloaded again, and is not read meanwhile', async () => {
    serve(FIRST, { etag: '"a"', modified: JULY });
    const result = await bench.run(url());
    truncateSync((result as { files: string[] }).files[0]!, 100);
    const config = bench.config(url());
    await expect(pathsOf(config, 'd', config.datasets.d!)).rejects.toMatchObject({
      code: 'download_altered',
    });
    expect((await bench.run(url())).action).toBe('unchanged');
    expect(sha256Of(bench.content(result))).toBe(sha256Of(FIRST));
    writeFileSync(join(folder(), 'current.json'), '{"version": 1');
    await expect(pathsOf(config, 'd', config.datasets.d!)).rejects.toMatchObject({
      code: 'download_altered',
    });
  });

  it('must be fetched before it is read, and the error names the command', async () => {
    const config = bench.config(url());
    await expect(pathsOf(config, 'd', config.datasets.d!)).rejects.toMatchObject({
      code: 'not_fetched',
      message: expect.stringContaining('npx pipeline fetch d'),
    });
  });

  it('downloads only those of its files that changed', async () => {
    const urls = { url: [`${server.url}/a.csv`, `${server.url}/b.csv`] };
    server.on('/a.csv', (request, response) =>
      serveFile(request, response, FIRST, { etag: '"a"', modified: JULY }),
    );
    server.on('/b.csv', (request, response) =>
      serveFile(request, response, FIRST, { etag: '"b"', modified: JULY }),
    );
    await bench.run(urls);
    const place = (await manifest())!.files[0]!.path;
    server.on('/b.csv', (request, response) =>
      serveFile(request, response, SECOND, { etag: '"c"', modified: AUGUST }),
    );
    expect(await bench.run(urls)).toMatchObject({ action: 'fetched', release: '2026-08-17', bytes: 41_000 });
    expect((await manifest())!.files.map(({ path }) => path)).toEqual([
      place,
      `2026-08-17/${sha256Of(SECOND).slice(0, 16)}/b.csv`,
    ]);
    // The file that both releases share outlives the older one.
    server.on('/b.csv', (request, response) =>
      serveFile(request, response, noise(9, 9), { etag: '"d"', modified: AUGUST }),
    );
    await bench.run(urls, { downloads: { keep: 1 } });
    expect(existsSync(join(folder(), place))).toBe(true);
  });

  it('is asked for only when it is due', async () => {
    serve(FIRST, { etag: '"a"' });
    await bench.run({ ...url(), cadence: 'quarterly' });
    expect(await bench.run({ ...url(), cadence: 'quarterly' }, { dueOnly: true })).toMatchObject({
      action: 'not due',
    });
    expect(server.seen).toHaveLength(1);
    const { checked_at } = (await manifest())!;
    const later = (hours: number): number => Date.parse(checked_at) + hours * 3_600_000;
    const at = (hours: number, cadence: 'daily' | 'yearly' | null) =>
      isDue({ checked_at } as ReleaseManifest, cadence, later(hours));
    expect([at(11, 'daily'), at(13, 'daily'), at(100, 'yearly'), at(165, 'yearly'), at(13, null)]).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(at(-5, 'daily'), 'a clock that was set back').toBe(true);
  });
});

describe('hashes', () => {
  it('must match if they are configured, and a mismatch stores nothing', async () => {
    serve(FIRST, { etag: '"a"' });
    const wrong = await bench.run({ ...url(), sha256: sha256Of(SECOND) });
    expect(wrong).toMatchObject({ action: 'failed', code: 'download_mismatch' });
    expect(server.seen).toHaveLength(1);
    expect(await manifest()).toBeNull();
    expect((await bench.run({ ...url(), sha256: sha256Of(FIRST).toUpperCase() })).action).toBe('fetched');
    expect((await manifest())!.files[0]!.verified).toEqual(['form', 'size', 'sha256']);
    // Another pin is not met by a 304 on the file that is there.
    const other = await bench.run({ ...url(), sha256: sha256Of(SECOND) });
    expect(other).toMatchObject({ action: 'failed', code: 'download_mismatch' });
  });
});

describe('a CKAN package', () => {
  const resource = (over: object): object => ({
    id: 'r1',
    name: 'G-NAF GDA2020',
    url: `${server.url}/g-naf_aug26_gda2020.csv`,
    last_modified: '2026-08-17T03:04:05.678',
    state: 'active',
    ...over,
  });
  const answer = (resources: object[]): void =>
    server.on('/data/api/3/action/package_show', (_request, response) =>
      response.end(JSON.stringify({ success: true, result: { resources } })),
    );
  const ckan = (pattern: string, over: object = {}): object => ({
    ckan: { portal: `${server.url}/data/`, package: 'gnaf', resource: pattern, ...over },
  });
  beforeEach(() => {
    server.on('/g-naf_aug26_gda2020.csv', (request, response) => serveFile(request, response, FIRST, {}));
    server.on('/g-naf_nov26_gda2020.csv', (request, response) => serveFile(request, response, SECOND, {}));
  });

  it('gives the newest resource that matches, and only when it is another', async () => {
    const older = resource({
      id: 'r0',
      url: `${server.url}/old.csv`,
      last_modified: null,
      created: '2026-05-01',
    });
    const gda94 = resource({
      id: 'r9',
      name: 'G-NAF GDA94',
      url: `${server.url}/94.csv`,
      last_modified: '2027',
    });
    answer([older, gda94, resource({ size: 20_000, hash: `SHA256:${sha256Of(FIRST)}` })]);
    expect(await bench.run(ckan('gda2020'))).toMatchObject({ action: 'fetched', release: '2026-08-17' });
    expect((await manifest())!.files[0]!.verified).toEqual(['form', 'size', 'sha256']);
    expect(await bench.run(ckan('gda2020'))).toMatchObject({ action: 'unchanged' });
    expect(server.seen.filter(({ path }) => path.endsWith('.csv'))).toHaveLength(1);
    const next = { id: 'r2', url: `${server.url}/g-naf_nov26_gda2020.csv`, last_modified: '2026-11-16' };
    answer([resource({}), resource(next)]);
    expect(await bench.run(ckan('gda2020'), { checkOnly: true })).toMatchObject({ action: 'newer' });
    expect(await bench.run(ckan('gda2020'))).toMatchObject({ action: 'fetched', release: '2026-11-16' });
  });

  it('that states a wrong size or hash is refused, unless that is switched off', async () => {
    for (const stated of [{ size: 19_999 }, { hash: 'd41d8cd98f00b204e9800998ecf8427e' }]) {
      answer([resource(stated)]);
      expect(await bench.run(ckan('gda2020'))).toMatchObject({ code: 'download_mismatch' });
    }
    expect((await bench.run(ckan('gda2020', { verify: false }))).action).toBe('fetched');
  });

  it('is refused if no resource or several match, or if its reply is malformed', async () => {
    answer([resource({}), resource({ id: 'r2', url: `${server.url}/x.csv`, name: 'G-NAF GDA2020 b' })]);
    expect(await bench.run(ckan('shapefile'))).toMatchObject({
      code: 'no_such_resource',
      message: expect.stringContaining('"G-NAF GDA2020"'),
    });
    expect(await bench.run(ckan('gda2020'))).toMatchObject({ code: 'ambiguous_resource' });
    server.on('/data/api/3/action/package_show', (_request, response) => response.end('<html>Sorry</html>'));
    expect(await bench.run(ckan('gda2020'))).toMatchObject({
      code: 'source_unavailable',
      message: expect.stringContaining('a page of HTML instead of a CKAN package'),
    });
    server.on('/data/api/3/action/package_show', (_request, response) =>
      response.end('{"success": true, "result": {"resources": [{"id": 7}, null]}}'),
    );
    expect(await bench.run(ckan('gda2020'))).toMatchObject({ code: 'no_such_resource' });
  });

  it('is asked again after 503', async () => {
    server.on('/data/api/3/action/package_show', (_request, response, n) =>
      n === 1
        ? response.writeHead(503).end()
        : response.end(JSON.stringify({ success: true, result: { resources: [resource({})] } })),
    );
    expect((await bench.run(ckan('gda2020'))).action).toBe('fetched');
  });
});

describe('fetching', () => {
  it('sends a User-Agent that portals accept, and secrets from the environment', async () => {
    serve(FIRST, {});
    const variable = '$' + '{API_KEY}';
    const settings = {
      url: `${server.url}/file.csv?api_key=${variable}`,
      headers: { 'X-Api-Key': variable },
    };
    const failed = await bench.run(settings);
    expect(failed).toMatchObject({
      code: 'config_missing_variable',
      message: expect.stringContaining('API_KEY'),
    });
    expect(server.seen).toHaveLength(0);
    await bench.run(settings, { env: { API_KEY: 'hunter 2' } });
    expect(server.seen[0]!.headers).toMatchObject({ 'x-api-key': 'hunter 2' });
    expect(server.seen[0]!.headers['user-agent']).toMatch(/^Mozilla\/5\.0 \(compatible; /);
    expect(JSON.stringify(await manifest())).not.toContain('hunter');
  });

  it.each([
    ['a header', { url: 'https://x.au/a', headers: { Authorization: 'apikey hunter2' } }],
    ['a parameter', { url: 'https://x.au/a?api_key=hunter2' }],
    ['a password', { url: 'https://me:hunter2@x.au/a' }],
  ])('refuses a secret that stands in the configuration as %s', (_name, fetch) => {
    expect(() => bench.config(fetch)).toThrow(/is a secret/);
    expect(() => bench.config(fetch)).not.toThrow(/hunter2/);
  });

  it('needs room on the disk, and says how much', async () => {
    serve(FIRST, {});
    const result = await bench.run(url(), { downloads: { min_free_mb: 1e12 } });
    expect(result).toMatchObject({ action: 'failed', code: 'disk_full' });
    expect(result.action === 'failed' && result.message).toContain('downloads.min_free_mb');
  });

  it('locks the dataset against a second fetch', async () => {
    serve(FIRST, {});
    await withDownloadLock(folder(), 'd', async () => {
      expect(await bench.run(url())).toMatchObject({ action: 'failed', code: 'fetch_locked' });
    });
    expect((await bench.run(url())).action).toBe('fetched');
  });

  it('needs the licence to be accepted', async () => {
    const config = bench.config(url());
    config.datasets.d!.licence = 'My School terms of use';
    const { fetchDatasets } = await import('../../../pipelines/fetch/fetch.ts');
    const { silent } = await import('../../../pipelines/report/progress.ts');
    const setting = { config, env: {}, progress: silent, onRetry: () => undefined };
    const asked = { checkOnly: false, dueOnly: false, force: false };
    expect(await fetchDatasets([], { ...setting, ...asked })).toMatchObject([
      { code: 'licence_not_accepted' },
    ]);
    await expect(fetchDatasets(['e'], { ...setting, ...asked })).rejects.toMatchObject({
      code: 'config_not_fetchable',
      message: expect.stringContaining('Did you mean d?'),
    });
    expect(server.seen).toHaveLength(0);
  });

  it('goes through the proxy of the environment', async () => {
    serve(FIRST, {});
    const through: string[] = [];
    const proxy = createServer((_request, response) => response.writeHead(405).end());
    proxy.on('connect', (request, socket, head) => {
      through.push(request.url ?? '');
      const [host, port] = (request.url ?? '').split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const HTTP_PROXY = `http://me:hunter2@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      expect((await bench.run(url(), { env: { HTTP_PROXY } })).action).toBe('fetched');
      expect(through).toEqual([new URL(server.url).host]);
      await bench.run(url(), { env: { HTTP_PROXY, NO_PROXY: '127.0.0.1' } });
      expect(through).toHaveLength(1);
      const dead = await bench.run(url(), { env: { HTTP_PROXY: 'http://me:hunter2@127.0.0.1:1' } });
      expect(dead).toMatchObject({ code: 'source_unavailable' });
      expect(JSON.stringify([dead, bench.retries])).not.toContain('hunter2');
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('leaves nothing open that a refresh could take for complete when its file is removed', async () => {
    serve(FIRST, {});
    const result = await bench.run(url());
    const [file] = (result as { files: string[] }).files;
    expect(statSync(file!).size).toBe(20_000);
    rmSync(file!);
    expect((await bench.run(url())).action).toBe('unchanged');
    expect(existsSync(file!)).toBe(true);
  });
});
