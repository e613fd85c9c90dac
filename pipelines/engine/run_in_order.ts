import pLimit from 'p-limit';
import { recordedName } from '../../schema/table.ts';
import { tablesRead } from './reads.ts';
import type { Stage } from './stage.ts';

/**
 * Runs stages listed in dependency order. A stage starts when its inputs are finished; up to `atOnce` independent stages overlap. If one
 * fails, its dependants fail without starting. Results are in list order.
 */
export function runInOrder<R>(
  stages: readonly Stage[],
  atOnce: number,
  run: (stage: Stage) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const limit = pLimit(atOnce);
  const making = new Map<string, Promise<R>>();
  const all = stages.map((stage) => {
    const needs = tablesRead(stage).flatMap((table) => making.get(recordedName(table)) ?? []);
    const finished = Promise.all(needs).then(() => limit(() => run(stage)));
    making.set(recordedName(stage.output), finished);
    return finished;
  });
  return Promise.allSettled(all);
}
