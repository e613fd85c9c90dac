import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { latestPublication } from '../../store/journal/journal.ts';
import { operatorError } from '../../store/system/connection_error.ts';

/** Whether served data is fresh and runs succeed. */
export interface Health {
  status: 'ok' | 'degraded' | 'stale' | 'failing' | 'empty' | 'unreachable';
  /** Problems in words; empty: none. */
  reasons: string[];
  publication: number | null;
  /** Hours since the last successful run; null: none. */
  age_h: number | null;
  last_run: { run_id: number; state: string; error: string | null } | null;
  /** Datasets that could not be read, the longest waiting first. */
  kept: KeptDataset[];
}

/** A dataset that could not be read and is served as last loaded. */
interface KeptDataset {
  dataset: string;
  /** Id and end (UTC, ISO 8601) of the first of the consecutive runs that could not read it. */
  run_id: number;
  since: string;
}

/** Runs searched for the last outcome of each dataset, because runs limited to some datasets do not report the others. */
const RECENT_RUNS = 20;

const SUCCEEDED = `state IN ('published', 'unchanged') AND finished_at IS NOT NULL`;

/** Finds datasets that were kept when a run last tried to read them, with the first such run. Reads only the reports since then. */
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

/**
 * Computes health from the control tables. Healthy: a recent run succeeded and read every dataset, and none failed since. `freshH`: maximum
 * age of a recent run, hours.
 */
export async function health(client: pg.ClientBase, freshH: number): Promise<Health> {
  const publication = (await latestPublication(client))?.publication_id ?? null;
  // Uses only the database's clock, so a wrong clock on this machine does not matter.
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
  const keptIds = await keptDatasets(client);
  const reasons = [
    ...(publication === null ? ['Nothing is published.'] : []),
    ...(failing
      ? [`Run ${last_run.run_id} ${last_run.state}${last_run.error ? `: ${last_run.error}` : ''}.`]
      : []),
    ...(stale ? [`No run has succeeded for ${age_h.toFixed(1)} hours (limit ${freshH}).`] : []),
    ...keptIds.map(
      ({ dataset, run_id, since }) =>
        `Dataset ${dataset} could not be read since run ${run_id} (${since.slice(0, 16).replace('T', ' ')} UTC) and is still serving the previous load.`,
    ),
  ];
  const ill = publication === null ? 'empty' : failing ? 'failing' : stale ? 'stale' : null;
  const status = ill ?? (keptIds.length > 0 ? 'degraded' : 'ok');
  return { status, reasons, publication, age_h, last_run, kept: keptIds };
}

/** Milliseconds after which the database counts as unreachable. */
const ANSWER_MS = 1500;

/**
 * Returns a function that reports health within two seconds, whatever the database does. While one query hangs, later calls wait for the
 * same one, so that probes do not pile up.
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
    const timeout = sleep(ANSWER_MS, unreachable('The database does not answer.'), { signal: timer.signal });
    timeout.catch(() => undefined);
    const failed = (error: Error): Health =>
      unreachable(`The database cannot be asked: ${(operatorError(error) ?? error).message}`);
    return Promise.race([pending.catch(failed), timeout]).finally(() => timer.abort());
  };
}
