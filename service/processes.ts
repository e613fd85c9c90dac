import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { unavailable } from './refusal.ts';
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
  | { kind: 'metrics?'; id: number };
type ProcessCommand =
  | ({ kind: 'task' } & ServeTask)
  | { kind: 'close' }
  | { kind: 'metrics'; id: number; text: string | null };

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
  const workers = new Set<Worker>();
  let isClosing = false;
  const tell = (worker: Worker, order: ProcessCommand): void => {
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
        if (word.kind === 'task?') tell(worker, { kind: 'task', ...task });
        if (word.kind === 'ready') {
          isReady = true;
          resolve(word.at);
        }
        if (word.kind === 'failed') reject(new EtlError(word.code, word.message));
        if (word.kind === 'metrics?')
          metrics.clusterMetrics().then(
            (text) => tell(worker, { kind: 'metrics', id: word.id, text }),
            () => tell(worker, { kind: 'metrics', id: word.id, text: null }),
          );
      });
      worker.once('exit', (code, signal) => {
        workers.delete(worker);
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
    for (const worker of workers) tell(worker, { kind: 'close' });
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
  const heard = <K extends ProcessCommand['kind']>(kind: K) =>
    new Promise<Extract<ProcessCommand, { kind: K }>>((resolve) =>
      process.on('message', (order: ProcessCommand) => {
        if (order.kind === kind) resolve(order as Extract<ProcessCommand, { kind: K }>);
      }),
    );
  const task = heard('task');
  const closed = heard('close').then(() => undefined);
  send({ kind: 'task?' });
  return { task, closed };
}

const send = (word: ProcessMessage): void => void process.send!(word);

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

let asked = 0;

/** Requests the metrics of all processes from the parent, which sums them. */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
  return () => {
    const id = ++asked;
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
