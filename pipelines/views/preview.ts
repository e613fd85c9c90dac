import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { WHOLE } from '../../schema/partition.ts';
import { recordedName } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import { planStage } from '../engine/plan.ts';
import type { PlanView } from '../engine/plan_view.ts';
import { type Marks, mark, markedRead } from '../engine/reads.ts';
import { RecordedState } from '../engine/recorded_state.ts';
import { contentOf } from '../engine/slice.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';
import { checkConfigured } from '../ingest/configured.ts';
import { type DatasetPlan, planDatasets } from '../ingest/plan_datasets.ts';
import { readablePlans } from '../ingest/readable.ts';
import { checkModels } from '../models/check_models.ts';
import { changedSettings, type SettingsSince } from './changed_settings.ts';
import { type InService, inService } from './status.ts';

/** Effect of a refresh on one stage. */
interface StagePreview {
  stage: string;
  partitions: number;
  /** Number of partitions that run, by reason. */
  run: Record<string, number>;
  /** Partitions that run only if earlier stages or datasets produce different rows. */
  may_run: Record<string, number>;
}

export interface Preview {
  /** Publication in service; null: none. */
  publication: InService | null;
  datasets: Pick<DatasetPlan, 'dataset' | 'action' | 'reason'>[];
  stages: StagePreview[];
}

/** Returns why a partition may run although its recorded inputs are unchanged; null: it will not. */
function mayRun(stage: Stage, cell: number, view: PlanView, pending: Marks): string | null {
  const table = markedRead(stage, cell, view, pending);
  if (table === null) return null;
  return `${table.name} is ${table.schema === 'record' ? 'loaded' : 'computed'} again`;
}

const count = (into: Record<string, number>, key: string): void => {
  into[key] = (into[key] ?? 0) + 1;
};

/** Previews one stage and adds the cells it may change to `pending`. */
function previewStage(
  stage: Stage,
  config: Config,
  { view, settings }: { view: PlanView; settings: SettingsSince },
  pending: Marks,
): StagePreview {
  const plan = planStage(stage, stage.params(config), view, settings);
  const planned = new Set(plan.partitions.map((partition) => partition.cell));
  const preview: StagePreview = {
    stage: stage.name,
    partitions: plan.partitions.length + plan.unchanged,
    run: {},
    may_run: {},
  };
  for (const { reason } of plan.partitions) count(preview.run, reason);
  const changed = new Set(planned);
  const subject = recordedName(stage.inputs[stage.subject]!.table);
  for (const cell of stage.by === 'whole' ? [WHOLE] : contentOf(stage.inputs[stage.subject]!, view).keys()) {
    if (planned.has(cell)) continue;
    const reason = mayRun(stage, cell, view, pending);
    if (reason === null) continue;
    count(preview.may_run, reason);
    changed.add(cell);
  }
  if (pending.get(subject) === 'all' && view.cells(subject).size === 0) {
    preview.may_run[`${subject} is loaded for the first time`] = 0;
  }
  if (pending.get(subject) === 'all') pending.set(recordedName(stage.output), 'all');
  else for (const cell of changed) mark(pending, stage.output, cell, view);
  return preview;
}

/** Returns what a refresh would do and why, without doing it. The caller rolls back what this writes: file hashes and views of models. */
export async function preview(client: pg.ClientBase, config: Config, base: string): Promise<Preview> {
  checkConfigured(config);
  await checkModels(client, config);
  const plans = await readablePlans(await planDatasets(client, config, base, false));
  const stages = graph(config);
  const view = await RecordedState.read(client, stages);
  const settings = await changedSettings(client, config);
  const pending: Marks = new Map();
  for (const plan of plans) {
    if (plan.action === 'unchanged' || plan.action === 'kept') continue;
    for (const table of adapterNamed(plan.adapter).tables) pending.set(recordedName(table), 'all');
  }
  return {
    publication: await inService(client),
    datasets: plans.map(({ dataset, action, reason }) => ({ dataset, action, reason })),
    stages: stages.map((stage) => previewStage(stage, config, { view, settings }, pending)),
  };
}
