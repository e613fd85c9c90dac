import pLimit from 'p-limit';
import { bookName } from '../../schema/table.ts';
import { tablesRead } from './reads.ts';
import type { Stage } from './stage.ts';

/**
 * Runs stages listed in dependency order. A stage starts when its inputs are finished; independent stages overlap, at most `atOnce` of
 * them. If one fails, those that read its output fail without starting. Results come in list order.
 */
export function runInOrder<R>(
  stages: readonly Stage[],
  atOnce: number,
  run: (stage: Stage) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const limit = pLimit(atOnce);
  const making = new Map<string, Promise<R>>();
  const all = stages.map((stage) => {
    const needs = tablesRead(stage).flatMap((table) => making.get(bookName(table)) ?? []);
    const made = Promise.all(needs).then(() => limit(() => run(stage)));
    making.set(bookName(stage.output), made);
    return made;
  });
  return Promise.allSettled(all);
}
