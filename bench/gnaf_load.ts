/**
 * Loads a seeded G-NAF release from its zip into PostgreSQL as a refresh does, beside a bare COPY of the same files.
 * `npx tsx bench/gnaf_load.ts [--addresses 500000] [--state VIC | --synthetic] [--rounds 3]`; `--state` takes one state of the
 * sample country, `--synthetic` a made-up state of only the six largest tables, all of which the load needs. The release is kept in the system's temporary folder for the next run.
 *
 * Baseline: every PSV file of the folder Standard, unzipped beforehand, one after the other by COPY (CSV, no quoting) into a
 * table of text columns made in the same transaction, as the load does, so that neither side writes WAL.
 * Load: hashing and discovering the zip, starting the workers, inflating, checking, joining, COPY, and, which the
 * baseline has nothing of: unique keys, indexes, statistics, digests and activation. The second ratio leaves out the share of the
 * workers' time that they take.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { PartSummary } from '../pipelines/engine/load_part.ts';
import type { Task } from '../pipelines/engine/worker.ts';
import { Workers } from '../pipelines/engine/workers.ts';
import { ingest } from '../pipelines/ingest/ingest.ts';
import { planDatasets } from '../pipelines/ingest/plan_datasets.ts';
import { silent } from '../pipelines/report/progress.ts';
import { setUp } from '../pipelines/run/refresh.ts';
import { generateSampleCountry } from '../sample/generate.ts';
import { type Config, configSchema } from '../schema/config.ts';
import { RECORD_TABLES } from '../schema/records/index.ts';
import { listZip, type Member, readMember } from '../sources/formats/archive/zip.ts';
import { textBlocks } from '../sources/formats/table/delimited.ts';
import { openPool, PROGRAM } from '../store/database.ts';
import { startEmbedded } from '../store/embedded/server.ts';
import { activate } from '../store/loads/loads.ts';
import { writeSyntheticState } from './synthetic_state.ts';

const SEED = 1;
const CHUNK_BYTES = 1 << 18;

/** Seconds of the worker threads in one load, summed over the threads. */
interface WorkerSeconds {
  reading: number;
  finishing: number;
}

/** Workers that add up what their parts took. */
class TimedWorkers extends Workers {
  readonly seconds: WorkerSeconds = { reading: 0, finishing: 0 };

  override async run<T>(task: Task, onRows?: (rows: number) => void): Promise<T> {
    const result = await super.run<T>(task, onRows);
    const { seconds } = result as PartSummary;
    this.seconds.reading += seconds.reading;
    this.seconds.finishing += seconds.finishing;
    return result;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The zip of the release, generated where it is not there yet. */
async function releaseZip(addresses: number, oneState: boolean): Promise<string> {
  const folder = join(tmpdir(), `bench-gnaf-${oneState ? 'state' : 'country'}-${addresses}-${SEED}`);
  const partial = `${folder}.partial`;
  if (!(await exists(folder))) {
    await rm(partial, { recursive: true, force: true });
    await mkdir(join(partial, 'gnaf'), { recursive: true });
    if (oneState)
      await writeSyntheticState(join(partial, 'gnaf', 'g-naf_nov25_synthetic_gda2020_psv.zip'), addresses);
    else await generateSampleCountry({ properties: addresses, seed: SEED, out: partial });
    await rename(partial, folder);
  }
  const name = (await readdir(join(folder, 'gnaf'))).find((file) => file.endsWith('.zip'))!;
  return join(folder, 'gnaf', name);
}

interface Psv {
  path: string;
  table: string;
  columns: string[];
  bytes: number;
}

async function headerOf(path: string): Promise<string[]> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0);
    return buffer
      .toString('utf8', 0, bytesRead)
      .split(/\r?\n/, 1)[0]!
      .replace(/^\uFEFF/, '')
      .split('|');
  } finally {
    await file.close();
  }
}

/** The lines of a table that have all their fields: COPY refuses the sample's short row. */
async function* wholeLines(member: Member): AsyncGenerator<string> {
  let width = 0;
  for await (const text of textBlocks(readMember(member), member.name)) {
    width ||= text.slice(0, text.indexOf('\n')).split('|').length;
    const lines = text.split('\n');
    yield lines.every((line) => line === '' || line.split('|').length === width)
      ? text
      : lines.filter((line) => line === '' || line.split('|').length === width).join('\n');
  }
}

/** Unzips the state tables. */
async function unzip(zip: string, folder: string, state: string | undefined): Promise<Psv[]> {
  const wanted = new RegExp(`/Standard/${state ?? '[^/]+'}_[^/]+_psv\\.psv$`, 'i');
  const members = await listZip(zip, (path) => wanted.test(path));
  const files: Psv[] = [];
  for (const [i, member] of members.entries()) {
    const path = join(folder, `${i}.psv`);
    await pipeline(Readable.from(wholeLines(member)), createWriteStream(path));
    files.push({ path, table: `bare.t${i}`, columns: await headerOf(path), bytes: member.bytes });
  }
  return files;
}

async function bareCopy(client: pg.Client, files: readonly Psv[]): Promise<number> {
  await client.query('DROP SCHEMA IF EXISTS bare CASCADE');
  await client.query('CREATE SCHEMA bare');
  await client.query('CHECKPOINT');
  const started = performance.now();
  for (const { path, table, columns } of files) {
    await client.query('BEGIN');
    await client.query(`CREATE TABLE ${table} (${columns.map((name) => `"${name}" text`).join(', ')})`);
    const copy = copyFrom(`COPY ${table} FROM STDIN (FORMAT csv, DELIMITER '|', HEADER, QUOTE E'\\b')`);
    await pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), client.query(copy));
    await client.query('COMMIT');
  }
  return (performance.now() - started) / 1000;
}

interface Load {
  seconds: number;
  rows: number;
  addresses: number;
  workers: WorkerSeconds;
}

async function load(client: pg.PoolClient, url: string, config: Config): Promise<Load> {
  const run = await client.query(
    `INSERT INTO control.run (command, state) VALUES ('bench', 'running') RETURNING run_id`,
  );
  const nothing = { dataset: 'gnaf', fingerprint: '', loaded: [], kept: [] };
  await activate(client, RECORD_TABLES, nothing, run.rows[0].run_id);
  await client.query('CHECKPOINT');
  const started = performance.now();
  const plans = await planDatasets(client, config, '/', true);
  const workers = new TimedWorkers(config.workers, { url, config, session: PROGRAM });
  const reports = await ingest(client, plans, {
    workers,
    runId: run.rows[0].run_id,
    progress: silent,
    retry: config.retry,
    onEvent: () => undefined,
  });
  const seconds = (performance.now() - started) / 1000;
  await workers.close();
  const { rows } = await client.query('SELECT count(*)::int AS n FROM record.address');
  return { seconds, rows: reports[0]!.rows, addresses: rows[0].n, workers: workers.seconds };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

function print(what: string, seconds: readonly number[], rows: number, bytes: number): void {
  const middle = median(seconds);
  const spread = `${Math.min(...seconds).toFixed(2)}–${Math.max(...seconds).toFixed(2)}`;
  console.log(
    `${what.padEnd(12)} ${middle.toFixed(2)} s (${spread})  ${Math.round(rows / middle).toLocaleString('en')} rows/s  ${(bytes / middle / 1e6).toFixed(1)} MB/s`,
  );
}

async function compare(url: string, config: Config, files: readonly Psv[], rounds: number): Promise<void> {
  const pool = openPool(url, 2);
  const client = await pool.connect();
  const bare = new pg.Client({ connectionString: url });
  await bare.connect();
  try {
    await setUp(client, config);
    const base: number[] = [];
    const loads: Load[] = [];
    for (let round = 0; round < rounds; round++) {
      base.push(await bareCopy(bare, files));
      loads.push(await load(client, url, config));
    }
    let sourceRows = 0;
    for (const { table } of files)
      sourceRows += (await bare.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const last = loads.at(-1)!;
    console.log(
      `${last.addresses} addresses, ${last.rows} records of ${sourceRows} rows in ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB unzipped; ${availableParallelism()} × ${cpus()[0]?.model}; Node ${process.version}`,
    );
    print('bare COPY', base, sourceRows, bytes);
    print(
      'load',
      loads.map(({ seconds }) => seconds),
      sourceRows,
      bytes,
    );
    const without = loads.map(({ seconds, workers: w }) => (seconds * w.reading) / (w.reading + w.finishing));
    const { reading, finishing } = last.workers;
    console.log(
      `last load: ${reading.toFixed(1)} s reading and copying, ${finishing.toFixed(1)} s keys, indexes, statistics and digests, summed over the workers`,
    );
    const ratios = loads.map(({ seconds }, i) => seconds / base[i]!);
    console.log(
      `ratio ${(median(loads.map((l) => l.seconds)) / median(base)).toFixed(2)} (rounds ${ratios.map((r) => r.toFixed(2)).join(', ')}); ` +
        `without keys, indexes, statistics and digests ${(median(without) / median(base)).toFixed(2)}; goal 2.5`,
    );
  } finally {
    await bare.end();
    client.release(true);
    await pool.end();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      addresses: { type: 'string', default: '500000' },
      rounds: { type: 'string', default: '3' },
      state: { type: 'string' },
      synthetic: { type: 'boolean', default: false },
    },
  });
  const path = await releaseZip(Number(values.addresses), values.synthetic);
  const config = configSchema.parse({
    datasets: {
      gnaf: {
        adapter: 'gnaf',
        path,
        licence: 'generated',
        options: values.state ? { states: [values.state] } : {},
      },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'bench-gnaf-load-'));
  try {
    const files = await unzip(path, folder, values.state);
    const server = await startEmbedded({ dataDir: join(folder, 'postgres') });
    try {
      await compare(server.connectionString, config, files, Number(values.rounds));
    } finally {
      await server.release();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
