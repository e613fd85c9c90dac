import type pg from 'pg';
import { columnSql, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { type BoundedRows, boundedColumns } from '../../store/read/bounded_rows.ts';
import {
  type FilterCondition,
  orderOf,
  type Sort,
  type SqlFragment,
  whereOf,
} from '../../store/read/table_filter.ts';

/** Rows of a table to show, and the start position. */
export interface TableView extends Sort {
  conditions: readonly FilterCondition[];
  /** Sort values of the last row seen; null: start with the first row. */
  after: readonly (string | null)[] | null;
}

/** Rows per page. */
const PAGE = 50;

export interface TableRows extends BoundedRows {
  /** Sort values of the last row; null: no rows follow. */
  next: (string | null)[] | null;
}

/** Reads one page of a serving table. @throws EtlError config_invalid */
export async function browseTable(client: pg.ClientBase, table: Table, view: TableView): Promise<TableRows> {
  const columns = Object.entries(table.columns).map(([name, column]) => ({
    name,
    type: columnSql(column).type,
  }));
  const order = orderOf(table, view);
  const filter = whereOf(table, view.conditions);
  const where = view.after === null ? filter : order.after(view.after, filter);
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT ${boundedColumns(columns)}, ${order.place} AS "_place" FROM (
       SELECT * FROM ${qualified(table)} WHERE ${where.sql} ORDER BY ${order.sql} LIMIT ${PAGE + 1}) found ORDER BY ${order.sql}`,
    [...where.values],
  );
  const places = rows.map(({ _place }) => _place as (string | null)[]);
  return { columns, rows: rows.slice(0, PAGE), next: rows.length > PAGE ? places[PAGE - 1]! : null };
}

/** Counts rows that meet a filter, up to `most`. */
export async function countRows(
  client: pg.ClientBase,
  table: Table,
  where: SqlFragment,
  most: number,
): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (SELECT FROM ${qualified(table)} WHERE ${where.sql} LIMIT ${most}) found`,
    [...where.values],
  );
  return rows[0]!.n;
}

/** Returns the published row count of each table, by name. */
export async function publishedRowCounts(client: pg.ClientBase): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; n: number }>(
    'SELECT table_name AS name, sum(rows)::float8 AS n FROM control.published GROUP BY 1',
  );
  return new Map(rows.map(({ name, n }) => [name, n]));
}
