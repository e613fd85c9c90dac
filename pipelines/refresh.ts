import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ASSET_TABLES } from '../schema/assets.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { RECORD_TABLES } from '../schema/records/index.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import { readStageAccount } from '../store/books.ts';
import { freeConnections, LOCK_KEY, openPool, setUpDatabase } from '../store/database.ts';
import { jsonText } from '../store/json_text.ts';
import { dropUnfinished } from '../store/loads.ts';
import { lostConnection } from './connection_error.ts';
import { batches, planStage } from './engine/plan.ts';
import type { BatchSummary } from './engine/run_batch.ts';
import type { Stage } from './engine/stage.ts';
import { Books } from './engine/view.ts';
import { Workers } from './engine/workers.ts';
import { graph } from './graph.ts';
import { ingest, planDatasets } from './ingest.ts';
import type { Progress } from './progress.ts';
import { type Acceptance, publish } from './publish.ts';
import type { RunReport, StageReport } from './report.ts';

export interface RefreshOptions {
  url: string;
  config: Config;
  /** Folder that relative dataset paths start from. */
  base: string;
  progress: Progress;
  /** Name of the command, for the books. */
  command: string;
  /** Hash every file again, even where size, time and inode are as remembered. */
  rehash?: boolean;
  accepted?: Acceptance;
}

/** Creates the tables that are missing; with `upgrade` also replaces those whose declaration has changed. */
export async function setUp(client: pg.ClientBase, config: Config, upgrade = false): Promise<void> {
  const stageOf = new Map(graph(config).map((stage) => [stage.output.name, stage.name]));
  const declared = { records: RECORD_TABLES, assets: ASSET_TABLES, serving: SERVING_TABLES, stageOf };
  await setUpDatabase(client, declared, config.database.api_role, upgrade);
}

/** How long the session of a run that was killed may take to notice. */
const LOCK_PATIENCE_MS = 2500;

/** Waits a moment for the lock: the server lets go of it once it notices that a process is gone. */
async function waitForLock(client: pg.ClientBase): Promise<void> {
  for (const until = performance.now() + LOCK_PATIENCE_MS; ; await sleep(100)) {
    const sql = 'SELECT pg_try_advisory_lock($1, 0) AS got';
    const got = (await client.query<{ got: boolean }>(sql, [LOCK_KEY])).rows[0]!.got;
    if (got) return;
    if (performance.now() < until) continue;
    const message = 'Another run is under way on this database. Wait for it; pipeline status shows it.';
    throw new EtlError('locked', message, { kind: 'transient' });
  }
}

/** Takes the lock that one run holds at a time, and clears up after a run that ended without a word. */
async function takeLock(client: pg.ClientBase): Promise<void> {
  // Where the platform can tell, the server ends a statement whose client is gone, and with it the lock. Others refuse.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => undefined);
  await waitForLock(client);
  await client.query(
    `UPDATE control.run r SET finished_at = now(),
       state = CASE WHEN EXISTS (SELECT 1 FROM control.publication p WHERE p.run_id = r.run_id)
         THEN 'published' ELSE 'failed' END,
       report = jsonb_build_object('error', jsonb_build_object('code', 'interrupted', 'message', 'The run ended without a word.'))
     WHERE state = 'running'`,
  );
  await dropUnfinished(client, RECORD_TABLES);
}

async function startRun(client: pg.ClientBase, command: string): Promise<number> {
  const sql = `INSERT INTO control.run (command, state) VALUES ($1, 'running') RETURNING run_id`;
  return (await client.query<{ run_id: number }>(sql, [command])).rows[0]!.run_id;
}

/** Plans and computes one stage; partitions of a batch share their reads and one transaction. */
async function runStage(
  client: pg.ClientBase,
  stage: Stage,
  books: Books,
  workers: Workers,
  config: Config,
  runId: number,
  progress: Progress,
): Promise<StageReport> {
  const started = performance.now();
  const plan = planStage(stage, stage.params(config), books);
  let written = 0;
  if (plan.partitions.length > 0) {
    const bar = progress.start(`stage ${stage.name}`, plan.partitions.length);
    await Promise.all(
      batches(plan.partitions, config.batch_rows).map(async (partitions) => {
        const done = await workers.run<BatchSummary>({ kind: 'batch', stage: stage.name, partitions, runId });
        written += done.rows;
        bar.done(done.partitions);
        bar.rows(done.rows);
      }),
    );
    bar.end();
    await books.reload(client, stage.name);
  }
  const reasons: Record<string, number> = {};
  for (const { reason } of plan.partitions) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const { rows, ...account } = await readStageAccount(client, stage.name);
  const removed = plan.partitions.filter((partition) => partition.action === 'remove').length;
  return {
    stage: stage.name,
    partitions_run: plan.partitions.length - removed,
    partitions_removed: removed,
    partitions_unchanged: plan.unchanged,
    reasons,
    account,
    rows,
    rows_written: written,
    seconds: (performance.now() - started) / 1000,
  };
}

/** Rejects of the active loads and of the stages, by code and source, with one example each. */
async function readRejects(client: pg.ClientBase): Promise<RunReport['rejects']> {
  const { rows } = await client.query(
    `SELECT r.code, COALESCE(l.dataset, r.stage) AS source, count(*)::int AS rows,
       min(r.file || ':' || r.at || ' ' || r.message) AS example
     FROM control.reject r LEFT JOIN control.load l USING (load_id)
     WHERE r.load_id IS NULL OR l.state = 'active' GROUP BY 1, 2 ORDER BY 2, 1`,
  );
  return rows;
}

async function finishRun(client: pg.ClientBase, report: RunReport): Promise<void> {
  await client.query(
    'UPDATE control.run SET state = $2, finished_at = now(), report = $3 WHERE run_id = $1',
    [report.run_id, report.state, jsonText(report)],
  );
}

/** Threads of a run: each needs a connection, and half of those that the server has left are for reading parts. */
async function threadsFor(client: pg.ClientBase, config: Config): Promise<number> {
  const wanted = config.workers > 0 ? config.workers : availableParallelism();
  return Math.max(1, Math.min(wanted, Math.floor((await freeConnections(client)) / 2)));
}

/** The part of a run between taking the lock and finishing the books; fills the report as it goes. */
async function perform(client: pg.ClientBase, options: RefreshOptions, report: RunReport): Promise<void> {
  const { config, progress } = options;
  const stages = graph(config);
  const plans = await planDatasets(client, config, options.base, options.rehash ?? false);
  const workers = new Workers(await threadsFor(client, config), { url: options.url, config });
  try {
    report.datasets = await ingest(client, plans, workers, report.run_id, progress);
    const books = await Books.read(client, stages);
    for (const stage of stages) {
      report.stages.push(await runStage(client, stage, books, workers, config, report.run_id, progress));
    }
  } finally {
    await workers.close();
  }
  const result = await publish(client, stages, config, report.run_id, options.accepted);
  report.audit = result.audit;
  report.tables = result.tables;
  report.publication = result.publication;
  report.state = result.refused ? 'refused' : result.publication === null ? 'unchanged' : 'published';
}

/**
 * The main job: loads what changed, computes what depends on it, audits and publishes. Never throws for a failure of the
 * run itself: the report says what happened, and what was published before stays. Throws where no run could be started.
 */
export async function refresh(options: RefreshOptions): Promise<RunReport> {
  const started = performance.now();
  const pool = openPool(options.url, 2);
  const client = await pool.connect();
  try {
    await setUp(client, options.config);
    await takeLock(client);
    await setUp(client, options.config, true);
    const report: RunReport = {
      run_id: await startRun(client, options.command),
      command: options.command,
      state: 'failed',
      publication: null,
      datasets: [],
      stages: [],
      rejects: [],
      audit: [],
      tables: [],
      seconds: 0,
      peak_memory_mb: 0,
      error: null,
    };
    try {
      await perform(client, options, report);
      report.rejects = await readRejects(client);
    } catch (cause) {
      const error = lostConnection(cause) ?? (cause as Error);
      const { message } = error;
      const known = error instanceof EtlError ? error : null;
      report.error = {
        code: known?.code ?? 'internal',
        message,
        kind: known?.kind ?? 'permanent',
        details: known?.details ?? {},
      };
      report.state = 'failed';
      await dropUnfinished(client, RECORD_TABLES).catch(() => undefined);
      if (!known) report.error.details = { stack: error.stack };
    }
    report.seconds = (performance.now() - started) / 1000;
    report.peak_memory_mb = Math.round(process.resourceUsage().maxRSS / 1024);
    await finishRun(client, report).catch((error) => {
      // Without a connection the books stay as they are: the next run closes them.
      if (report.error === null || lostConnection(error) === null) throw lostConnection(error) ?? error;
    });
    return report;
  } finally {
    client.release(true);
    await pool.end();
  }
}
