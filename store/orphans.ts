import type pg from 'pg';
import { columnSql, ident, qualified } from '../schema/ddl.ts';
import type { Reference } from '../schema/serving/references.ts';
import type { Table } from '../schema/table.ts';
import { type Delta, deltaOf } from './publication.ts';

/** Rows that refer to a row that is not there: how many, and a few of the values. */
export interface Orphans {
  rows: number;
  examples: string[];
}

/** Values of a reference that this publication may have broken, as queries of `value`. */
function suspects({ from, column, to, toColumn }: Reference, child: Delta, parent: Delta): string[] {
  const value = `t.${ident(column)}`;
  if (!child.listed) return [`SELECT ${value} AS value FROM ${qualified(from)} t`];
  const keyOf = (table: Table, name: string, side: string): string =>
    table.primaryKey.includes(name)
      ? `d.${ident(name)}`
      : `(d.${side} ->> '${name}')::${columnSql(table.columns[name]!).sql}`;
  const written = `SELECT ${keyOf(from, column, 'after')} AS value FROM ${deltaOf(from)} d WHERE d.change <> 'delete'`;
  const queries = child.inserted + child.updated > 0 ? [written] : [];
  if (!parent.listed || parent.updated + parent.deleted === 0) return queries;
  const gone = `SELECT ${value} AS value FROM ${qualified(from)} t JOIN ${deltaOf(to)} d ON ${value} = ${keyOf(to, toColumn, 'before')}
     WHERE d.change <> 'insert'`;
  return [...queries, gone];
}

/**
 * Counts the rows whose reference names no row, among those that this publication wrote and those whose target it took away.
 * All differences must be applied.
 */
export async function findOrphans(
  client: pg.ClientBase,
  reference: Reference,
  child: Delta,
  parent: Delta,
): Promise<Orphans> {
  const { to, toColumn } = reference;
  const values = suspects(reference, child, parent);
  if (values.length === 0) return { rows: 0, examples: [] };
  const { rows } = await client.query<{ n: number; examples: string[] | null }>(
    `SELECT count(*)::float8 AS n, (array_agg(DISTINCT value::text))[1:3] AS examples
     FROM (${values.join(' UNION ALL ')}) s
     WHERE value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${qualified(to)} p WHERE p.${ident(toColumn)} = value)`,
  );
  return { rows: rows[0]!.n, examples: rows[0]!.examples ?? [] };
}
