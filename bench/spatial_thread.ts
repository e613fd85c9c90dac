import { parentPort, workerData } from 'node:worker_threads';
import type { City } from './spatial_data.ts';
import { prepare, type Sums, stagesOf } from './spatial_stages.ts';

/** What a thread is given: the city (its coordinates are shared) and the number of the next partition, shared by all threads. */
export interface ThreadData {
  city: City;
  next: Int32Array;
}

const { city, next } = workerData as ThreadData;
const prepared = prepare(city);
const stages = stagesOf(prepared);

// answers the name of a stage with what the partitions that it took summed to
parentPort!.on('message', (name: string) => {
  const sums: Sums = {};
  for (;;) {
    const cell = prepared.cells[Atomics.add(next, 0, 1)];
    if (cell === undefined) break;
    stages[name]!(prepared, cell, sums);
  }
  parentPort!.postMessage(sums);
});
parentPort!.postMessage('ready');
