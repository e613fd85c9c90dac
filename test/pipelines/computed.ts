import type { ComputedStage, StageResult } from '../../pipelines/engine/stage.ts';

/** What a stage without parameters computes for one partition: the rows that it emits, in order, beside its result. */
export function computed(
  stage: ComputedStage,
  given: Readonly<Record<string, readonly unknown[]>>,
  cell = -1,
  resource: unknown = undefined,
): Omit<StageResult, 'rows'> & { rows: Record<string, unknown>[] } {
  const rows: Record<string, unknown>[] = [];
  const result = stage.compute(given as Readonly<Record<string, Record<string, unknown>[]>>, {
    cell,
    params: {},
    resource,
    emit: (row) => rows.push(row),
  });
  return { ...result, rows };
}
