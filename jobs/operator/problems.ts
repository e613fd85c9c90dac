import type { DatasetLine, NotLoaded } from '../../pipelines/views/dataset_view.ts';
import type { Health } from '../../pipelines/views/health.ts';
import type { RunLine } from '../../pipelines/views/status.ts';
import { missedRuns, type QueueState } from '../queue_state.ts';
import { requestSubject } from '../refresh_job.ts';
import type { ScheduleState } from '../schedule_keeper.ts';

/** What to do about a problem: decide about a run, run again, read a dataset again, or type commands. */
type ProblemAction =
  | { kind: 'decide'; run: number }
  | { kind: 'run' }
  | { kind: 'dataset'; dataset: string }
  | { kind: 'type'; commands: readonly string[] };

/** A problem of the installation. */
export interface OperatorProblem {
  /** `fail`: somebody must act; `warn`: what is served is right, but older than it should be. */
  mood: 'fail' | 'warn';
  /** The run or loaded dataset that has it. Null: `what` says it all. */
  subject: { run: number } | { dataset: string } | null;
  what: string;
  /** Its begin, ISO 8601. Null: unknown. */
  since: string | null;
  why: string;
  action: ProblemAction;
}

/** What the problems are read from. */
export interface ProblemFacts {
  health: Health;
  datasets: readonly DatasetLine[];
  not_loaded: readonly NotLoaded[];
  /** Last runs, newest first. */
  runs: readonly RunLine[];
  /** Run whose result is held as the candidate. Null: none. */
  candidate: number | null;
  queue: QueueState;
  /** Current time, milliseconds. */
  now: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const before = (now: number, ms: number): string => new Date(now - ms).toISOString();

/** Names what a schedule runs: `refresh`, `avm`, `refresh of property`. */
export const scheduleName = (schedule: ScheduleState): string =>
  schedule.job ?? (schedule.tables ? `refresh of ${schedule.tables.join(', ')}` : requestSubject(schedule));

const RUN_STATES: Readonly<Record<string, readonly [what: string, why: string]>> = {
  held: ['is held', 'No gate failed, and it waits to be published.'],
  refused: ['was refused', 'Gates of the audit failed.'],
  interrupted: ['was interrupted', ''],
};

/** Lists problems of runs: the last one failed or waits for a decision, or none has succeeded lately. */
function runProblems({ health, runs, candidate, now }: ProblemFacts): OperatorProblem[] {
  const { last_run, status, age_h } = health;
  const interrupted = runs[0]?.state === 'interrupted' ? runs[0].run_id : null;
  const hasFailed = last_run !== null && ['failed', 'refused'].includes(last_run.state);
  const run = hasFailed ? last_run.run_id : (candidate ?? interrupted);
  const problems: OperatorProblem[] = [];
  if (run !== null) {
    const earlier = runs.filter(({ run_id }) => run_id <= run);
    const { state, error } = earlier[0] ?? last_run!;
    const succeeded = earlier.findIndex((each) => each.state === 'published' || each.state === 'unchanged');
    const [what, why] = RUN_STATES[state] ?? ['failed', ''];
    problems.push({
      mood: state === 'held' ? 'warn' : 'fail',
      subject: { run },
      what,
      since: earlier.at(succeeded === -1 ? -1 : succeeded - 1)?.started_at ?? null,
      why: error ?? why,
      action: state === 'held' || state === 'refused' ? { kind: 'decide', run } : { kind: 'run' },
    });
  }
  if (status === 'stale')
    problems.push({
      mood: 'fail',
      subject: null,
      what: 'No run has succeeded',
      since: before(now, age_h! * HOUR_MS),
      why: 'Runs must succeed more often (ops.fresh_h).',
      action: { kind: 'run' },
    });
  return problems;
}

/** Lists problems of the queue: runs that did not start, no worker, no answer. */
function queueProblems({ queue }: ProblemFacts): OperatorProblem[] {
  const { schedules, workers, error } = queue;
  const start = { kind: 'type', commands: ['pipeline worker'] } as const;
  const missed = missedRuns(queue).map(
    (schedule): OperatorProblem => ({
      mood: 'fail',
      subject: null,
      what: `${scheduleName(schedule)} did not start`,
      since: schedule.missed,
      why: workers === 0 ? 'No worker is running.' : 'No worker took it.',
      action: start,
    }),
  );
  const isScheduled = schedules.some(({ is_active, missed }) => is_active || missed !== null);
  if (!isScheduled || (error === null && workers !== 0)) return missed;
  const [what, why] =
    error === null ? ['No worker is running', 'Scheduled runs wait.'] : ['The queue cannot be read', error];
  const action = error === null ? start : ({ kind: 'type', commands: ['pipeline doctor'] } as const);
  return [...missed, { mood: 'warn', subject: null, what, since: null, why, action }];
}

/** Lists problems of datasets: they could not be loaded, could not be read again, or are late. */
function datasetProblems({ health, datasets, not_loaded, now }: ProblemFacts): OperatorProblem[] {
  const since = new Map(health.kept.map((kept) => [kept.dataset, kept.since]));
  return [
    ...not_loaded.flatMap(({ dataset, failed }): OperatorProblem[] =>
      failed === null
        ? []
        : [
            {
              mood: 'fail',
              subject: null,
              what: `${dataset} failed at the first load`,
              since: failed.at,
              why: failed.error,
              action: { kind: 'dataset', dataset },
            },
          ],
    ),
    ...datasets
      .filter(({ error, dataset }) => error !== null || since.has(dataset))
      .map(
        ({ dataset, error }): OperatorProblem => ({
          mood: 'warn',
          subject: { dataset },
          what: 'is still serving the previous load',
          since: since.get(dataset) ?? null,
          why: error ?? '',
          action: { kind: 'dataset', dataset },
        }),
      ),
    ...datasets
      .filter(({ is_late, error, dataset }) => is_late && error === null && !since.has(dataset))
      .map(
        ({ dataset, age_days, cadence, cadence_days, is_fetchable }): OperatorProblem => ({
          mood: 'warn',
          subject: { dataset },
          what: 'is late',
          since: before(now, (age_days - cadence_days!) * DAY_MS),
          why:
            `Its release is ${age_days.toLocaleString('en-AU')} days old; the publisher releases it ${cadence}.` +
            (is_fetchable ? '' : ' Put the new release where its path points.'),
          action: {
            kind: 'type',
            commands: [...(is_fetchable ? [`pipeline fetch ${dataset}`] : []), 'pipeline refresh'],
          },
        }),
      ),
  ];
}

/** Lists what is wrong, the severe first. */
export const listProblems = (facts: ProblemFacts): OperatorProblem[] =>
  [...runProblems(facts), ...queueProblems(facts), ...datasetProblems(facts)].sort(
    (a, b) => Number(b.mood === 'fail') - Number(a.mood === 'fail'),
  );
