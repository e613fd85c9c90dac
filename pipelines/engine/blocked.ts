import { bookName, type Table } from '../../schema/table.ts';
import { isScattered, type PlannedPartition, select } from './plan.ts';
import type { PlanView } from './plan_view.ts';
import type { Stage } from './stage.ts';

/** Cells by table whose rows are not what they should be, because their partition was set aside. */
export class Blocked {
  readonly #cells = new Map<string, Set<number>>();

  /** Marks a cell of a table. */
  add(table: Table, cell: number): void {
    const cells = this.#cells.get(bookName(table)) ?? new Set<number>();
    this.#cells.set(bookName(table), cells.add(cell));
  }

  /** Whether the partition would read a marked cell. */
  stops(stage: Stage, partition: PlannedPartition, view: PlanView): boolean {
    return (
      this.#cells.size > 0 &&
      partition.action === 'run' &&
      readsMarked(stage, partition.cell, view, this.#cells)
    );
  }
}

/**
 * Whether the partition of a stage would read one of the marked cells, which are listed by table in the names of the books. Rows that are looked for by another cell than
 * their own may come from any partition, so that any mark on their table counts.
 */
export function readsMarked(
  stage: Stage,
  cell: number,
  view: PlanView,
  marked: ReadonlyMap<string, ReadonlySet<number>>,
): boolean {
  return Object.entries(stage.inputs).some(([name, input]) => {
    const cells = marked.get(bookName(input.table));
    if (cells === undefined || cells.size === 0) return false;
    const selection = select(stage, name, cell, view);
    const byCell = selection.kind === 'cells' || selection.kind === 'box';
    return isScattered(input) || !byCell || selection.cells.some((each) => cells.has(each));
  });
}
