import pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import type { Bbox } from '../../schema/grid.ts';
import { partitionSql } from '../../schema/partition.ts';
import { SPILL_OF } from '../../schema/records/index.ts';
import type { Columns, Table } from '../../schema/table.ts';
import { copyBatches, copyOut } from '../copy/copy_binary.ts';

/** Returns integers as an SQL array literal: COPY takes no parameters. Refuses anything but an integer. */
export function intArray(values: readonly number[]): string {
  for (const value of values) if (!Number.isInteger(value)) throw new TypeError(`${value} is not an integer`);
  return `'{${values.join(',')}}'::int[]`;
}

/** Returns texts as an SQL array literal. */
export const textArray = (values: readonly string[]): string =>
  `ARRAY[${values.map((value) => pg.escapeLiteral(value)).join(', ')}]::text[]`;

const pick = (table: Table, columns: readonly string[]): Columns =>
  Object.fromEntries(columns.map((name) => [name, table.columns[name]!]));

const list = (columns: readonly string[], alias = ''): string =>
  columns.map((name) => `${alias}${ident(name)}`).join(', ');

export const stageOfServing = (table: Table): string => `serve_${table.name}`;

const and = (where: string | undefined): string => (where === undefined ? '' : ` AND (${where})`);

/** SQL condition: published rows `p` of a serving table are current, because their partition, or their key, has no newer staged rows. */
function isCurrentSql(table: Table): string {
  const stage = `'${stageOfServing(table)}'`;
  const partition = `SELECT 1 FROM control.partition q WHERE q.stage = ${stage} AND q.cell = ${partitionSql(table, 'p.')}`;
  if (table.tracked === null) return `EXISTS (${partition} AND NOT q.staged)`;
  // In a tracked table only changed keys are staged; the other keys keep their published rows.
  const replaced = `SELECT 1 FROM control.staged_key k WHERE k.stage = ${stage} AND k.cell = ${partitionSql(table, 'p.')} AND k.key = p.${ident(table.tracked)}`;
  return `EXISTS (${partition}) AND NOT EXISTS (${replaced})`;
}

/**
 * Returns the query of a serving table's rows as last computed: of each partition its staged rows (or staged keys) if they wait for
 * publication, otherwise the published ones. `where` is a condition evaluated in each of these tables separately.
 */
export function computedRows(table: Table, where?: string): string {
  const names = list(Object.keys(table.columns));
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  return `SELECT ${names} FROM ${qualified(table, 'staged')}${condition}
    UNION ALL SELECT ${names} FROM ${qualified(table)} p WHERE ${isCurrentSql(table)}${and(where)}`;
}

/** Returns the query of a serving table's published rows that the next publication replaces. */
export const outdatedRows = (table: Table): string =>
  `SELECT ${list(Object.keys(table.columns), 'p.')} FROM ${qualified(table)} p WHERE NOT (${isCurrentSql(table)})`;

/**
 * Returns the FROM item for the rows that a stage reads from a table. For a serving table: each partition as last computed.
 * Published rows of a cell without a partition do not count.
 */
export function source(table: Table, where?: string): string {
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  if (table.schema !== 'serving')
    return where === undefined
      ? qualified(table)
      : `(SELECT * FROM ${qualified(table)}${condition}) ${ident(table.name)}`;
  // All columns, because a condition may use any; the server reads only those used.
  return `(${computedRows(table, where)}) ${ident(table.name)}`;
}

/** Returns the table that a stage writes to; serving rows wait in the schema `staged` until published. */
export const outputTarget = (table: Table): string =>
  qualified(table, table.schema === 'serving' ? 'staged' : table.schema);

/** SQL condition: a row is in the list of keys of this transaction (store/increments/batch_keys.ts). */
const isListed = (partition: string, keyColumn: string): string =>
  `(${partition}, ${ident(keyColumn)}) IN (SELECT cell, key FROM batch_key)`;

/** Columns of a table to read. */
export interface SelectedColumns {
  table: Table;
  columns: readonly string[];
  /** SQL condition of the rows; absent: all. */
  where?: string | undefined;
  /** SQL for a row's partition (schema/partition.ts) or home cell; default: its partition. */
  partition?: string;
}

const typesOf = ({ table, columns }: SelectedColumns): Columns => pick(table, columns);
const partitionOf = ({ table, partition }: SelectedColumns): string => partition ?? partitionSql(table);

/** Reads the rows in the given partitions. */
export function readCells(
  client: pg.ClientBase,
  selected: SelectedColumns,
  cells: readonly number[],
): Promise<Record<string, unknown>[]> {
  const { table, columns, where } = selected;
  const sql = `SELECT ${list(columns)} FROM ${source(table)} WHERE ${partitionOf(selected)} = ANY (${intArray(cells)})${and(where)}`;
  return copyOut(client, sql, typesOf(selected));
}

/** Builds a query of the rows whose partition and `keyColumn` are in this transaction's key list (store/increments/batch_keys.ts). */
export function listedSql(selected: SelectedColumns, keyColumn: string): string {
  const { table, columns, where } = selected;
  return `SELECT ${list(columns)} FROM ${source(table, isListed(partitionOf(selected), keyColumn))}${where === undefined ? '' : ` WHERE ${where}`}`;
}

/** Runs the query of `listedSql`. */
export const readListed = (
  client: pg.ClientBase,
  selected: SelectedColumns,
  keyColumn: string,
): Promise<Record<string, unknown>[]> => copyOut(client, listedSql(selected, keyColumn), typesOf(selected));

/** Reads the rows in the given partitions that have one of these values in `column`. */
export async function readNamed(
  client: pg.ClientBase,
  selected: SelectedColumns,
  cells: readonly number[],
  column: string,
  values: ReadonlySet<string | null>,
): Promise<Record<string, unknown>[]> {
  const { table, columns, where } = selected;
  const keyCondition = `${ident(column)} = ANY ($1) AND ${partitionOf(selected)} = ANY (${intArray(cells)})`;
  const sql = `SELECT ${list(columns)} FROM ${source(table, `${keyCondition}${and(where)}`)}`;
  return (await client.query(sql, [[...values].filter((value) => value !== null)])).rows;
}

/** Builds a query of selected columns of every row. */
export const allSql = (table: Table, columns: readonly string[], where?: string): string =>
  `SELECT ${list(columns)} FROM ${source(table)}${where === undefined ? '' : ` WHERE ${where}`}`;

/** Reads every row. */
export const readAll = (
  client: pg.ClientBase,
  selected: SelectedColumns,
): Promise<Record<string, unknown>[]> =>
  copyOut(client, allSql(selected.table, selected.columns, selected.where), typesOf(selected));

/** Streams every row that meets a condition, in batches. */
export function readBatches(
  client: pg.ClientBase,
  table: Table,
  columns: readonly string[],
  where: string,
): AsyncGenerator<Record<string, unknown>[]> {
  const sql = `SELECT ${list(columns)} FROM ${source(table)} WHERE ${where}`;
  return copyBatches(client, sql, pick(table, columns));
}

/** Reads the features whose bounding box meets `box`, and `near`; `cells` are all cells that the box touches. */
export function readBox(
  client: pg.ClientBase,
  selected: SelectedColumns,
  cells: readonly number[],
  box: Bbox,
  near?: string,
): Promise<Record<string, unknown>[]> {
  const { table, columns, where } = selected;
  const [minLon, minLat, maxLon, maxLat] = box.map((value) => {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a finite coordinate`);
    return `${value}::float8`;
  });
  const meets = `p.min_lon <= ${maxLon} AND p.max_lon >= ${minLon} AND p.min_lat <= ${maxLat} AND p.max_lat >= ${minLat}${and(near)}`;
  const home = `SELECT ${list(columns, 'p.')} FROM ${qualified(table)} p WHERE p.cell = ANY (${intArray(cells)}) AND ${meets}${and(where)}`;
  const spillTable = SPILL_OF[table.name];
  if (spillTable === undefined) return copyOut(client, home, typesOf(selected));
  const key = table.primaryKey.map((name) => `p.${ident(name)} = s.${ident(name)}`).join(' AND ');
  const spilled = `SELECT ${list(columns, 'p.')} FROM (
      SELECT DISTINCT home_cell, ${list(table.primaryKey)} FROM record.${ident(spillTable)}
      WHERE cell = ANY (${intArray(cells)}) AND home_cell <> ALL (${intArray(cells)})) s
    JOIN ${qualified(table)} p ON p.cell = s.home_cell AND ${key} WHERE ${meets}${and(where)}`;
  return copyOut(client, `${home} UNION ALL ${spilled}`, typesOf(selected));
}

/** Reads the rows whose `column` is among `keys`. */
export async function readKeys(
  client: pg.ClientBase,
  { table, columns, where }: SelectedColumns,
  column: string,
  keys: readonly string[],
): Promise<Record<string, unknown>[]> {
  const sql = `SELECT ${list(columns)} FROM ${source(table)} WHERE ${ident(column)} = ANY ($1)${and(where)}`;
  return (await client.query(sql, [keys])).rows;
}

/** SQL expression: bounding box of the area that rows of a table describe; null: none. */
export function extentSql({ extent }: Table): string {
  if (extent === null) return 'NULL::float8[]';
  const [west, south, east, north] = extent.map((name) => ident(name));
  return `CASE WHEN min(${west}) IS NOT NULL THEN ARRAY[min(${west}), min(${south}), max(${east}), max(${north})] END`;
}

/** SQL expression: the box around the boxes in the column `extent`; null: none. */
export const unionExtentSql = (alias = ''): string =>
  `CASE WHEN min(${alias}extent[1]) IS NOT NULL
     THEN ARRAY[min(${alias}extent[1]), min(${alias}extent[2]), max(${alias}extent[3]), max(${alias}extent[4])] END`;

/**
 * SQL expression: hash of a row of a table, given the columns that count. The server's hash of a record is a sum over its columns, so two
 * rows that swap a value would keep their total; the hash is therefore hashed once more.
 */
export const rowHashSql = (columns: readonly string[], alias = ''): string =>
  `hashtextextended(hash_record_extended(ROW(${list(columns, alias)}), 0)::text COLLATE "C", 0)`;

/** SQL expression: order-independent digest of rows of a table, given the columns that count. Empty groups give 0. */
export const digestSql = (columns: readonly string[], alias = ''): string =>
  `COALESCE(sum(${rowHashSql(columns, alias)}), 0)`;
