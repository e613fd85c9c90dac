import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../source_tree.ts';
import { PATIENT } from '../waiting.ts';
import { type Scene, setScene } from './scene.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

describe('several processes behind one port', () => {
  let scene: Scene;
  let primary: ChildProcess;
  let base: string;

  const serve = async (...more: string[]): Promise<{ child: ChildProcess; line: string }> => {
    // No configuration of the working folder.
    const config = join(scene.dir, 'serve.yaml');
    writeFileSync(config, `database:\n  url: ${scene.database.url}\nops:\n  token: ${TOKEN}\n`);
    const child = spawn(
      process.execPath,
      ['cli/start.mjs', 'serve', '--config', config, '--json', '--processes', '2', ...more],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let line = '';
    for await (const chunk of child.stdout!) {
      line += chunk;
      if (line.includes('\n')) break;
    }
    return { child, line };
  };
  const workers = (): number[] =>
    execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((row) => row.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === primary.pid)
      .map(([pid]) => pid!);
  /** A connection of its own for each call, so that the processes take turns. */
  const call = (path: string, key: string) =>
    fetch(base + path, { headers: { authorization: `Bearer ${key}`, connection: 'close' } });

  beforeAll(async () => {
    scene = await setScene();
    const started = await serve(
      '--port',
      '0',
      '--set',
      'service.rate_per_s=100000',
      '--set',
      'service.rate_burst=100000',
    );
    primary = started.child;
    base = (JSON.parse(started.line) as { base_url: string }).base_url;
  });
  afterAll(async () => {
    primary?.kill('SIGKILL');
    await scene?.close();
  });

  it('share its calls, pay exactly what a wallet covers, and add their metrics up', async () => {
    expect(workers()).toHaveLength(2);
    const { key, account_id } = await scene.funded('several', 3 * 40);
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const response = await call(`/v1/properties/${scene.pid}/profile`, key);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 402)).toHaveLength(20);
    expect(await scene.wallet(account_id)).toEqual({ balance: 0, spent: 120, calls: 40, adds_up: true });
    const metrics = await (
      await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    ).text();
    expect(metrics).toContain(
      'service_calls_total{route="/v1/properties/{gnaf_id}/profile",status="200"} 40',
    );
    expect(metrics).toMatch(/service_pool_connections\{pool="reads",state="idle"\} [1-9]/);
  });

  it('continue after one is killed, and replace it', async () => {
    const [victim] = workers();
    process.kill(victim!, 'SIGKILL');
    await vi.waitFor(() => expect(workers()).not.toContain(victim), PATIENT);
    // A connection may have been on its way to it.
    await vi.waitFor(async () => expect((await call('/v1/ping', '')).status).toBe(200), PATIENT);
    await vi.waitFor(() => expect(workers()).toHaveLength(2), PATIENT);
    expect((await call('/v1/ping', '')).status).toBe(200);
  });

  it('name the error if the port is taken', async () => {
    const taken = await serve('--port', new URL(base).port);
    expect(JSON.parse(taken.line)).toMatchObject({ error: { code: 'service_unavailable' } });
    await once(taken.child, 'exit');
    expect(taken.child.exitCode).toBe(1);
  });

  it('end with exit code 0 on SIGTERM', async () => {
    primary.kill('SIGTERM');
    const [code] = await once(primary, 'exit');
    expect(code).toBe(0);
    await expect(fetch(`${base}/v1/ping`)).rejects.toThrow();
  });
});
