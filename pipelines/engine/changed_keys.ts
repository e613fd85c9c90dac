import { bookName } from '../../schema/table.ts';
import { type Fingerprint, hash, headOf } from './fingerprint.ts';
import type { StageInput } from './input.ts';
import type { KeyChange, PlanView } from './plan_view.ts';
import type { Stage } from './stage.ts';

/** Keys that a partition has to be computed for, by the changes that list them. */
export interface ChangedKeys {
  changes: readonly number[];
  /** At most so many keys. */
  count: number;
}

/** Column of whose values a stage can be computed for some alone; null: it has none. */
export const keyOf = (stage: Stage): string | null =>
  stage.byKey === null ? (stage.byDifference?.key ?? null) : stage.output.tracked;

/** True for inputs of which a stage that is computed by key or by difference reads the rows of its keys alone. */
export function isReadByKey(stage: Stage, { scope, table }: StageInput): boolean {
  const key = keyOf(stage);
  return key !== null && key in table.columns && scope.kind === 'own' && !scope.made;
}

/** True for inputs of a stage by difference of which the rows before a change are kept; another that changes has the cell computed whole. */
const isKept = ({ table, where }: StageInput): boolean =>
  table.schema === 'serving' && table.tracked !== null && where === undefined;

/** Columns in which the rows before a change are kept, of each tracked table that a stage by difference reads, by its name in the books. */
export function keptColumns(stages: readonly Stage[]): ReadonlyMap<string, readonly string[]> {
  const kept = new Map<string, string[]>();
  for (const stage of stages.filter(({ byDifference }) => byDifference !== null)) {
    for (const input of Object.values(stage.inputs)) {
      const { table, columns } = input;
      if (!isKept(input) || !isReadByKey(stage, input)) continue;
      const known = kept.get(bookName(table)) ?? [];
      kept.set(bookName(table), [...new Set([...known, ...columns, ...table.primaryKey])].sort());
    }
  }
  return kept;
}

/** Fingerprints that an input of one cell has with rows of this digest: a cell without rows has digest 0, or none. */
const fingerprintsOf = (head: string, cell: number, digest: bigint): string[] =>
  [String(digest), ...(digest === 0n ? [''] : [])].map((value) => hash(`${head}||${cell}=${value}+`));

/** The changes of an input since the partition was computed; null: the books do not lead back to what it was computed from. */
function changesSince(
  input: StageInput,
  cell: number,
  recorded: string | undefined,
  view: PlanView,
): KeyChange[] | null {
  const name = bookName(input.table);
  const content = input.table.home === null ? view.cells(name) : view.homes(name);
  const head = headOf(input);
  let digest = BigInt(content.get(cell)?.digest ?? 0);
  const since: KeyChange[] = [];
  for (const change of view.keyChanges(name).get(cell) ?? []) {
    digest -= BigInt(change.delta);
    since.push(change);
    if (recorded !== undefined && fingerprintsOf(head, cell, digest).includes(recorded)) return since;
  }
  return null;
}

/**
 * The keys whose rows differ between two fingerprints of a partition, where all that changed are tracked inputs that it reads by key and
 * the books lead from the one to the other; null: the whole partition must be computed. Digests are sums over rows, so that taking the
 * changes off the present digest one after the other, the latest first, arrives at the recorded one exactly where none is missing.
 */
export function changedKeys(
  stage: Stage,
  cell: number,
  recorded: Fingerprint,
  current: Fingerprint,
  view: PlanView,
): ChangedKeys | null {
  if (keyOf(stage) === null) return null;
  if (recorded.version !== current.version || recorded.params !== current.params) return null;
  const changes: number[] = [];
  let count = 0;
  for (const name of Object.keys({ ...recorded.inputs, ...current.inputs })) {
    if (recorded.inputs[name] === current.inputs[name]) continue;
    const input = stage.inputs[name];
    if (input === undefined || !isReadByKey(stage, input)) return null;
    if (input.table.tracked !== keyOf(stage)) return null;
    const since = changesSince(input, cell, recorded.inputs[name], view);
    if (since === null) return null;
    const needsRows = stage.byDifference !== null;
    if (needsRows && !(isKept(input) && since.every(({ keepsRows }) => keepsRows))) return null;
    for (const { id, keys } of since) {
      changes.push(id);
      count += keys;
    }
  }
  return changes.length === 0 ? null : { changes, count };
}
