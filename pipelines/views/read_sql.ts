import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import { EtlError } from '../../schema/errors.ts';
import { type BoundedRows, boundedColumns, isRefusal } from '../../store/read/bounded_rows.ts';
import { createQueryView, runForeignQuery } from '../engine/foreign_query.ts';

/** Limits of a reader's query. */
export const SQL_LIMITS = { seconds: 10, rows: 1000, columns: 100, characters: 8000 } as const;

/** Settings that limit memory of a sort or hash, and temporary files if this user may set that limit. */
const SETTINGS = `SET LOCAL search_path = serving; SET LOCAL work_mem = '16MB'; SET LOCAL hash_mem_multiplier = 1;
  SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL lock_timeout = '2s'`;
const TEMP_FILES = `SET LOCAL temp_file_limit = '512MB'`;
const VIEW = ident('console_query');
/** Length of the text before a query, because the server counts error positions from there. */
const BEFORE = `CREATE TEMP VIEW ${VIEW} AS `.length;

export interface SqlRows extends BoundedRows {
  /** Whether there are more rows than `SQL_LIMITS.rows`. */
  isMore: boolean;
}

/** Why a query failed: the server's message and hint, and the position in the text, counted from 1. */
export interface SqlRefusal {
  message: string;
  hint: string | null;
  at: number | null;
}

const refusal = (message: string, hint: string | null = null, at: number | null = null): SqlRefusal => ({
  message,
  hint,
  at,
});

/** Returns what a failure shows about the query. @throws the failure if it has another cause */
function refusalOf(failure: unknown): SqlRefusal {
  const error = failure instanceof Error && isRefusal(failure.cause) ? failure.cause : failure;
  if (failure instanceof EtlError && failure.cause === undefined)
    return refusal(failure.message.replace(/^query: /, ''));
  if (!isRefusal(error)) throw failure;
  if (error.code === '57014')
    return refusal(`The query took longer than ${SQL_LIMITS.seconds} s and was stopped.`);
  const at = error.position === undefined ? null : Number(error.position) - BEFORE;
  return refusal(error.message, error.hint ?? null, at !== null && at >= 1 ? at : null);
}

async function answer(client: pg.ClientBase, role: string, sql: string): Promise<SqlRows | SqlRefusal> {
  const foreignQuery = { file: 'query', role, timeout_s: SQL_LIMITS.seconds };
  const { columns, foreign } = await createQueryView(client, foreignQuery, VIEW, sql);
  if (foreign !== null)
    return refusal(
      `${foreign.join(', ')} cannot be called here: only PostgreSQL's built-in functions are allowed.`,
    );
  if (columns.length > SQL_LIMITS.columns)
    return refusal(`The query returns ${columns.length} columns; the limit is ${SQL_LIMITS.columns}.`);
  await client.query('SET TRANSACTION READ ONLY');
  const list = columns.length === 0 ? '' : boundedColumns(columns);
  const rows = await runForeignQuery<Record<string, unknown>>(
    client,
    foreignQuery,
    `SELECT ${list} FROM (SELECT * FROM pg_temp.${VIEW} LIMIT ${SQL_LIMITS.rows + 1}) found`,
  );
  return { columns, rows: rows.slice(0, SQL_LIMITS.rows), isMore: rows.length > SQL_LIMITS.rows };
}

/**
 * Runs one query as the readers' role, which can only read the schema serving, in a read-only transaction. The text becomes a view, which
 * can contain only one query and whose parse tree shows its function calls. The caller must end the session afterwards and not reuse it.
 */
export async function readSql(
  client: pg.ClientBase,
  role: string,
  sql: string,
): Promise<SqlRows | SqlRefusal> {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SAVEPOINT limits`);
  await client.query(TEMP_FILES).catch(() => client.query('ROLLBACK TO SAVEPOINT limits'));
  await client.query(SETTINGS);
  return answer(client, role, sql).catch(refusalOf);
}
