import type { FastifyInstance } from 'fastify';
import { withQueueTimeout } from '../../jobs/answered.ts';
import type { Backend, RefreshQueue } from '../../jobs/backend.ts';
import { type NamedJob, requestOf } from '../../jobs/named_job.ts';
import { NAMED_JOBS, namedJob } from '../../jobs/named_jobs.ts';
import { subjectOf } from '../../jobs/refresh_job.ts';
import { readSchedule } from '../../jobs/schedule.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { sendConsole } from '../page.ts';
import { type JobCounts, type JobRequestRow, jobPage, jobsPage } from './page.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;
/** Maximum requests of all kinds to search for a job's requests. */
const LOOKED_AT = 200;
const STATES = ['active', 'waiting', 'delayed', 'completed', 'failed'] as const;

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

/** Reads the latest requests of a job. */
async function readRequests(queue: RefreshQueue, job: NamedJob): Promise<JobRequestRow[]> {
  const found: JobRequestRow[] = [];
  for (const state of STATES)
    for (const each of await queue.getJobs([state], 0, LOOKED_AT))
      if (each && subjectOf(each.data) === subjectOf(requestOf(job)))
        found.push({
          state,
          requested_by: each.data.requested_by,
          at: iso(each.timestamp)!,
          ended_at: iso(each.finishedOn),
          run_id: each.returnvalue?.run_id ?? null,
          reason: each.failedReason ?? null,
        });
  return found.sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** Reads the published results of each job. */
const FIGURES: Readonly<Record<NamedJob['name'], (db: Serving) => Promise<JobCounts>>> = {
  async avm(db) {
    const { homes, valued } = await db
      .selectFrom('serving.property_avm')
      .select(({ fn }) => [
        fn.countAll<string>().as('homes'),
        fn.count<string>('predicted_price').as('valued'),
      ])
      .executeTakeFirstOrThrow();
    return [
      ['homes', Number(homes)],
      ['with an estimated value', Number(valued)],
    ];
  },
  async cma(db) {
    const { homes } = await db
      .selectFrom('serving.property_comparable')
      .select(({ fn }) => fn.countAll<string>().as('homes'))
      .executeTakeFirstOrThrow();
    return [['homes with comparable sales', Number(homes)]];
  },
};

/** Adds the pages of the named jobs. */
export function addJobs(app: FastifyInstance, db: Serving, backend: Backend): void {
  const inTime = <T>(work: Promise<T>): Promise<T> => withQueueTimeout(QUEUE_MS, work);
  const scheduleOf = (job: NamedJob) => inTime(readSchedule(backend.queue, requestOf(job)));
  app.get('/jobs', async (_request, reply) => {
    const found = await Promise.all(
      NAMED_JOBS.map(async (job) => [job.name, await scheduleOf(job)] as const),
    );
    return sendConsole(reply, jobsPage(new Map(found)));
  });
  app.get<{ Params: { name: string } }>('/jobs/:name', async (request, reply) => {
    const job = namedJob(request.params.name);
    const [schedule, asked, figures] = await Promise.all([
      scheduleOf(job),
      inTime(readRequests(backend.queue, job)),
      FIGURES[job.name](db),
    ]);
    return sendConsole(reply, jobPage({ job, schedule, asked, figures }));
  });
}
