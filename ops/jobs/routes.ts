import type { FastifyInstance } from 'fastify';
import { withQueueTimeout } from '../../jobs/answered.ts';
import type { Backend } from '../../jobs/backend.ts';
import { type NamedJob, requestOfJob } from '../../jobs/named_job.ts';
import { NAMED_JOBS, namedJob } from '../../jobs/named_jobs.ts';
import { readQueue, readRequests } from '../../jobs/operator/requests.ts';
import { requestSubject } from '../../jobs/refresh_job.ts';
import { readSchedule } from '../../jobs/schedule.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { sendConsole } from '../page.ts';
import { type JobCounts, jobPage, jobsPage } from './page.ts';
import { queuePage } from './queue_page.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;
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

/** Adds the pages of the named jobs and of the queue. */
export function addJobs(app: FastifyInstance, db: Serving, backend: Backend): void {
  const inTime = <T>(work: Promise<T>): Promise<T> => withQueueTimeout(QUEUE_MS, work);
  const scheduleOf = (job: NamedJob) => inTime(readSchedule(backend.queue, requestOfJob(job)));
  app.get('/jobs', async (_request, reply) => {
    const schedules = await Promise.all(
      NAMED_JOBS.map(async (job) => [job.name, await scheduleOf(job)] as const),
    );
    return sendConsole(reply, jobsPage(new Map(schedules)));
  });
  app.get<{ Params: { name: string } }>('/jobs/:name', async (request, reply) => {
    const job = namedJob(request.params.name);
    const subject = requestSubject(requestOfJob(job));
    const [schedule, requests, figures] = await Promise.all([
      scheduleOf(job),
      inTime(readRequests(backend.queue)),
      FIGURES[job.name](db),
    ]);
    return sendConsole(
      reply,
      jobPage({ job, schedule, requests: requests.filter((each) => each.subject === subject), figures }),
    );
  });
  app.get('/queue', async (_request, reply) => {
    const [requests, tasks] = await Promise.all([
      inTime(readRequests(backend.queue)),
      inTime(readQueue(backend.tasks())),
    ]);
    return sendConsole(reply, queuePage(backend.kind, requests, tasks));
  });
}
