import type { NamedJob } from '../../jobs/named_job.ts';
import { NAMED_JOBS } from '../../jobs/named_jobs.ts';
import type { JobRequestRow } from '../../jobs/operator/requests.ts';
import type { Schedule } from '../../jobs/schedule.ts';
import { html, htmlTable, type Markup, moment } from '../html.ts';
import type { Page } from '../page.ts';

/** Results of a job as names and numbers. */
export type JobCounts = readonly (readonly [name: string, count: number])[];

/** Data of a job's page. */
export interface JobView {
  job: NamedJob;
  schedule: Schedule | null;
  requests: readonly JobRequestRow[];
  figures: JobCounts;
}

const when = (schedule: Schedule | null): Markup =>
  schedule === null
    ? html`It has no schedule: a worker sets one when it starts, unless <code>queue.cron</code> is null.`
    : html`Runs at <code>${schedule.cron}</code>, ${schedule.timezone}; next ${moment(schedule.next)}.`;

/** Lists requests of refreshes and jobs. */
export const requestTable = (requests: readonly JobRequestRow[]): Markup =>
  requests.length === 0
    ? html`<p>No requests yet.</p>`
    : htmlTable(
        ['asked for', 'what', 'by', 'state', 'ended', 'run', 'why it failed'],
        requests.map(({ at, subject, requested_by, state, ended_at, run_id, reason }) => [
          moment(at),
          subject,
          requested_by,
          state,
          moment(ended_at),
          run_id === null ? '' : html`<a href="/runs/${run_id}">run ${String(run_id)}</a>`,
          reason ?? '',
        ]),
      );

/** Renders a job: its purpose, schedule, results and history. */
export const jobPage = ({ job, schedule, requests, figures }: JobView): Page => ({
  title: job.title,
  at: '/jobs',
  body: html`<h1>${job.title}</h1><p>${job.doc} ${when(schedule)}</p>
<p class="note">Request it with <code>pipeline worker --now ${job.name}</code>; change its schedule with <code>pipeline schedule ${job.name} --cron …</code>.</p>
${htmlTable(['published', 'rows'], figures)}
<h2>Requests, newest first</h2>${requestTable(requests)}
<p><a href="/jobs">All jobs</a></p>`,
});

/** Renders the named jobs and the next run of each. */
export const jobsPage = (schedules: ReadonlyMap<string, Schedule | null>): Page => ({
  title: 'Jobs',
  at: '/jobs',
  body: html`<h1>Jobs</h1><p>Computations that workers do by their own schedules, beside the nightly refresh of everything.</p>
${htmlTable(
  ['job', 'what it does', 'when', 'next'],
  NAMED_JOBS.map(({ name, title, doc }) => {
    const schedule = schedules.get(name) ?? null;
    return [
      html`<a href="/jobs/${name}">${title}</a>`,
      doc,
      schedule === null ? 'no schedule' : `${schedule.cron} ${schedule.timezone}`,
      moment(schedule?.next ?? null),
    ];
  }),
)}
<p class="note">The <a href="/queue">queue</a> shows every request and its state.</p>`,
});
