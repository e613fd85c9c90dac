/**
 * How far a refresh from nothing is from the limit: the restoration of its own tables. It refreshes the spatial tables of a seeded synthetic
 * city, writes the tables of the schemas serving, record and asset to binary files, and restores them with COPY in two sessions, with their
 * keys and indexes, into another database of the same server. Prints the ratio of both, and the bytes of a property by table.
 * Run: npm run bench:limit -- [--parcels 100000] [--seed 1] [--tables spatial|all]
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { startEmbedded } from '../../store/embedded/server.ts';
import { embeddedStatus } from '../../test/embedded_status.ts';
import { cpuWithChildren } from './server_cpu.ts';
import { syntheticCity } from './spatial_data.ts';
import { refreshFromFiles, SPATIAL_TABLES } from './spatial_files.ts';
import { HAZARD_FILES } from './spatial_hazards.ts';
import { writeReleases } from './spatial_releases.ts';

const SESSIONS = 2;
const WORKERS = 2;
/** Bytes of a table below this share of the sum are not listed. */
const SMALL = 0.01;

/** A table of a refresh: its statements without keys and indexes, these, and its size. */
interface Kept {
  name: string;
  create: string;
  indexes: string[];
  heap_bytes: number;
  bytes: number;
}

const TABLES = `SELECT c.oid::regclass::text AS name, pg_relation_size(c.oid)::float8 AS heap_bytes, pg_total_relation_size(c.oid)::float8 AS bytes,
    format('CREATE TABLE %s (%s)', c.oid::regclass, (SELECT string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)) AS create,
    ARRAY(SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = c.oid ORDER BY indexrelid) AS indexes
  FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace::regnamespace::text IN ('serving', 'record', 'asset') AND c.reltuples <> 0 ORDER BY bytes DESC`;

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const fileOf = (folder: string, { name }: Kept): string => join(folder, `${name}.copy`);

/** Restores tables one after the other, each with its keys and indexes. */
const restore = (url: string, folder: string, tables: readonly Kept[]): Promise<void> =>
  onDatabase(url, async (client) => {
    for (const table of tables) {
      await client.query(table.create);
      await pipeline(
        createReadStream(fileOf(folder, table)),
        client.query(copyFrom(`COPY ${table.name} FROM STDIN (FORMAT binary)`)),
      );
      for (const sql of table.indexes) await client.query(sql);
    }
  });

/** Divides tables among sessions: each next largest to the session with the fewest bytes. */
function shares(tables: readonly Kept[]): Kept[][] {
  const sessions = Array.from({ length: SESSIONS }, () => ({ tables: [] as Kept[], bytes: 0 }));
  for (const table of tables) {
    const least = sessions.reduce((a, b) => (b.bytes < a.bytes ? b : a));
    least.tables.push(table);
    least.bytes += table.bytes;
  }
  return sessions.map(({ tables: share }) => share);
}

const { values } = parseArgs({
  options: {
    parcels: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    tables: { type: 'string', default: 'spatial' },
  },
});
const [parcels, seed] = [Number(values.parcels), Number(values.seed)];
const folder = mkdtempSync(join(tmpdir(), 'bench-limit-'));
try {
  console.log(`${availableParallelism()} × ${cpus()[0]?.model}; ${new Date().toISOString()}`);
  await writeReleases(syntheticCity(parcels, seed), folder, seed, HAZARD_FILES);
  const refreshed = await refreshFromFiles(folder, WORKERS, values.tables === 'all' ? null : SPATIAL_TABLES);
  const dataDir = join(refreshed.data_dir, 'postgres');
  const server = await startEmbedded({ dataDir });
  try {
    const pid = embeddedStatus(dataDir).pid!;
    const url = server.connectionString;
    const properties = await onDatabase(url, async (client) => {
      const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM serving.property');
      return rows[0]!.n;
    });
    const tables = await onDatabase(url, async (client) => {
      const { rows } = await client.query<Kept>(TABLES);
      for (const table of rows)
        await pipeline(
          client.query(copyTo(`COPY ${table.name} TO STDOUT (FORMAT binary)`)),
          createWriteStream(fileOf(folder, table)),
        );
      await client.query('CREATE DATABASE restored TEMPLATE template0');
      return rows;
    });
    const target = new URL(url);
    target.pathname = '/restored';
    await onDatabase(target.toString(), async (client) => {
      await client.query('CREATE SCHEMA serving; CREATE SCHEMA record; CREATE SCHEMA asset');
    });
    const cpuBefore = (await cpuWithChildren(pid)) + process.cpuUsage().user / 1e6;
    const started = performance.now();
    await Promise.all(shares(tables).map((share) => restore(target.toString(), folder, share)));
    const limit_s = (performance.now() - started) / 1000;
    const limitCpu_s = (await cpuWithChildren(pid)) + process.cpuUsage().user / 1e6 - cpuBefore;
    const all = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    const heap = tables.reduce((sum, { heap_bytes }) => sum + heap_bytes, 0);
    console.log(
      `${properties.toLocaleString('en')} properties: refresh ${refreshed.run_s.toFixed(1)} s (${refreshed.cpu_s.toFixed(1)} s of CPU), restoration of its ${(heap / 1e6).toFixed(0)} MB of rows ${limit_s.toFixed(1)} s (${limitCpu_s.toFixed(1)} s of CPU): ratio ${(refreshed.run_s / limit_s).toFixed(2)}, of CPU ${(refreshed.cpu_s / limitCpu_s).toFixed(2)}`,
    );
    console.log(`${(all / properties / 1000).toFixed(2)} KB a property with indexes:`);
    for (const { name, heap_bytes, bytes } of tables)
      if (bytes >= all * SMALL)
        console.log(
          `  ${name.padEnd(36)} ${(bytes / properties).toFixed(0).padStart(6)} bytes, ${(heap_bytes / properties).toFixed(0)} without indexes`,
        );
  } finally {
    await server.release();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
