import type { PlannedPartition } from '../../../pipelines/engine/plan.ts';

/** A partition of one cell that is to be computed, which replaces what was there; its input `part` has the rows of the cell. */
export const planned = (cell: number): PlannedPartition => ({
  cell,
  action: 'run',
  reason: 'test',
  fingerprint: { version: 1, params: '', inputs: {} },
  slices: { part: { kind: 'cells', cells: [cell] } },
  rows: 1,
  changes: null,
  subject_rows: 1,
  replaces: true,
  resource: null,
});
