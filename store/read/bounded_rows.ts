import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';

/** A column of a result: its name, and its type in the catalogue. */
export interface Shown {
  name: string;
  type: string;
}

/** Rows for a page: short values unchanged, long ones cut and as text. */
export interface BoundedRows {
  columns: readonly Shown[];
  rows: Record<string, unknown>[];
}

/** Maximum characters of a text, and maximum bytes of all shapes in a result. */
const TEXT = 400;
const SHAPES = 8_000_000;

/** Types with short values, which are returned unchanged. */
const SHORT: ReadonlySet<string> = new Set([
  'smallint',
  'integer',
  'bigint',
  'real',
  'double precision',
  'boolean',
  'date',
]);

/** Returns the select item of a column. Binary values are returned until their running total exceeds the limit, then null. */
function bounded({ name, type }: Shown): string {
  const column = ident(name);
  if (SHORT.has(type)) return column;
  if (type !== 'bytea') return `left(${column}::text, ${TEXT}) AS ${column}`;
  return `CASE WHEN sum(octet_length(${column})) OVER (ROWS UNBOUNDED PRECEDING) <= ${SHAPES} THEN ${column} END AS ${column}`;
}

/** Returns a select list that keeps the result small, however long the values of these columns are. */
export const boundedColumns = (columns: readonly Shown[]): string => columns.map(bounded).join(', ');

/** Returns whether the server refused a statement; otherwise the connection or the server failed. */
export const isRefusal = (error: unknown): error is pg.DatabaseError =>
  (error as { severity?: string } | undefined)?.severity === 'ERROR';
