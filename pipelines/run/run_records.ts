import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { typed } from '../../schema/command_line.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { jsonText } from '../../store/json_text.ts';
import { dropUnfinished } from '../../store/loads/loads.ts';
import { takeRun } from '../../store/locks.ts';
import { endSilent, type WorkWriter } from '../../store/state/presence.ts';
import { operatorError } from '../../store/system/connection_error.ts';
import { maskText } from '../../store/system/mask_url.ts';
import { INTERRUPTED, type RunReport } from '../report/report.ts';
import { runProvenance } from '../report/run_provenance.ts';
import type { Timeline } from '../report/timeline.ts';

/** Time within which the server notices that a run's process was killed. */
const LOCK_PATIENCE_MS = 2500;

/** Waits briefly for the lock: the server releases it when it notices that a process is gone, or when a silent one is ended. */
async function waitForLock(client: pg.ClientBase, leaseS: number): Promise<void> {
  for (const until = performance.now() + LOCK_PATIENCE_MS; ; await sleep(100)) {
    const holder = await takeRun(client);
    if (holder === null) return;
    await endSilent(client, leaseS);
    if (performance.now() < until) continue;
    const message = `Another run is under way on this database: ${holder.text}. Wait for it; ${typed('status')} shows it.`;
    throw new EtlError('locked', message, { kind: 'transient' });
  }
}

/** Wait for batches of a dead run before checking whether their process is silent. */
const BATCH_PATIENCE = '2s';

/** Closes interrupted runs, after workers have committed or abandoned their batches. */
async function closeDeadRuns(client: pg.ClientBase, leaseS: number): Promise<void> {
  await client.query(`SET lock_timeout = '${BATCH_PATIENCE}'`);
  for (;;) {
    try {
      await client.query(
        `UPDATE control.run r SET finished_at = now(),
           state = CASE WHEN EXISTS (SELECT 1 FROM control.publication p WHERE p.run_id = r.run_id)
             THEN 'published' ELSE 'failed' END,
           report = COALESCE(report, '{}') || jsonb_build_object('error', jsonb_build_object('code', 'interrupted', 'message', $1::text))
         WHERE run_id IN (SELECT run_id FROM control.run WHERE state = 'running' FOR UPDATE)`,
        [INTERRUPTED.message],
      );
      break;
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error;
      await endSilent(client, leaseS);
    }
  }
  await client.query('SET lock_timeout = 0');
}

/** Takes the run lock and cleans up after an interrupted run. A process silent for `leaseS` seconds does not block. */
export async function takeRunLock(client: pg.ClientBase, leaseS: number): Promise<void> {
  // If the platform supports it, the server ends the statement of a vanished client, which releases the lock. Others reject the setting.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => undefined);
  await waitForLock(client, leaseS);
  await closeDeadRuns(client, leaseS);
  await dropUnfinished(client, RECORD_TABLES);
}

/** Records a run with its settings, which name the reasons of later runs even if it is killed, and returns its empty report. */
export async function startRun(client: pg.ClientBase, command: string, config: Config): Promise<RunReport> {
  const sql = `INSERT INTO control.run (command, state, report) VALUES ($1, 'running', jsonb_build_object('made_by', $2::jsonb)) RETURNING run_id`;
  const made_by = runProvenance(config);
  const { run_id } = (await client.query<{ run_id: number }>(sql, [command, jsonText(made_by)])).rows[0]!;
  const { rows } = await client.query<{ served: number | null }>(
    'SELECT max(publication_id) AS served FROM control.publication',
  );
  return {
    run_id,
    served: rows[0]!.served,
    made_by,
    command,
    state: 'failed',
    publication: null,
    datasets: [],
    stages: [],
    rejects: [],
    set_aside: [],
    audit: [],
    tables: [],
    notes: [],
    seconds: 0,
    peak_memory_mb: 0,
    error: null,
  };
}

/** Returns what a run's heartbeats do: write its progress if it changed. */
export function recordProgress(runId: number, timeline: Timeline): WorkWriter {
  const sql = `UPDATE control.run SET progress = $2 WHERE run_id = $1 AND state = 'running'`;
  let lastReported = -1;
  return async (client) => {
    const { changes } = timeline;
    if (changes === lastReported) return;
    await client.query(sql, [runId, jsonText(timeline.pieces)]);
    // Set only after the write: if a lock prevents it, the next heartbeat writes again.
    lastReported = changes;
  };
}

export function noteFailure(report: RunReport, cause: unknown): void {
  const error = operatorError(cause) ?? (cause as Error);
  const operatorFault = error instanceof EtlError ? error : null;
  report.state = 'failed';
  report.error = {
    code: operatorFault?.code ?? 'internal',
    message: maskText(error.message),
    kind: operatorFault?.kind ?? 'permanent',
    details: operatorFault ? operatorFault.details : { stack: error.stack },
  };
}

/** Writes the database size to the report, unless the query fails. */
export async function noteSize(client: pg.ClientBase, report: RunReport): Promise<void> {
  const sql = 'SELECT pg_database_size(current_database())::float8 / 1e6 AS mb';
  const result = await client.query<{ mb: number }>(sql).catch(() => null);
  if (result) report.database_mb = Math.round(result.rows[0]!.mb);
}

/** Records the end of a run. Without a connection or disk space, the record stays open until the next run closes it. */
export async function finishRun(client: pg.ClientBase, report: RunReport, started: number): Promise<void> {
  report.seconds = (performance.now() - started) / 1000;
  report.peak_memory_mb = Math.round(process.resourceUsage().maxRSS / 1024);
  const sql = `UPDATE control.run SET state = $2, finished_at = now(), report = $3, progress = NULL
    WHERE run_id = (SELECT run_id FROM control.run WHERE run_id = $1 FOR UPDATE)`;
  try {
    await client.query(sql, [report.run_id, report.state, jsonText(report)]);
  } catch (error) {
    const operatorFault = operatorError(error);
    if (report.error === null || operatorFault === null) throw operatorFault ?? error;
  }
}
