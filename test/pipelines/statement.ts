import type { Stage } from '../../pipelines/engine/stage.ts';
import { columnSql, ident } from '../../schema/ddl.ts';
import type { TestDatabase } from '../database.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * The rows that a stage which is a statement gives for these rows of its inputs, in no order, dates as text; what a row does not name is null. An input
 * that is not named has no rows.
 */
export async function statementRows(
  database: TestDatabase,
  { compute, inputs }: Stage,
  given: Readonly<Record<string, readonly Given[]>>,
): Promise<Record<string, unknown>[]> {
  if (typeof compute === 'function') throw new TypeError('The stage is no statement.');
  const names = Object.entries(inputs).map(([name, { table, columns }], i) => {
    const typed = columns.map((column) => `${ident(column)} ${columnSql(table.columns[column]!).sql}`);
    return `${ident(name)} AS (SELECT * FROM jsonb_to_recordset($${i + 1}) given (${typed.join(', ')}))`;
  });
  const rows = await database.query<{ made: Record<string, unknown> }>(
    `WITH ${names.join(', ')} SELECT to_jsonb(made) AS made FROM (${compute.sql}) made`,
    Object.keys(inputs).map((name) => JSON.stringify(given[name] ?? [])),
  );
  return rows.map(({ made }) => made);
}
