import { ident } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';

/** Quartiles of a numeric column, nulls left out; null: it has no values. */
export interface Quartiles {
  low: number | null;
  median: number | null;
  high: number | null;
  /** How many there are. */
  values: number;
}

/** Facts of a serving table kept with a publication, so that the next one need not count all rows again. */
export interface TableFacts {
  /** Rows by state; empty where the table has no states. */
  states: Record<string, number>;
  /** Nulls of each nullable column. */
  nulls: Record<string, number>;
  /** Quartiles of the columns of which they were taken, by this publication or an earlier one since which no value changed; absent: of none. */
  quartiles?: Record<string, Quartiles>;
}

/** Names of the columns of a table that may be null. */
export const nullableColumns = (table: Table): string[] =>
  Object.entries(table.columns)
    .filter(([, column]) => column.nullable)
    .map(([name]) => name);

/** Rows of one state, or part of them: their number, and the nulls in each nullable column. */
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

/** The facts from counted rows; states in row order. */
export function sumFacts(table: Table, rows: readonly FactRow[]): TableFacts {
  const names = nullableColumns(table);
  const facts: TableFacts = { states: {}, nulls: Object.fromEntries(names.map((name) => [name, 0])) };
  for (const row of rows) {
    if (row.state !== null) facts.states[row.state] = (facts.states[row.state] ?? 0) + row.n;
    for (const [i, name] of names.entries()) facts.nulls[name]! += row[`c${i}`]!;
  }
  return facts;
}
