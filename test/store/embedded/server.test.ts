import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbedded } from '../../../store/embedded/server.ts';
import { embeddedStatus, stopEmbedded } from '../../embedded_status.ts';
import { freshFolder, processesGone, processesOf, queryOne, removeFolder, startHolder } from './holding.ts';

const STOPPED = { running: false, pid: null, port: null };
let folder: string;

beforeEach(() => {
  folder = freshFolder();
});

afterEach(async () => {
  await removeFolder(folder);
});

describe('startEmbedded', () => {
  it('makes a database, serves queries, and stops without leaving a process', async () => {
    const lines: string[] = [];
    const server = await startEmbedded({ dataDir: folder, log: (line) => lines.push(line) });
    expect(new URL(server.connectionString).pathname).toBe('/pipeline');
    const setting = (name: string) => queryOne(server.connectionString, `show ${name}`);
    expect(await setting('server_encoding')).toBe('UTF8');
    expect(await setting('lc_collate').catch(() => 'C')).toBe('C');
    expect(await setting('fsync')).toBe('on');
    expect(await setting('wal_level')).toBe('minimal');
    expect(await setting('listen_addresses')).toBe('127.0.0.1');
    expect(await setting('unix_socket_directories')).toBe('');
    const status = embeddedStatus(folder);
    expect(status).toMatchObject({ running: true, version: '18' });
    expect(String(status.port)).toBe(new URL(server.connectionString).port);
    await server.release();
    expect(embeddedStatus(folder)).toEqual({ ...STOPPED, version: '18' });
    await processesGone(folder);
    expect(lines.join('\n')).toContain('making a database');
  });

  it('asks for the generated password, which only the owner can read', async () => {
    const server = await startEmbedded({ dataDir: folder });
    const url = new URL(server.connectionString);
    expect(url.password).toHaveLength(48);
    expect(statSync(join(folder, 'cluster/password')).mode & 0o777).toBe(0o600);
    url.password = 'wrong';
    await expect(queryOne(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    await server.release();
  });

  it('keeps the data, and makes the database again when somebody dropped it', async () => {
    const first = await startEmbedded({ dataDir: folder });
    await queryOne(first.connectionString, 'create table kept as select 7 as n');
    await first.release();
    const second = await startEmbedded({ dataDir: folder });
    expect(await queryOne(second.connectionString, 'select n from kept')).toBe(7);
    const other = second.connectionString.replace(/pipeline$/, 'postgres');
    await queryOne(other, 'drop database pipeline');
    const third = await startEmbedded({ dataDir: folder });
    expect(await queryOne(third.connectionString, 'select 1')).toBe(1);
    await third.release();
    await second.release();
  });

  it('gives many commands that start at once the same server', async () => {
    const servers = await Promise.all([
      ...Array.from({ length: 3 }, () => startHolder([folder])),
      ...Array.from({ length: 3 }, () => startEmbedded({ dataDir: folder })),
    ]);
    expect(new Set(servers.map((server) => server.connectionString)).size).toBe(1);
    const keepers = processesOf(folder).filter(({ args }) => args.includes('keeper.mjs'));
    expect(keepers).toHaveLength(1);
    await Promise.all(servers.map((server) => server.release()));
    await processesGone(folder);
    expect(existsSync(join(folder, 'cluster/pgdata/postmaster.pid'))).toBe(false);
  });

  it('keeps the server until the last of its users lets go, in any order', async () => {
    const first = await startEmbedded({ dataDir: folder });
    const second = await startHolder([folder]);
    const third = await startEmbedded({ dataDir: folder });
    await first.release();
    await first.release();
    expect(await queryOne(second.connectionString, 'select 1')).toBe(1);
    await second.release();
    expect(await queryOne(third.connectionString, 'select 1')).toBe(1);
    await third.release();
    expect(embeddedStatus(folder)).toMatchObject(STOPPED);
  });

  it('starts again at once while the server is stopping', async () => {
    for (let round = 0; round < 3; round++) {
      const server = await startEmbedded({ dataDir: folder });
      const released = server.release();
      const next = await startEmbedded({ dataDir: folder });
      await released;
      expect(await queryOne(next.connectionString, 'select 1')).toBe(1);
      await next.release();
    }
    await processesGone(folder);
  });

  it.each([
    ['spaces and quotes', ['it\'s a "data" folder', '$HOME & more']],
    ['letters of any language', ['données – 数据']],
    ['a long path', Array.from({ length: 5 }, (_, level) => `${level}`.repeat(120))],
  ])('works in a folder with %s', async (_, parts) => {
    const dataDir = join(folder, ...parts);
    const server = await startEmbedded({ dataDir });
    expect(await queryOne(server.connectionString, 'select 1')).toBe(1);
    await server.release();
    await processesGone(folder);
  });

  it('makes the data again when an earlier command was killed while making it', async () => {
    const half = join(folder, 'init-4194304-00000000');
    mkdirSync(join(half, 'pgdata'), { recursive: true });
    writeFileSync(join(half, 'pgdata/PG_VERSION'), '18\n');
    const server = await startEmbedded({ dataDir: folder });
    expect(await queryOne(server.connectionString, 'select 1')).toBe(1);
    expect(existsSync(half)).toBe(false);
    await server.release();
  });
});

describe('stopEmbedded', () => {
  it('stops a server that others use, and says whether there was one', async () => {
    const server = await startEmbedded({ dataDir: folder });
    expect(await stopEmbedded(folder)).toBe(true);
    expect(embeddedStatus(folder)).toMatchObject(STOPPED);
    await server.release();
    expect(await stopEmbedded(folder)).toBe(false);
    expect(await stopEmbedded(join(folder, 'absent'))).toBe(false);
  });
});

describe('errors', () => {
  const codeOf = (start: Promise<unknown>) =>
    start.then(
      () => 'started',
      (error: { code: string }) => error.code,
    );

  it('refuses data of another version and says what to do', async () => {
    await startEmbedded({ dataDir: folder }).then((server) => server.release());
    writeFileSync(join(folder, 'cluster/pgdata/PG_VERSION'), '17\n');
    await expect(startEmbedded({ dataDir: folder })).rejects.toMatchObject({
      code: 'embedded_version',
      message: expect.stringMatching(/PostgreSQL 17.*PostgreSQL 18.*Remove the folder/s),
    });
    await processesGone(folder);
  });

  it('says that data without a version is damaged', async () => {
    await startEmbedded({ dataDir: folder }).then((server) => server.release());
    rmSync(join(folder, 'cluster/pgdata/PG_VERSION'));
    expect(await codeOf(startEmbedded({ dataDir: folder }))).toBe('embedded_start_failed');
  });

  it('shows the end of the log when the server does not start', async () => {
    await startEmbedded({ dataDir: folder }).then((server) => server.release());
    writeFileSync(join(folder, 'cluster/pgdata/postgresql.conf'), 'work_mem = nonsense\n');
    await expect(startEmbedded({ dataDir: folder })).rejects.toMatchObject({
      code: 'embedded_start_failed',
      message: expect.stringMatching(/work_mem/),
    });
    await processesGone(folder);
    expect(readFileSync(join(folder, 'embedded.log'), 'utf8')).toContain('work_mem');
  });

  it('names the folder when a file is in its way', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(startEmbedded({ dataDir: join(folder, 'file') })).rejects.toThrow(/file/);
  });
});
