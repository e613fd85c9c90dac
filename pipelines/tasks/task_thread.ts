import { parentPort } from 'node:worker_threads';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { operatorError } from '../../store/system/connection_error.ts';
import { ResourceCache } from '../engine/resources.ts';
import { type PartitionBatch, runBatch } from '../engine/run_batch.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';
import { loadPart, type PartToLoad } from '../ingest/load_part.ts';

/** What a worker does: computes a batch of a stage, or loads a part of a dataset. It can be cloned across the thread boundary. */
export type Task = ({ kind: 'batch' } & PartitionBatch) | ({ kind: 'part' } & PartToLoad);

/** Messages to a worker: its setup, then tasks, then the end. */
export type WorkerMessage = { begin: WorkerSetup } | { id: number; task: Task } | { end: true };

/** Messages from a worker: progress while loading, one result or error for each task, and the end, after its connections are closed. */
export type Reply =
  | { kind: 'ended' }
  | { id: number; kind: 'progress'; rows: number }
  | { id: number; kind: 'done'; result: unknown }
  | {
      id: number;
      kind: 'error';
      code: string;
      message: string;
      errorKind: 'transient' | 'permanent';
      details: unknown;
      stack: string;
    };

export interface WorkerSetup {
  url: string;
  config: Config;
  /** Session name of the process. */
  session: string;
}

/** Connections of one worker: one for each table that a load writes concurrently, one for its claim and one for control tables. */
const CONNECTIONS = 12;

const port = parentPort!;

/** What a thread works with until it receives the end message. */
interface Tools {
  pool: pg.Pool;
  config: Config;
  stages: ReadonlyMap<string, Stage>;
  resources: ResourceCache;
}

function openTools({ url, config, session }: WorkerSetup): Tools {
  // A thread's commits take effect only when the coordinator activates or publishes them, and the coordinator's commits wait for the disk.
  const pool = openPool(url, CONNECTIONS, { durability: 'later', name: session });
  const stages = graph(config);
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  return { pool, config, stages: byName, resources: new ResourceCache() };
}

let tools: Tools;

async function perform(id: number, task: Task): Promise<unknown> {
  const { pool, config, stages, resources } = tools;
  if (task.kind === 'part') {
    let pending = 0;
    return loadPart(pool, task, (rows) => {
      pending += rows;
      if (pending < 20_000) return;
      port.postMessage({ id, kind: 'progress', rows: pending } satisfies Reply);
      pending = 0;
    });
  }
  const stage = stages.get(task.stage)!;
  const client = await pool.connect();
  try {
    return await runBatch(client, stage, stage.params(config), task, resources);
  } finally {
    client.release();
  }
}

function failure(id: number, error: unknown): Reply {
  const operatorFault = operatorError(error);
  const { stack, code } = error as Error & { code?: string };
  const { message } = operatorFault ?? (error as Error);
  return {
    id,
    kind: 'error',
    code: operatorFault?.code ?? (code === undefined ? 'internal' : `postgres_or_system_${code}`),
    message,
    errorKind: operatorFault?.kind ?? 'permanent',
    details: operatorFault?.details ?? {},
    stack: stack ?? '',
  };
}

port.on('message', async (message: WorkerMessage) => {
  if ('begin' in message) {
    tools = openTools(message.begin);
    return;
  }
  if ('end' in message) {
    await tools.pool.end();
    port.postMessage({ kind: 'ended' } satisfies Reply);
    return;
  }
  try {
    port.postMessage({
      id: message.id,
      kind: 'done',
      result: await perform(message.id, message.task),
    } satisfies Reply);
  } catch (error) {
    port.postMessage(failure(message.id, error));
  }
});
