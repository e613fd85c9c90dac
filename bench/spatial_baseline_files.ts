import { cpuOf, cpuOfServer } from './server_cpu.ts';
import { loadFiles } from './spatial_baseline_load.ts';
import type { Result } from './spatial_baseline_result.ts';
import { sampledResults, sampleStatements } from './spatial_baseline_sampled.ts';
import { tableJobs } from './spatial_baseline_tables.ts';
import { WHOLE_RESULTS } from './spatial_baseline_whole.ts';
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
  const cpu = async (): Promise<number> => (await cpuOfServer(server)) + (await programs());
  const before = await cpu();
  const started = performance.now();
  await run();
  const seconds = (performance.now() - started) / 1000;
  return { seconds, cpu_s: (await cpu()) - before };
}

/**
 * Files to tables in PostGIS, in two sessions at a time: load by its own programs; tables on the plane with keys and spatial indexes;
 * then the results, each a table with a key.
 */
export async function postgisFromFiles(
  baseline: Baseline,
  folder: string,
  hazards: readonly string[],
  every: number,
): Promise<BaselineTimes> {
  const other = await baseline.connect();
  const sessions = [baseline.client, other] as const;
  try {
    const load = await spent(baseline.pid, () => loadFiles(folder, baseline.port, hazards));
    // two sessions use both cores
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
    await other.end();
  }
}

async function fill(
  sessions: readonly Baseline['client'][],
  { table, columns, key, queries, after }: Result,
): Promise<void> {
  const [first] = sessions;
  await first!.query(`create unlogged table ${table} (${columns})`);
  await Promise.all(
    sessions.map(async (client, half) => {
      for (const query of queries) await client.query(`insert into ${table} ${query(half as 0 | 1)}`);
    }),
  );
  await first!.query(`alter table ${table} add primary key (${key})`);
  for (const statement of after ?? []) await first!.query(statement);
}
