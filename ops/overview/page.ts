import { missedRuns, type QueueState } from '../../jobs/queue_state.ts';
import { requestSubject } from '../../jobs/refresh_job.ts';
import type { ScheduleState } from '../../jobs/schedule_keeper.ts';
import type { DatasetLine, NotLoaded } from '../../pipelines/views/dataset_view.ts';
import type { HeadlineCount } from '../../pipelines/views/headline.ts';
import type { Health } from '../../pipelines/views/health.ts';
import type { RunLine } from '../../pipelines/views/status.ts';
import type { Publication } from '../../store/journal/journal.ts';
import { actionForm, type May, readAgain } from '../forms.ts';
import { ago, card, FIRST_STEPS, html, longTable, type Markup, moment, nothing, spanText } from '../html.ts';
import { layersAt } from '../map/drawn_layers.ts';
import { dataFor, type Page } from '../page.ts';
import { runTable } from '../runs/list_page.ts';
import { linkOf } from '../tables/link.ts';

/** Data of the first page. */
export interface Overview {
  health: Health;
  /** Null: nothing is published. */
  publication: Publication | null;
  counts: readonly HeadlineCount[];
  datasets: readonly DatasetLine[];
  not_loaded: readonly NotLoaded[];
  /** Last runs, newest first. */
  runs: readonly RunLine[];
  /** Run whose result is held as the candidate. Null: none. */
  candidate: number | null;
  may: May;
  queue: QueueState;
  /** Bounds of the map, degrees. Null: nothing has coordinates. */
  box: readonly number[] | null;
  /** Current time, milliseconds. */
  now: number;
}

/** Runs and problems shown at first. */
const RUNS = 6;
const OPEN = 8;

/** A problem. `fail`: somebody must act; `warn`: what is served is right, but older than it should be. */
interface OverviewProblem {
  mood: 'fail' | 'warn';
  what: Markup | string;
  /** Its begin, ISO 8601. Null: unknown. */
  since: string | null;
  why: string;
  /** What to do: a form, a link or a command. */
  action: Markup;
}

/** Names what a schedule runs: `refresh`, `avm`, `refresh of property`. */
const nameOf = (schedule: ScheduleState): string =>
  schedule.job ?? (schedule.tables ? `refresh of ${schedule.tables.join(', ')}` : requestSubject(schedule));

const datasetLink = (name: string): Markup =>
  html`<a href="/datasets/${encodeURIComponent(name)}">${name}</a>`;
const runAgain = (may: May): Markup =>
  actionForm(may, { action: 'run', command: 'refresh', button: html`<button>Run now</button>` });
const START_WORKER = html`Start one: <code>pipeline worker</code>`;

const RUN_STATES: Readonly<Record<string, readonly [what: string, why: string]>> = {
  held: ['is held', 'It passed the audit and waits to be published.'],
  refused: ['was refused', 'Gates of the audit failed.'],
  interrupted: ['was interrupted', ''],
};

/** Lists problems of runs: the last one failed or waits for a decision, or none has succeeded lately. */
function runProblems({ health, runs, candidate, may, now }: Overview): OverviewProblem[] {
  const { last_run, status, age_h } = health;
  const problems: OverviewProblem[] = [];
  const failed =
    status === 'failing'
      ? last_run!.run_id
      : (candidate ?? (runs[0]?.state === 'interrupted' ? runs[0].run_id : null));
  if (failed !== null) {
    const since = runs.filter(({ run_id }) => run_id <= failed);
    const { state, error } = since[0] ?? { state: last_run!.state, error: last_run!.error };
    const succeeded = since.findIndex((run) => run.state === 'published' || run.state === 'unchanged');
    const [what, why] = RUN_STATES[state] ?? ['failed', ''];
    const mayDecide = state === 'held' || state === 'refused';
    problems.push({
      mood: state === 'held' ? 'warn' : 'fail',
      what: html`<a href="/runs/${failed}">Run ${failed}</a> ${what}`,
      since: since.at(succeeded === -1 ? -1 : succeeded - 1)?.started_at ?? null,
      why: error ?? why,
      action: mayDecide
        ? html`<a href="/runs/${failed}#decision">Decide</a>, or look: <code>pipeline diff --candidate</code>`
        : runAgain(may),
    });
  }
  if (status === 'stale')
    problems.push({
      mood: 'fail',
      what: 'No run has succeeded',
      since: new Date(now - age_h! * 3_600_000).toISOString(),
      why: 'Runs must succeed more often (ops.fresh_h).',
      action: runAgain(may),
    });
  return problems;
}

/** Lists problems of the queue: runs that did not start, no worker, no answer. */
function queueProblems({ queue, now }: Overview): OverviewProblem[] {
  const { schedules, workers, error } = queue;
  const isScheduled = schedules.some(({ is_active, missed }) => is_active || missed !== null);
  const missed = missedRuns(queue).map(
    (schedule): OverviewProblem => ({
      mood: 'fail',
      what: `${nameOf(schedule)} due ${spanText((now - Date.parse(schedule.missed!)) / 1000)} ago did not start`,
      since: schedule.missed,
      why: workers === 0 ? 'No worker is running.' : 'No worker took it.',
      action: START_WORKER,
    }),
  );
  if (!isScheduled || (error === null && workers !== 0)) return missed;
  const what = error === null ? 'No worker is running' : 'The queue cannot be read';
  const why = error ?? 'Scheduled runs wait.';
  return [
    ...missed,
    {
      mood: 'warn',
      what,
      since: null,
      why,
      action: error === null ? START_WORKER : html`<code>pipeline doctor</code>`,
    },
  ];
}

/** Lists problems of datasets: they could not be loaded, could not be read again, or are late. */
function datasetProblems({ health, datasets, not_loaded, may, now }: Overview): OverviewProblem[] {
  const since = new Map(health.kept.map((kept) => [kept.dataset, kept.since]));
  return [
    ...not_loaded.flatMap(({ dataset, failed }): OverviewProblem[] =>
      failed === null
        ? []
        : [
            {
              mood: 'fail',
              what: `${dataset} failed at the first load`,
              since: failed.at,
              why: failed.error,
              action: readAgain(may, dataset),
            },
          ],
    ),
    ...datasets
      .filter(({ error, dataset }) => error !== null || since.has(dataset))
      .map(
        ({ dataset, error }): OverviewProblem => ({
          mood: 'warn',
          what: html`${datasetLink(dataset)} is still serving the previous load`,
          since: since.get(dataset) ?? null,
          why: error ?? '',
          action: readAgain(may, dataset),
        }),
      ),
    ...datasets
      .filter(({ is_late, error }) => is_late && error === null)
      .map(
        ({ dataset, age_days, cadence, cadence_days }): OverviewProblem => ({
          mood: 'warn',
          what: html`${datasetLink(dataset)} is late`,
          since: new Date(now - (age_days - cadence_days!) * 86_400_000).toISOString(),
          why: `Its release is ${spanText(age_days * 86_400)} old; the publisher releases it ${cadence}.`,
          action: html`<code>pipeline fetch ${dataset}</code>, then <code>pipeline refresh</code>`,
        }),
      ),
  ];
}

/** Renders whether everything is all right, as the title; then what is wrong, since when, and what to do. */
function verdict(view: Overview): Markup {
  const { publication, now } = view;
  const problems = [...runProblems(view), ...queueProblems(view), ...datasetProblems(view)].sort(
    (a, b) => Number(b.mood === 'fail') - Number(a.mood === 'fail'),
  );
  const n = problems.length;
  const summary =
    n === 0
      ? html`<span class="pass">everything is all right</span>`
      : html`<span class="${problems[0]!.mood}">${n === 1 ? 'one problem' : `${n} problems`}</span>`;
  const rows = problems.map(({ mood, what, since, why, action }) => [
    html`<span class="${mood}">${what}</span>`,
    since === null ? '' : ago(since, now),
    why,
    action,
  ]);
  const title =
    publication === null
      ? html`<span class="fail">Nothing is published.</span>`
      : html`Serving publication ${publication.publication_id} (${moment(publication.published_at)}, ${ago(publication.published_at, now)}): ${summary}.`;
  return html`<h1>${title}</h1>${n === 0 ? '' : longTable(['what is wrong', 'since', 'why', 'what to do'], rows, OPEN, 'problems')}`;
}

const REVIEW = `/tables/match_review${linkOf({ conditions: [{ column: 'event_type', op: 'is', value: 'sold' }], column: null, isDescending: false, after: null })}`;

function countCard({ name, count, change, unmatched }: HeadlineCount): Markup {
  const moved =
    change === null
      ? 'the first publication'
      : change === 0
        ? 'as in the publication before'
        : `${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en-AU')} since the publication before`;
  return card(
    `${name[0]!.toUpperCase()}${name.slice(1)}`,
    html`<p class="big">${count.toLocaleString('en-AU')}</p><p class="note">${moved}</p>${
      unmatched === 0
        ? ''
        : html`<p class="note">${unmatched.toLocaleString('en-AU')} more ${unmatched === 1 ? 'sale matches' : 'sales match'} no single address, so no property, estimate or suburb uses ${unmatched === 1 ? 'it' : 'them'}: <a href="${REVIEW}">which, and why</a>.</p>`
    }`,
  );
}

/** States when each schedule runs next; empty if no worker has started one. */
function nextRuns({ queue: { schedules } }: Overview): Markup {
  if (!schedules.some(({ is_active, missed }) => is_active || missed !== null)) return html``;
  return html`<p>Next runs: ${schedules.map((each, i) => html`${i > 0 ? '; ' : ''}${nameOf(each)} ${moment(each.next)}`)}.</p>`;
}

/** Renders the first page: whether all is right, problems with what to do, sizes, a map, and the last runs. */
export function overviewPage(view: Overview): Page {
  const { counts, runs, box, now } = view;
  return {
    title: 'Property data pipeline',
    at: '/',
    modules: ['overview_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`${verdict(view)}
<div class="cards" style="--card:12.5rem">${counts.map(countCard)}</div>
<h2>Last runs</h2>${runs.length > 0 ? runTable(runs.slice(0, RUNS), now) : nothing('No run yet.', FIRST_STEPS)}<p><a href="/runs">All runs and publications</a></p>${nextRuns(view)}
<h2>What is served</h2>${box === null ? html`<p>Nothing has coordinates.</p>` : html`<div id="map" class="map small-map" role="region" aria-label="Map of what is served"></div><p><a href="/map">The whole map</a></p>${dataFor('setup', { layers: layersAt(null), box })}`}`,
  };
}
