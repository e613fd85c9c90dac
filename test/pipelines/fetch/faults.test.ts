import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttp } from '../../../pipelines/fetch/http.ts';
import { publicLookup } from '../../../pipelines/fetch/public_lookup.ts';
import { type FaultServer, noise, serveFile, sha256Of, startServer } from './fault_server.ts';
import { type Bench, openBench } from './fetching.ts';

const CONTENT = noise(300_000);
const OTHER = noise(300_000, 7);
const MODIFIED = 'Mon, 16 Nov 2026 02:00:00 GMT';
const ABOUT = { etag: '"one"', modified: MODIFIED };

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

const url = (path = '/file.csv'): object => ({ url: `${server.url}${path}` });
const complete = (): string[] =>
  readdirSync(join(bench.dataDir, 'downloads', 'd'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('file.csv'),
  );

describe('a download that is interrupted', () => {
  it('goes on where it broke off, if the content is still the same', async () => {
    server.on('/file.csv', (request, response, n) =>
      serveFile(request, response, CONTENT, ABOUT, n < 3 ? 100_000 : Number.POSITIVE_INFINITY),
    );
    const result = await bench.run(url());
    expect(result).toMatchObject({ action: 'fetched', release: '2026-11-16', bytes: CONTENT.length });
    expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
    expect(server.seen.map(({ headers }) => [headers.range, headers['if-range']])).toEqual([
      [undefined, undefined],
      ['bytes=100000-', '"one"'],
      ['bytes=200000-', '"one"'],
    ]);
  });

  it('starts again where the content changed meanwhile', async () => {
    server.on('/file.csv', (request, response, n) =>
      n === 1
        ? serveFile(request, response, CONTENT, ABOUT, 100_000)
        : serveFile(request, response, OTHER, { etag: '"two"', modified: MODIFIED }),
    );
    const result = await bench.run(url());
    expect(sha256Of(bench.content(result))).toBe(sha256Of(OTHER));
  });

  it('starts again where a server that ignores If-Range continues other content', async () => {
    server.on('/file.csv', (request, response, n) => {
      if (n === 1) return serveFile(request, response, CONTENT, ABOUT, 100_000);
      const about = { etag: '"two"', modified: MODIFIED };
      request.headers['if-range'] = '"two"';
      serveFile(request, response, OTHER, about);
    });
    const result = await bench.run(url());
    expect(sha256Of(bench.content(result))).toBe(sha256Of(OTHER));
    expect(bench.retries.map(({ message }) => message).join()).toContain('changed during the download');
  });

  it('starts again where the server ignores Range, and where it cannot tell contents apart', async () => {
    for (const about of [ABOUT, {}, { etag: 'W/"weak"' }]) {
      const path = `/${JSON.stringify(about).length}/file.csv`;
      server.on(path, (request, response, n) => {
        delete request.headers.range;
        serveFile(request, response, CONTENT, about, n === 1 ? 100_000 : Number.POSITIVE_INFINITY);
      });
      const result = await bench.run(url(path), { force: true });
      expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
    }
    const ranged = server.seen.filter(({ headers }) => headers.range !== undefined);
    expect(ranged.map(({ path }) => path)).toEqual([`/${JSON.stringify(ABOUT).length}/file.csv`]);
  });

  it('starts again after 416', async () => {
    server.on('/file.csv', (request, response, n) => {
      if (n === 1) serveFile(request, response, CONTENT, ABOUT, 100_000);
      else if (request.headers.range) response.writeHead(416).end();
      else serveFile(request, response, CONTENT, ABOUT);
    });
    const result = await bench.run(url());
    expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
  });

  it('after its last byte is complete when the server has no more', async () => {
    server.on('/file.csv', (_request, response) => {
      response.writeHead(200, { etag: '"one"' });
      response.write(CONTENT, () => setTimeout(() => response.destroy(), 200));
    });
    expect(await bench.run(url(), { downloads: { attempts: 1 } })).toMatchObject({ action: 'failed' });
    server.on('/file.csv', (_request, response) =>
      response.writeHead(416, { 'content-range': `bytes */${CONTENT.length}`, etag: '"one"' }).end(),
    );
    const result = await bench.run(url());
    expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
    expect(server.seen.at(-1)!.headers.range).toBe(`bytes=${CONTENT.length}-`);
  });

  it('never looks complete, and a later command resumes it', async () => {
    server.on('/file.csv', (request, response) => serveFile(request, response, CONTENT, ABOUT, 40_000));
    const failed = await bench.run(url());
    expect(failed).toMatchObject({ action: 'failed', code: 'source_unavailable' });
    expect(complete()).toEqual([]);
    server.on('/file.csv', (request, response) => serveFile(request, response, CONTENT, ABOUT));
    const result = await bench.run(url());
    expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
    expect(server.seen.at(-1)!.headers.range).toBe('bytes=120000-');
  });

  it('resets its attempts after each megabyte of progress', async () => {
    const large = noise(7_000_000);
    server.on('/file.csv', (request, response) => serveFile(request, response, large, ABOUT, 1_500_000));
    const result = await bench.run(url(), { downloads: { attempts: 2 } });
    expect(sha256Of(bench.content(result))).toBe(sha256Of(large));
    expect(bench.retries.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
  });
});

describe('a server that stalls', () => {
  const cases: [string, (n: number) => number | null][] = [
    ['before it answers', () => null],
    ['in the middle of the body', () => 50_000],
  ];
  it.each(cases)('%s is asked again', async (_name, sent) => {
    server.on('/file.csv', (request, response, n) => {
      const bytes = sent(n);
      if (n > 1) return serveFile(request, response, CONTENT, ABOUT);
      if (bytes === null) return;
      response.writeHead(200, { 'content-length': CONTENT.length, etag: '"one"' });
      response.write(CONTENT.subarray(0, bytes));
    });
    const result = await bench.run(url(), { downloads: { stall_s: 0.4 } });
    expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
    expect(bench.retries[0]!.message).toContain('downloads.stall_s');
  });

  it('is not fooled by a byte now and then', async () => {
    server.on('/file.csv', (_request, response) => {
      response.writeHead(200, { 'content-length': CONTENT.length });
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const result = await bench.run(url(), { downloads: { stall_s: 0.3, attempts: 1 } });
    expect(result).toMatchObject({ action: 'failed', code: 'source_unavailable' });
  });
});

describe('a reply other than the file', () => {
  it.each([
    [403, /fetch\.user_agent/],
    [401, /credentials/],
    [404, /publisher.s page/],
  ])('%i fails at once and says what to do', async (status, message) => {
    server.on('/file.csv', (_request, response) => response.writeHead(status).end('<html>no</html>'));
    const result = await bench.run(url());
    expect(result).toMatchObject({ action: 'failed', code: 'source_unavailable' });
    expect(result.action === 'failed' && result.message).toMatch(message);
    expect(server.seen).toHaveLength(1);
  });

  it('429 waits as long as Retry-After asks, and 503 as long as the policy does', async () => {
    server.on('/file.csv', (request, response, n) => {
      if (n === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else if (n === 2) response.writeHead(503).end();
      else serveFile(request, response, CONTENT, ABOUT);
    });
    const started = performance.now();
    const result = await bench.run(url());
    expect(result.action).toBe('fetched');
    expect(bench.retries.map(({ wait_s }) => wait_s)).toEqual([1, 0.02]);
    expect(performance.now() - started).toBeGreaterThan(990);
  });

  it('a Retry-After that is too long gives up; so does a 503 that stays', async () => {
    server.on('/long.csv', (_request, response) => {
      response.writeHead(503, { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() }).end();
    });
    const long = await bench.run(url('/long.csv'));
    expect(long.action === 'failed' && long.message).toContain('downloads.retry_after_max_s');
    server.on('/file.csv', (_request, response) => response.writeHead(503).end());
    const stays = await bench.run(url());
    expect(stays.action === 'failed' && stays.message).toContain('Given up after 3 attempts');
  });

  it('a page of HTML with status 200 is refused', async () => {
    server.on('/file.csv', (_request, response) => response.end('<!DOCTYPE html><html>Please log in</html>'));
    expect(await bench.run(url())).toMatchObject({ action: 'failed', code: 'download_damaged' });
    expect(complete()).toEqual([]);
  });

  it('no answer at all is source_unavailable', async () => {
    await server.close();
    expect(await bench.run(url())).toMatchObject({ action: 'failed', code: 'source_unavailable' });
    server = await startServer();
  });
});

describe('redirects', () => {
  it('are followed, without credentials to another host', async () => {
    const other = await startServer();
    try {
      other.on('/real/file.csv', (request, response) => serveFile(request, response, CONTENT, ABOUT));
      server.on('/file.csv', (_request, response) => response.writeHead(302, { location: '/next' }).end());
      server.on('/next', (_request, response) =>
        response.writeHead(307, { location: `${other.url}/real/file.csv?signature=hunter2` }).end(),
      );
      const headers = { Authorization: 'apikey $' + '{KEY}' };
      const result = await bench.run(
        { ...url(), headers },
        { env: { KEY: 'hunter2' }, downloads: { private_addresses: true } },
      );
      expect(result.action).toBe('fetched');
      expect(server.seen.map(({ headers: { authorization } }) => authorization)).toEqual([
        'apikey hunter2',
        'apikey hunter2',
      ]);
      expect(other.seen[0]!.headers.authorization).toBeUndefined();
      const manifest = join(bench.dataDir, 'downloads', 'd', 'current.json');
      const text = (await import('node:fs')).readFileSync(manifest, 'utf8');
      expect(text).not.toContain('hunter2');
      expect(text).toContain('/real/file.csv');
    } finally {
      await other.close();
    }
  });

  it('fail after 8 hops, and to anything but a web address', async () => {
    server.on('/file.csv', (_request, response) => response.writeHead(302, { location: '/file.csv' }).end());
    const loop = await bench.run(url());
    expect(loop.action === 'failed' && loop.message).toContain('redirects more than 8 times');
    expect(server.seen).toHaveLength(9);
    server.on('/a.csv', (_request, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    );
    const odd = await bench.run(url('/a.csv'));
    expect(odd.action === 'failed' && odd.message).toContain(
      'redirects to something other than a web address',
    );
  });
});

describe('a public name with a private address', () => {
  const local: LookupFunction = (_name, options, callback) =>
    options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  const ask = { headers: {}, secretHeaders: {}, stall_s: 20 };

  it.each(['data.example.au', 'portal.example.com'])('is not connected to: %s', async (name) => {
    const { port } = new URL(server.url);
    const at = new URL(`http://${name}:${port}/file.csv`);
    const http = openHttp({}, publicLookup(local));
    try {
      await expect(http.get(at, ask)).rejects.toMatchObject({
        code: 'source_unavailable',
        kind: 'permanent',
        message: expect.stringContaining('downloads.private_addresses'),
      });
      expect(server.seen).toEqual([]);
    } finally {
      await http.close();
    }
  });

  it('is connected to if the operator allows it, like a private name', async () => {
    server.on('/file.csv', (request, response) => serveFile(request, response, CONTENT, ABOUT));
    const { port } = new URL(server.url);
    for (const [name, lookup] of [
      ['data.example.au', local],
      ['intranet', publicLookup(local)],
    ] as const) {
      const http = openHttp({}, lookup);
      try {
        const answer = await http.get(new URL(`http://${name}:${port}/file.csv`), ask);
        answer.close();
        expect(answer.status).toBe(200);
      } finally {
        await http.close();
      }
    }
  });
});

describe('a publisher on the internet', () => {
  it.each(['http://169.254.169.254/latest/meta-data', 'http://localhost:5432/', 'http://[::1]/x.csv'])(
    'cannot send the download to %s',
    async (location) => {
      // the proxy stands for the internet: it takes every address to the local server
      const proxy = createServer();
      const asked: string[] = [];
      proxy.on('connect', (request, socket, head) => {
        asked.push(request.url ?? '');
        const upstream = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          upstream.write(head);
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on('error', () => socket.destroy());
        socket.on('error', () => upstream.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      try {
        server.on('/file.csv', (_request, response) => response.writeHead(302, { location }).end());
        const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        const result = await bench.run(
          { url: 'http://data.publisher.example/file.csv' },
          { env: { HTTP_PROXY } },
        );
        expect(result).toMatchObject({ action: 'failed', code: 'source_unavailable' });
        expect(result.action === 'failed' && result.message).toContain('not a public internet address');
        expect(asked).toEqual(['data.publisher.example:80']);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    },
  );
});

describe('a server with faulty ranges or encodings', () => {
  it('never yields a file of two parts, for a 206 to a whole request or an overlapping range', async () => {
    server.on('/file.csv', (request, response, n) => {
      if (n === 1) return serveFile(request, response, CONTENT, ABOUT, 100_000);
      if (n > 2) return serveFile(request, response, CONTENT, ABOUT);
      const from = request.headers.range ? 50_000 : 0;
      const range = `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}`;
      response.writeHead(206, { etag: '"one"', 'content-range': range }).end(CONTENT.subarray(from));
    });
    const result = await bench.run(url());
    expect(sha256Of(bench.content(result))).toBe(sha256Of(CONTENT));
    server.on('/b.csv', (_request, response) =>
      response
        .writeHead(206, { etag: '"one"', 'content-range': 'bytes 0-99/300000' })
        .end(CONTENT.subarray(0, 100)),
    );
    expect(await bench.run(url('/b.csv'))).toMatchObject({ action: 'failed', code: 'source_unavailable' });
  });

  it('is refused if it compresses the file, unless the file is a .gz', async () => {
    const packed = gzipSync(CONTENT);
    const gzip = { 'content-encoding': 'gzip', 'content-length': packed.length };
    for (const path of ['/file.csv', '/file.csv.gz'])
      server.on(path, (_request, response) => response.writeHead(200, gzip).end(packed));
    const refused = await bench.run(url());
    expect(refused.action === 'failed' && refused.message).toContain('sends the file as gzip');
    const kept = await bench.run(url('/file.csv.gz'), { force: true });
    expect(sha256Of(bench.content(kept))).toBe(sha256Of(packed));
  });
});

describe('a server that lies about the size', () => {
  it('announcing more than it sends is an interruption', async () => {
    server.on('/file.csv', (_request, response) => {
      response.writeHead(200, { 'content-length': CONTENT.length + 1000 });
      response.write(CONTENT, () => setTimeout(() => response.destroy(), 20));
    });
    expect(await bench.run(url())).toMatchObject({ action: 'failed', code: 'source_unavailable' });
    expect(complete()).toEqual([]);
  });

  it('announcing less than it has cuts the file, which shows in a zip', async () => {
    const zip = Buffer.concat([Buffer.from('504b0304', 'hex'), CONTENT]);
    server.on('/file.zip', (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.end(zip.subarray(0, 1000));
    });
    const result = await bench.run(url('/file.zip'));
    expect(result).toMatchObject({ action: 'failed', code: 'download_damaged' });
    expect(result.action === 'failed' && result.message).toContain('the end of the zip is missing');
  });

  it('is refused if it compresses the file in spite of the request', async () => {
    server.on('/file.csv', (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'br' }).end(CONTENT),
    );
    const result = await bench.run(url());
    expect(result.action === 'failed' && result.message).toContain('sends the file as br');
  });
});
