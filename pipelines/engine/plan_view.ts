import type { Bbox } from '../../schema/grid.ts';
import type { Table } from '../../schema/table.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Content of one cell of a table: rows, order-independent digest, and the box around its features where it has any. */
export interface CellDigest {
  rows: number;
  digest: string;
  extent: Bbox | null;
}

/** The record of a computed partition. */
export interface RecordedPartition {
  fingerprint: Fingerprint;
  output_digest: string;
  rows: number;
  refs: readonly number[];
  /** Box around what its rows are about; null: its table declares none. */
  extent: Bbox | null;
  /** Rows are in the staged table, waiting for publication. Always false for assets that are not served. */
  staged: boolean;
}

/** A change of rows for some keys of a tracked table, by a computation or a delivery. */
export interface KeyChange {
  /** In the books, which list the keys (control.key_change). */
  id: number;
  /** Run in which the rows became others. */
  run: number;
  /** Digest of the rows of the cell after the change less that before. */
  delta: string;
  /** Number of keys. */
  keys: number;
  /** Boxes around the rows before and after; null: they are not written down. */
  boxes: readonly Bbox[] | null;
}

/** The recorded state that planning reads; it has no other input. */
export interface PlanView {
  /** Cells of a table, by its name in the books (schema/table.ts). */
  cells(table: string): ReadonlyMap<number, CellDigest>;
  /** The same by the cell where rows are looked for, of a table with a home column. */
  homes(table: string): ReadonlyMap<number, CellDigest>;
  /** The homes that the rows of each partition are in. */
  homesOf(table: string): ReadonlyMap<number, readonly number[]>;
  recorded(stage: string): ReadonlyMap<number, RecordedPartition>;
  /** The same of the stage that makes a table. */
  madeIn(table: Table): ReadonlyMap<number, RecordedPartition>;
  /** Digest of each published cell of a serving table. */
  published(table: string): ReadonlyMap<number, string>;
  /** What computations and deliveries changed in a tracked table, by the cell where its rows are looked for, the latest first. */
  keyChanges(table: string): ReadonlyMap<number, readonly KeyChange[]>;
}
