import { writeFile } from 'node:fs/promises';
import { noticeOfFailure } from '../../pipelines/notify/notice.ts';
import { sendNotice } from '../../pipelines/notify/webhook.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import type { BackfillSelection } from '../../pipelines/run/backfill.ts';
import { refresh } from '../../pipelines/run/refresh.ts';
import { diffCandidate } from '../../pipelines/views/candidate_diff.ts';
import { readReportBefore } from '../../pipelines/views/run_reports.ts';
import type { Config } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { connectionError, operatorError } from '../../store/system/connection_error.ts';
import { withDatabase } from '../database.ts';
import { EXIT, exitOf } from '../exit.ts';
import { listen } from '../listen.ts';
import { type ConfigFlags, type LoadedConfig, loadWithDatasets } from '../load_config.ts';
import { printLine, printStatus } from '../print.ts';
import { renderRefresh } from '../render_run.ts';
import { renderSummary } from '../render_summary.ts';
import { selectorFlags, tablesFlag } from '../tables_flag.ts';
import { withConfiguredClient } from './inspect.ts';

export interface RefreshFlags extends ConfigFlags {
  json?: boolean;
  verbose?: boolean;
  rehash?: boolean;
  hold?: boolean;
  summary?: string;
  retrain?: boolean;
  evidence?: string;
  tables?: string;
  only?: string;
  skip?: string;
}

const EXIT_OF: Record<RunReport['state'], number> = {
  published: EXIT.ok,
  unchanged: EXIT.ok,
  held: EXIT.ok,
  failed: EXIT.failed,
  refused: EXIT.refused,
};

export const exitOfReport = (report: RunReport): number => {
  if (report.error) return exitOf(report.error.code);
  const isKept = report.datasets.some(({ action }) => action === 'kept');
  return isKept && EXIT_OF[report.state] === EXIT.ok ? EXIT.kept : EXIT_OF[report.state];
};

/** Report of the previous run. Null: none, or the database cannot be read. */
async function reportBefore(url: string, runId: number): Promise<RunReport | null> {
  const pool = openPool(url, 1);
  try {
    const client = await pool.connect();
    return await readReportBefore(client, runId).finally(() => client.release());
  } catch {
    return null;
  } finally {
    await pool.end();
  }
}

/** Notifies the webhook of a refresh that could not start, except for usage errors and a run in progress. */
async function notifyNotStarted(config: Config, cause: unknown): Promise<void> {
  const error = connectionError(cause) ?? operatorError(cause);
  const code = error?.code ?? 'internal';
  if ([EXIT.usage, EXIT.locked].some((exit) => exit === exitOf(code))) return;
  const failure = await sendNotice(config, noticeOfFailure(code, (error ?? (cause as Error)).message));
  if (failure !== null) printStatus(`warning: ${failure}`);
}

/** Largest changes of each table to read for a summary. */
const LARGEST = 2;

/** Writes the summary of a run as Markdown, with the largest changes if it holds a candidate. */
async function writeSummary(config: Config, report: RunReport, file: string): Promise<void> {
  const isHeld = report.state === 'held' || report.state === 'refused';
  const changes = isHeld
    ? (await withConfiguredClient(config, (client) => diffCandidate(client, null, LARGEST))).changes
    : [];
  await writeFile(file, renderSummary(report, changes));
}

/** Refreshes with a loaded configuration and prints the report. Sets the exit code. */
export async function runRefresh(
  loaded: LoadedConfig,
  flags: RefreshFlags,
  command: string,
  backfill?: BackfillSelection,
): Promise<RunReport> {
  const isBrief = !flags.json && !flags.verbose;
  const { report, before } = await withDatabase(
    loaded.config,
    async (url) => {
      const listener = listen(loaded.config, flags);
      const report = await refresh({
        url,
        config: loaded.config,
        base: loaded.base,
        progress: listener.progress,
        command,
        rehash: flags.rehash ?? false,
        ...tablesFlag(flags),
        ...selectorFlags(flags),
        ...(flags.hold ? { hold: true } : {}),
        ...(flags.retrain ? { retrain: true } : {}),
        ...(flags.evidence === undefined ? {} : { evidence: flags.evidence }),
        ...(backfill ? { backfill } : {}),
        onEvent: listener.onEvent,
        // The queue's packages load slowly, and most refreshes need none.
        openExecutor: async (here) =>
          (await import('../../jobs/task_executor.ts')).openTaskExecutor(url, loaded.config, here),
      }).finally(listener.close);
      return { report, before: isBrief ? await reportBefore(url, report.run_id) : null };
    },
    loaded.config.queue.lease_s,
  ).catch(async (cause) => {
    await notifyNotStarted(loaded.config, cause);
    throw cause;
  });
  if (flags.summary !== undefined) await writeSummary(loaded.config, report, flags.summary);
  printLine(flags.json ? JSON.stringify(report) : renderRefresh(!isBrief, before)(report));
  process.exitCode = exitOfReport(report);
  return report;
}

export async function refreshCommand(flags: RefreshFlags): Promise<void> {
  await runRefresh(await loadWithDatasets(flags), flags, 'refresh');
}
