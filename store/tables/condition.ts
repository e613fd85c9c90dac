import pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Row, Table } from '../../schema/table.ts';

/** Test of a column: a value, one of several, null, or a negation. As in SQL, comparisons with a value exclude nulls. */
type Test<V> =
  | NonNullable<V>
  | readonly NonNullable<V>[]
  | null
  | { readonly not: NonNullable<V> | readonly NonNullable<V>[] | null };

type Tests<R> = { readonly [K in keyof R]?: Test<R[K]> };

/** A condition on the rows of a table: all tests of a list hold, or all tests of one of several lists. It uses no other table. */
export type Condition<T extends Table = Table> = Tests<Row<T>> | readonly Tests<Row<T>>[];

/** Returns a value of a condition as an SQL literal: COPY takes no parameters. */
function literal(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw new TypeError(`${String(value)} is no value of a condition`);
}

function testSql(column: string, test: unknown): string {
  if (test === null) return `${column} IS NULL`;
  if (Array.isArray(test)) return `${column} IN (${test.map(literal).join(', ')})`;
  if (typeof test !== 'object') return `${column} = ${literal(test)}`;
  const { not } = test as { not: unknown };
  return not === null ? `${column} IS NOT NULL` : `NOT (${testSql(column, not)})`;
}

const testsSql = (tests: object): string =>
  Object.entries(tests)
    .map(([name, test]) => testSql(ident(name), test))
    .join(' AND ');

/** Returns the condition as SQL. @throws TypeError for a value that is neither text, number nor boolean */
export function conditionSql(condition: Condition): string {
  if (!Array.isArray(condition)) return testsSql(condition);
  return condition.map((tests) => `(${testsSql(tests)})`).join(' OR ');
}
