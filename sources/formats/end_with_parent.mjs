// Ends this process with the one that started it, also in the middle of a loop that does not end.
import { Worker } from 'node:worker_threads';

const WATCH = `const { ppid } = process;
setInterval(() => { if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL'); }, 1000);`;
new Worker(WATCH, { eval: true, execArgv: [] }).unref();
