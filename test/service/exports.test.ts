import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { FetchSource, PMTiles } from 'pmtiles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportTables } from '../../pipelines/export/export.ts';
import { silent } from '../../pipelines/report/progress.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Service } from '../../service/server.ts';
import { openPool } from '../../store/database.ts';
import { type Scene, setScene } from './scene.ts';

const PRICE = 50_000;

interface Item {
  properties: { publication: number; format: string; datasets: { dataset: string }[] };
  assets: Record<string, { href: string; 'file:size': number; 'file:checksum': string }>;
}

describe('exports', () => {
  let scene: Scene;
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    scene = await setScene();
    folder = await mkdtemp(join(tmpdir(), 'exports-'));
    const pool = openPool(scene.database.url, 1);
    const client = await pool.connect();
    for (const [name, format, tables] of [
      ['1-parquet', 'parquet', ['property', 'suburb']],
      ['1-tiles', 'pmtiles', ['property']],
    ] as const)
      await exportTables(client, {
        all: SERVING_TABLES,
        publication: null,
        since: null,
        tables,
        format,
        out: join(folder, name),
        signKey: null,
        progress: silent,
      });
    client.release();
    await pool.end();
    await mkdir(join(folder, 'no-export'));
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await symlink(join(folder, 'secret.txt'), join(folder, '1-parquet', 'outside.txt'));
    service = await scene.start([
      'service.rate_per_s=100000',
      'service.rate_burst=100000',
      `service.exports=${folder}`,
    ]);
  });
  afterAll(async () => {
    await scene?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const get = (path: string, key: string, of = service) =>
    fetch(path.startsWith('http') ? path : of.base_url + path, {
      headers: { authorization: `Bearer ${key}` },
    });
  const itemOf = async (response: Response) => (await response.json()) as Item;

  it('are listed free of charge, and charged once to an account', async () => {
    const { key, account_id } = await scene.funded('buyer', 2 * PRICE);
    const list = await get('/v1/exports', key);
    const { links } = (await list.json()) as { links: { rel: string; title: string; publication: number }[] };
    expect(links.filter(({ rel }) => rel === 'item').map(({ title }) => title)).toEqual([
      '1-parquet',
      '1-tiles',
    ]);
    expect(await scene.wallet(account_id)).toMatchObject({ spent: 0 });
    const first = await get('/v1/exports/1-parquet', key);
    expect([first.status, first.headers.get('x-cost-cents')]).toEqual([200, String(PRICE)]);
    expect((await itemOf(first)).properties).toMatchObject({ publication: 1, format: 'parquet' });
    const again = await get('/v1/exports/1-parquet', key);
    expect([again.status, again.headers.get('x-cost-cents')]).toEqual([200, '0']);
    expect(await scene.wallet(account_id)).toMatchObject({ spent: PRICE, calls: 1, adds_up: true });
    expect((await get('/v1/exports/1-tiles', key)).headers.get('x-cost-cents')).toBe(String(PRICE));
    const { key: poor } = await scene.funded('poor', PRICE - 1);
    expect((await get('/v1/exports/1-parquet', poor)).status).toBe(402);
    expect((await get('/v1/exports/1-parquet', service.sandbox_key)).status).toBe(403);
    for (const [name, status] of [
      ['nowhere', 404],
      ['no-export', 404],
      ['..', 404],
      ['a%2Fb', 422],
    ] as const)
      expect((await get(`/v1/exports/${name}`, key)).status, name).toBe(status);
  });

  it('cost nothing again, even during another purchase of the account', async () => {
    for (const n of [1, 2, 3, 4, 5]) {
      const { key } = await scene.funded(`busy ${n}`, 2 * PRICE);
      await get('/v1/exports/1-parquet', key);
      const [other, ...again] = await Promise.all(
        ['1-tiles', ...Array<string>(12).fill('1-parquet')].map((name) => get(`/v1/exports/${name}`, key)),
      );
      expect(other!.headers.get('x-cost-cents')).toBe(String(PRICE));
      expect(again.map(({ headers }) => headers.get('x-cost-cents'))).toEqual(again.map(() => '0'));
    }
  });

  it('serve files with their stated checksum and size, also by ranges, without a key', async () => {
    const { key } = await scene.funded('reader', 2 * PRICE);
    const { assets } = await itemOf(await get('/v1/exports/1-parquet', key));
    for (const [file, { href, 'file:size': size, 'file:checksum': checksum }] of Object.entries(assets)) {
      const bytes = Buffer.from(await (await fetch(href)).arrayBuffer());
      expect(bytes.equals(await readFile(join(folder, '1-parquet', file))), file).toBe(true);
      if (size === undefined) continue;
      expect(bytes.length).toBe(size);
      expect(checksum).toBe(`1220${createHash('sha256').update(bytes).digest('hex')}`);
    }
    const { href, 'file:size': size } = assets['property.parquet']!;
    const beyond = await fetch(href, { headers: { range: 'bytes=999999999-' } });
    expect([beyond.status, beyond.headers.get('content-range'), await beyond.json()]).toMatchObject([
      416,
      `bytes */${size}`,
      { detail: { type: 'range_not_satisfiable' } },
    ]);
    const part = await fetch(href, { headers: { range: 'bytes=4-9' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-9/${size}`]);
    const file = await asyncBufferFromUrl({ url: href, byteLength: size });
    expect(Number((await parquetMetadataAsync(file)).num_rows)).toBeGreaterThan(100);
    const rows = await parquetReadObjects({ file, compressors, columns: ['gnaf_pid'], rowEnd: 5 });
    expect(rows[0]).toHaveProperty('gnaf_pid');
    const tiles = await itemOf(await get('/v1/exports/1-tiles', key));
    const archive = new PMTiles(new FetchSource(tiles.assets['property.pmtiles']!.href));
    expect((await archive.getHeader()).maxZoom).toBe(16);
  });

  it('are downloaded only by signed links, which are refused after any change', async () => {
    const { key } = await scene.funded('links', PRICE);
    const { assets } = await itemOf(await get('/v1/exports/1-parquet', key));
    const { href } = assets['property.parquet']!;
    const statusOf = async (change: (url: URL) => void) => {
      const url = new URL(href);
      change(url);
      return (await fetch(url)).status;
    };
    expect(await statusOf(() => undefined)).toBe(200);
    for (const [name, value] of [
      ['signature', 'x'],
      ['expires', '99999999999'],
      ['account', '1'],
    ] as const)
      expect(await statusOf((url) => url.searchParams.set(name, value)), name).toBe(403);
    for (const path of [
      '/v1/files/1-parquet/suburb.parquet',
      '/v1/files/1-parquet/outside.txt',
      '/v1/files/1-parquet/..%2Fsecret.txt',
      '/v1/files/../secret.txt',
    ])
      expect([403, 404], path).toContain(
        await statusOf((url) => {
          url.pathname = path;
        }),
      );
    expect((await fetch(href.replace(/\?.*/, ''))).status).toBe(403);
  });

  it('are an empty list, and 404 by name, without a configured folder', async () => {
    const without = await scene.start();
    const { key } = await scene.funded('none', PRICE);
    const { links } = (await (await get('/v1/exports', key, without)).json()) as { links: { rel: string }[] };
    expect(links.map(({ rel }) => rel)).toEqual(['self']);
    expect((await get('/v1/exports/1-parquet', key, without)).status).toBe(404);
  });
});
