import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Reply, WorkerMessage, WorkerSetup } from './task_thread.ts';

/**
 * Maximum heap of a worker, far above the need of a batch. With a share of the machine's memory, garbage would be collected so seldom that
 * it fills most of the heap.
 */
const WORKER_HEAP_MB = 768;

/**
 * Size of the young generation: the rows of a batch die there before they are copied. Loading is about a tenth faster than with the
 * default.
 */
const WORKER_YOUNG_MB = 64;

/**
 * Initial size of the old generation. By default V8 collects it after growth by half of the live data, which is little in a batch: several
 * times as many collections, 1/15 of a run's CPU time. V8 reads the flag when it creates a thread's heap, so it affects threads that start
 * later, not the one that sets it.
 */
const WORKER_OLD_MB = 150;

/** Idle threads kept for the next run, which saves it half a second of CPU for loading the program. */
const resting: Worker[] = [];
let keptCount = 0;

/** Keeps up to `count` threads for the next run of this process, for workers. A command runs once and frees their memory. */
export function keepThreads(count: number): void {
  keptCount = count;
}

export const postTo = (thread: Worker, message: WorkerMessage): void => thread.postMessage(message);

function start(): Worker {
  setFlagsFromString(`--initial-old-space-size=${WORKER_OLD_MB}`);
  return new Worker(new URL('./worker_entry.mjs', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
}

/** Takes an idle thread or starts one, and sends it the setup. */
export function takeThread(setup: WorkerSetup): Worker {
  const thread = resting.pop()?.removeAllListeners('exit').removeAllListeners('error') ?? start();
  thread.ref();
  postTo(thread, { begin: setup });
  return thread;
}

/** Releases an idle thread and waits until its connections are closed. */
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
      if (resting.length < keptCount) {
        resting.push(thread);
        resolve();
      } else void thread.terminate();
    });
    postTo(thread, { end: true });
  });
}
