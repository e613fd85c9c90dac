import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';

/** A column of an answer: its name, and its type as the catalogue shows it. */
export interface Shown {
  name: string;
  type: string;
}

/** Rows for a page: short values, long ones cut and as text. */
export interface BoundedRows {
  columns: readonly Shown[];
  rows: Record<string, unknown>[];
}

/** Characters of a text that are read, and bytes of the shapes of an answer. */
const TEXT = 400;
const SHAPES = 8_000_000;

/** Types whose values are short, and come as they are. */
const SHORT: ReadonlySet<string> = new Set([
  'smallint',
  'integer',
  'bigint',
  'real',
  'double precision',
  'boolean',
  'date',
]);

/** Bytes come while they and those of the rows before fit; what is beyond is null. */
function bounded({ name, type }: Shown): string {
  const column = ident(name);
  if (SHORT.has(type)) return column;
  if (type !== 'bytea') return `left(${column}::text, ${TEXT}) AS ${column}`;
  return `CASE WHEN sum(octet_length(${column})) OVER (ROWS UNBOUNDED PRECEDING) <= ${SHAPES} THEN ${column} END AS ${column}`;
}

/** Select list with which the answer to a query of these columns stays small, however long their values are. */
export const boundedColumns = (columns: readonly Shown[]): string => columns.map(bounded).join(', ');

/** Whether the server refused a statement; otherwise the connection or the server failed. */
export const isRefusal = (error: unknown): error is pg.DatabaseError =>
  (error as { severity?: string } | undefined)?.severity === 'ERROR';
