import { ident } from '../../schema/ddl.ts';
import { type Bbox, cellBbox, cellsOfBbox, expandBbox, NO_CELL, unionBox } from '../../schema/grid.ts';
import { partitionSql } from '../../schema/partition.ts';
import { SPILL_OF } from '../../schema/records/index.ts';
import { partitionColumn, recordedName, type Table } from '../../schema/table.ts';
import { cellsAround } from './cells_around.ts';
import { hash } from './fingerprint.ts';
import type { Scope, StageInput } from './input.ts';
import type { CellDigest, PlanView } from './plan_view.ts';
import type { Stage } from './stage.ts';

/** Rows of an input that a partition sees. */
export type Slice =
  | { kind: 'cells'; cells: readonly number[]; box?: Bbox }
  | { kind: 'box'; cells: readonly number[]; box: Bbox }
  | { kind: 'named' }
  | { kind: 'none' }
  | { kind: 'all' };

/** Returns the bounding box of a table's rows in a partition; null: not recorded. */
const extentIn = (table: Table, cell: number, view: PlanView): Bbox | null =>
  (table.home === null ? view.cells(recordedName(table)) : view.homes(recordedName(table))).get(cell)
    ?.extent ?? null;

/**
 * Returns the cells that may have rows in a box: grid cells, or, if rows may extend beyond their cell, cells whose recorded extent meets
 * the box.
 */
function cellsIn(box: Bbox, table: Table, view: PlanView): readonly number[] {
  if (table.extent === null) return cellsOfBbox(box);
  return cellsAround(view.cells(recordedName(table)), box);
}

/** Returns whether a table holds features with a bounding box. */
export const isFeature = ({ columns }: Table): boolean => 'min_lon' in columns;

/** Returns the slice of an input of scope `near` for a box. */
const sliceIn = (box: Bbox, table: Table, view: PlanView): Slice => ({
  kind: isFeature(table) ? 'box' : 'cells',
  cells: cellsIn(box, table, view),
  box,
});

function sliceNear(
  { table, scope }: StageInput & { scope: Extract<Scope<never>, { kind: 'near' }> },
  cell: number,
  view: PlanView,
): Slice {
  if (cell === NO_CELL) return scope.named === undefined ? { kind: 'cells', cells: [] } : { kind: 'named' };
  const extent = scope.around === undefined ? null : extentIn(scope.around, cell, view);
  const from = extent === null ? cellBbox(cell) : unionBox([cellBbox(cell), extent]);
  return sliceIn(expandBbox(from, scope.halo_m), table, view);
}

export function sliceOf(stage: Stage, name: string, cell: number, view: PlanView): Slice {
  const input = stage.inputs[name]!;
  const { scope } = input;
  switch (scope.kind) {
    case 'own':
      return { kind: 'cells', cells: [cell] };
    case 'near':
      return sliceNear({ ...input, scope }, cell, view);
    case 'named':
      return { kind: 'named' };
    case 'resource': {
      const { homes } = scope;
      if (homes === undefined) return { kind: 'none' };
      const refs = view.madeIn(homes.table).get(cell)?.refs ?? [];
      return { kind: 'cells', cells: refs.filter((home) => homes.of?.(home) ?? true) };
    }
    case 'all':
      return { kind: 'all' };
  }
}

/** Returns whether the fingerprint covers the whole table. */
export const readsWhole = (slice: Slice): slice is Exclude<Slice, { kind: 'cells' | 'box' }> =>
  slice.kind !== 'cells' && slice.kind !== 'box';

/** Returns whether the cells of an input's slice are home cells of its rows. */
export const isByHome = ({ scope, table }: StageInput): boolean =>
  table.home !== null && (scope.kind === 'own' || (scope.kind === 'resource' && scope.homes !== undefined));

/** Returns the column with the partitions of an input's slice; null: its table is one partition. */
export const partitionColumnOf = (input: StageInput): string | null =>
  isByHome(input) ? input.table.home : partitionColumn(input.table);

/** Returns `partitionColumnOf` as SQL. */
export const partitionSqlOf = (input: StageInput): string =>
  isByHome(input) ? ident(input.table.home!) : partitionSql(input.table);

/** Returns the recorded content of an input's table, by home cell or cell as its scope selects. */
export const contentOf = (input: StageInput, view: PlanView): ReadonlyMap<number, CellDigest> =>
  isByHome(input) ? view.homes(recordedName(input.table)) : view.cells(recordedName(input.table));

/** Recorded name of the table with further cells that features of a slice touch; null: the slice has none. */
export const spillOf = ({ table }: StageInput, slice: Slice): string | null =>
  (slice.kind === 'box' && SPILL_OF[recordedName(table)]) || null;

/** Amounts to subtract from digests of cells: of the table itself, and of the table with further cells of its features (spill). */
export interface DigestReduction {
  readonly own: Map<number, bigint>;
  readonly spill: Map<number, bigint>;
}

/** Subtracts a digest from a cell's digest. No rows left: the digest of an empty cell. */
function subtractDigest(digest: string | undefined, subtrahend: bigint | undefined): string {
  if (subtrahend === undefined) return digest ?? '';
  const difference = BigInt(digest ?? 0) - subtrahend;
  return difference === 0n ? '' : String(difference);
}

/** Returns the digest of all rows in the cells of a slice, inside its box or not; with `less`, of the rows before those changes. */
export function inputDigest(
  input: StageInput,
  head: string,
  slice: Slice,
  view: PlanView,
  reduction?: DigestReduction,
): string {
  const content = contentOf(input, view);
  if (readsWhole(slice)) {
    const all = [...content].sort((a, b) => a[0] - b[0]).map(([cell, { digest }]) => `${cell}=${digest}`);
    return hash(`${head}|${all.join(',')}`);
  }
  const spillTable = spillOf(input, slice);
  const spill = spillTable === null ? undefined : view.cells(spillTable);
  const parts = slice.cells.map(
    (c) =>
      `${c}=${subtractDigest(content.get(c)?.digest, reduction?.own.get(c))}+${subtractDigest(spill?.get(c)?.digest, reduction?.spill.get(c))}`,
  );
  return hash(`${head}|${parts.join(',')}`);
}
