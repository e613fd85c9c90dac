import { type Bbox, cellBbox, expandBbox, NO_CELL } from '../../../schema/grid.ts';
import { recordedName } from '../../../schema/table.ts';
import { type Fingerprint, headOf } from '../fingerprint.ts';
import type { StageInput } from '../input.ts';
import type { KeyChange, PlanView } from '../plan_view.ts';
import { type DigestReduction, inputDigest, isByHome, readsWhole, type Slice, spillOf } from '../slice.ts';
import type { Stage } from '../stage.ts';

/** Logged changes that determine which keys of a partition to compute. */
export interface ChangedKeys {
  /** Ids of changes that list keys of the stage. */
  readonly own: readonly number[];
  /** Ids of changes that list values of a subject column, by column: the keys of subject rows with such a value are computed. */
  readonly named: Readonly<Record<string, readonly number[]>>;
  /** Boxes of changed rows of other tables, widened by the search radius: the keys of subject rows inside are computed. */
  readonly boxes: readonly Bbox[];
  /** Number of keys and values that the changes list. */
  readonly listed: number;
}

/** Returns the column with the keys that a stage can compute separately; null: none. */
export const keyOf = (stage: Stage): string | null => (stage.by === 'key' ? stage.output.tracked : null);

/** Returns whether a stage by key reads only its keys' rows from the input. */
export function isReadByKey(stage: Stage, { scope, table }: StageInput): boolean {
  const key = keyOf(stage);
  return key !== null && key in table.columns && scope.kind === 'own';
}

/**
 * Returns the subject column whose value selects a key's rows in an input of scope `own`; the input's table is tracked by it. Null: a key
 * needs its own rows, or the whole partition.
 */
export function namedBy(stage: Stage, { scope, table }: StageInput): string | null {
  const key = keyOf(stage);
  if (key === null || scope.kind !== 'own' || table.tracked === null || key in table.columns) return null;
  return stage.inputs[stage.subject]!.columns.includes(table.tracked) ? table.tracked : null;
}

/** How changes of an input determine keys: they list keys, list values of a subject column, or are within a distance of the subject row. */
type ChangePropagation =
  | { kind: 'own' }
  | { kind: 'named'; column: string }
  | { kind: 'near'; within_m: number };

/** Returns how changes of an input determine keys. Null: any change affects all keys. */
function linkOf(stage: Stage, input: StageInput): ChangePropagation | null {
  const { scope, table } = input;
  if (isReadByKey(stage, input)) return table.tracked === keyOf(stage) ? { kind: 'own' } : null;
  const column = namedBy(stage, input);
  if (column !== null) return { kind: 'named', column };
  if (scope.kind !== 'near') return null;
  if (scope.named === undefined) return { kind: 'near', within_m: scope.halo_m };
  return table.named.includes(scope.named) ? { kind: 'named', column: scope.named } : null;
}

const changesIn = (
  changes: ReadonlyMap<number, readonly KeyChange[]>,
  cells: readonly number[],
): { cell: number; change: KeyChange }[] =>
  cells.flatMap((cell) => (changes.get(cell) ?? []).map((change) => ({ cell, change })));

const takeOff = (digests: Map<number, bigint>, cell: number, delta: string): Map<number, bigint> =>
  digests.set(cell, (digests.get(cell) ?? 0n) + BigInt(delta));

/**
 * Returns the changes of an input since the partition was computed; null: the change log is incomplete. Digests are sums over rows:
 * subtracting the changes run by run, latest first, arrives at the recorded digest only if none is missing.
 */
function changesSince(
  input: StageInput,
  slice: Slice,
  recorded: string | undefined,
  view: PlanView,
): KeyChange[] | null {
  const { table } = input;
  // Changes of a table with a home column are logged by home cell.
  if (recorded === undefined || readsWhole(slice) || (table.home !== null && !isByHome(input))) return null;
  const head = headOf(input);
  const spillTable = spillOf(input, slice);
  const ownChanges = changesIn(view.keyChanges(recordedName(table)), slice.cells);
  const spill = spillTable === null ? [] : changesIn(view.keyChanges(spillTable), slice.cells);
  const reduction: DigestReduction = { own: new Map(), spill: new Map() };
  const since: KeyChange[] = [];
  const runs = [...new Set([...ownChanges, ...spill].map(({ change }) => change.run))].sort((a, b) => b - a);
  for (const last of runs) {
    const ofRun = ({ change }: { change: KeyChange }): boolean => change.run === last;
    for (const { cell, change } of ownChanges.filter(ofRun)) takeOff(reduction.own, cell, change.delta);
    for (const { cell, change } of spill.filter(ofRun)) takeOff(reduction.spill, cell, change.delta);
    since.push(...[...ownChanges, ...spill].filter(ofRun).map(({ change }) => change));
    if (inputDigest(input, head, slice, view, reduction) === recorded) return since;
  }
  return inputDigest(input, head, slice, view) === recorded ? [] : null;
}

/**
 * Returns the changes that determine which keys differ between two fingerprints of a partition. Null: logged changes do not explain every
 * difference, so compute the whole partition.
 */
export function changedKeys(
  stage: Stage,
  slices: Readonly<Record<string, Slice>>,
  recorded: Fingerprint,
  current: Fingerprint,
  view: PlanView,
): ChangedKeys | null {
  if (keyOf(stage) === null) return null;
  if (recorded.version !== current.version || recorded.params !== current.params) return null;
  const ownCells: number[] = [];
  const keysByName: Record<string, number[]> = {};
  const boxes: Bbox[] = [];
  let listedKeys = 0;
  for (const name of Object.keys({ ...recorded.inputs, ...current.inputs })) {
    if (recorded.inputs[name] === current.inputs[name]) continue;
    const input = stage.inputs[name];
    const link = input === undefined ? null : linkOf(stage, input);
    if (link === null) return null;
    const since = changesSince(input!, slices[name]!, recorded.inputs[name], view);
    if (since === null) return null;
    for (const change of since) {
      if (link.kind === 'near') {
        if (change.boxes === null) return null;
        for (const box of change.boxes) boxes.push(expandBbox(box, link.within_m));
        continue;
      }
      if (link.kind === 'own') ownCells.push(change.id);
      else {
        keysByName[link.column] ??= [];
        keysByName[link.column]!.push(change.id);
      }
      listedKeys += change.keys;
    }
  }
  return ownCells.length + Object.keys(keysByName).length + boxes.length === 0
    ? null
    : { own: ownCells, named: keysByName, boxes, listed: listedKeys };
}

/** Returns the share of a box that another box covers. */
function shareOf([west, south, east, north]: Bbox, other: Bbox): number {
  const wide = Math.min(east, other[2]) - Math.max(west, other[0]);
  const high = Math.min(north, other[3]) - Math.max(south, other[1]);
  return wide <= 0 || high <= 0 ? 0 : (wide * high) / ((east - west) * (north - south));
}

/** Estimates the affected subject rows of a cell, assuming even spread, to size batches. */
export function countOf({ listed, boxes }: ChangedKeys, cell: number, rows: number): number {
  if (cell === NO_CELL) return Math.min(rows, listed);
  const cellBox = cellBbox(cell);
  const near = boxes.reduce((sum, box) => sum + Math.max(1, rows * shareOf(cellBox, box)), 0);
  return Math.min(rows, listed + Math.ceil(near));
}
