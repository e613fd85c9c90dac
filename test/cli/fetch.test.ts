import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchExit } from '../../cli/commands/fetch.ts';
import { loadConfig } from '../../cli/load_config.ts';
import { licenceOf } from '../../pipelines/ingest/configured.ts';
import { OPEN_LICENCES } from '../../schema/licence.ts';
import { adapterNamed } from '../../sources/index.ts';
import {
  type FaultServer,
  noise,
  serveFile,
  sha256Of,
  startServer,
} from '../pipelines/fetch/fault_server.ts';
import { until } from '../waiting.ts';
import { openFolder, pipeline, tinyGnaf, writeConfig } from './fixture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODIFIED = 'Mon, 16 Nov 2026 02:00:00 GMT';

let folder: string;
let server: FaultServer;
let zip: Buffer;
beforeAll(async () => {
  folder = openFolder();
  server = await startServer();
  zip = readFileSync(await tinyGnaf(folder));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const datasets = (fetch: object): object => ({ gnaf: { adapter: 'gnaf', path: 'fetched', fetch } });

describe('pipeline fetch', () => {
  it('downloads what refresh then reads, and reports unchanged the second time', async () => {
    const name = 'g-naf_nov25_vic_gda2020_psv.zip';
    server.on(`/${name}`, (request, response) => serveFile(request, response, zip, { etag: '"1"' }));
    const config = writeConfig(folder, 'fetch.yaml', {
      datasets: datasets({ url: `${server.url}/${name}` }),
    });
    const flags = ['--config', config, '--data-dir', join(folder, 'data')];
    const early = await pipeline(['refresh', ...flags]);
    expect([early.code, early.stdout]).toEqual([1, expect.stringContaining('run npx pipeline fetch gnaf')]);
    const first = await pipeline(['fetch', ...flags]);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^ *gnaf +fetched +\d{4}-/)]);
    const again = await pipeline(['fetch', 'gnaf', '--json', ...flags]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).datasets).toMatchObject([{ dataset: 'gnaf', action: 'unchanged' }]);
    const refreshed = await pipeline(['refresh', '--json', ...flags]);
    const report = JSON.parse(refreshed.stdout);
    expect(report.error ?? null).toBeNull();
    expect(report.datasets).toMatchObject([{ dataset: 'gnaf', release: 'NOVEMBER 2025', action: 'loaded' }]);
  });

  it('is exit code 5 where the source is not available, and 2 for what cannot be fetched', async () => {
    const config = writeConfig(folder, 'gone.yaml', {
      datasets: {
        ...datasets({ url: `${server.url}/gone.zip`, landing: 'https://data.gov.au/gnaf' }),
        asgs: { adapter: 'asgs', path: 'x.zip' },
      },
    });
    const flags = ['--config', config, '--data-dir', join(folder, 'gone')];
    const gone = await pipeline(['fetch', ...flags]);
    expect(gone.code).toBe(5);
    expect(gone.stdout).toMatch(
      /gnaf +failed .*source_unavailable: .* answers 404\..*https:\/\/data\.gov\.au\/gnaf/,
    );
    const wrong = await pipeline(['fetch', 'asgs', ...flags]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('config_not_fetchable')]);
    const none = ['--config', writeConfig(folder, 'none.yaml', { datasets: {} }), ...flags.slice(2)];
    expect((await pipeline(['fetch', ...none])).code).toBe(2);
    const due = await pipeline(['fetch', '--due', ...none]);
    expect([due.code, due.stdout]).toEqual([0, expect.stringContaining('nothing is due')]);
  });

  it('killed in the middle leaves nothing that looks complete, and goes on', async () => {
    const large = Buffer.concat([noise(1_000_003), Buffer.alloc(45_000_000, 'abcdefg')]);
    server.on('/large.csv', (request, response, n) => {
      if (n > 1) return serveFile(request, response, large, { etag: '"1"', modified: MODIFIED });
      response.writeHead(200, { 'content-length': large.length, etag: '"1"', 'last-modified': MODIFIED });
      response.write(large.subarray(0, 40_000_000));
    });
    const config = writeConfig(folder, 'kill.yaml', {
      datasets: datasets({ url: `${server.url}/large.csv` }),
    });
    const flags = ['fetch', '--json', '--config', config, '--data-dir', join(folder, 'kill')];
    const child = spawn(process.execPath, ['cli/start.mjs', ...flags], {
      cwd: ROOT,
      stdio: 'ignore',
    });
    const partial = join(folder, 'kill', 'downloads', 'gnaf', '.partial');
    const safe = (): number => {
      try {
        const state = readdirSync(partial).find((name) => name.endsWith('.json'))!;
        return JSON.parse(readFileSync(join(partial, state), 'utf8')).safe_bytes;
      } catch {
        return 0;
      }
    };
    const saved = await until('bytes that are safe', () => safe() > 0 && safe());
    expect(saved).toBeGreaterThan(30_000_000);
    const meanwhile = await pipeline(flags);
    expect([meanwhile.code, meanwhile.stdout]).toEqual([75, expect.stringContaining('fetch_locked')]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(join(partial, '..')).sort()).toEqual(['.lock', '.partial']);
    const done = await pipeline(flags);
    expect(done.code).toBe(0);
    expect(server.seen.at(-1)!.headers.range).toBe(`bytes=${saved}-`);
    const [result] = JSON.parse(done.stdout).datasets;
    expect(result).toMatchObject({ action: 'fetched', release: '2026-11-16' });
    expect(sha256Of(readFileSync(result.files[0]))).toBe(sha256Of(large));
  });
});

describe('the exit code of several datasets', () => {
  const failed = (code: string) => ({ dataset: 'd', action: 'failed' as const, code, message: '' });
  it.each([
    [[], 0],
    [['source_unavailable'], 5],
    [['download_damaged', 'fetch_locked'], 5],
    [['fetch_locked'], 75],
    [['source_unavailable', 'disk_full'], 1],
    [['download_mismatch', 'licence_not_accepted'], 2],
    [['config_missing_variable', 'source_unavailable'], 2],
  ])('%j is %i', (codes, exit) => {
    expect(fetchExit(codes.map(failed))).toBe(exit);
  });
});

describe('config/national.yaml', () => {
  it('is valid, and states an open licence, an attribution and a page of the publisher for each dataset', async () => {
    const { config } = await loadConfig({ config: join(ROOT, 'config/national.yaml') }, {});
    expect(Object.keys(config.datasets).length).toBeGreaterThan(8);
    for (const [id, settings] of Object.entries(config.datasets)) {
      expect(OPEN_LICENCES, id).toContain(licenceOf(adapterNamed(settings.adapter), settings));
      expect(settings.attribution, id).not.toBeNull();
      if (settings.fetch) expect([settings.fetch.landing, settings.fetch.cadence], id).not.toContain(null);
    }
  });
});
