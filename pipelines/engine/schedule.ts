import pLimit from 'p-limit';
import { bookName } from '../../schema/table.ts';
import { tablesRead } from './reads.ts';
import type { Stage } from './stage.ts';

/**
 * Runs stages that are listed in an order in which each one follows those whose output it reads. A stage begins when those are
 * done, so that it sees finished tables only; stages that do not read one another overlap, `atOnce` of them at most. Where
 * one fails, those that read its output fail with it and are not begun. The results come in the order of the list.
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
