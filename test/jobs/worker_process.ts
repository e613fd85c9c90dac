import { startWorker, type WorkerSetting } from '../../jobs/worker.ts';

// A worker in a process of its own, for tests that kill it. Its setting is the first argument, as JSON.
const setting = JSON.parse(process.argv[2]!) as Omit<WorkerSetting, 'onEvent'>;
await startWorker({ ...setting, onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`) });
