// A refresh in a process of its own, which ends or stops itself at a point of its work, or has a wrong clock.

import { writeSync } from 'node:fs';
import type { WalkRun } from '../kills/walk_run.ts';
import { setClock } from './clock.ts';
import type { Fault } from './plan.ts';

const { run, fault } = JSON.parse(process.argv[2]!) as { run: WalkRun; fault: Fault };
if (fault.kind === 'clock') setClock(fault.start_h);
// Only now, so that no module of the program saw another clock.
const { refreshWatched } = await import('../kills/walk_run.ts');
let points = 0;
const report = await refreshWatched(run, (point) => {
  if (!('point' in fault) || ++points !== fault.point) return;
  writeSync(1, `${JSON.stringify({ point })}\n`);
  if (fault.kind === 'kill') process.kill(process.pid, 'SIGKILL');
  if (fault.kind === 'freeze') process.kill(process.pid, 'SIGSTOP');
  if (fault.kind === 'clock') setClock(fault.then_h);
});
writeSync(
  1,
  `${JSON.stringify({ state: report.state, code: report.error?.code ?? null, message: report.error?.message })}\n`,
);
