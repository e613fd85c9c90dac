import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder, pipeline } from './fixture.ts';

const REPO = fileURLToPath(new URL('../../', import.meta.url));

/** A server that takes every connection and never says anything. */
let frozen: Server;
let port: number;
let folder: string;
beforeAll(async () => {
  folder = openFolder();
  frozen = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve));
  port = (frozen.address() as { port: number }).port;
});
afterAll(() => {
  frozen.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.concurrent('a frozen PostgreSQL', () => {
  it.each([['status'], ['digest'], ['status --runs'], ['doctor']])(
    'is named by %s, which ends',
    async (command) => {
      const { code, stdout, stderr } = await pipeline(command.split(' '), {
        DATABASE_URL: `postgresql://me:hunter2@127.0.0.1:${port}/homes`,
      });
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(/not answered for|timeout/);
      expect(stdout + stderr).not.toMatch(/hunter2|\n\s+at /);
    },
  );
});

describe.concurrent('a frozen Redis', () => {
  const data = () => ['--data-dir', join(folder, 'data')];
  const env = () => ({ REDIS_URL: `redis://127.0.0.1:${port}` });

  it.each([['worker --now'], ['schedule']])('is named by %s, which ends', async (command) => {
    const { code, stderr } = await pipeline([...command.split(' '), ...data()], env());
    expect(code).toBe(1);
    expect(stderr).toMatch(/error queue_unavailable: Redis at redis:.*does not answer/);
  });

  it('does not keep ops from answering', async () => {
    const child = spawn(process.execPath, ['cli/start.mjs', 'ops', '--port', '0', '--json', ...data()], {
      cwd: REPO,
      env: { ...process.env, ...env() },
    });
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (chunk) => {
          text += chunk;
          if (text.includes('\n')) resolve(JSON.parse(text).url);
        });
        child.on('exit', () => reject(new Error('ended')));
      });
      const response = await fetch(`${url}/healthz`);
      expect([response.status, await response.json()]).toEqual([
        503,
        expect.objectContaining({ status: 'empty' }),
      ]);
    } finally {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
  });
});
