import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { INTERRUPTED, type RunReport } from '../report/report.ts';
import { type RunLine, runLines } from './status.ts';

/** A run with its report; empty: interrupted or in progress. */
export interface StoredRun {
  line: RunLine;
  report: RunReport;
}

function complete(line: RunLine, report: Partial<RunReport> | null): RunReport {
  const state = line.state === 'interrupted' || line.state === 'running' ? 'failed' : line.state;
  return {
    run_id: line.run_id,
    command: line.command,
    state: state as RunReport['state'],
    publication: line.publication,
    datasets: [],
    stages: [],
    rejects: [],
    set_aside: [],
    audit: [],
    tables: [],
    notes: [],
    seconds: line.seconds ?? 0,
    peak_memory_mb: 0,
    error: line.state === 'interrupted' ? INTERRUPTED : null,
    ...report,
  };
}

/** Reads the report of a run; null: the last one. @throws EtlError config_invalid if the run does not exist */
export async function readRun(client: pg.ClientBase, id: number | null): Promise<StoredRun> {
  const [line] = await runLines(client, 1, id);
  if (!line) throw new EtlError('config_invalid', id === null ? 'No runs yet.' : `Run ${id} does not exist.`);
  const { rows } = await client.query<{ report: Partial<RunReport> | null }>(
    'SELECT report FROM control.run WHERE run_id = $1',
    [line.run_id],
  );
  return { line, report: complete(line, rows[0]!.report) };
}

/** Reads the report of the last completed refresh or backfill before a run; null: none. */
export async function readReportBefore(client: pg.ClientBase, runId: number): Promise<RunReport | null> {
  const { rows } = await client.query<{ run_id: number }>(
    `SELECT run_id FROM control.run WHERE run_id < $1 AND state NOT IN ('running', 'failed') AND command NOT IN ('rollback', 'publish')
     ORDER BY run_id DESC LIMIT 1`,
    [runId],
  );
  return rows[0] ? (await readRun(client, rows[0].run_id)).report : null;
}
