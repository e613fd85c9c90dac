import type { Bbox } from '../../schema/grid.ts';
import type { Table } from '../../schema/table.ts';
import type { PartitionRow } from '../../store/state/partition_records.ts';

/** Content of one cell of a table: rows, order-independent digest, and the bounding box of its rows; null: none declared. */
export interface CellDigest {
  rows: number;
  digest: string;
  extent: Bbox | null;
}

export type RecordedPartition = Omit<PartitionRow, 'stage' | 'cell'>;

/** Changed rows of some keys of a tracked table, by a computation or a delivery. */
export interface KeyChange {
  /** Id in the change log, which lists the keys (control.key_change). */
  id: number;
  /** Run that changed the rows. */
  run: number;
  /** Digest of the cell's rows after the change minus the digest before. */
  delta: string;
  keys: number;
  /** Bounding boxes of the rows before and after; null: not logged. */
  boxes: readonly Bbox[] | null;
}

/** Recorded state that planning reads; it has no other input. */
export interface PlanView {
  /** Content of a table's cells, by its recorded name (`recordedName` in schema/table.ts). */
  cells(table: string): ReadonlyMap<number, CellDigest>;
  /** Content of a table's home cells; empty without a home column. */
  homes(table: string): ReadonlyMap<number, CellDigest>;
  /** Home cells of the rows that each partition produced. */
  homesOf(table: string): ReadonlyMap<number, readonly number[]>;
  recorded(stage: string): ReadonlyMap<number, RecordedPartition>;
  /** Recorded partitions of the stage that produces a table. */
  madeIn(table: Table): ReadonlyMap<number, RecordedPartition>;
  /** Digest of each published cell of a serving table. */
  published(table: string): ReadonlyMap<number, string>;
  /** Changes of a tracked table by computations and deliveries, by home cell if it has a home column, else by cell; latest first. */
  keyChanges(table: string): ReadonlyMap<number, readonly KeyChange[]>;
}
