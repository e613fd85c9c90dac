import { cpuOf, cpuWithChildren } from './server_cpu.ts';
import { loadFiles } from './spatial_baseline_load.ts';
import type { Result } from './spatial_baseline_result.ts';
import { sampledResults, sampleStatements } from './spatial_baseline_sampled.ts';
import { tableJobs } from './spatial_baseline_tables.ts';
import { WHOLE_RESULTS } from './spatial_baseline_whole.ts';
import type { HazardFile } from './spatial_hazards.ts';
import type { Baseline } from './spatial_postgis.ts';

/** Seconds by the clock and of the processor. */
export interface Spent {
  readonly seconds: number;
  readonly cpu_s: number;
}

/** What PostGIS took from files to tables; the results that it computed of every n-th row are multiplied by n. */
export interface BaselineTimes {
  readonly load: Spent;
  readonly index: Spent;
  readonly results: readonly (Spent & { readonly table: string; readonly isWhole: boolean })[];
}

/** Measures what the server, its sessions and the programs that load files take for something. */
async function spent(server: number, run: () => Promise<unknown>): Promise<Spent> {
  // this process itself only waits, and reads the clocks
  const programs = async (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    return (await cpuOf(process.pid)) - (user + system) / 1e6;
  };
  const cpu = async (): Promise<number> => (await cpuWithChildren(server)) + (await programs());
  const before = await cpu();
  const started = performance.now();
  await run();
  const seconds = (performance.now() - started) / 1000;
  return { seconds, cpu_s: (await cpu()) - before };
}

/**
 * Files to tables in PostGIS: load by its own programs, two at a time; tables on the plane with keys and spatial indexes; then the results,
 * each a table with a key. Two sessions take one half of the subjects each, so that both cores work for every query. One session has two
 * parallel workers for the plans that PostgreSQL gives them; a search for the nearest is not among those.
 */
export async function postgisFromFiles(
  baseline: Baseline,
  folder: string,
  hazards: readonly HazardFile[],
  every: number,
  sessionCount: 1 | 2,
): Promise<BaselineTimes> {
  const other = sessionCount === 2 ? await baseline.connect() : null;
  const sessions = other === null ? [baseline.client] : [baseline.client, other];
  try {
    const load = await spent(baseline.pid, () => loadFiles(folder, baseline.port, hazards));
    if (other !== null)
      for (const client of sessions) await client.query('set max_parallel_workers_per_gather = 0');
    const jobs = tableJobs(hazards);
    const index = await spent(baseline.pid, () =>
      Promise.all(
        sessions.map(async (client) => {
          for (let job = jobs.shift(); job !== undefined; job = jobs.shift())
            for (const statement of job) await client.query(statement);
        }),
      ),
    );
    const results: BaselineTimes['results'][number][] = [];
    const compute = async (result: Result, times: number): Promise<void> => {
      const { seconds, cpu_s } = await spent(baseline.pid, () => fill(sessions, result));
      const { table } = result;
      results.push({ table, isWhole: times === 1, seconds: seconds * times, cpu_s: cpu_s * times });
    };
    for (const result of WHOLE_RESULTS) await compute(result, 1);
    for (const statement of sampleStatements(every)) await baseline.client.query(statement);
    for (const result of sampledResults(hazards)) await compute(result, every);
    return { load, index, results };
  } finally {
    await other?.end();
  }
}

async function fill(
  sessions: readonly Baseline['client'][],
  { table, columns, key, queries, after }: Result,
): Promise<void> {
  const [first] = sessions;
  if (sessions.length === 1) {
    // only a table that a query makes is computed by parallel workers, not one that it is inserted into
    const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
    const parts = queries.map((query) => `(${query('0, 1')})`);
    await first!.query(
      `create unlogged table ${table} (${names.join(', ')}) as ${parts.join(' union all ')}`,
    );
  } else {
    await first!.query(`create unlogged table ${table} (${columns})`);
    await Promise.all(
      sessions.map(async (client, half) => {
        for (const query of queries) await client.query(`insert into ${table} ${query(String(half))}`);
      }),
    );
  }
  await first!.query(`alter table ${table} add primary key (${key})`);
  for (const statement of after ?? []) await first!.query(statement);
}
