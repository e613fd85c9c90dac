import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { operatorError } from '../store/connection_error.ts';
import { latestPublication } from '../store/journal.ts';

/** Whether what is served is fresh, and runs succeed. */
export interface Health {
  status: 'ok' | 'stale' | 'failing' | 'empty' | 'unreachable';
  /** What is wrong, for people; empty where nothing is. */
  reasons: string[];
  publication: number | null;
  /** Hours since the last run that succeeded; null: there was none. */
  age_h: number | null;
  last_run: { run_id: number; state: string; error: string | null } | null;
}

/** Looks at the books: a run that succeeded lately and no failure since is health. `freshH`: hours that count as lately. */
export async function health(client: pg.ClientBase, freshH: number): Promise<Health> {
  const publication = (await latestPublication(client))?.publication_id ?? null;
  // The clock of the database alone counts, so that one that is set back here changes nothing.
  const { rows } = await client.query<{ age_h: number | null }>(
    `SELECT (extract(epoch FROM now() - max(finished_at)) / 3600)::float8 AS age_h FROM control.run
     WHERE state IN ('published', 'unchanged')`,
  );
  const last = await client.query<{ run_id: number; state: string; error: string | null }>(
    `SELECT run_id, state, report->'error'->>'code' AS error FROM control.run
     WHERE state <> 'running' AND COALESCE(report->'error'->>'code', '') !~ '^(config_|unknown_adapter$|licence_not_accepted$|bad_option$)'
     ORDER BY run_id DESC LIMIT 1`,
  );
  const age_h = rows[0]!.age_h;
  const last_run = last.rows[0] ?? null;
  const failing = last_run !== null && ['failed', 'refused'].includes(last_run.state);
  const stale = age_h !== null && age_h > freshH;
  const reasons = [
    ...(publication === null ? ['Nothing is published.'] : []),
    ...(failing
      ? [`Run ${last_run.run_id} ${last_run.state}${last_run.error ? `: ${last_run.error}` : ''}.`]
      : []),
    ...(stale ? [`No run has succeeded for ${age_h.toFixed(1)} hours (limit ${freshH}).`] : []),
  ];
  const status = publication === null ? 'empty' : failing ? 'failing' : stale ? 'stale' : 'ok';
  return { status, reasons, publication, age_h, last_run };
}

/** How long a look at the books may take before the database counts as out of reach. */
const ANSWER_MS = 1500;

/**
 * The health by a look at the books, in two seconds whatever the database does. While one look hangs the next waits for the same, so that
 * probes pile nothing up.
 */
export function boundedHealth(look: () => Promise<Health>): () => Promise<Health> {
  let pending: Promise<Health> | null = null;
  return async () => {
    pending ??= look().finally(() => {
      pending = null;
    });
    const unreachable = (reason: string): Health => ({
      status: 'unreachable',
      reasons: [reason],
      publication: null,
      age_h: null,
      last_run: null,
    });
    const timer = new AbortController();
    const late = sleep(ANSWER_MS, unreachable('The database does not answer.'), { signal: timer.signal });
    late.catch(() => undefined);
    const failed = (error: Error): Health =>
      unreachable(`The database cannot be asked: ${(operatorError(error) ?? error).message}`);
    return Promise.race([pending.catch(failed), late]).finally(() => timer.abort());
  };
}
