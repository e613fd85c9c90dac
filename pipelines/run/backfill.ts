import { closest } from 'fastest-levenshtein';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import {
  cellsOfAddresses,
  cellsOfRegion,
  cellsOfState,
  cellsSinceRelease,
  oldestPartitions,
} from '../../store/state/cells_of_regions.ts';
import { force, leftOf } from '../../store/state/forced.ts';
import { inTransaction } from '../../store/transaction.ts';
import type { PlanView } from '../engine/plan_view.ts';
import { type Marks, mark, markedRead } from '../engine/reads.ts';
import { RecordedState } from '../engine/recorded_state.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';

/** Selects partitions of a stage to recompute. All given conditions must hold; none selects all partitions. */
export interface BackfillSelection {
  stage: string;
  /** State abbreviation. */
  state?: string | undefined;
  /** Code or name of the region. */
  sa3?: string | undefined;
  sal?: string | undefined;
  lga?: string | undefined;
  /** gnaf_pids. */
  gnaf?: readonly string[] | undefined;
  /** Release, or dataset=release: partitions computed since it was first published. */
  sinceRelease?: string | undefined;
  /** Maximum partitions of the stage; the ones computed longest ago are taken first. */
  limit?: number | undefined;
}

/** Partitions that a backfill recomputes, by stage in graph order. */
export type BackfillPlan = { stage: string; cells: number[] }[];

function requireCells(cells: readonly number[] | null, flag: string, value: string): Set<number> {
  if (cells !== null && cells.length > 0) return new Set(cells);
  throw new EtlError('config_invalid', `--${flag} ${value}: no loaded or published data matches it.`);
}

/** Returns the cells that meet each condition of a selection. */
async function conditions(client: pg.ClientBase, selection: BackfillSelection): Promise<Set<number>[]> {
  const { stage, state, gnaf, sinceRelease } = selection;
  const sets: Set<number>[] = [];
  if (state !== undefined) sets.push(requireCells(await cellsOfState(client, state), 'state', state));
  for (const level of ['sa3', 'sal', 'lga'] as const) {
    const region = selection[level];
    if (region !== undefined)
      sets.push(requireCells(await cellsOfRegion(client, level, region), level, region));
  }
  if (gnaf !== undefined && gnaf.length > 0) {
    sets.push(requireCells(await cellsOfAddresses(client, gnaf), 'gnaf', gnaf.join(' ')));
  }
  if (sinceRelease !== undefined) {
    const cells = await cellsSinceRelease(client, stage, sinceRelease);
    sets.push(requireCells(cells, 'since-release', sinceRelease));
  }
  return sets;
}

function stageNamed(stages: readonly Stage[], name: string): Stage {
  const stage = stages.find((each) => each.name === name);
  if (stage) return stage;
  const near = closest(
    name,
    stages.map((each) => each.name),
  );
  throw new EtlError('config_invalid', `--stage ${name}: no stage has that name. Did you mean ${near}?`);
}

/** Returns the given partitions of a stage, and the partitions of later stages that read from them. */
function follow(
  stages: readonly Stage[],
  view: PlanView,
  first: Stage,
  cells: readonly number[],
): BackfillPlan {
  const plan: BackfillPlan = [];
  const marks: Marks = new Map();
  for (const stage of stages) {
    const ownCells = new Set(stage === first ? cells : []);
    for (const cell of view.recorded(stage.name).keys()) {
      if (markedRead(stage, cell, view, marks) !== null) ownCells.add(cell);
    }
    if (ownCells.size === 0) continue;
    for (const cell of ownCells) mark(marks, stage.output, cell, view);
    plan.push({ stage: stage.name, cells: [...ownCells].sort((a, b) => a - b) });
  }
  return plan;
}

/** Returns the selected partitions, and all that depend on them. Writes nothing. */
export async function planBackfill(
  client: pg.ClientBase,
  config: Config,
  selection: BackfillSelection,
): Promise<BackfillPlan> {
  const stages = graph(config);
  const stage = stageNamed(stages, selection.stage);
  const sets = await conditions(client, selection);
  const view = await RecordedState.read(client, stages);
  const recordedCells = [...view.recorded(stage.name).keys()];
  // The single partition of a `whole` stage matches any area.
  const selected =
    stage.by === 'whole' ? recordedCells : recordedCells.filter((cell) => sets.every((set) => set.has(cell)));
  const cells = await oldestPartitions(client, stage.name, selected, selection.limit ?? null);
  if (cells.length === 0) {
    const message = `No computed partition of ${stage.name} is in the selection. Refresh first to compute new partitions.`;
    throw new EtlError('config_invalid', message);
  }
  return follow(stages, view, stage, cells);
}

/** Rejects an empty selection before a run starts. @throws EtlError config_invalid */
export async function checkSelection(
  client: pg.ClientBase,
  config: Config,
  selection: BackfillSelection,
): Promise<void> {
  stageNamed(graph(config), selection.stage);
  if ((await leftOf(client, JSON.stringify(selection))) === 0) await planBackfill(client, config, selection);
}

/**
 * Requests recomputation of a selection. If an interrupted run left partitions of the same selection, they are resumed and nothing is
 * added. Returns a sentence about it.
 */
export async function forceSelection(
  client: pg.ClientBase,
  config: Config,
  selection: BackfillSelection,
): Promise<string> {
  const request = JSON.stringify(selection);
  const remaining = await leftOf(client, request);
  if (remaining > 0) return `Backfill of ${selection.stage} resumed: ${remaining} partitions were left.`;
  const plan = await planBackfill(client, config, selection);
  await inTransaction(client, async () => {
    for (const { stage, cells } of plan) await force(client, stage, cells, request);
  });
  const counts = plan.map(({ stage, cells }) => `${stage} ${cells.length}`).join(', ');
  return `Backfill of ${selection.stage}; partitions computed again: ${counts}.`;
}
