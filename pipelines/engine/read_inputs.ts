import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import { type Bbox, expandBbox, unionBox } from '../../schema/grid.ts';
import { partitionColumn, placeColumns } from '../../schema/table.ts';
import { isNearListed } from '../../store/increments/batch_keys.ts';
import { conditionSql } from '../../store/tables/condition.ts';
import {
  readAll,
  readBox,
  readCells,
  readKeys,
  readListed,
  readNamed,
  type SelectedColumns,
  textArray,
} from '../../store/tables/table_rows.ts';
import { isReadByKey, keyOf, namedBy } from './increments/changed_keys.ts';
import type { Keys, Scope, StageInput } from './input.ts';
import type { PlannedPartition } from './plan.ts';
import { isFeature, partitionColumnOf, partitionSqlOf, type Slice } from './slice.ts';
import type { Stage } from './stage.ts';

type AnyRow = Record<string, unknown>;

type KeyValue = string | number | null;

type KeyOf = (row: AnyRow) => KeyValue;

function compareKeys(a: AnyRow, b: AnyRow, keys: readonly KeyOf[]): number {
  for (const keyOf of keys) {
    const x = keyOf(a);
    const y = keyOf(b);
    if (x === null || y === null) {
      if (x !== y) return x === null ? -1 : 1;
    } else if (x < y) return -1;
    else if (x > y) return 1;
  }
  return 0;
}

/** Sorts by primary key, by code units and nulls first, so that a computation sees the same order whatever order the server returned. */
function sortByKey(rows: AnyRow[], names: readonly string[]): AnyRow[] {
  const keys = names.map(
    (name): KeyOf =>
      (row) =>
        row[name] as KeyValue,
  );
  // Rows that one batch wrote are usually already sorted.
  for (let i = 1; i < rows.length; i++) {
    if (compareKeys(rows[i - 1]!, rows[i]!, keys) > 0) return rows.sort((a, b) => compareKeys(a, b, keys));
  }
  return rows;
}

const BOX = ['min_lon', 'min_lat', 'max_lon', 'max_lat'] as const;

/** Returns the requested columns and those needed for sorting and for splitting among partitions. */
function columnsToRead(input: StageInput, partitions: number): string[] {
  const extra = [...input.table.primaryKey];
  if (partitions > 1) {
    for (const column of [partitionColumn(input.table), partitionColumnOf(input)])
      if (column !== null) extra.push(column);
    if (input.scope.kind === 'near' && isFeature(input.table)) extra.push(...BOX);
  }
  return [...new Set([...input.columns, ...extra])];
}

/** Returns how subject rows select rows of another table by name. */
function keysOf({ scope }: StageInput): Keys<never> {
  if (scope.kind === 'named') return scope;
  const column = (scope as Extract<Scope<never>, { kind: 'near' }>).named!;
  return { column, of: (subject) => subject[column] };
}

/** Returns the distinct values that subject rows name. */
const valuesOf = (rows: readonly AnyRow[], of: Keys<never>['of']): string[] => [
  ...new Set(rows.map((row) => of(row as never)).filter((value) => value !== null)),
];

/** A batch whose inputs are read: its partitions, and the subject rows once they are read. */
interface InputBatch {
  client: pg.ClientBase;
  stage: Stage;
  partitions: readonly PlannedPartition[];
  subjectRows: readonly AnyRow[];
}

/** Returns whether the batch computes only the keys listed in its transaction. */
const isByKey = ({ partitions }: InputBatch): boolean => partitions[0]!.changes !== null;

/**
 * Returns an SQL condition that keeps features `p` that a computed key needs; undefined: whole partitions are computed, or keys have no
 * location.
 */
async function nearListed(
  batch: InputBatch,
  input: StageInput,
  boxes: readonly Bbox[],
): Promise<string | undefined> {
  const { client, stage, subjectRows } = batch;
  const { scope } = input;
  if (scope.kind === 'near' && scope.named !== undefined) {
    const values = valuesOf(subjectRows, keysOf(input).of);
    return `p.${ident(scope.named)} = ANY (${textArray(values)})`;
  }
  if (scope.kind !== 'near' || !isByKey(batch)) return undefined;
  if (placeColumns(stage.inputs[stage.subject]!.table) === null) return undefined;
  const box = unionBox(boxes);
  const wide = expandBbox(box, scope.halo_m);
  return isNearListed(client, 'p', [wide[2] - box[2], wide[3] - box[3]]);
}

/** Reads the rows of slices that are cells or boxes. */
async function readSlices(
  batch: InputBatch,
  input: StageInput,
  selected: SelectedColumns,
  slices: readonly Slice[],
): Promise<AnyRow[]> {
  const { client, stage, subjectRows } = batch;
  const cells = new Set<number>();
  const boxes: Bbox[] = [];
  for (const slice of slices) {
    if (slice.kind === 'box') boxes.push(slice.box);
    if (slice.kind === 'box' || slice.kind === 'cells') for (const cell of slice.cells) cells.add(cell);
  }
  if (cells.size === 0) return [];
  const column = isByKey(batch) ? namedBy(stage, input) : null;
  if (column !== null) {
    const values = new Set(subjectRows.map((row) => row[column] as string | null));
    return readNamed(client, selected, [...cells], column, values);
  }
  if (boxes.length === 0) return readCells(client, selected, [...cells]);
  return readBox(client, selected, [...cells], unionBox(boxes), await nearListed(batch, input, boxes));
}

/** Reads the rows of one input for all partitions of a batch. */
async function readRows(batch: InputBatch, input: StageInput, slices: readonly Slice[]): Promise<AnyRow[]> {
  const { client, stage, partitions, subjectRows } = batch;
  const { table, scope } = input;
  if (scope.kind === 'resource') return [];
  const selected: SelectedColumns = {
    table,
    columns: columnsToRead(input, partitions.length),
    where: input.where && conditionSql(input.where),
    partition: partitionSqlOf(input),
  };
  if (isByKey(batch) && isReadByKey(stage, input)) return readListed(client, selected, keyOf(stage)!);
  if (scope.kind === 'all') return readAll(client, selected);
  if (slices[0]?.kind !== 'named') return readSlices(batch, input, selected, slices);
  const { column, of } = keysOf(input);
  const keys = valuesOf(subjectRows, of);
  return keys.length === 0 ? [] : readKeys(client, selected, column, keys);
}

const meets = (row: AnyRow, [minLon, minLat, maxLon, maxLat]: Bbox): boolean =>
  (row.min_lon as number) <= maxLon &&
  (row.max_lon as number) >= minLon &&
  (row.min_lat as number) <= maxLat &&
  (row.max_lat as number) >= minLat;

/** Splits the rows of a batch among its partitions. A single partition takes all rows that were read. */
class InputSplitter {
  readonly #rows: AnyRow[];
  /** Null: the rows are not split. */
  readonly #byPartition: Map<number, AnyRow[]> | null;

  /** `column` is the partition column; null: the table has none, or one partition takes all rows. */
  constructor(rows: AnyRow[], column: string | null) {
    this.#rows = rows;
    this.#byPartition = column === null ? null : new Map();
    if (this.#byPartition === null || column === null) return;
    let last: number | undefined;
    let group: AnyRow[] = [];
    for (const row of rows) {
      const partition = row[column] as number;
      // Consecutive rows often belong to the same partition.
      if (partition !== last) {
        last = partition;
        group = this.#byPartition.get(partition) ?? [];
        if (group.length === 0) this.#byPartition.set(partition, group);
      }
      group.push(row);
    }
  }

  take(slice: Slice, keys: readonly string[]): AnyRow[] {
    if (slice.kind === 'none') return [];
    const byPartition = this.#byPartition;
    if (slice.kind === 'named' || slice.kind === 'all' || byPartition === null) return this.#rows;
    if (slice.kind === 'box') return this.#rows.filter((row) => meets(row, slice.box));
    if (slice.cells.length === 1) return byPartition.get(slice.cells[0]!) ?? [];
    return sortByKey(
      slice.cells.flatMap((cell) => byPartition.get(cell) ?? []),
      keys,
    );
  }
}

/** Returns the rows that a partition of a batch sees, by input. */
export type PartitionRows = (partition: PlannedPartition) => Record<string, AnyRow[]>;

/**
 * Reads the inputs of all partitions of a batch; if none has subject rows, there is nothing to compute and other inputs are not read. For
 * partitions computed by key, inputs read by key are limited to the listed keys.
 */
export async function readInputs(
  client: pg.ClientBase,
  stage: Stage,
  partitions: readonly PlannedPartition[],
): Promise<PartitionRows> {
  const names = [stage.subject, ...Object.keys(stage.inputs).filter((name) => name !== stage.subject)];
  const splitters: Record<string, InputSplitter> = {};
  let subjectRows: AnyRow[] = [];
  const mayIdle = stage.by !== 'whole';
  for (const name of names) {
    const input = stage.inputs[name]!;
    const slices = partitions.map((partition) => partition.slices[name]!);
    const isIdle = mayIdle && name !== stage.subject && subjectRows.length === 0;
    const rows = isIdle
      ? []
      : sortByKey(
          await readRows({ client, stage, partitions, subjectRows }, input, slices),
          input.table.primaryKey,
        );
    if (name === stage.subject) subjectRows = rows;
    splitters[name] = new InputSplitter(rows, partitions.length > 1 ? partitionColumnOf(input) : null);
  }
  return (partition) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        splitters[name]!.take(partition.slices[name]!, stage.inputs[name]!.table.primaryKey),
      ]),
    );
}
