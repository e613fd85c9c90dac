import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { notifyWatches, type WatchEvent } from '../../jobs/watch_messages.ts';
import { post } from '../../pipelines/notify/receiver.ts';
import type { Service } from '../../service/server.ts';
import { addCredit } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
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
  changes: { table: string; gnaf_pid: string | null; publication: number; fields: string[] | null }[];
}

describe('watches', () => {
  let scene: Scene;
  let service: Service;
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
    telling = await notifyWatches({
      url: scene.database.url,
      config,
      onEvent: (event) => events.push(event),
      timing: { lookMs: 200, backoffMs: 200, attempts: 4 },
    });
  });
  afterAll(async () => {
    await telling?.close();
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
    const { key } = await scene.funded('watcher', 100);
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
    const names = told.map(({ publication, gnaf_pid, fields }) => [publication, gnaf_pid, fields]);
    // What was refused is told twice, with the same id. Which fields changed is told, and no value.
    expect(names.filter((each, i) => JSON.stringify(each) !== JSON.stringify(names[i - 1]))).toEqual([
      [first, PID, ['address', 'building_name']],
      [second, PID, ['address', 'building_name']],
      [third, PID, ['address', 'building_name']],
    ]);
    for (const { body } of received) expect(body).not.toMatch(/"(ONE|TWO|THREE)"/);
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
    const { key } = await scene.funded('unasked', 100);
    await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID] });
    await until('a failure', async () => (await listed(key))[0]!.error !== null);
    await rename('FOUR');
    const [watch] = await listed(key);
    expect(watch!.state).not.toBe('active');
    expect(watch!.error).toContain('challenge');
    expect(bodies('watch.changed')).toEqual([]);
  });

  it('stop if the receiver takes no message for long, which the portal shows', async () => {
    answer = agreeing;
    const { key, token } = await scene.funded('deaf', 100);
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

  it('belong to one account, and accept only known fields and public receivers', async () => {
    const outside = await scene.start();
    const { key } = await scene.funded('owner', 100);
    const { key: other } = await scene.funded('other', 100);
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
      { ...good, url: 'https://10.0.0.1/hook' },
      { ...good, url: 'https://[::1]/hook' },
      { ...good, url: 'https://localhost/hook' },
      { ...good, url: 'https://metadata.internal/' },
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

  it('need credit: none is made without it, and messages wait until the balance is positive again', async () => {
    answer = agreeing;
    const { key, account_id } = await scene.funded('broke', 0);
    const refused = await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID] });
    expect([refused.status, await refused.json()]).toMatchObject([
      402,
      { detail: { type: 'insufficient_credit' } },
    ]);
    const pool = openPool(scene.database.url, 1);
    await addCredit(pool, account_id, 'topup', 5, null);
    expect((await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID] })).status).toBe(201);
    await until('it is verified', async () => (await listed(key))[0]!.state === 'active');
    await addCredit(pool, account_id, 'adjustment', -5, null);
    received.length = 0;
    await rename('SEVEN');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(received).toEqual([]);
    await addCredit(pool, account_id, 'topup', 5, null);
    await until('the message', () => bodies('watch.changed').length === 1);
    await pool.end();
  });

  it('reach other accounts while the receivers of one account hang', async () => {
    const hanging: ServerResponse[] = [];
    const deaf = createServer((_request, response) => void hanging.push(response)).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const silent = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}/`;
    const { key: hostile } = await scene.funded('hostile', 100);
    for (let i = 0; i < 40; i++)
      expect((await ask(hostile, 'POST', '/v1/watches', { url: silent, ids: [PID] })).status).toBe(201);
    await until('receivers that hang', () => hanging.length >= 2);
    answer = agreeing;
    received.length = 0;
    const { key } = await scene.funded('beside', 100);
    await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID], fields: ['property'] });
    const started = performance.now();
    await until('it is verified', async () => (await listed(key))[0]!.state === 'active');
    await rename('EIGHT');
    await until('the message', () => bodies('watch.changed').length >= 1);
    // Two of the slots hang, the others are free: no wait of a receiver that hangs (15 s) is waited for.
    expect(hanging.length).toBeLessThan(20);
    process.stdout.write(
      `beside 40 hanging receivers a message took ${Math.round(performance.now() - started)} ms\n`,
    );
    for (const response of hanging) response.destroy();
    deaf.closeAllConnections();
    deaf.close();
  });

  it('are not stopped by a reader of the tables that takes advisory locks', async () => {
    answer = agreeing;
    const pool = openPool(scene.database.url, 1, { settings: ['role=api_reader'] });
    // The numbers of all watches, in the class that workers once used.
    await pool.query('SELECT pg_advisory_lock(489084, n) FROM generate_series(1, 200) n');
    received.length = 0;
    const { key } = await scene.funded('locked', 100);
    await ask(key, 'POST', '/v1/watches', { url: address, ids: [PID] });
    await until('it is verified', async () => (await listed(key))[0]!.state === 'active');
    await pool.end();
  });

  it('reach only public addresses, whatever name leads to them', async () => {
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
      'https://[::10.0.0.1]/',
      'https://[2002:a00:1::]/',
      'https://[64:ff9b:1::a00:1]/',
      'https://[::ffff:0:a00:1]/',
      'https://[fec0::1]/',
    ])
      await expect(post({ url, secret }, message, false), url).rejects.toThrow('not public');
    await expect(post({ url: 'http://169.254.169.254/', secret }, message, true)).rejects.toThrow(
      'not public',
    );
  });
});
