import { runInOrder } from '../engine/run_in_order.ts';
import type { Stage } from '../engine/stage.ts';
import type { StageReport } from '../report/report.ts';
import { checkMayStart, runStage, type StageContext } from './run_stage.ts';

/** Maximum concurrent stages: enough to keep the threads busy while a stage is planned or has only a batch or two left. */
const STAGES_AT_ONCE = 6;

/**
 * Runs all stages of a graph. Reports are in graph order. If a stage or a partition fails, no further stage starts; reports of finished
 * stages are still added to `reports`.
 */
export async function runStages(
  stages: readonly Stage[],
  context: StageContext,
  reports: StageReport[],
): Promise<void> {
  const { stop } = context;
  const phase = context.progress.start('computing, stages', stages.length, 'phase');
  const results = await runInOrder(stages, STAGES_AT_ONCE, async (stage) => {
    checkMayStart(context);
    try {
      const report = await runStage(stage, context);
      phase.done();
      return report;
    } catch (error) {
      stop.reason ??= error;
      throw stop.reason;
    }
  });
  for (const one of results) if (one.status === 'fulfilled') reports.push(one.value);
  checkMayStart(context);
  phase.end();
}
