import type pg from 'pg';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { QueueState } from '../jobs/queue_state.ts';
import { requestSubject } from '../jobs/refresh_job.ts';
import { AUDIT_STATUSES, type RunReport } from '../pipelines/report/report.ts';
import type { Health } from '../pipelines/views/health.ts';
import { readRun } from '../pipelines/views/run_reports.ts';
import { listRuns } from '../pipelines/views/status.ts';

const PREFIX = 'pipeline_';

/** Registers the metrics other than the process's own. Values are read from the control tables on request. */
function gauges(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: PREFIX + name, help, labelNames, registers: [registry] });
  return {
    publication: gauge('publication', 'Number of the publication that is served; 0: none.'),
    healthy: gauge(
      'healthy',
      '1 where what is served is fresh, the last run succeeded and read every dataset, else 0.',
    ),
    age: gauge('success_age_seconds', 'Seconds since the last run that succeeded.'),
    tableRows: gauge('serving_rows', 'Rows of a serving table, by the books.', ['table']),
    runs: gauge('runs', 'Runs in the books, by state.', ['state']),
    runState: gauge('last_run_state', '1 for the state of the last run.', ['state']),
    runSeconds: gauge('last_run_seconds', 'Duration of the last finished run.'),
    runMemory: gauge('last_run_peak_memory_bytes', 'Largest memory of the last finished run.'),
    changed: gauge('last_run_rows_changed', 'Rows that the last finished run changed.', ['table', 'change']),
    partitions: gauge('last_run_partitions', 'Partitions of the last finished run, by what became of them.', [
      'stage',
      'what',
    ]),
    stageSeconds: gauge('last_run_stage_seconds', 'Duration of a stage in the last finished run.', ['stage']),
    failedGates: gauge('last_run_gates', 'Gates of the last finished run by status.', ['status']),
    rejects: gauge('rejects', 'Rejected rows of what is loaded and computed.', ['source', 'code']),
    jobs: gauge('jobs', 'Jobs of the queue by state.', ['state']),
    workers: gauge('workers', 'Workers that take refreshes.'),
    scheduleNext: gauge('schedule_next_timestamp_seconds', 'Next time of a schedule.', ['schedule']),
    scheduleMissed: gauge('schedule_missed', '1 where the last run of a schedule did not start, else 0.', [
      'schedule',
    ]),
  };
}

type Gauges = ReturnType<typeof gauges>;

function fillRun(all: Gauges, report: RunReport): void {
  all.runSeconds.set(report.seconds);
  all.runMemory.set(report.peak_memory_mb * 1024 * 1024);
  for (const { table, ...counts } of report.tables) {
    for (const change of ['inserted', 'updated', 'deleted'] as const)
      all.changed.set({ table, change }, counts[change]);
  }
  for (const stage of report.stages) {
    const { stage: name } = stage;
    all.stageSeconds.set({ stage: name }, stage.seconds);
    for (const what of ['run', 'unchanged', 'removed', 'elsewhere'] as const)
      all.partitions.set({ stage: name, what }, stage[`partitions_${what}`] ?? 0);
  }
  for (const status of AUDIT_STATUSES) {
    all.failedGates.set({ status }, report.audit.filter((check) => check.status === status).length);
  }
}

/** Counts in the control tables other than the list of runs. */
interface Counts {
  tables: { table: string; n: number }[];
  runs: { state: string; n: number }[];
  rejects: { source: string; code: string; n: number }[];
}

async function readCounts(client: pg.ClientBase): Promise<Counts> {
  const tables = await client.query(
    'SELECT table_name AS table, sum(rows)::float8 AS n FROM control.published GROUP BY 1',
  );
  const runs = await client.query('SELECT state, count(*)::float8 AS n FROM control.run GROUP BY 1');
  const rejects = await client.query(
    `SELECT COALESCE(l.dataset, r.stage) AS source, r.code, count(*)::float8 AS n
     FROM control.reject r LEFT JOIN control.load l USING (load_id)
     WHERE r.load_id IS NULL OR l.state = 'active' GROUP BY 1, 2`,
  );
  return { tables: tables.rows, runs: runs.rows, rejects: rejects.rows };
}

function fillCounts(all: Gauges, { tables, runs, rejects }: Counts): void {
  for (const { table, n } of tables) all.tableRows.set({ table }, n);
  for (const { state, n } of runs) all.runs.set({ state }, n);
  for (const { source, code, n } of rejects) all.rejects.set({ source, code }, n);
}

function fillQueue(all: Gauges, { workers, schedules }: QueueState): void {
  if (workers !== null) all.workers.set(workers);
  for (const { next, missed, ...scheduled } of schedules) {
    const schedule = requestSubject(scheduled);
    if (next !== null) all.scheduleNext.set({ schedule }, Date.parse(next) / 1000);
    all.scheduleMissed.set({ schedule }, missed === null ? 0 : 1);
  }
}

/** All metrics in the text format of Prometheus, including the process metrics. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #gauges = gauges(this.#registry);

  constructor() {
    collectDefaultMetrics({ register: this.#registry, prefix: `${PREFIX}ops_` });
  }

  get type(): string {
    return this.#registry.contentType;
  }

  /** Reads the control tables and returns all metrics. `jobs`: jobs of the queue by state; null: not known. */
  async read(
    client: pg.ClientBase,
    health: Health,
    jobs: Record<string, number> | null,
    queue: QueueState,
  ): Promise<string> {
    const counts = await readCounts(client);
    const lines = await listRuns(client, 2);
    const finished = lines.find((line) => line.state !== 'running');
    const report = finished ? (await readRun(client, finished.run_id)).report : null;
    const all = this.#gauges;
    // From here on the code is synchronous, so that concurrent readers do not mix.
    for (const gauge of Object.values(all)) gauge.reset();
    all.publication.set(health.publication ?? 0);
    all.healthy.set(health.status === 'ok' ? 1 : 0);
    if (health.age_h !== null) all.age.set(health.age_h * 3600);
    fillCounts(all, counts);
    if (lines[0]) all.runState.set({ state: lines[0].state }, 1);
    if (report) fillRun(all, report);
    for (const [state, n] of Object.entries(jobs ?? {})) all.jobs.set({ state }, n);
    fillQueue(all, queue);
    return this.#registry.metrics();
  }
}
