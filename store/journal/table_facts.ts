import { createHash } from 'node:crypto';
import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { partitionColumn, shapeOfColumns, type Table } from '../../schema/table.ts';
import { rowHashSql } from '../tables/table_rows.ts';
import {
  type FactRow,
  factColumns,
  nullableColumns,
  type Quartiles,
  sumFacts,
  type TableFacts,
} from './counted_facts.ts';
import { type Delta, deltaOf } from './differences.ts';

/** Minimum share of a table's rows in which a column must change before its median is recomputed. */
const MEDIAN_SHARE = 0.01;

/** Hashes names, types and nulls of a table's columns, and how its rows are digested: digests of different shapes cannot be compared. */
export const columnShape = (table: Table): string =>
  createHash('sha256')
    .update(JSON.stringify([shapeOfColumns(table.columns), rowHashSql(Object.keys(table.columns))]))
    .digest('hex')
    .slice(0, 24);

/** Returns the numeric columns of a table that measure something, without keys and the grid cell. */
export const numericColumns = (table: Table): string[] =>
  Object.entries(table.columns)
    .filter(
      ([name, { type }]) => ['int2', 'int4', 'float8'].includes(type) && name !== partitionColumn(table),
    )
    .map(([name]) => name)
    .filter((name) => !table.primaryKey.includes(name));

export async function lastFacts(client: pg.ClientBase): Promise<ReadonlyMap<string, TableFacts>> {
  const { rows } = await client.query<{ table: string; facts: TableFacts }>(
    `SELECT t->>'table' AS table, t->'facts' AS facts FROM control.publication p, jsonb_array_elements(p.tables) t
     WHERE publication_id = (SELECT max(publication_id) FROM control.publication WHERE tables <> '[]')
       AND jsonb_typeof(t->'facts') = 'object'`,
  );
  return new Map(rows.map((row) => [row.table, row.facts]));
}

/** Counts the facts of a whole table, in one pass. */
async function countFacts(client: pg.ClientBase, table: Table): Promise<TableFacts> {
  const { select, groups } = factColumns(table);
  if (groups.length === 0 && nullableColumns(table).length === 0) return sumFacts(table, []);
  const by = groups.length > 0 ? `GROUP BY ${groups} ORDER BY ${groups}` : '';
  const { rows } = await client.query<FactRow>(`SELECT ${select} FROM ${qualified(table)} ${by}`);
  return sumFacts(table, rows);
}

/** Returns SQL for the differences of a table with JSON unpacked once per row, however many values are read. */
const unpacked = (table: Table): string =>
  `(SELECT before || '{}' AS before, after || '{}' AS after FROM ${deltaOf(table)} OFFSET 0) d`;

/** Computes the net change in rows of each state, from the differences. */
async function stateChanges(client: pg.ClientBase, table: Table): Promise<[string, number][]> {
  const side = (name: string, sign: string): string =>
    `SELECT ${name} ->> 'state' AS state, ${sign}count(*) AS n FROM ${deltaOf(table)} WHERE ${name} IS NOT NULL GROUP BY 1`;
  const { rows } = await client.query<{ state: string; n: number }>(
    `SELECT state, sum(n)::float8 AS n FROM (${side('after', '')} UNION ALL ${side('before', '-')}) t
     WHERE state IS NOT NULL GROUP BY state ORDER BY state`,
  );
  return rows.map(({ state, n }) => [state, n]);
}

/** Computes the net change in nulls of each nullable column, from the differences. */
async function nullChanges(client: pg.ClientBase, table: Table): Promise<Record<string, number>> {
  const names = nullableColumns(table);
  if (names.length === 0) return {};
  const sums = names.map((name, i) => {
    const isNull = (side: string): string =>
      `count(*) FILTER (WHERE ${side} ->> '${name}' IS NULL AND ${side} IS NOT NULL)`;
    return `(${isNull('after')} - ${isNull('before')})::float8 AS c${i}`;
  });
  const { rows } = await client.query<Record<string, number>>(
    `SELECT ${sums.join(', ')} FROM ${unpacked(table)}`,
  );
  return Object.fromEntries(names.map((name, i) => [name, rows[0]![`c${i}`]!]));
}

/** Returns the facts of a table after its differences are applied: from the earlier facts and the differences, or counted again. */
export async function factsAfter(
  client: pg.ClientBase,
  table: Table,
  delta: Delta,
  before: TableFacts | undefined,
): Promise<TableFacts> {
  const hasNullCounts = before && nullableColumns(table).every((name) => name in before.nulls);
  if (!hasNullCounts || !delta.isListed) return countFacts(client, table);
  const states = { ...before.states };
  if ('state' in table.columns) {
    for (const [state, n] of await stateChanges(client, table)) {
      states[state] = (states[state] ?? 0) + n;
      if (states[state] === 0) delete states[state];
    }
  }
  const nulls: Record<string, number> = {};
  for (const [name, n] of Object.entries(await nullChanges(client, table)))
    nulls[name] = before.nulls[name]! + n;
  return { states, nulls };
}

/** Counts rows with a changed value, for each numeric column; empty: the differences are not listed. */
export async function valueChanges(
  client: pg.ClientBase,
  table: Table,
  delta: Delta,
): Promise<Record<string, number>> {
  const names = numericColumns(table);
  if (names.length === 0 || !delta.isListed) return {};
  const counts = names.map(
    (name, i) =>
      `count(*) FILTER (WHERE before ->> '${name}' IS DISTINCT FROM after ->> '${name}')::float8 AS c${i}`,
  );
  const { rows } = await client.query<Record<string, number>>(
    `SELECT ${counts.join(', ')} FROM ${unpacked(table)}`,
  );
  return Object.fromEntries(names.map((name, i) => [name, rows[0]![`c${i}`]!]));
}

/** Returns the columns with enough changed values that the median may have moved. */
export const movedColumns = (changes: Readonly<Record<string, number>>, { rows_before }: Delta): string[] =>
  Object.keys(changes).filter((name) => changes[name]! > rows_before * MEDIAN_SHARE);

/** Returns the quartiles after a publication: recomputed ones of moved columns, and earlier ones of unchanged columns. */
export const quartilesAfter = (
  changes: Readonly<Record<string, number>>,
  before: TableFacts | undefined,
  moved: Readonly<Record<string, Quartiles>>,
): Record<string, Quartiles> => {
  const unchangedQuartiles = Object.entries(before?.quartiles ?? {}).filter(([name]) => changes[name] === 0);
  return { ...Object.fromEntries(unchangedQuartiles), ...moved };
};

/** Computes current quartiles of columns of a serving table. */
export async function quartiles(
  client: pg.ClientBase,
  table: Table,
  names: readonly string[],
): Promise<Record<string, Quartiles>> {
  if (names.length === 0) return {};
  const parts = names.map(
    (name, i) =>
      `percentile_disc(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY ${ident(name)}::float8) AS c${i}, count(${ident(name)})::float8 AS n${i}`,
  );
  type Parts = Record<`c${number}`, (number | null)[] | null> & Record<`n${number}`, number>;
  const { rows } = await client.query<Parts>(`SELECT ${parts.join(', ')} FROM ${qualified(table)}`);
  return Object.fromEntries(
    names.map((name, i) => {
      const [low, median, high] = rows[0]![`c${i}`] ?? [];
      const values = rows[0]![`n${i}`]!;
      return [name, { low: low ?? null, median: median ?? null, high: high ?? null, values }];
    }),
  );
}
