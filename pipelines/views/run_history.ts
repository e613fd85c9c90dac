import type pg from 'pg';
import type { TimelineSpan } from '../report/timeline.ts';
import { type RunLine, runLines } from './status.ts';

/** Metrics of a completed run. */
export interface RunFigures {
  run_id: number;
  state: string;
  seconds: number;
  peak_memory_mb: number;
  /** Null: a run from before this was recorded. */
  database_mb: number | null;
  /** Rows that the stages wrote, and rows of all served tables afterwards; 0 if it published nothing. */
  rows_written: number;
  rows_served: number;
  rejects: number;
}

const FIGURES = `SELECT run_id, state, (report->>'seconds')::float8 AS seconds, (report->>'peak_memory_mb')::float8 AS peak_memory_mb,
    (report->>'database_mb')::float8 AS database_mb,
    (SELECT COALESCE(sum((s->>'rows_written')::float8), 0) FROM jsonb_array_elements(report->'stages') s) AS rows_written,
    CASE WHEN state = 'published' THEN (SELECT COALESCE(sum((t->>'rows')::float8), 0) FROM jsonb_array_elements(report->'tables') t) ELSE 0 END AS rows_served,
    (SELECT COALESCE(sum((r->>'rows')::float8), 0) FROM jsonb_array_elements(report->'rejects') r) AS rejects
  FROM control.run WHERE report ? 'seconds' AND command <> 'rollback' ORDER BY run_id DESC LIMIT $1`;

/** Returns the last runs with their metrics, newest first. */
export async function runHistory(client: pg.ClientBase, limit: number): Promise<RunFigures[]> {
  return (await client.query<RunFigures>(FIGURES, [limit])).rows;
}

/** A run in progress or interrupted, with its last reported progress. */
export interface RunProgress {
  line: RunLine;
  /** Seconds since it began, by the database's clock. */
  seconds: number;
  pieces: TimelineSpan[];
}

/** Returns the progress of a run; null: no such run. A completed run has no pieces here, because its report has them. */
export async function runProgress(client: pg.ClientBase, id: number): Promise<RunProgress | null> {
  const [line] = await runLines(client, 1, id);
  if (line === undefined) return null;
  const { rows } = await client.query<{ seconds: number; progress: TimelineSpan[] | null }>(
    `SELECT extract(epoch FROM COALESCE(finished_at, clock_timestamp()) - started_at)::float8 AS seconds, progress
     FROM control.run WHERE run_id = $1`,
    [id],
  );
  const { seconds, progress } = rows[0]!;
  return { line, seconds, pieces: progress ?? [] };
}
