import type pg from 'pg';
import { columnSql, ident, qualified } from '../../schema/ddl.ts';
import type { Reference } from '../../schema/serving/references.ts';
import type { Table } from '../../schema/table.ts';
import { type Delta, deltaOf } from './differences.ts';

/** Rows that refer to a missing row: their number, and some example values. */
export interface Orphans {
  rows: number;
  examples: string[];
}

/** Returns queries of `value` for the references that this publication may have broken. */
function suspects({ from, column, to, toColumn }: Reference, child: Delta, parent: Delta): string[] {
  const value = `t.${ident(column)}`;
  if (!child.isListed) return [`SELECT ${value} AS value FROM ${qualified(from)} t`];
  const keyOf = (table: Table, name: string, side: string): string =>
    table.primaryKey.includes(name)
      ? `d.${ident(name)}`
      : `(d.${side} ->> '${name}')::${columnSql(table.columns[name]!).sql}`;
  const written = `SELECT ${keyOf(from, column, 'after')} AS value FROM ${deltaOf(from)} d WHERE d.change <> 'delete'`;
  const queries = child.inserted + child.updated > 0 ? [written] : [];
  if (!parent.isListed || parent.updated + parent.deleted === 0) return queries;
  const deletedKeys = `SELECT ${value} AS value FROM ${qualified(from)} t JOIN ${deltaOf(to)} d ON ${value} = ${keyOf(to, toColumn, 'before')}
     WHERE d.change <> 'insert'`;
  return [...queries, deletedKeys];
}

/**
 * Counts rows with a reference to a missing row. It checks the rows that this publication wrote and the rows whose target it removed.
 * Several references to one column read it once. All differences must be applied; `deltas` has the differences of every table.
 */
export async function findOrphans(
  client: pg.ClientBase,
  references: readonly Reference[],
  deltas: ReadonlyMap<string, Delta>,
): Promise<Orphans[]> {
  const orphans: Orphans[] = references.map(() => ({ rows: 0, examples: [] }));
  const values = references.flatMap((reference, i) =>
    suspects(reference, deltas.get(reference.from.name)!, deltas.get(reference.to.name)!).map(
      (query) => `SELECT ${i} AS i, value FROM (${query}) q`,
    ),
  );
  if (values.length === 0) return orphans;
  const { to, toColumn } = references[0]!;
  const broken = `FROM (${values.join(' UNION ALL ')}) s
     WHERE value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${qualified(to)} p WHERE p.${ident(toColumn)} = value) GROUP BY i`;
  // Counted separately: PostgreSQL collects distinct values in one process only.
  const { rows } = await client.query<{ i: number; n: number }>(`SELECT i, count(*)::float8 AS n ${broken}`);
  if (rows.length === 0) return orphans;
  const { rows: named } = await client.query<{ i: number; examples: string[] }>(
    `SELECT i, (array_agg(DISTINCT value::text))[1:3] AS examples ${broken}`,
  );
  const examplesOf = new Map(named.map(({ i, examples }) => [i, examples]));
  for (const { i, n } of rows) orphans[i] = { rows: n, examples: examplesOf.get(i)! };
  return orphans;
}
