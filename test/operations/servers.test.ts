import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { digests } from '../../pipelines/views/status.ts';
import { openPool, withClient } from '../../store/database.ts';
import { readOf } from '../../store/read/of_publication.ts';
import { withLibpqTls } from '../../store/system/tls_mode.ts';
import { SMALL } from '../countries.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { copySample, editTable } from '../pipelines/damage.ts';
import { OPEN_GATES } from '../pipelines/sample_run.ts';
import { sampleFolder } from '../published_sample.ts';
import { until } from '../waiting.ts';
import { type DebianPostgres, debianPrograms, startDebianPostgres } from './debian_postgres.ts';

const BIN = debianPrograms();
if (BIN === null)
  console.warn(
    'SKIPPED: standbys, dumps and TLS are not tested, because Debian’s PostgreSQL is not installed.',
  );

/** A name that has to be quoted, unlike the usual ones. */
const DATABASE = 'Property Data-2';

describe.skipIf(BIN === null)('a server with TLS, a plain owner and a database of another name', () => {
  let dir: string;
  let server: DebianPostgres;
  let standby: DebianPostgres | undefined;

  const run = async (url: string, ...args: string[]) => runWith(dir, url, ...args);
  const runWith = async (folder: string, url: string, ...args: string[]) => {
    const child = pipeline([...args, '-c', join(folder, 'config.yaml')], { DATABASE_URL: url });
    return { code: (await child.ended).code, text: child.output() };
  };
  const withUrl = async <T>(url: string, work: (client: pg.ClientBase) => Promise<T>): Promise<T> => {
    const pool = openPool(withLibpqTls(url), 1);
    try {
      return await withClient(pool, work);
    } finally {
      await pool.end();
    }
  };
  const digestsNow = (url: string) => withUrl(url, (client) => digests(client));

  beforeAll(async () => {
    dir = await sampleFolder(SMALL);
    server = await startDebianPostgres(BIN!);
    await withUrl(server.urlOf('postgres'), async (client) => {
      await client.query(`CREATE ROLE etl LOGIN PASSWORD 'pw' NOSUPERUSER CREATEROLE`);
      await client.query(`CREATE DATABASE "${DATABASE}" OWNER etl TEMPLATE template0`);
    });
    const first = await run(server.urlOf(DATABASE, 'etl'), 'refresh');
    expect(first.code, first.text).toBe(0);
  });
  afterAll(async () => {
    await standby?.stop();
    await server?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('sslmode=require encrypts and takes a certificate that nobody signed, as psql does; verify-full refuses it', async () => {
    const url = server.urlOf(DATABASE, 'etl');
    const encrypted = await withUrl(url, (client) =>
      client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    );
    expect(encrypted.rows).toEqual([{ ssl: true }]);
    const status = await run(url, 'status');
    expect(status).toMatchObject({ code: 0, text: expect.not.stringMatching(/warning/i) });
    const strict = await run(url.replace('=require', '=verify-full'), 'status');
    expect(strict).toMatchObject({ code: 1, text: expect.stringContaining('database_unreachable') });
    expect(strict.text).toContain('self-signed certificate');
    const plain = await run(url.replace('=require', '=disable'), 'status');
    expect(plain).toMatchObject({
      code: 1,
      text: expect.stringContaining('Correct sslmode of DATABASE_URL'),
    });
  });

  it('a restored dump has equal digests, and a refresh computes nothing again', async () => {
    const before = await digestsNow(server.urlOf(DATABASE));
    expect(before.some(({ rows }) => rows > 0)).toBe(true);
    const at = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'admin'];
    const file = join(server.dir, 'dump');
    server.run('pg_dump', ...at, '-Fc', '-f', file, DATABASE);
    server.run('createdb', ...at, '-T', 'template0', '-O', 'etl', 'restored');
    server.run('pg_restore', ...at, '--exit-on-error', '-d', 'restored', file);
    const url = server.urlOf('restored', 'etl');
    expect(await digestsNow(url)).toEqual(before);
    const again = await run(url, 'refresh', '--json');
    expect(again.code, again.text).toBe(0);
    const report = JSON.parse(again.text.trim().split('\n').at(-1)!);
    expect(report.stages.map((stage: { partitions_run: number }) => stage.partitions_run)).toEqual(
      report.stages.map(() => 0),
    );
    expect(await digestsNow(url)).toEqual(before);
  });

  it('a standby serves reads during publications, each of one publication, and refuses runs with a sentence', async () => {
    const fewer = await copySample(dir, server.dir);
    await editTable(fewer, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 3 !== 2));
    standby = await server.startStandby();
    const primaryUrl = server.urlOf(DATABASE, 'etl');
    const url = standby.urlOf(DATABASE, 'etl');
    const refused = await run(url, 'refresh');
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('error database_read_only:') });
    expect(refused.text).toContain('Point DATABASE_URL to the primary: this is a standby');
    expect(refused.text).not.toMatch(/\n\s+at /);
    const status = await run(url, 'status');
    expect(status.code, status.text).toBe(0);

    const pool = openPool(withLibpqTls(url), 2);
    const seen = new Map<number | null, Set<string>>();
    let isPublishing = true;
    const reading = (async () => {
      while (isPublishing) {
        const { value, publication } = await readOf(pool, (db) =>
          db
            .selectFrom('serving.property')
            .select(sql<string>`sum(hashtextextended(property::text, 0))`.as('hash'))
            .executeTakeFirstOrThrow(),
        );
        seen.set(publication, (seen.get(publication) ?? new Set()).add(value.hash));
      }
    })();
    try {
      for (const folder of [fewer, dir]) {
        const published = await runWith(
          folder,
          primaryUrl,
          'refresh',
          ...OPEN_GATES.flatMap((gate) => ['--set', gate]),
        );
        expect(published.code, published.text).toBe(0);
      }
      const last = await withUrl(primaryUrl, (client) =>
        client.query<{ id: number }>('SELECT max(publication_id) AS id FROM serving.publication'),
      );
      await until('the last publication on the standby', () => seen.has(last.rows[0]!.id));
    } finally {
      isPublishing = false;
      await reading;
      await pool.end();
    }
    expect(seen.size).toBe(3);
    expect([...seen.values()].map((hashes) => hashes.size)).toEqual([...seen].map(() => 1));
    expect(new Set([...seen.values()].flatMap((hashes) => [...hashes])).size).toBe(2);
    expect(await digestsNow(url)).toEqual(await digestsNow(primaryUrl));
  });
});
