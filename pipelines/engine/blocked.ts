import { recordedName, type Table } from '../../schema/table.ts';
import type { PlannedPartition } from './plan.ts';
import type { PlanView } from './plan_view.ts';
import { type Marks, mark, markedRead } from './reads.ts';
import type { Stage } from './stage.ts';

/** Cells with outdated rows, by table: their partition was set aside. */
export class Blocked {
  readonly #marks: Marks = new Map();

  /** Marks the rows that a partition produced in a table. */
  add(table: Table, cell: number, view: PlanView): void {
    mark(this.#marks, table, cell, view);
  }

  /**
   * Marks what a stage would produce from marked subject rows, which may not exist yet. Returns the number of marked partitions that are
   * not planned.
   */
  follow({ inputs, subject, output, by }: Stage, planned: readonly PlannedPartition[]): number {
    const { table, scope } = inputs[subject]!;
    const marked = this.#marks.get(recordedName(table));
    if (marked === undefined || scope.kind !== 'own' || by === 'whole') return 0;
    const marks = this.#marks.get(recordedName(output));
    const isAll = marked === 'all' || marks === 'all';
    this.#marks.set(recordedName(output), isAll ? 'all' : new Set([...marked, ...(marks ?? [])]));
    if (marked === 'all') return 0;
    const cells = new Set(planned.map(({ cell }) => cell));
    return [...marked].filter((cell) => !cells.has(cell)).length;
  }

  /** Returns whether the partition would read a marked cell. */
  stops(stage: Stage, partition: PlannedPartition, view: PlanView): boolean {
    return (
      this.#marks.size > 0 &&
      partition.action === 'run' &&
      markedRead(stage, partition.cell, view, this.#marks) !== null
    );
  }
}
