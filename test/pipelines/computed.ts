import type { ComputedStage, StageResult } from '../../pipelines/engine/stage.ts';
import { configSchema } from '../../schema/config.ts';

const CONFIG = configSchema.parse({ datasets: {} });

/** Computes one partition of a stage with the default configuration: the emitted rows, in order, besides the result, whose account must balance. */
export function computed(
  { name, params, compute }: ComputedStage,
  given: Readonly<Record<string, readonly unknown[]>>,
  cell = -1,
  resource: unknown = undefined,
): Omit<StageResult, 'rows'> & { rows: Record<string, unknown>[] } {
  const rows: Record<string, unknown>[] = [];
  const result = compute(given as Readonly<Record<string, Record<string, unknown>[]>>, {
    cell,
    params: params(CONFIG),
    resource,
    emit: (row) => rows.push({ ...row }),
  });
  const { in: all, out, drops } = result.account;
  const dropped = Object.values(drops).reduce((sum, n) => sum + n, 0);
  if (all !== out + dropped) throw new Error(`${name}: ${all} rows in, ${out} out, ${dropped} dropped.`);
  return { ...result, rows };
}
