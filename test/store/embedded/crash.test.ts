import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmbedded } from '../../../store/embedded/server.ts';
import { embeddedStatus } from '../../embedded_status.ts';
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

it('serves a command that comes right after another was killed', async () => {
  const holder = await startHolder([folder]);
  await holder.kill();
  const server = await startEmbedded({ dataDir: folder });
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(await queryOne(server.connectionString, 'select 1')).toBe(1);
  await server.release();
});

it('goes on without its keeper, and stops with the last command that ends in order', async () => {
  const holder = await startHolder([folder]);
  await queryOne(holder.connectionString, 'create table kept as select 7 as n');
  process.kill(pidOf(folder, 'keeper.mjs'), 'SIGKILL');
  await holder.kill();
  expect(embeddedStatus(folder).running).toBe(true);
  const server = await startEmbedded({ dataDir: folder });
  expect(server.connectionString).toBe(holder.connectionString);
  expect(await queryOne(server.connectionString, 'select n from kept')).toBe(7);
  await server.release();
  await processesGone(folder);
});

it('keeps the server for its commands when a crash ends all sessions', async () => {
  const holder = await startHolder([folder]);
  const server = await startEmbedded({ dataDir: folder });
  const port = new URL(server.connectionString).port;
  const maintenance = server.connectionString.replace(/pipeline$/, 'postgres');
  const sessionsThatHold = async (): Promise<number[]> => {
    const sql = `select array_agg(pid) from pg_locks where locktype = 'advisory' and mode = 'ShareLock'`;
    return ((await queryOne(maintenance, sql).catch(() => null)) as number[] | null) ?? [];
  };
  const before = await sessionsThatHold();
  const session = queryOne(server.connectionString, 'select pg_sleep(60)');
  session.catch(() => {});
  await until('a session', async () => {
    const sql = `select pid from pg_stat_activity where wait_event = 'PgSleep'`;
    const pid = await queryOne(server.connectionString, sql);
    if (typeof pid !== 'number') return false;
    process.kill(pid, 'SIGKILL');
    return true;
  });
  await expect(session).rejects.toThrow();
  // The server notices the crash a moment after the client of the killed session does.
  await until('both commands to hold it again', async () => {
    const now = await sessionsThatHold();
    return now.length === 2 && now.every((pid) => !before.includes(pid));
  });
  await holder.release();
  expect(String(embeddedStatus(folder).port)).toBe(port);
  await server.release();
  expect(embeddedStatus(folder).running).toBe(false);
  await processesGone(folder);
});

it('stops a server whose start was interrupted', async () => {
  let command = 0;
  startHolder([folder], { started: (pid) => (command = pid) }).catch(() => {});
  await until('a keeper', () => processesOf(folder).some(({ args }) => args.includes('keeper.mjs')));
  process.kill(command, 'SIGKILL');
  await processesGone(folder);
  await startsAgain();
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

it('waits to start while a session of a killed server is still alive', async () => {
  const first = await startEmbedded({ dataDir: folder });
  const client = new pg.Client({ connectionString: first.connectionString });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  process.kill(rows[0].pid, 'SIGSTOP');
  process.kill(embeddedStatus(folder).pid!, 'SIGKILL');
  let isStarted = false;
  const starting = startEmbedded({ dataDir: folder }).finally(() => {
    isStarted = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(isStarted).toBe(false);
  process.kill(rows[0].pid, 'SIGCONT');
  const second = await starting;
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
  writeFileSync(join(folder, `run/lock-${process.pid}-0123456789ab`), '');
  writeFileSync(join(folder, 'run/lock-4194304-0123456789ab'), '');
  await startsAgain();
});
