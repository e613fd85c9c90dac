import { ident } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';

/** Quartiles of a numeric column, nulls left out; null: it has no values. */
export interface Quartiles {
  low: number | null;
  median: number | null;
  high: number | null;
  values: number;
}

/** Facts of a serving table stored with a publication, so that the next publication need not count all rows again. */
export interface TableFacts {
  /** Rows by state; empty if the table has no states. */
  states: Record<string, number>;
  /** Number of nulls in each nullable column. */
  nulls: Record<string, number>;
  /** Quartiles by column, computed by this publication or an earlier one if no value changed since; absent: none. */
  quartiles?: Record<string, Quartiles>;
}

/** Returns the names of the nullable columns of a table. */
export const nullableColumns = (table: Table): string[] =>
  Object.entries(table.columns)
    .filter(([, column]) => column.nullable)
    .map(([name]) => name);

/** Counts of one state's rows, or of a subset: number of rows, and nulls in each nullable column. */
export type FactRow = Record<`c${number}` | 'n', number> & { state: string | null };

/** SQL to count facts: select list of a query that returns `FactRow`s, and its GROUP BY columns; none means no grouping. */
export function factColumns(table: Table): { select: string; groups: string[] } {
  const counts = nullableColumns(table).map(
    (name, i) => `, (count(*) - count(${ident(name)}))::float8 AS c${i}`,
  );
  const hasStates = 'state' in table.columns;
  return {
    select: `${hasStates ? 'state' : 'NULL AS state'}, count(*)::float8 AS n${counts.join('')}`,
    groups: hasStates ? ['state'] : [],
  };
}

/** Sums counted rows to facts; states in row order. */
export function sumFacts(table: Table, rows: readonly FactRow[]): TableFacts {
  const names = nullableColumns(table);
  const facts: TableFacts = { states: {}, nulls: Object.fromEntries(names.map((name) => [name, 0])) };
  for (const row of rows) {
    if (row.state !== null) facts.states[row.state] = (facts.states[row.state] ?? 0) + row.n;
    for (const [i, name] of names.entries()) facts.nulls[name]! += row[`c${i}`]!;
  }
  return facts;
}
