import { bookName, type Table } from '../../schema/table.ts';
import type { PlannedPartition } from './plan.ts';
import type { PlanView } from './plan_view.ts';
import { markedRead } from './reads.ts';
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
      markedRead(stage, partition.cell, view, this.#cells) !== null
    );
  }
}
