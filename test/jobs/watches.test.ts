import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type Backend, openBackend } from '../../jobs/backend.ts';
import { tellWatches, type WatchEvent } from '../../jobs/watches.ts';
import { post } from '../../pipelines/notify/receiver.ts';
import type { Service } from '../../service/server.ts';
import { editTable } from '../pipelines/damage.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { until } from '../waiting.ts';

const PID = 'GAVIC900000001';
const INSIDE = 'downloads.private_addresses=true';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}
interface Body {
  type: string;
  publication: number;
  changes: { table: string; key: string; publication: number; after: Record<string, unknown> }[];
}

describe('watches', () => {
  let scene: Scene;
  let service: Service;
  let backend: Backend;
  let telling: { close(): Promise<void> };
  let receiver: Server;
  let address: string;
  const received: Received[] = [];
  const events: WatchEvent[] = [];
  /** What the receiver answers; by default the challenge. */
  let answer: (body: Body & { challenge?: string }) => [status: number, text: string];
  const agreeing: typeof answer = ({ challenge }) => [200, challenge ?? ''];

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start([INSIDE, 'service.rate_per_s=100000', 'service.rate_burst=100000']);
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        const [status, text] = answer(JSON.parse(body));
        response.writeHead(status).end(text);
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { config } = await loadConfig({ set: [INSIDE] }, {});
    backend = await openBackend(scene.database.url, { ...config.queue, redis_url: null });
    telling = await tellWatches(backend, {
      url: scene.database.url,
      config,
      onEvent: (event) => events.push(event),
      timing: { lookMs: 200, backoffMs: 200, attempts: 4 },
    });
  });
  afterAll(async () => {
    await telling?.close();
    await backend?.close();
    receiver?.close();
    await scene?.close();
  });

  const ask = (key: string, method: string, path = '/v1/watches', body?: object, of = service) =>
    fetch(of.base_url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const listed = async (key: string) =>
    (
      (await (await ask(key, 'GET')).json()) as {
        watches: { watch_id: number; state: string; since: number; error: string | null }[];
      }
    ).watches;
  const rename = async (name: string): Promise<number> => {
    await editTable(scene.dir, 'VIC_ADDRESS_DETAIL', (lines) =>
      lines.map((line) => (line.startsWith(`${PID}|`) ? line.split('|').with(4, name).join('|') : line)),
    );
    const { error, publication } = await refreshSample(scene.database, scene.dir, [...OPEN_GATES]);
    expect(error).toBeNull();
    return publication!;
  };
  const bodies = (type: string): Body[] =>
    received.map(({ body }) => JSON.parse(body) as Body).filter((body) => body.type === type);

  it('verify their receiver, then tell it of each publication once, in order, signed', async () => {
    answer = agreeing;
    const { key } = await scene.funded('watcher', 0);
    const made = await ask(key, 'POST', '/v1/watches', {
      url: address,
      ids: [PID, scene.pid],
      fields: ['property'],
    });
    expect(made.status).toBe(201);
    const { secret, watch_id } = (await made.json()) as { secret: string; watch_id: number };
    await until('it is verified', async () => (await listed(key))[0]!.state === 'active');
    expect(bodies('watch.verify')).toHaveLength(1);
    const first = await rename('ONE');
    await until('the first message', () => bodies('watch.changed').length === 1);
    // The second message is not taken at first: it comes again, and before what comes after it.
    let refusals = 0;
    answer = () => (refusals++ < 1 ? [503, ''] : [200, '']);
    const second = await rename('TWO');
    await until('a failure', async () => (await listed(key))[0]!.error !== null);
    const third = await rename('THREE');
    await until('the third publication', async () => (await listed(key))[0]!.since === third);
    const told = bodies('watch.changed').flatMap(({ changes }) => changes);
    expect([...new Set(told.map(({ table }) => table))]).toEqual(['property']);
    const names = told.map(({ publication, after }) => [publication, after.building_name]);
    // What was refused is told twice, with the same id.
    expect(names.filter((each, i) => JSON.stringify(each) !== JSON.stringify(names[i - 1]))).toEqual([
      [first, 'ONE'],
      [second, 'TWO'],
      [third, 'THREE'],
    ]);
    for (const { headers, body } of received)
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    const ids = received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(new Set(ids).size);
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'not_told', watch_id, reason: 'answers 503' }),
    );
    expect((await ask(key, 'DELETE', `/v1/watches/${watch_id}`)).status).toBe(204);
    expect((await ask(key, 'DELETE', `/v1/watches/${watch_id}`)).status).toBe(404);
    expect(await listed(key)).toEqual([]);
  });

  it('tell nothing to a receiver that does not answer with the challenge', async () => {
    answer = () => [200, 'anything'];
    received.length = 0;
    const { key } = await scene.funded('unasked', 0);
    await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID] });
    await until('a failure', async () => (await listed(key))[0]!.error !== null);
    await rename('FOUR');
    const [watch] = await listed(key);
    expect(watch!.state).not.toBe('active');
    expect(watch!.error).toContain('challenge');
    expect(bodies('watch.changed')).toEqual([]);
  });

  it('are given up where the receiver does not take a message for long, which the portal shows', async () => {
    answer = agreeing;
    const { key, token } = await scene.funded('deaf', 0);
    await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID] });
    await until('it is verified', async () => (await listed(key))[0]!.state === 'active');
    answer = () => [500, ''];
    await rename('FIVE');
    await until('it is given up', async () => (await listed(key))[0]!.state === 'given_up');
    const page = await fetch(`${service.base_url}/portal/account`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { watches } = (await page.json()) as { watches: object[] };
    expect(watches).toMatchObject([{ url: address, properties: 1, state: 'given_up', error: 'answers 500' }]);
    received.length = 0;
    await rename('SIX');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(received).toEqual([]);
  });

  it('are for accounts, each its own, of addresses and fields that there may be', async () => {
    const outside = await scene.start();
    const { key } = await scene.funded('owner', 0);
    const { key: other } = await scene.funded('other', 0);
    const good = { url: 'https://example.org/hook', ids: [PID] };
    const made = (await (await ask(key, 'POST', '/v1/watches', good)).json()) as { watch_id: number };
    expect(await listed(other)).toEqual([]);
    expect((await ask(other, 'DELETE', `/v1/watches/${made.watch_id}`)).status).toBe(404);
    expect((await ask(service.sandbox_key, 'POST', '/v1/watches', good)).status).toBe(403);
    expect((await ask('wrong', 'GET')).status).toBe(401);
    for (const wrong of [
      { ...good, url: 'http://example.org/hook' },
      { ...good, url: 'https://user:word@example.org/' },
      { ...good, url: 'file:///etc/passwd' },
      { ...good, ids: [] },
      { ...good, ids: Array.from({ length: 10_001 }, (_, i) => `X${i}`) },
      { ...good, fields: ['property.nothing'] },
      { ...good, fields: ['setting'] },
      { ids: [PID] },
    ])
      expect(
        (await ask(key, 'POST', '/v1/watches', wrong, outside)).status,
        JSON.stringify(wrong).slice(0, 60),
      ).toBe(422);
    const many = {
      ...good,
      ids: Array.from({ length: 10_000 }, (_, i) => `GAVIC${String(i).padStart(9, '0')}`),
    };
    expect((await ask(key, 'POST', '/v1/watches', many)).status).toBe(201);
  });

  it('go to no address that is not public, whatever names lead there', async () => {
    const message = { id: 'msg_1', body: '{}' };
    const secret = `whsec_${Buffer.from('secret secret secret').toString('base64')}`;
    for (const url of [
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://10.1.2.3/',
      'https://169.254.169.254/latest/meta-data',
      'https://192.168.1.1/',
      'https://metadata.internal/',
      'https://0x7f000001/',
      'https://2130706433/',
    ])
      await expect(post({ url, secret }, message, false), url).rejects.toThrow('not public');
    await expect(post({ url: 'http://169.254.169.254/', secret }, message, true)).rejects.toThrow(
      'not public',
    );
  });
});
