import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Reply, WorkerMessage, WorkerSetup } from './worker.ts';

/**
 * Largest heap of a worker. Far above what a batch needs; a heap that may grow to a share of the machine's memory is collected so
 * seldom that garbage makes up most of it.
 */
const WORKER_HEAP_MB = 768;

/** Room for young objects: a batch of rows dies there before it is copied. Loading is about a tenth faster than with the default. */
const WORKER_YOUNG_MB = 64;

/**
 * Size of the old generation that is first collected. V8 would let it grow by half of what is alive, which in a batch is little: it
 * would be marked several times as often, for a fifteenth of the CPU time of a run. The flag is read when the heap of a thread is laid
 * out, so it holds for threads that start later, and not for the one that sets it.
 */
const WORKER_OLD_MB = 150;

/** Threads that work for nobody; loading the program takes half a second of CPU, which the next run is spared. */
const resting: Worker[] = [];
let kept = 0;

/** Keeps up to `count` threads for the next run of this process, as a worker does; a command runs once and frees their memory. */
export function keepThreads(count: number): void {
  kept = count;
}

/** Sends a message to a thread. */
export const tell = (thread: Worker, message: WorkerMessage): void => thread.postMessage(message);

function start(): Worker {
  setFlagsFromString(`--initial-old-space-size=${WORKER_OLD_MB}`);
  return new Worker(new URL('./worker_entry.mjs', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
}

/** A thread with the setup `setup`, until released. */
export function takeThread(setup: WorkerSetup): Worker {
  const thread = resting.pop()?.removeAllListeners('exit').removeAllListeners('error') ?? start();
  thread.ref();
  tell(thread, { begin: setup });
  return thread;
}

/** Releases an idle thread, and waits until its connections are closed. */
export async function releaseThread(thread: Worker): Promise<void> {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
  await new Promise<void>((resolve) => {
    const forget = (): void => {
      const at = resting.indexOf(thread);
      if (at >= 0) resting.splice(at, 1);
      resolve();
    };
    thread.on('error', forget).on('exit', forget);
    thread.on('message', (reply: Reply) => {
      if (reply.kind !== 'ended') return;
      thread.removeAllListeners('message').unref();
      if (resting.length < kept) {
        resting.push(thread);
        resolve();
      } else void thread.terminate();
    });
    tell(thread, { end: true });
  });
}
