import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerEvent, WorkerSetting } from '../../jobs/worker.ts';
import type { Config } from '../../schema/config.ts';
import { until } from './sample.ts';

const SCRIPT = fileURLToPath(new URL('./worker_process.ts', import.meta.url));

/** A worker in a process of its own that takes batches. */
export interface WorkerChild {
  child: ChildProcess;
  events: WorkerEvent[];
  /** What it wrote to standard error. */
  said: string;
}

/** Starts a worker; it needs no dataset, since all that a batch reads is in the database. */
export function startWorkerChild(url: string, config: Config): WorkerChild {
  const setting: Omit<WorkerSetting, 'onEvent'> = {
    url,
    config: { ...config, datasets: {} },
    base: '/nowhere',
    batchesOnly: true,
  };
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, JSON.stringify(setting)], {
    stdio: 'pipe',
  });
  const started: WorkerChild = { child, events: [], said: '' };
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    started.events.push(...lines.map((line) => JSON.parse(line) as WorkerEvent));
  });
  child.stderr.on('data', (chunk) => (started.said += chunk));
  return started;
}

/** Events of one kind. */
export const named = <E extends WorkerEvent['event']>(events: readonly WorkerEvent[], event: E) =>
  events.filter((each): each is Extract<WorkerEvent, { event: E }> => each.event === event);

/** How long a worker may take to start: beside other work its modules are loaded slowly. */
const START_MS = 90_000;

/** Waits until a worker takes batches. */
export const ready = (worker: WorkerChild): Promise<boolean> =>
  until('a worker that is ready', () => named(worker.events, 'ready').length > 0, START_MS).catch((error) => {
    throw new Error(`${error.message}; the worker said: ${worker.said}`);
  });

/** Partitions of a run that a worker computed. */
export const computed = ({ events }: WorkerChild, run: number): number =>
  named(events, 'batch')
    .filter((each) => each.run_id === run)
    .reduce((sum, { partitions }) => sum + partitions, 0);
