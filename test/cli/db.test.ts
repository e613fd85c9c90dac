import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../../cli/start.mjs', import.meta.url));

it('keeps the embedded server up until it is signalled, and prints its URL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'db-'));
  const env = { ...process.env };
  delete env.DATABASE_URL;
  const child = spawn(process.execPath, [CLI, 'db', '--json', '--data-dir', join(folder, 'data')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(JSON.parse(String(data))));
    child.once('close', () => reject(new Error('db ended before it said its URL')));
  });
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS n FROM serving.property');
  expect(rows).toEqual([{ n: 0 }]);
  await client.end();
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  await expect(new pg.Client({ connectionString: url }).connect()).rejects.toThrow();
  await rm(folder, { recursive: true, force: true });
});
