import { recordedName, type Table } from '../../schema/table.ts';
import type { StageInput } from './input.ts';
import type { PlanView } from './plan_view.ts';
import { sliceOf } from './slice.ts';
import type { Stage } from './stage.ts';

/** Returns the other tables that determine which rows of an input a partition sees. */
function looksInto({ scope }: StageInput): readonly Table[] {
  if (scope.kind === 'near' && scope.around) return [scope.around];
  if (scope.kind === 'resource' && scope.homes) return [scope.homes.table];
  return [];
}

/** Returns every table that a stage reads. This is the only source of dependencies. */
export const tablesRead = ({ inputs }: Stage): readonly Table[] => [
  ...new Set(Object.values(inputs).flatMap((input) => [input.table, ...looksInto(input)])),
];

/** What a partition reads from a table: rows of known cells, or of any cell. */
interface TableRead {
  readonly table: Table;
  readonly cells: readonly number[] | 'any';
}

/** Returns everything that a partition of a stage reads. */
function readsOf(stage: Stage, cell: number, view: PlanView): readonly TableRead[] {
  return Object.entries(stage.inputs).flatMap(([name, input]): TableRead[] => {
    const slice = sliceOf(stage, name, cell, view);
    const isByCell = input.scope.kind !== 'resource' && (slice.kind === 'cells' || slice.kind === 'box');
    const rows = { table: input.table, cells: isByCell ? slice.cells : 'any' } as const;
    return [rows, ...looksInto(input).map((table): TableRead => ({ table, cells: [cell] }))];
  });
}

/** Marked partitions by recorded table name; 'all': unknown which. */
export type Marks = Map<string, Set<number> | 'all'>;

/** Marks the cells of the rows that a partition wrote: its own, or their home cells. */
export function mark(marks: Marks, table: Table, cell: number, view: PlanView): void {
  const name = recordedName(table);
  const cells = marks.get(name) ?? new Set<number>();
  const homes = table.home === null ? [] : view.homesOf(name).get(cell);
  // A new partition's home cells are unknown before it is computed, but most rows stay in its grid cell.
  if (cells === 'all' || (homes === undefined && cell < 0)) marks.set(name, 'all');
  else marks.set(name, new Set([...cells, cell, ...(homes ?? [])]));
}

/** Finds the first table in which the partition would read a marked cell; `marked` lists cells by recorded table name. */
export function markedRead(
  stage: Stage,
  cell: number,
  view: PlanView,
  marked: ReadonlyMap<string, ReadonlySet<number> | 'all'>,
): Table | null {
  const hit = readsOf(stage, cell, view).find(({ table, cells }) => {
    const marks = marked.get(recordedName(table));
    if (marks === undefined) return false;
    if (marks === 'all') return true;
    return cells === 'any' ? marks.size > 0 : cells.some((each) => marks.has(each));
  });
  return hit?.table ?? null;
}
