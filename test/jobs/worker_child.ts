import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerEvent } from '../../jobs/worker.ts';
import type { Config } from '../../schema/config.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { until } from '../waiting.ts';

/** A worker in a process of its own that takes tasks: the command `pipeline worker --batches`. */
export interface WorkerChild {
  child: ChildProcess;
  events: WorkerEvent[];
  /** All that it has written. */
  said(): string;
}

/**
 * Starts a worker whose configuration is written to a file in `dir`. It is given no dataset, since all that a batch reads is in the
 * database, unless it is to load parts.
 */
export function startWorkerChild(
  url: string,
  config: Config,
  dir: string,
  datasets: Config['datasets'] = {},
): WorkerChild {
  const file = join(dir, `worker-${randomUUID()}.json`);
  // Models and audits are files of their own beside a configuration.
  const { models: _models, audits: _audits, ...written } = config;
  writeFileSync(file, JSON.stringify({ ...written, datasets }));
  const { child, output } = pipeline(['worker', '--batches', '--json', '--config', file], {
    DATABASE_URL: url,
  });
  const events: WorkerEvent[] = [];
  let unfinished = '';
  child.stdout!.on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop()!;
    events.push(...lines.map((line) => JSON.parse(line) as WorkerEvent));
  });
  return { child, events, said: output };
}

/** Events of one kind. */
export const named = <E extends WorkerEvent['event']>(events: readonly WorkerEvent[], event: E) =>
  events.filter((each): each is Extract<WorkerEvent, { event: E }> => each.event === event);

/** Waits until a worker takes tasks. */
export const ready = (worker: WorkerChild): Promise<boolean> =>
  until('a worker that is ready', () => named(worker.events, 'ready').length > 0).catch((error) => {
    throw new Error(`${error.message}; the worker said: ${worker.said()}`);
  });

/** Partitions of a run that a worker computed. */
export const computed = ({ events }: WorkerChild, run: number): number =>
  named(events, 'batch')
    .filter((each) => each.run_id === run)
    .reduce((sum, { partitions }) => sum + partitions, 0);
