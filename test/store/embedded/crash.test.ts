import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { embeddedStatus, startEmbedded } from '../../../store/embedded/server.ts';
import { until } from '../../waiting.ts';
import {
  freshFolder,
  pidOf,
  processesGone,
  processesOf,
  queryOne,
  removeFolder,
  startHolder,
} from './holding.ts';

let folder: string;

beforeEach(() => {
  folder = freshFolder();
});

afterEach(async () => {
  await removeFolder(folder);
});

async function startsAgain(): Promise<void> {
  const server = await startEmbedded({ dataDir: folder });
  expect(await queryOne(server.connectionString, 'select 1')).toBe(1);
  await server.release();
  await processesGone(folder);
}

it('stops the server soon after its only command is killed', async () => {
  const holder = await startHolder([folder]);
  await holder.kill();
  await processesGone(folder);
  expect(embeddedStatus(folder).running).toBe(false);
  await startsAgain();
});

it('keeps the server for the commands that live when one is killed', async () => {
  const holder = await startHolder([folder]);
  const server = await startEmbedded({ dataDir: folder });
  await holder.kill();
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(await queryOne(server.connectionString, 'select 1')).toBe(1);
  await server.release();
});

it('keeps the server for a command that comes right after another was killed', async () => {
  const holder = await startHolder([folder]);
  await holder.kill();
  const server = await startEmbedded({ dataDir: folder });
  expect(server.connectionString).toBe(holder.connectionString);
  await server.release();
});

it('leaves no server behind when its supervisor is killed', async () => {
  const holder = await startHolder([folder]);
  await queryOne(holder.connectionString, 'create table kept as select 7 as n');
  process.kill(pidOf(folder, 'supervisor.mjs'), 'SIGKILL');
  await processesGone(folder);
  await holder.release();
  const server = await startEmbedded({ dataDir: folder });
  expect(await queryOne(server.connectionString, 'select n from kept')).toBe(7);
  await server.release();
});

it('starts again at once after the supervisor is killed', async () => {
  const holder = await startHolder([folder]);
  process.kill(pidOf(folder, 'supervisor.mjs'), 'SIGKILL');
  await startsAgain();
  await holder.release();
});

it('ends a server that lost both its supervisor and its watcher before it starts another', async () => {
  const holder = await startHolder([folder]);
  const supervisor = pidOf(folder, 'supervisor.mjs');
  process.kill(supervisor, 'SIGSTOP');
  process.kill(pidOf(folder, 'embedded-watcher'), 'SIGKILL');
  process.kill(supervisor, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const orphan = pidOf(folder, 'bin/postgres');
  const server = await startEmbedded({ dataDir: folder });
  expect(pidOf(folder, 'bin/postgres')).not.toBe(orphan);
  await server.release();
  await processesGone(folder);
  await holder.release();
});

it('starts another watcher when one is killed', async () => {
  const server = await startEmbedded({ dataDir: folder });
  const first = pidOf(folder, 'embedded-watcher');
  process.kill(first, 'SIGKILL');
  await until('another watcher', () =>
    processesOf(folder).some(({ pid, args }) => args.includes('embedded-watcher') && pid !== first),
  );
  await server.release();
  await processesGone(folder);
});

it('recovers what was committed after the server is killed', async () => {
  const first = await startEmbedded({ dataDir: folder });
  await queryOne(first.connectionString, 'create table kept as select generate_series(1, 20000) as n');
  process.kill(embeddedStatus(folder).pid!, 'SIGKILL');
  const second = await startEmbedded({ dataDir: folder });
  expect(await queryOne(second.connectionString, 'select count(*)::int from kept')).toBe(20000);
  await first.release();
  expect(await queryOne(second.connectionString, 'select 1')).toBe(1);
  await second.release();
  await processesGone(folder);
});

it('is not misled by files of processes that are gone or are something else', async () => {
  await startEmbedded({ dataDir: folder }).then((server) => server.release());
  const pidFile = join(folder, 'cluster/pgdata/postmaster.pid');
  writeFileSync(
    pidFile,
    `${process.pid}\n${join(folder, 'cluster/pgdata')}\n1\n5\n\n127.0.0.1\n\nready   \n`,
  );
  const claim = { pid: process.pid, port: 9, token: 'x' };
  writeFileSync(join(folder, `run/supervisor-${process.pid}-0123456789ab.json`), JSON.stringify(claim));
  writeFileSync(join(folder, 'run/supervisor-4194304-0123456789ab.json'), JSON.stringify(claim));
  await startsAgain();
});

it('stops the server when its data folder is removed', async () => {
  const holder = await startHolder([folder]);
  await removeDataOnly();
  await processesGone(folder);
  await holder.release();
});

async function removeDataOnly(): Promise<void> {
  const { rm } = await import('node:fs/promises');
  await rm(folder, { recursive: true, force: true });
}
