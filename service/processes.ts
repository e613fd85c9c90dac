import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import {
  LimitCounter,
  type LimitReply,
  type LimitRequest,
  type SharedLimits,
  sharedLimits,
} from './billing/shared_limits.ts';
import { unavailable } from './http/refusal.ts';
import type { Service, ServiceUrls } from './server.ts';

/** Task of one of several service processes. */
export interface ServeTask {
  url: string;
  config: Config;
}

/** Messages between a service process and its parent. */
type ProcessMessage =
  | { kind: 'task?' }
  | { kind: 'ready'; at: ServiceUrls }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'metrics?'; id: number }
  | LimitRequest;
type ProcessCommand =
  | ({ kind: 'task' } & ServeTask)
  | { kind: 'close' }
  | { kind: 'metrics'; id: number; text: string | null }
  | LimitReply;

/** Returns the task of one process: its share of the limits of the service that no process counts for all. */
function taskOfProcess({ url, config }: ServeTask, port: number): ServeTask {
  const { processes, calls_max, connections_max } = config.service;
  const share = (max: number): number => Math.ceil(max / processes);
  const service = {
    ...config.service,
    calls_max: share(calls_max),
    connections_max: share(connections_max),
    port,
  };
  return { url, config: { ...config, service } };
}

/** Returns the configured port, or one that is free: if all processes end, the next ones have to open the same port. */
async function portOf({ host, port }: Config['service']): Promise<number> {
  if (port !== 0) return port;
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return address.port;
}

/** Wait before an ended process is replaced. */
const REPLACE_MS = 500;

/** True if this process is one of several on a port. */
export const isOneOfSeveral = (): boolean => cluster.isWorker;

/**
 * Runs this command in `service.processes` processes on one port until it is closed. Replaces a process that ends by itself and reports it
 * to `warn`. @throws EtlError the reason why the first process could not start
 */
export async function startProcesses(task: ServeTask, warn: (message: string) => void): Promise<Service> {
  const metrics = new AggregatorRegistry();
  const limits = new LimitCounter();
  const workers = new Set<Worker>();
  let isClosing = false;
  const port = await portOf(task.config.service);
  const sendOrder = (worker: Worker, order: ProcessCommand): void => {
    if (worker.isConnected()) worker.send(order);
  };

  const start = (): Promise<ServiceUrls> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork();
      let isReady = false;
      workers.add(worker);
      // A process that is ending takes no messages; its exit reports the rest.
      worker.on('error', () => undefined);
      worker.on('message', (word: ProcessMessage) => {
        if (word.kind === 'task?') sendOrder(worker, { kind: 'task', ...taskOfProcess(task, port) });
        if (word.kind === 'ready') {
          isReady = true;
          resolve(word.at);
        }
        if (word.kind === 'failed') reject(new EtlError(word.code, word.message));
        if (word.kind === 'take' || word.kind === 'turn' || word.kind === 'turn_end')
          void limits.answer(worker, word, (reply) => sendOrder(worker, reply));
        if (word.kind === 'metrics?')
          metrics.clusterMetrics().then(
            (text) => sendOrder(worker, { kind: 'metrics', id: word.id, text }),
            () => sendOrder(worker, { kind: 'metrics', id: word.id, text: null }),
          );
      });
      worker.once('exit', (code, signal) => {
        workers.delete(worker);
        limits.forget(worker);
        reject(new EtlError('service_unavailable', `A process of the service ended with ${signal ?? code}.`));
        if (isReady && !isClosing)
          replace(`A process of the service ended with ${signal ?? code}; starting another.`);
      });
    });
  const replace = (message: string): void => {
    warn(message);
    setTimeout(() => {
      if (!isClosing) start().catch((error: Error) => replace(error.message));
    }, REPLACE_MS);
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    const ended = [...workers].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) sendOrder(worker, { kind: 'close' });
    await Promise.all(ended);
  };

  try {
    const [at] = await Promise.all(Array.from({ length: task.config.service.processes }, start));
    return { ...at!, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Receives this process's task and the end of it from the parent. */
export function takeTask(): { task: Promise<ServeTask>; closed: Promise<void> } {
  const received = <K extends ProcessCommand['kind']>(kind: K) =>
    new Promise<Extract<ProcessCommand, { kind: K }>>((resolve) =>
      process.on('message', (order: ProcessCommand) => {
        if (order.kind === kind) resolve(order as Extract<ProcessCommand, { kind: K }>);
      }),
    );
  const task = received('task');
  const closed = received('close').then(() => undefined);
  send({ kind: 'task?' });
  return { task, closed };
}

const send = (word: ProcessMessage): void => {
  if (process.connected) process.send!(word);
};

/** Returns the limits that the parent of this process counts for all. */
export const limitsOfAll = (): SharedLimits => sharedLimits(send);

/** Reports that this process serves. */
export const reportReady = ({ base_url, sandbox_key, mcp_url }: ServiceUrls): void =>
  send({ kind: 'ready', at: { base_url, sandbox_key, mcp_url } });

/** Reports why this process cannot serve. */
export const reportFailure = (error: Error): void =>
  send({
    kind: 'failed',
    code: error instanceof EtlError ? error.code : 'service_unavailable',
    message: error.message,
  });

let attempts = 0;

/** Requests the metrics of all processes from the parent, which sums them. */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
  return () => {
    const id = ++attempts;
    return new Promise((resolve, reject) => {
      const hear = (order: ProcessCommand): void => {
        if (order.kind !== 'metrics' || order.id !== id) return;
        process.off('message', hear);
        if (order.text === null) reject(unavailable('A process did not report its metrics.'));
        else resolve(order.text);
      };
      process.on('message', hear);
      send({ kind: 'metrics?', id });
    });
  };
}
