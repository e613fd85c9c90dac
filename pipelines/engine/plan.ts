import { ident } from '../../schema/ddl.ts';
import { type Bbox, cellBbox, cellsOfBbox, expandBbox, NO_CELL, unionBox } from '../../schema/grid.ts';
import { partitionSql, WHOLE } from '../../schema/partition.ts';
import { SPILL_OF } from '../../schema/records/index.ts';
import { bookName, partitionColumn, shapeOfColumns, type Table } from '../../schema/table.ts';
import { cellsAround } from './cells_around.ts';
import { changedKeys } from './changed_keys.ts';
import { difference, type Fingerprint, hash, headOf } from './fingerprint.ts';
import type { Scope, StageInput } from './input.ts';
import type { CellDigest, PlanView } from './plan_view.ts';
import type { Stage } from './stage.ts';

/** Rows that one input gives to a partition. */
export type Selection =
  | { kind: 'cells'; cells: readonly number[] }
  | { kind: 'box'; cells: readonly number[]; box: Bbox }
  | { kind: 'keys' }
  | { kind: 'none' }
  | { kind: 'all' };

export interface PlannedPartition {
  cell: number;
  action: 'run' | 'remove';
  reason: string;
  fingerprint: Fingerprint;
  selections: Record<string, Selection>;
  /** Subject rows that are to be computed. */
  rows: number;
  /** Subject rows of the whole partition. */
  subject_rows: number;
  /** Ids of the key changes whose keys are computed, and no others; null: the whole partition. */
  changes: readonly number[] | null;
  /** Which resource of the stage it needs; null: the stage has none, or the partition is removed. */
  resource: string | null;
  /** Output of an earlier computation is there and must be replaced. */
  replaces: boolean;
}

export interface StagePlan {
  stage: string;
  partitions: PlannedPartition[];
  unchanged: number;
}

/** What the rows of a table that are looked for in a partition are about. */
const extentIn = (table: Table, cell: number, view: PlanView): Bbox | null =>
  (table.home === null ? view.cells(bookName(table)) : view.homes(bookName(table))).get(cell)?.extent ?? null;

/** Cells in which rows may be that lie in a box: those of the grid, or where rows may lie beyond their cell those around whose rows it comes. */
function cellsIn(box: Bbox, table: Table, view: PlanView): readonly number[] {
  if (table.extent === null) return cellsOfBbox(box);
  return cellsAround(view.cells(bookName(table)), box);
}

/** True for tables of features, which have a bounding box. */
export const isFeature = ({ columns }: Table): boolean => 'min_lon' in columns;

/** The rows that an input of scope `near` gives to the partition of a cell. */
function selectNear(
  { table, scope }: StageInput & { scope: Extract<Scope<never>, { kind: 'near' }> },
  cell: number,
  view: PlanView,
): Selection {
  if (cell === NO_CELL) return { kind: 'cells', cells: [] };
  const extent = scope.around === undefined ? null : extentIn(scope.around, cell, view);
  const from = extent === null ? cellBbox(cell) : unionBox([cellBbox(cell), extent]);
  const box = expandBbox(from, scope.halo_m);
  const cells = cellsIn(box, table, view);
  return isFeature(table) ? { kind: 'box', cells, box } : { kind: 'cells', cells };
}

/** The rows that an input gives to the partition of a cell. */
export function select(stage: Stage, name: string, cell: number, view: PlanView): Selection {
  const input = stage.inputs[name]!;
  const { scope } = input;
  switch (scope.kind) {
    case 'own':
      return { kind: 'cells', cells: [cell] };
    case 'near':
      return selectNear({ ...input, scope }, cell, view);
    case 'keys':
      return scope.nowhere && cell !== NO_CELL ? { kind: 'cells', cells: [] } : { kind: 'keys' };
    case 'group': {
      const cells = [...contentOf(input, view).keys()].filter((each) => scope.of(each) === cell);
      return { kind: 'cells', cells: cells.sort((a, b) => a - b) };
    }
    case 'resource': {
      const { homes, toldBy } = scope;
      if (toldBy !== undefined) return { kind: 'cells', cells: [] };
      if (homes === undefined) return { kind: 'none' };
      const refs = view.madeIn(homes.table).get(cell)?.refs ?? [];
      return { kind: 'cells', cells: refs.filter((home) => homes.of?.(home) ?? true) };
    }
    case 'all':
      return { kind: 'all' };
  }
}

const apart = (a: Bbox, b: Bbox): boolean => a[0] > b[2] || a[2] < b[0] || a[1] > b[3] || a[3] < b[1];

/** Cells whose rows a selection can see: those whose features all lie beyond its box do not count, whatever changes in them. */
function seenCells(
  selection: Extract<Selection, { kind: 'cells' | 'box' }>,
  own: ReadonlyMap<number, CellDigest>,
  spill: ReadonlyMap<number, CellDigest> | undefined,
): readonly number[] {
  if (selection.kind === 'cells') return selection.cells;
  return selection.cells.filter((cell) => {
    if (spill?.has(cell)) return true;
    const extent = own.get(cell)?.extent;
    return !extent || !apart(extent, selection.box);
  });
}

/** True where the fingerprint covers the whole table. */
const isWhole = (selection: Selection): selection is Exclude<Selection, { kind: 'cells' | 'box' }> =>
  selection.kind !== 'cells' && selection.kind !== 'box';

/** True where the cells of an input's selection are homes of its rows. */
const isByHome = ({ scope, table }: StageInput): boolean =>
  table.home !== null &&
  ((scope.kind === 'own' && !scope.made) ||
    scope.kind === 'group' ||
    (scope.kind === 'resource' && scope.homes !== undefined));

/** Column that the partitions of an input's selection stand in; null: its table is one partition. */
export const partitionColumnOf = (input: StageInput): string | null =>
  isByHome(input) ? input.table.home : partitionColumn(input.table);

/** The same as SQL. */
export const partitionSqlOf = (input: StageInput): string =>
  isByHome(input) ? ident(input.table.home!) : partitionSql(input.table);

/** Content of an input's table by what its scope selects: the home column, or the cell. */
const contentOf = (input: StageInput, view: PlanView): ReadonlyMap<number, CellDigest> =>
  isByHome(input) ? view.homes(bookName(input.table)) : view.cells(bookName(input.table));

/** The resource that a partition needs. */
function resourceOf(
  { resource, inputs }: Stage,
  cell: number,
  selections: Readonly<Record<string, Selection>>,
): string | null {
  if (resource === null) return null;
  const homes = Object.entries(inputs).flatMap(([name, { scope }]) => {
    const selection = selections[name]!;
    return scope.kind === 'resource' && selection.kind === 'cells' ? selection.cells : [];
  });
  return resource.keyOf(
    cell,
    [...new Set(homes)].sort((a, b) => a - b),
  );
}

/** Digest of the rows that a selection covers. */
function inputDigest(input: StageInput, head: string, selection: Selection, view: PlanView): string {
  const own = contentOf(input, view);
  if (isWhole(selection)) {
    const all = [...own].sort((a, b) => a[0] - b[0]).map(([cell, { digest }]) => `${cell}=${digest}`);
    return hash(`${head}|${all.join(',')}`);
  }
  const spillTable = selection.kind === 'box' ? SPILL_OF[bookName(input.table)] : undefined;
  const spill = spillTable === undefined ? undefined : view.cells(spillTable);
  const parts = seenCells(selection, own, spill).map(
    (c) => `${c}=${own.get(c)?.digest ?? ''}+${spill?.get(c)?.digest ?? ''}`,
  );
  const box = selection.kind === 'box' ? selection.box.join(' ') : '';
  return hash(`${head}|${box}|${parts.join(',')}`);
}

/** What the partitions of a stage share is computed once per input: its description, and the digest of a scope over the whole table. */
function memoised(
  inputs: Stage['inputs'],
  view: PlanView,
): (input: StageInput, name: string, selection: Selection) => string {
  const heads = new Map(Object.entries(inputs).map(([name, input]) => [name, headOf(input)]));
  const whole = new Map<string, string>();
  return (input, name, selection) => {
    const head = heads.get(name)!;
    if (!isWhole(selection)) return inputDigest(input, head, selection, view);
    const known = whole.get(name) ?? inputDigest(input, head, selection, view);
    whole.set(name, known);
    return known;
  };
}

/** Rows of each partition's subject: of its cells, or where its table has a home column of its homes, or where it is read by group of its groups. */
export function subjectCells(stage: Stage, view: PlanView): ReadonlyMap<number, Pick<CellDigest, 'rows'>> {
  const subject = stage.inputs[stage.subject]!;
  const content = contentOf(subject, view);
  if (subject.scope.kind !== 'group') return content;
  const groups = new Map<number, { rows: number }>();
  for (const [cell, { rows }] of content) {
    const group = subject.scope.of(cell);
    groups.set(group, { rows: (groups.get(group)?.rows ?? 0) + rows });
  }
  return groups;
}

/** A partition is computed by key where at most this share of its subject rows is concerned: a key costs more than a row of the whole. */
const BY_KEY_SHARE = 0.5;

/**
 * Which partitions of a stage must run, and why: current fingerprints against recorded ones. Pure.
 * A partition whose subject is gone is removed. A serving partition also runs where its rows are neither staged nor published.
 */
export function planStage(
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  view: PlanView,
): StagePlan {
  const subject = subjectCells(stage, view);
  const recorded = view.recorded(stage.name);
  const published = stage.output.schema === 'serving' ? view.published(stage.output.name) : undefined;
  const digestOf = memoised(stage.inputs, view);
  const paramsHash = hash(JSON.stringify([params, shapeOfColumns(stage.output.columns)]));
  const cells =
    stage.by === 'whole' ? (subject.size > 0 ? [WHOLE] : []) : [...subject.keys()].sort((a, b) => a - b);
  const partitions: PlannedPartition[] = [];
  for (const cell of cells) {
    const selections = Object.fromEntries(
      Object.keys(stage.inputs).map((name) => [name, select(stage, name, cell, view)]),
    );
    const inputs = Object.fromEntries(
      Object.entries(stage.inputs).map(([name, input]) => [name, digestOf(input, name, selections[name]!)]),
    );
    const fingerprint = { version: stage.version, params: paramsHash, inputs };
    const known = recorded.get(cell);
    const lost = published && known && !known.staged && published.get(cell) !== known.output_digest;
    const reason = difference(known?.fingerprint, fingerprint) ?? (lost ? 'rows are not staged' : null);
    if (reason === null) continue;
    const rows = stage.by === 'whole' ? 1 : subject.get(cell)!.rows;
    const keys = known && !lost ? changedKeys(stage, cell, known.fingerprint, fingerprint, view) : null;
    const isFew = keys !== null && keys.count <= rows * BY_KEY_SHARE;
    partitions.push({
      cell,
      action: 'run',
      reason: isFew ? `${reason}, by key` : reason,
      fingerprint,
      selections,
      rows: isFew ? keys.count : rows,
      subject_rows: rows,
      changes: isFew ? keys.changes : null,
      resource: resourceOf(stage, cell, selections),
      replaces: known !== undefined,
    });
  }
  const unchanged = cells.length - partitions.length;
  const present = new Set(cells);
  for (const [cell, known] of recorded) {
    if (present.has(cell)) continue;
    partitions.push({
      cell,
      action: 'remove',
      reason: 'input is gone',
      fingerprint: known.fingerprint,
      selections: {},
      rows: 0,
      subject_rows: 0,
      changes: null,
      resource: null,
      replaces: true,
    });
  }
  return { stage: stage.name, partitions, unchanged };
}
