import { WHOLE } from '../../schema/partition.ts';
import { shapeOfColumns } from '../../schema/table.ts';
import { difference, type Fingerprint, hash, headOf, type SettingChange } from './fingerprint.ts';
import { type ChangedKeys, changedKeys, countOf } from './increments/changed_keys.ts';
import type { StageInput } from './input.ts';
import type { PlanView } from './plan_view.ts';
import { contentOf, inputDigest, readsWhole, type Slice, sliceOf } from './slice.ts';
import type { Stage } from './stage.ts';

export interface PlannedPartition {
  cell: number;
  action: 'run' | 'remove';
  reason: string;
  fingerprint: Fingerprint;
  slices: Record<string, Slice>;
  /** Subject rows to compute. */
  rows: number;
  /** Subject rows of the whole partition. */
  subject_rows: number;
  /** Changes that determine the only keys to compute; null: the whole partition. */
  changes: ChangedKeys | null;
  /** Key of the stage's resource that it needs; null: the stage has none, or the partition is removed. */
  resource: string | null;
  /** Whether earlier output is recorded or published and must be replaced. */
  replaces: boolean;
}

export interface StagePlan {
  stage: string;
  partitions: PlannedPartition[];
  unchanged: number;
}

/** Returns the key of the resource that a partition needs. */
function resourceOf(
  { resource, inputs }: Stage,
  cell: number,
  slices: Readonly<Record<string, Slice>>,
): string | null {
  if (resource === null) return null;
  const homes = Object.entries(inputs).flatMap(([name, { scope }]) => {
    const slice = slices[name]!;
    return scope.kind === 'resource' && slice.kind === 'cells' ? slice.cells : [];
  });
  return resource.keyOf(
    cell,
    [...new Set(homes)].sort((a, b) => a - b),
  );
}

/**
 * Returns a function that computes input digests once for the partitions that share them: input properties, and digests of scopes over the
 * whole table.
 */
function memoised(
  inputs: Stage['inputs'],
  view: PlanView,
): (input: StageInput, name: string, slice: Slice) => string {
  const heads = new Map(Object.entries(inputs).map(([name, input]) => [name, headOf(input)]));
  const digests = new Map<string, string>();
  return (input, name, slice) => {
    const head = heads.get(name)!;
    if (!readsWhole(slice)) return inputDigest(input, head, slice, view);
    const cached = digests.get(name) ?? inputDigest(input, head, slice, view);
    digests.set(name, cached);
    return cached;
  };
}

/**
 * Plans which partitions of a stage must run, and why, by comparing current with recorded fingerprints. Pure. A partition whose subject is
 * gone is removed. A serving partition also runs if its rows are neither staged nor published. `settingsSince`: the
 * settings that have changed since a run, a reason where the version is equal.
 */
export function planStage(
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  view: PlanView,
  settingsSince?: (stage: string, run: number) => SettingChange | undefined,
): StagePlan {
  const subject = contentOf(stage.inputs[stage.subject]!, view);
  const recorded = view.recorded(stage.name);
  const published = stage.output.schema === 'serving' ? view.published(stage.output.name) : undefined;
  const digestOf = memoised(stage.inputs, view);
  const paramsHash = hash(JSON.stringify([params, shapeOfColumns(stage.output.columns)]));
  const cells =
    stage.by === 'whole' ? (subject.size > 0 ? [WHOLE] : []) : [...subject.keys()].sort((a, b) => a - b);
  const partitions: PlannedPartition[] = [];
  for (const cell of cells) {
    const slices = Object.fromEntries(
      Object.keys(stage.inputs).map((name) => [name, sliceOf(stage, name, cell, view)]),
    );
    const inputs = Object.fromEntries(
      Object.entries(stage.inputs)
        .filter(([name]) => stage.frozenBy === null || name === stage.frozenBy)
        .map(([name, input]) => [name, digestOf(input, name, slices[name]!)]),
    );
    const fingerprint = { version: stage.version, params: paramsHash, inputs };
    const recordedCell = recorded.get(cell);
    const lost =
      published && recordedCell && !recordedCell.staged && published.get(cell) !== recordedCell.output_digest;
    const reason =
      difference(
        recordedCell?.fingerprint,
        fingerprint,
        recordedCell && settingsSince?.(stage.name, recordedCell.run_id),
      ) ?? (lost ? 'rows are not staged' : null);
    if (reason === null) continue;
    const rows = stage.by === 'whole' ? 1 : subject.get(cell)!.rows;
    const keys =
      recordedCell && !lost ? changedKeys(stage, slices, recordedCell.fingerprint, fingerprint, view) : null;
    partitions.push({
      cell,
      action: 'run',
      reason: keys === null ? reason : `${reason}, by key`,
      fingerprint,
      slices,
      rows: keys === null ? rows : countOf(keys, cell, rows),
      subject_rows: rows,
      changes: keys,
      resource: resourceOf(stage, cell, slices),
      replaces: recordedCell !== undefined || (published?.has(cell) ?? false),
    });
  }
  const unchanged = cells.length - partitions.length;
  const present = new Set(cells);
  for (const [cell, known] of recorded) {
    if (present.has(cell)) continue;
    partitions.push({
      cell,
      action: 'remove',
      reason: 'input is gone',
      fingerprint: known.fingerprint,
      slices: {},
      rows: 0,
      subject_rows: 0,
      changes: null,
      resource: null,
      replaces: true,
    });
  }
  return { stage: stage.name, partitions, unchanged };
}
