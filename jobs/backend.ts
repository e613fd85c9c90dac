import {
  createPostgresBackend,
  type Processor,
  Queue,
  runMigrations,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { maskUrl } from '../store/database.ts';

/** Name of the one queue. */
const QUEUE = 'pipeline';
/** PostgreSQL schema that BullMQ keeps its tables in; the role of the API sees nothing of it. */
const SCHEMA = 'bullmq';
/** How long to wait for a Redis that does not answer. */
const CONNECT_MS = 5000;
/** Connections of one queue or worker, besides the one that listens. */
const CONNECTIONS = 2;

/** What a refresh is asked with: who asks, and flags. Data never travels by the queue. */
export interface RefreshRequest {
  requested_by: string;
  /** Hash every file again, even where size and time are as remembered. */
  rehash?: boolean;
}

/** What a finished job says; the report is in control.run under `run_id`. */
export interface RefreshOutcome {
  run_id: number;
  state: 'published' | 'unchanged';
  publication: number | null;
}

export type RefreshQueue = Queue<RefreshRequest, RefreshOutcome, 'refresh'>;
export type RefreshWorker = Worker<RefreshRequest, RefreshOutcome, 'refresh'>;
export type RefreshProcessor = Processor<RefreshRequest, RefreshOutcome, 'refresh'>;

/** The server that holds the queue. */
export interface Backend {
  kind: 'postgres' | 'redis';
  queue: RefreshQueue;
  /** Starts to take jobs; the caller closes the worker before the backend. */
  work(processor: RefreshProcessor, options: Omit<WorkerOptions, 'connection'>): RefreshWorker;
  close(): Promise<void>;
}

/** Opens the queue in Redis where the configuration names one, else in the pipeline's own database. */
export async function openBackend(url: string, queue: Config['queue']): Promise<Backend> {
  return queue.redis_url === null ? openPostgres(url) : openRedis(queue.redis_url);
}

async function openPostgres(url: string): Promise<Backend> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
  const connection = { connectionString: url, schema: SCHEMA, max: CONNECTIONS };
  const queue = new Queue(QUEUE, { connection }, createPostgresBackend);
  // Without a listener an idle connection that breaks would end the process; the command that needs it reports it.
  queue.on('error', () => undefined);
  return {
    kind: 'postgres',
    queue: queue as unknown as RefreshQueue,
    work: (processor, options) =>
      new Worker(
        QUEUE,
        processor,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as RefreshWorker,
    close: () => queue.close(),
  };
}

/** Connects, or says that Redis does not answer: left to itself, ioredis tries for ever. */
async function connectRedis(url: string): Promise<Redis> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, lazyConnect: true, connectTimeout: CONNECT_MS });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause = error;
  });
  try {
    await redis.connect();
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
  const queue: RefreshQueue = new Queue(QUEUE, { connection });
  queue.on('error', () => undefined);
  return {
    kind: 'redis',
    queue,
    work: (processor, options) => new Worker(QUEUE, processor, { ...options, connection }),
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}
