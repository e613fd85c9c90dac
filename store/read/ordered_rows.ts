import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { columnsOf } from '../journal/differences.ts';
import type { SqlFragment } from './table_filter.ts';

/** Rows in memory at a time. */
const FETCHED = 1000;

/**
 * Streams the rows of a serving table in an order that is equal on every server: by `first`, if given, then by key. Call it inside a
 * transaction. `schema`: another schema with a table or view of that name; `where`: a filter.
 */
export async function* orderedRows(
  client: pg.ClientBase,
  table: Table,
  schema: string,
  first: readonly string[] = [],
  where: SqlFragment = { sql: 'true', values: [] },
): AsyncGenerator<Record<string, unknown>[]> {
  const order = [...first, ...table.primaryKey.filter((name) => !first.includes(name))].map((name) =>
    table.columns[name]!.type === 'text' ? `${ident(name)} COLLATE "C"` : ident(name),
  );
  const cursor = ident(`ordered_${table.name}`);
  await client.query(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columnsOf(table)} FROM ${qualified(table, schema)} WHERE ${where.sql} ORDER BY ${order.join(', ')}`,
    [...where.values],
  );
  for (;;) {
    const { rows } = await client.query<Record<string, unknown>>(`FETCH ${FETCHED} FROM ${cursor}`);
    if (rows.length > 0) yield rows;
    if (rows.length < FETCHED) break;
  }
  await client.query(`CLOSE ${cursor}`);
}
