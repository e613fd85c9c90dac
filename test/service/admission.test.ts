import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addAdmissionControl } from '../../service/admission.ts';

/** Keeps the event loop of this process from turning for so long, milliseconds. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a service whose event loop is held up', () => {
  let app: ReturnType<typeof Fastify>;
  let url: string;
  const status = async (path: string): Promise<number> => (await fetch(url + path)).status;

  beforeEach(async () => {
    app = Fastify();
    addAdmissionControl(
      app,
      { calls: 10, loopDelayMs: 1000, corsOrigins: [], unreadS: 10, onFailure: () => undefined },
      () => 1,
      () => undefined,
    );
    app.get('/', async () => 'here');
    app.get('/healthz', async () => 'well');
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });

  afterEach(() => app.close());

  it('answers where it is held up for less than it may be, however often', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 12; i++) {
      block(300);
      await turn();
      statuses.add(await status('/'));
    }
    expect([...statuses]).toEqual([200]);
  });

  it('sheds calls, and answers probes, where it is held up for longer', async () => {
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
