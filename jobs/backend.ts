import {
  createPostgresBackend,
  type Processor,
  Queue,
  QueueEvents,
  runMigrations,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { PlannedPartition } from '../pipelines/engine/plan.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { maskUrl } from '../store/system/mask_url.ts';
import { settingsSql } from '../store/system/session_settings.ts';
import { within } from '../store/system/within.ts';
import { withQueueTimeout } from './answered.ts';
import type { Program } from './program.ts';
import { checkRedis } from './redis_facts.ts';

/** Queues: refresh requests, and tasks of a distributed run. */
export const QUEUES = {
  refreshes: 'pipeline',
  tasks: 'pipeline-tasks',
} as const;
/** PostgreSQL schema of BullMQ's tables. The role of the API cannot read it. */
const SCHEMA = 'bullmq';
/** Maximum wait for Redis, milliseconds. */
const CONNECT_MS = 5000;
/** Connections of one queue or worker, in addition to the one that listens. */
const CONNECTIONS = 2;

/** A refresh request: the requester and the flags of the command. Data never pass through the queue. */
export interface RefreshRequest {
  requested_by: string;
  /** Hash every file again, even if size and time are unchanged. */
  rehash?: boolean;
  /** Named job: reads only market events, and updates every table that depends on them. */
  job?: 'avm' | 'cma';
  /** Serving tables to update, with everything that they need. Absent: all. */
  tables?: readonly string[];
  /** Give tasks to other machines, whatever the worker's configuration says. */
  distribute?: boolean;
  /** Datasets to read. Absent: all. */
  only?: readonly string[];
  /** Publish the held candidate instead of a refresh, with the gates that an operator accepts and the reason. */
  publish?: { gates: readonly string[]; reason: string };
  /** Roll back to an earlier publication, with the reason, instead of a refresh. */
  rollback?: { to: number; reason: string };
}

/** Result of a finished job; the report is in control.run under `run_id`. */
export interface RefreshOutcome {
  run_id: number;
  state: 'published' | 'unchanged' | 'held';
  publication: number | null;
}

/** A batch of a stage in the queue: the plan of its partitions. */
interface BatchData {
  kind: 'batch';
  stage: string;
  partitions: readonly PlannedPartition[];
}

/** A part of a dataset in the queue, without paths: a worker reads only files of its own configuration. */
interface PartData {
  kind: 'part';
  load_id: number;
  dataset: string;
  part: string;
  /** Hash of the files and settings that decide what is read. */
  fingerprint: string;
}

/** A task of a run, and the program that its worker must have. */
export type TaskData = { run_id: number; program: Program } & (BatchData | PartData);

/** Result of a worker's task. */
export interface TaskOutcome {
  /** Partitions of a batch; fewer than requested if others had computed some of them. */
  partitions?: number;
  rows: number;
  /** Thread and process that did the task, and its duration in seconds. Absent: not done by a worker. */
  by?: { machine: string; thread: number; took_s: number };
}

export type RefreshQueue = Queue<RefreshRequest, RefreshOutcome, 'refresh'>;
export type TaskQueue = Queue<TaskData, TaskOutcome, TaskData['kind']>;

/** The server that holds the queues. */
export interface Backend {
  kind: 'postgres' | 'redis';
  queue: RefreshQueue;
  tasks(): TaskQueue;
  /** Listens for the ends of tasks. The caller closes it before the backend. */
  taskEvents(): QueueEvents;
  /** Starts to take jobs of a queue. The caller closes the worker before the backend. */
  work<D, R>(
    queue: (typeof QUEUES)[keyof typeof QUEUES],
    processor: Processor<D, R, string>,
    options?: Omit<WorkerOptions, 'connection'>,
  ): Worker<D, R, string>;
  close(): Promise<void>;
}

/** Opens the queues in Redis if configured, else in the pipeline's database. */
export async function openBackend(url: string, queue: Config['queue']): Promise<Backend> {
  return queue.redis_url === null ? openPostgres(url) : openRedis(queue.redis_url);
}

type Queues = Pick<Backend, 'queue' | 'tasks'>;

/** Opens each queue once, on first use: most commands need only the first. */
function openQueues(open: (name: string) => Queue): Queues & { closeQueues: () => Promise<void> } {
  const opened = new Map<string, Queue>();
  const once = (name: string): Queue => {
    const queue = opened.get(name) ?? open(name);
    if (!opened.has(name)) {
      // Without this listener a broken idle connection would end the process. The command that needs the queue reports it.
      queue.on('error', () => undefined);
      opened.set(name, queue);
    }
    return queue;
  };
  return {
    queue: once(QUEUES.refreshes) as RefreshQueue,
    tasks: () => once(QUEUES.tasks) as TaskQueue,
    closeQueues: async () => {
      await Promise.all([...opened.values()].map((queue) => queue.close()));
    },
  };
}

/**
 * A client whose connection errors are handled: without a listener they would end the process, and BullMQ does not always add one. The
 * running statement fails anyway.
 */
class GuardedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  /** Connects and sets what equal answers need, before the first statement of BullMQ. */
  override connect(callback?: (error: never, client: pg.Client) => void): Promise<pg.Client> | undefined {
    const connected = super.connect().then(async () => {
      try {
        await this.query(settingsSql());
        return this as pg.Client;
      } catch (error) {
        await this.end();
        throw error;
      }
    });
    if (!callback) return connected;
    connected.then(
      (client) => callback(null as never, client),
      (error) => callback(error as never, this),
    );
    return undefined;
  }
}

async function openPostgres(url: string): Promise<Backend> {
  const client = new GuardedClient({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
  const connection = { connectionString: url, schema: SCHEMA, max: CONNECTIONS, Client: GuardedClient };
  // The types of BullMQ separate the two kinds of server; the methods used here are equal.
  const { closeQueues, ...queues } = openQueues(
    (name) => new Queue(name, { connection }, createPostgresBackend) as unknown as Queue,
  );
  return {
    kind: 'postgres',
    ...queues,
    taskEvents: () =>
      new QueueEvents(QUEUES.tasks, { connection }, createPostgresBackend) as unknown as QueueEvents,
    work: <D, R>(
      name: string,
      processor: Processor<D, R, string>,
      options: Omit<WorkerOptions, 'connection'> = {},
    ) =>
      new Worker(
        name,
        processor as Processor,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as Worker<D, R, string>,
    close: closeQueues,
  };
}

/** Connects to Redis, or fails if it does not answer: by default ioredis retries forever. */
export async function connectRedis(url: string): Promise<Redis> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, lazyConnect: true, connectTimeout: CONNECT_MS });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause = error;
  });
  try {
    // A server that accepts the connection without answering would be waited for forever.
    await withQueueTimeout(CONNECT_MS, redis.connect());
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new EtlError(
      'queue_unavailable',
      `Redis at ${maskUrl(url)} does not answer: ${(cause ?? (error as Error)).message}. Start it, or unset queue.redis_url.`,
      { kind: 'transient', cause: error },
    );
  }
}

async function openRedis(url: string): Promise<Backend> {
  const connection = await connectRedis(url);
  try {
    await withQueueTimeout(CONNECT_MS, checkRedis(connection, url));
  } catch (error) {
    connection.disconnect();
    throw error;
  }
  const { closeQueues, ...queues } = openQueues((name) => new Queue(name, { connection }));
  return {
    kind: 'redis',
    ...queues,
    taskEvents: () => new QueueEvents(QUEUES.tasks, { connection }),
    work: (name, processor, options = {}) => new Worker(name, processor, { ...options, connection }),
    close: async () => {
      await within(CONNECT_MS, closeQueues());
      connection.disconnect();
    },
  };
}
