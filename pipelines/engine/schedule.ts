import pLimit from 'p-limit';
import { bookName } from '../../schema/table.ts';
import type { Stage } from './stage.ts';

/** Names, in the books, of the tables that a stage reads in any way; `outputOf` names the output of each stage. */
export function tablesRead(stage: Stage, outputOf: ReadonlyMap<string, string>): string[] {
  return Object.values(stage.inputs).flatMap(({ table, scope }) => {
    if (scope.kind === 'resource' && scope.homes)
      return [bookName(table), outputOf.get(scope.homes.stage) ?? ''];
    if (scope.kind === 'reach' && scope.around) return [bookName(table), bookName(scope.around)];
    if (scope.kind !== 'refs') return [bookName(table)];
    return [bookName(table), bookName(scope.within.table), outputOf.get(scope.stage) ?? ''];
  });
}

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
  const outputOf = new Map(stages.map((stage) => [stage.name, bookName(stage.output)]));
  const limit = pLimit(atOnce);
  const making = new Map<string, Promise<R>>();
  const all = stages.map((stage) => {
    const needs = tablesRead(stage, outputOf).flatMap((table) => making.get(table) ?? []);
    const made = Promise.all(needs).then(() => limit(() => run(stage)));
    making.set(bookName(stage.output), made);
    return made;
  });
  return Promise.allSettled(all);
}
