import { missedRuns, type QueueState } from '../../jobs/queue_state.ts';
import { requestSubject } from '../../jobs/refresh_job.ts';
import type { ScheduleState } from '../../jobs/schedule_keeper.ts';
import type { DatasetLine, NotLoaded } from '../../pipelines/views/dataset_view.ts';
import type { HeadlineCount } from '../../pipelines/views/headline.ts';
import type { Health } from '../../pipelines/views/health.ts';
import type { RunLine } from '../../pipelines/views/status.ts';
import type { Publication } from '../../store/journal/journal.ts';
import { ago, card, FIRST_STEPS, html, longTable, type Markup, moment, nothing, spanText } from '../html.ts';
import { layersAt } from '../map/drawn_layers.ts';
import { dataFor, type Page } from '../page.ts';
import { runTable } from '../runs/list_page.ts';

/** Data of the first page. */
export interface Overview {
  health: Health;
  /** Null: nothing is published. */
  publication: Publication | null;
  counts: readonly HeadlineCount[];
  datasets: readonly DatasetLine[];
  not_loaded: readonly NotLoaded[];
  runs: readonly RunLine[];
  queue: QueueState;
  /** Bounds of the map, degrees. Null: nothing has coordinates. */
  box: readonly number[] | null;
  /** Current time, milliseconds. */
  now: number;
}

/** Datasets shown at first: the worst. */
const OPEN = 5;

const many = (n: number, one: string, several: string): string =>
  n === 1 ? `one ${one}` : `${n.toLocaleString('en-AU')} ${several}`;

/** A problem in a few words. `fail`: somebody must act; `warn`: what is served is right, but older than it should be. */
interface OverviewProblem {
  mood: 'fail' | 'warn';
  text: string;
}
const fails = (text: string): OverviewProblem => ({ mood: 'fail', text });
const warns = (text: string): OverviewProblem => ({ mood: 'warn', text });

/** Names what a schedule runs: `refresh`, `avm`, `refresh of property`. */
const nameOf = (schedule: ScheduleState): string =>
  schedule.job ?? (schedule.tables ? `refresh of ${schedule.tables.join(', ')}` : requestSubject(schedule));

/** Lists the problems, the severe ones first. */
function listProblems({ health, datasets, not_loaded, queue, now }: Overview): OverviewProblem[] {
  const { kept, last_run, status, age_h } = health;
  const late = datasets.filter(({ is_late }) => is_late).length;
  const failed = not_loaded.filter(({ failed }) => failed !== null).length;
  const first = kept[0] && spanText((now - Date.parse(kept[0].since)) / 1000);
  return [
    ...(status === 'failing'
      ? [fails(`run ${last_run!.run_id} ${last_run!.state === 'refused' ? 'was refused' : 'failed'}`)]
      : []),
    ...(status === 'stale' ? [fails(`no run has succeeded for ${spanText(age_h! * 3600)}`)] : []),
    ...missedRuns(queue).map((each) =>
      fails(`${nameOf(each)} due ${spanText((now - Date.parse(each.missed!)) / 1000)} ago did not start`),
    ),
    ...(failed > 0 ? [fails(`${many(failed, 'dataset', 'datasets')} failed at the first load`)] : []),
    ...(kept.length > 0
      ? [
          warns(
            `${many(kept.length, 'dataset has', 'datasets have')} been kept as loaded before for ${kept.length > 1 ? 'up to ' : ''}${first}`,
          ),
        ]
      : []),
    ...(late > 0 ? [warns(`${many(late, 'dataset is', 'datasets are')} late`)] : []),
  ];
}

/** Summarises the state in one sentence. */
function sentence(view: Overview): Markup {
  const { publication, now } = view;
  if (publication === null) return html`<span class="fail">Nothing is published.</span>`;
  const wrong = listProblems(view);
  const says =
    wrong.length === 0
      ? html`<span class="pass">no problems</span>`
      : wrong.map(({ mood, text }, i) => html`${i > 0 ? '; ' : ''}<span class="${mood}">${text}</span>`);
  return html`Serving publication ${publication.publication_id} (${moment(publication.published_at)}, ${ago(publication.published_at, now)}): ${says}.`;
}

/** Lists datasets that need attention, the worst first, with the reason. Empty: none does. */
function attentionTable({ health, datasets, not_loaded, now }: Overview): Markup {
  const since = new Map(health.kept.map((each) => [each.dataset, each.since]));
  const span = (iso: string): string => spanText((now - Date.parse(iso)) / 1000);
  const link = (name: string): Markup => html`<a href="/datasets/${encodeURIComponent(name)}">${name}</a>`;
  const rows = [
    ...not_loaded.flatMap(({ dataset, failed }) =>
      failed === null
        ? []
        : [
            [
              dataset,
              html`<span class="fail">failed at the first load</span>`,
              span(failed.at),
              failed.error,
            ],
          ],
    ),
    ...datasets
      .filter(({ error, dataset }) => error !== null || since.has(dataset))
      .map(({ dataset, error }) => [
        link(dataset),
        html`<span class="fail">still serving the previous load</span>`,
        since.has(dataset) ? span(since.get(dataset)!) : '',
        error ?? '',
      ]),
    ...datasets
      .filter(({ is_late, error }) => is_late && error === null)
      .map(({ dataset, age_days, cadence }) => [
        link(dataset),
        html`<span class="warn">late</span>`,
        spanText(age_days * 86_400),
        `since its release; the publisher releases it ${cadence}`,
      ]),
  ];
  if (rows.length === 0) return html``;
  return html`<h2>Needs attention</h2>${longTable(['dataset', 'what', 'how long', 'why'], rows, OPEN, 'datasets')}`;
}

function countCard({ name, count, change }: HeadlineCount): Markup {
  const moved =
    change === null
      ? 'the first publication'
      : change === 0
        ? 'as in the publication before'
        : `${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en-AU')} since the publication before`;
  return card(
    `${name[0]!.toUpperCase()}${name.slice(1)}`,
    html`<p class="big">${count.toLocaleString('en-AU')}</p><p class="note">${moved}</p>`,
  );
}

/** States when each schedule runs next; empty if no worker has started one. */
function nextRuns({ queue }: Overview): Markup {
  const { schedules, workers, error } = queue;
  if (!schedules.some(({ is_active, missed }) => is_active || missed !== null)) return html``;
  const names = schedules.map((each, i) => html`${i > 0 ? '; ' : ''}${nameOf(each)} ${moment(each.next)}`);
  const state =
    error !== null
      ? html` <span class="warn">The queue cannot be read: ${error}</span>`
      : workers === 0
        ? html` <span class="warn">No worker is running: start <code>pipeline worker</code>.</span>`
        : html``;
  return html`<p>Next runs: ${names}.${state}</p>`;
}

/** Renders the first page: the served publication, problems, sizes, a map, and the last runs. */
export function overviewPage(view: Overview): Page {
  const { health, counts, runs, box, now } = view;
  const isFailing = health.status === 'failing' || health.status === 'stale';
  return {
    title: 'Property data pipeline',
    at: '/',
    modules: ['overview_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`<h1>${sentence(view)}</h1>
${isFailing ? health.reasons.map((reason) => html`<p class="fail">${reason}</p>`) : ''}
<div class="cards" style="--card:12.5rem">${counts.map(countCard)}</div>${attentionTable(view)}
<h2>Last runs</h2>${runs.length > 0 ? runTable(runs, now) : nothing('No run yet.', FIRST_STEPS)}<p><a href="/runs">All runs and publications</a></p>${nextRuns(view)}
<h2>What is served</h2>${box === null ? html`<p>Nothing has coordinates.</p>` : html`<div id="map" class="map small-map" role="region" aria-label="Map of what is served"></div><p><a href="/map">The whole map</a></p>${dataFor('setup', { layers: layersAt(null), box })}`}`,
  };
}
