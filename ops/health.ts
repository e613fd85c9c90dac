import type pg from 'pg';
import { latestPublication } from '../store/journal.ts';

/** Whether what is served is fresh, and runs succeed. */
export interface Health {
  status: 'ok' | 'stale' | 'failing' | 'empty';
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
     WHERE state <> 'running' ORDER BY run_id DESC LIMIT 1`,
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
