import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import { type Bbox, cellsOfBbox, expandBbox } from '../../schema/grid.ts';
import { append, groupBy } from '../../schema/group_by.ts';
import { partitionSql } from '../../schema/partition.ts';
import { SPILL_OF } from '../../schema/records/index.ts';
import { placeColumns, recordedName, type Table } from '../../schema/table.ts';
import { type CellChange, mostLoggedSql, recordMaker, writeKeyChanges } from '../increments/key_changes.ts';
import { intArray, rowHashSql } from '../tables/table_rows.ts';
import { childTarget, countedColumns } from './load_digest.ts';

/** A cell of a table whose content differs in the new loads. */
interface ChangedCell {
  cell: number;
  /** Digest after minus digest before. */
  delta: string;
  /** Row count after minus row count before. */
  more: number;
  /** Row counts before and after, added up. */
  rows: number;
}

/** Finds the cells of a table, by its recorded name, whose digests differ between loads. */
async function changedCells(
  client: pg.ClientBase,
  name: string,
  replaced: readonly number[],
  loaded: readonly number[],
): Promise<ChangedCell[]> {
  const { rows } = await client.query<ChangedCell>(
    `SELECT cell, sum(sign * digest)::text AS delta, sum(sign * rows)::int AS more, sum(rows)::int AS rows
     FROM (SELECT *, CASE WHEN load_id = ANY ($3) THEN 1 ELSE -1 END AS sign FROM control.load_digest
       WHERE table_name = $1 AND load_id = ANY ($2::int[] || $3::int[])) d
     GROUP BY cell HAVING sum(sign * digest) <> 0 ORDER BY cell`,
    [name, replaced, loaded],
  );
  return rows;
}

/** Maximum rows compared in one statement, so that its sort stays in memory. */
const ROWS_AT_ONCE = 400_000;

/** Groups cells, in order, to about this many rows each. */
function groupsOf(cells: readonly ChangedCell[]): ChangedCell[][] {
  const groups: ChangedCell[][] = [];
  let rows = Infinity;
  for (const each of cells) {
    if (rows + each.rows > ROWS_AT_ONCE) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)!.push(each);
    rows += each.rows;
  }
  return groups;
}

/** A row that is only in the old loads or only in the new ones. */
interface ChangedRow {
  cell: number;
  key: string;
  /** Its values in the columns that other rows refer to (`Table.named`). */
  named: readonly (string | null)[];
  /** Null: it has no location. */
  box: Bbox | null;
}

/** Finds the rows that differ between the loads in the given cells, limited to cells whose changes are logged. */
async function changedRows(
  client: pg.ClientBase,
  table: Table,
  cells: readonly ChangedCell[],
  replaced: readonly string[],
  loaded: readonly string[],
): Promise<ChangedRow[]> {
  const columns = placeColumns(table);
  const box = columns === null ? 'NULL::float8[]' : `ARRAY[${columns.map((name) => ident(name)).join(', ')}]`;
  const namedColumns = `ARRAY[${table.named.map((name) => ident(name)).join(', ')}]::text[]`;
  const numbers = intArray(cells.map(({ cell }) => cell));
  const side = (target: string, sign: number): string =>
    `SELECT ${partitionSql(table)} AS cell, ${ident(table.tracked!)}::text AS key, ${namedColumns} AS named, ${box} AS box, ${rowHashSql(countedColumns(table))} AS hash, ${sign} AS sign
     FROM ${target} WHERE ${partitionSql(table)} = ANY (${numbers})`;
  const both = [
    ...replaced.map((target) => side(target, -1)),
    ...loaded.map((target) => side(target, 1)),
  ].join(' UNION ALL ');
  const { rows } = await client.query<ChangedRow>(
    `SELECT cell, key, named, CASE WHEN box[1] IS NOT NULL THEN box END AS box
     FROM (SELECT cell, key, named, box, count(*) OVER (PARTITION BY cell) AS changed
       FROM (${both}) b GROUP BY cell, key, named, box, hash HAVING sum(sign) <> 0) d
     JOIN unnest($1::int[], $2::int[]) c (cell, rows) USING (cell) WHERE changed <= ${mostLoggedSql('c.rows')} ORDER BY cell, key`,
    [cells.map(({ cell }) => cell), cells.map(({ rows: all }) => all)],
  );
  return rows;
}

/** Margin added to a changed row's box before its cells are listed, metres: more than the margin used for the cells of a feature. */
const TOUCHES_M = 5;

/** Adds changed features to the cells that they touch beyond their own. */
function addTouching(touching: Map<number, ChangedRow[]>, features: readonly ChangedRow[]): void {
  for (const row of features) {
    if (row.box === null) continue;
    for (const cell of cellsOfBbox(expandBbox(row.box, TOUCHES_M))) {
      if (cell === row.cell) continue;
      append(touching, cell, row);
    }
  }
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
];

/** Builds the change of a cell from its differing rows. */
const changeOf = (
  table: Table,
  { cell, delta, more }: ChangedCell,
  rows: readonly ChangedRow[],
): CellChange => ({
  cell,
  delta: BigInt(delta),
  rows: more,
  filled: 0,
  keys: distinct(rows.map(({ key }) => key)),
  named:
    table.named.length === 0
      ? null
      : Object.fromEntries(table.named.map((name, i) => [name, distinct(rows.map((row) => row.named[i]!))])),
  keys_seen: null,
  boxes: placeColumns(table) === null ? null : rows.flatMap(({ box }) => (box === null ? [] : [box])),
});

const byCell = (rows: readonly ChangedRow[]): Map<number, ChangedRow[]> => groupBy(rows, ({ cell }) => cell);

/** Returns the existing child tables of loads: a part need not have rows of each table. */
async function childrenOf(
  client: pg.ClientBase,
  table: Table,
  loadIds: readonly number[],
): Promise<string[]> {
  const all = loadIds.map((loadId) => childTarget(table, loadId));
  const { rows } = await client.query<{ target: string }>(
    'SELECT target FROM unnest($1::text[]) WITH ORDINALITY t (target, n) WHERE to_regclass(target) IS NOT NULL ORDER BY n',
    [all],
  );
  return rows.map(({ target }) => target);
}

/**
 * Logs which rows of the tracked record tables a delivery changes, by cell, in the transaction that replaces the loads. Each change has
 * keys, values that other rows refer to, and the bounding boxes of the rows before and after. Cells with many differences are left out;
 * their dependants are recomputed whole.
 */
export async function writeDeliveryChanges(
  client: pg.ClientBase,
  tables: readonly Table[],
  replaced: readonly number[],
  loaded: readonly number[],
  runId: number,
): Promise<void> {
  if (replaced.length === 0 || loaded.length === 0) return;
  for (const table of tables.filter(({ tracked }) => tracked !== null)) {
    const cells = await changedCells(client, recordedName(table), replaced, loaded);
    if (cells.length === 0) continue;
    const before = await childrenOf(client, table, replaced);
    const after = await childrenOf(client, table, loaded);
    const spill = tables.find(({ name }) => name === SPILL_OF[table.name]);
    const touching = new Map<number, ChangedRow[]>();
    let logged = 0;
    // Group by group, so that memory holds the rows of only one.
    for (const group of groupsOf(cells)) {
      const rows = await changedRows(client, table, group, before, after);
      const rowsOf = byCell(rows);
      const changes = group
        .filter(({ cell }) => rowsOf.has(cell))
        .map((cell) => changeOf(table, cell, rowsOf.get(cell.cell)!));
      await writeKeyChanges(client, recordMaker(table), runId, changes);
      logged += changes.length;
      if (spill !== undefined) addTouching(touching, rows);
    }
    // If some changes are not logged, the changes that reach into other cells are unknown.
    if (spill === undefined || logged < cells.length) continue;
    const touched = await changedCells(client, recordedName(spill), replaced, loaded);
    const spilled = touched.map((each) => changeOf(table, each, touching.get(each.cell) ?? []));
    await writeKeyChanges(client, recordMaker(spill), runId, spilled);
  }
}
