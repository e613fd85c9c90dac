import { parentPort } from 'node:worker_threads';
import { type ForestTask, growForest } from '../../transforms/avm/gbt/growing.ts';

// Grows the forest of each task. An error ends the thread; the pool reports it.
parentPort!.on('message', (task: ForestTask) => parentPort!.postMessage(growForest(task)));
