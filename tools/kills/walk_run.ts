import { writeSync } from 'node:fs';
import { loadConfig } from '../../cli/load_config.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { type RefreshOptions, refresh } from '../../pipelines/run/refresh.ts';
import { type Point, watchPoints } from './walk_points.ts';

/** One refresh of a walk. */
export interface WalkRun {
  url: string;
  /** Configuration file. */
  file: string;
  set: readonly string[];
}

/** Refreshes, and hears of each point of the run while the run stands still at it. */
export async function refreshWatched(
  { url, file, set }: WalkRun,
  onPoint: (point: Point) => void,
  more: Partial<RefreshOptions> = {},
): Promise<RunReport> {
  const { config, base } = await loadConfig({ config: file, set: [`database.url=${url}`, ...set] }, {});
  return refresh({ url, config, base, command: 'walk', ...watchPoints(onPoint), ...more });
}

/** The argument of the program below: a run that ends itself (SIGKILL) at the first point that is wanted. */
export interface EndingRun extends WalkRun {
  wanted: readonly Point[];
}

if (process.argv[1] === import.meta.filename) {
  const run = JSON.parse(process.argv[2]!) as EndingRun;
  const wanted = new Set(run.wanted);
  const report = await refreshWatched(run, (point) => {
    if (!wanted.has(point)) return;
    writeSync(1, `${JSON.stringify({ point })}\n`);
    process.kill(process.pid, 'SIGKILL');
  });
  writeSync(1, `${JSON.stringify({ state: report.state, error: report.error })}\n`);
}
