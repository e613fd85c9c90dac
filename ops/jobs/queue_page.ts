import type { Backend } from '../../jobs/backend.ts';
import type { JobRequestRow, TasksShown } from '../../jobs/operator/requests.ts';
import { html, longTable, nothing } from '../html.ts';
import type { Page } from '../page.ts';
import { requestTable } from './page.ts';

/** Tasks shown at first; the rest is folded. */
const OPEN = 20;

/** Renders the queue: requests of refreshes and jobs, and the tasks of runs that distribute their work. */
export const queuePage = (
  kind: Backend['kind'],
  requests: readonly JobRequestRow[],
  { counts, latest }: TasksShown,
): Page => ({
  title: 'Queue',
  at: '/queue',
  body: html`<h1>Queue</h1><p>Requests to workers, in ${kind === 'redis' ? 'Redis' : 'PostgreSQL'}. A finished request stays among the last 100; its run stays in <a href="/runs">Runs</a>.</p>
${
  requests.length > 0
    ? requestTable(requests)
    : nothing('The queue is empty.', [
        html`Start a worker, which takes requests: <code>pipeline worker</code>.`,
        html`Request a run in <a href="/operate">Operate</a>.`,
        html`See when <a href="/jobs">jobs</a> run by themselves.`,
      ])
}
<h2>Tasks</h2><p>Batches and files that a run with <code>--distribute</code> gives to other workers: ${Object.entries(
    counts,
  )
    .map(([state, n]) => `${n.toLocaleString('en-AU')} ${state}`)
    .join(', ')}.</p>
${
  latest.length === 0
    ? ''
    : longTable(
        ['run', 'what', 'state', 'by', 'seconds', 'why it failed'],
        latest.map(({ run_id, what, state, by, took_s, reason }) => [
          html`<a href="/runs/${run_id}">run ${String(run_id)}</a>`,
          what,
          state,
          by,
          took_s ?? '',
          reason ?? '',
        ]),
        OPEN,
        'tasks',
      )
}`,
});
