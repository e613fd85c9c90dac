import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { City } from './spatial_data.ts';
import type { Sums } from './spatial_stages.ts';

/** Threads that the stages are measured in. */
export const THREADS = 2;

/** Worker threads that share the partitions of a stage. */
export class Threads {
  readonly #workers: Worker[];
  readonly #next = new Int32Array(new SharedArrayBuffer(4));

  constructor(city: City) {
    this.#workers = Array.from(
      { length: THREADS },
      () =>
        new Worker(new URL('./spatial_worker.mjs', import.meta.url), {
          workerData: { city, next: this.#next },
          execArgv: [],
        }),
    );
  }

  async ready(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => once(worker, 'message')));
  }

  /** Runs a stage over all partitions by the first `threads` workers. */
  async run(stage: string, threads: number): Promise<{ seconds: number; cpu_s: number; sums: Sums }> {
    Atomics.store(this.#next, 0, 0);
    const before = process.cpuUsage();
    const started = performance.now();
    const results = await Promise.all(
      this.#workers.slice(0, threads).map(async (worker) => {
        worker.postMessage(stage);
        return ((await once(worker, 'message')) as [Sums])[0];
      }),
    );
    const sums: Sums = {};
    for (const own of results) {
      for (const [key, value] of Object.entries(own)) sums[key] = (sums[key] ?? 0) + value;
    }
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - started) / 1000, cpu_s: (user + system) / 1e6, sums };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
