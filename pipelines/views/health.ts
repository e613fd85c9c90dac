import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { latestPublication } from '../../store/journal/journal.ts';
import { operatorError } from '../../store/system/connection_error.ts';

/** Whether what is served is fresh, and runs succeed. */
export interface Health {
  status: 'ok' | 'degraded' | 'stale' | 'failing' | 'empty' | 'unreachable';
  /** What is wrong, for people; empty where nothing is. */
  reasons: string[];
  publication: number | null;
  /** Hours since the last run that succeeded; null: there was none. */
  age_h: number | null;
  last_run: { run_id: number; state: string; error: string | null } | null;
  /** Datasets that could not be read, those that have waited longest first. */
  kept: KeptDataset[];
}

/** A dataset that could not be read, and is served as it was loaded last. */
interface KeptDataset {
  dataset: string;
  /** Number and end (UTC, ISO 8601) of the first run of those in a row that could not read it. */
  run_id: number;
  since: string;
}

/** Runs that are looked at for what became of a dataset last: one that is asked for some datasets says nothing of the others. */
const RECENT_RUNS = 20;

const SUCCEEDED = `state IN ('published', 'unchanged') AND finished_at IS NOT NULL`;

/** The datasets that were kept when a run last looked at them, each with the first run since which it is; reads the reports of that time alone. */
async function keptDatasets(client: pg.ClientBase): Promise<KeptDataset[]> {
  const { rows } = await client.query<KeptDataset>(
    `WITH recent AS (SELECT run_id, report FROM control.run WHERE ${SUCCEEDED} ORDER BY run_id DESC LIMIT ${RECENT_RUNS}),
     latest AS (
       SELECT DISTINCT ON (d->>'dataset') d->>'dataset' AS dataset, d->>'action' = 'kept' AS is_kept
       FROM recent, jsonb_array_elements(report->'datasets') d ORDER BY d->>'dataset', run_id DESC),
     kept AS (
       SELECT dataset, jsonb_build_array(jsonb_build_object('dataset', dataset)) AS named,
         jsonb_build_array(jsonb_build_object('dataset', dataset, 'action', 'kept')) AS unread FROM latest WHERE is_kept)
     SELECT dataset, f.run_id, to_char(f.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
     FROM kept,
       LATERAL (SELECT COALESCE((SELECT run_id FROM control.run WHERE ${SUCCEEDED} AND report->'datasets' @> named
         AND NOT report->'datasets' @> unread ORDER BY run_id DESC LIMIT 1), 0) AS run_id) whole,
       LATERAL (SELECT r.run_id, r.finished_at FROM control.run r WHERE ${SUCCEEDED} AND r.run_id > whole.run_id
         AND r.report->'datasets' @> unread ORDER BY r.run_id LIMIT 1) f
     ORDER BY since, dataset COLLATE "C"`,
  );
  return rows;
}

/** Looks at the books: a run that succeeded lately, read every dataset, and no failure since is health. `freshH`: hours that count as lately. */
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
  const kept = await keptDatasets(client);
  const reasons = [
    ...(publication === null ? ['Nothing is published.'] : []),
    ...(failing
      ? [`Run ${last_run.run_id} ${last_run.state}${last_run.error ? `: ${last_run.error}` : ''}.`]
      : []),
    ...(stale ? [`No run has succeeded for ${age_h.toFixed(1)} hours (limit ${freshH}).`] : []),
    ...kept.map(
      ({ dataset, run_id, since }) =>
        `Dataset ${dataset} could not be read since run ${run_id} (${since.slice(0, 16).replace('T', ' ')} UTC) and is still serving the previous load.`,
    ),
  ];
  const ill = publication === null ? 'empty' : failing ? 'failing' : stale ? 'stale' : null;
  const status = ill ?? (kept.length > 0 ? 'degraded' : 'ok');
  return { status, reasons, publication, age_h, last_run, kept };
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
      kept: [],
    });
    const timer = new AbortController();
    const late = sleep(ANSWER_MS, unreachable('The database does not answer.'), { signal: timer.signal });
    late.catch(() => undefined);
    const failed = (error: Error): Health =>
      unreachable(`The database cannot be asked: ${(operatorError(error) ?? error).message}`);
    return Promise.race([pending.catch(failed), late]).finally(() => timer.abort());
  };
}
