import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdmissionControl } from '../../service/http/admission.ts';

const OPTIONS = {
  corsOrigins: [],
  unreadS: 10,
  version: () => 1,
  onFailure: () => undefined,
  onAccess: () => undefined,
};

/** Keeps the event loop of this process from turning for so long, milliseconds. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a service whose event loop is blocked', () => {
  let app: ReturnType<typeof Fastify>;
  let url: string;
  const status = async (path: string): Promise<number> => (await fetch(url + path)).status;

  beforeEach(async () => {
    app = Fastify();
    new AdmissionControl({ ...OPTIONS, calls: 10, loopDelayMs: 1000 }).addTo(app);
    app.get('/', async () => 'here');
    app.get('/healthz', async () => 'well');
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });

  afterEach(() => app.close());

  it('answers after short blocks, however many', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 12; i++) {
      block(300);
      await turn();
      statuses.add(await status('/'));
    }
    expect([...statuses]).toEqual([200]);
  });

  it('sheds calls during longer blocks, and still answers probes', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 4; i++) {
      block(1200);
      await turn();
      statuses.add(await status('/'));
      expect(await status('/healthz')).toBe(200);
    }
    expect(statuses).toContain(503);
  });
});

describe('a service with a maximum of calls', () => {
  it('refuses each call beyond it at once, takes one as soon as another is answered, and counts no probes', async () => {
    const app = Fastify();
    const gate = new AdmissionControl({ ...OPTIONS, calls: 2, loopDelayMs: 60_000 });
    gate.addTo(app);
    const waiting: (() => void)[] = [];
    const wait = () => new Promise<string>((resolve) => waiting.push(() => resolve('here')));
    app.get('/', wait);
    app.get('/healthz', wait);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const probes = [fetch(`${url}/healthz`), fetch(`${url}/healthz`)];
      await vi.waitFor(() => expect(waiting).toHaveLength(2));
      expect(gate.isFull()).toBe(false);
      for (let round = 0; round < 3; round++) {
        const calls = Array.from({ length: 30 }, async () => (await fetch(url)).status);
        const refused = calls.map((call) => call.then((status) => status === 503));
        await vi.waitFor(async () => {
          const settled = await Promise.all(refused.map((each) => Promise.race([each, turn()])));
          expect(settled.filter((each) => each === true)).toHaveLength(28);
        });
        expect([waiting.length, gate.isFull()]).toEqual([round === 0 ? 4 : 2, true]);
        for (const answer of waiting.splice(round === 0 ? 2 : 0)) answer();
        expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(2);
        expect(gate.isFull()).toBe(false);
        if (round === 0) for (const answer of waiting.splice(0)) answer();
      }
      for (const probe of await Promise.all(probes)) expect(probe.status).toBe(200);
    } finally {
      await app.close();
    }
  });
});
