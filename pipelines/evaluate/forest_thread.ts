import { parentPort } from 'node:worker_threads';
import { type ForestTask, growForest } from '../../transforms/avm/gbt/growing.ts';

// answers each task with its forest; an error ends the thread, which the pool reports
parentPort!.on('message', (task: ForestTask) => parentPort!.postMessage(growForest(task)));
