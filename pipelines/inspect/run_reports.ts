import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import type { RunReport } from '../report/report.ts';
import { type RunLine, runLines } from './status.ts';

/** A run with its report; one that ended without a word, or is under way, has an empty one. */
export interface StoredRun {
  line: RunLine;
  report: RunReport;
}

function complete(line: RunLine, report: Partial<RunReport> | null): RunReport {
  const state = ['published', 'unchanged', 'refused'].includes(line.state) ? line.state : 'failed';
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
    error: null,
    ...report,
  };
}

/** The report of a run; null: the last one. @throws EtlError config_invalid where there is no such run */
export async function readRun(client: pg.ClientBase, id: number | null): Promise<StoredRun> {
  const [line] = await runLines(client, 1, id);
  if (!line)
    throw new EtlError('config_invalid', id === null ? 'There are no runs.' : `There is no run ${id}.`);
  const { rows } = await client.query<{ report: Partial<RunReport> | null }>(
    'SELECT report FROM control.run WHERE run_id = $1',
    [line.run_id],
  );
  return { line, report: complete(line, rows[0]!.report) };
}
