import {
  listProblems,
  type OperatorProblem,
  type ProblemFacts,
  scheduleName,
} from '../../jobs/operator/problems.ts';
import type { HeadlineCount } from '../../pipelines/views/headline.ts';
import type { Publication } from '../../store/journal/journal.ts';
import { actionForm, type May, readAgain } from '../forms.ts';
import { ago, card, FIRST_STEPS, html, longTable, type Markup, moment, nothing } from '../html.ts';
import { layersAt } from '../map/drawn_layers.ts';
import { dataFor, type Page } from '../page.ts';
import { runTable } from '../runs/list_page.ts';

/** Data of the first page. */
export interface Overview extends ProblemFacts {
  /** Null: nothing is published. */
  publication: Publication | null;
  counts: readonly HeadlineCount[];
  may: May;
  /** Bounds of the map, degrees. Null: nothing has coordinates. */
  box: readonly number[] | null;
}

/** Runs and problems shown at first. */
const RUNS = 6;
const OPEN = 8;

/** Renders what to do about a problem: the button, a link or the commands. */
function actionOf(may: May, action: OperatorProblem['action']): Markup {
  if (action.kind === 'dataset') return readAgain(may, action.dataset);
  if (action.kind === 'run')
    return actionForm(may, { action: 'run', command: 'refresh', button: html`<button>Run now</button>` });
  if (action.kind === 'decide')
    return html`<a href="/runs/${action.run}#decision">Decide</a>, or look: <code>pipeline diff --candidate</code>`;
  return html`${action.commands.map((command, i) => html`${i > 0 ? ', then ' : ''}<code>${command}</code>`)}`;
}

const subjectOf = (subject: OperatorProblem['subject']): Markup =>
  subject === null
    ? html``
    : 'run' in subject
      ? html`<a href="/runs/${subject.run}">Run ${subject.run}</a> `
      : html`<a href="/datasets/${encodeURIComponent(subject.dataset)}">${subject.dataset}</a> `;

/** Renders whether everything is all right, as the title; then what is wrong, since when, and what to do. */
function verdict(view: Overview): Markup {
  const { publication, now } = view;
  const problems = listProblems(view);
  const n = problems.length;
  const summary =
    n === 0
      ? html`<span class="pass">everything is all right</span>`
      : html`<span class="${problems[0]!.mood}">${n === 1 ? 'one problem' : `${n} problems`}</span>`;
  const rows = problems.map(({ mood, subject, what, since, why, action }) => [
    html`<span class="${mood}">${subjectOf(subject)}${what}</span>`,
    since === null ? '' : ago(since, now),
    why,
    actionOf(view.may, action),
  ]);
  const title =
    publication === null
      ? html`<span class="fail">Nothing is published.</span>`
      : html`Serving publication ${publication.publication_id} (${moment(publication.published_at)}, ${ago(publication.published_at, now)}): ${summary}.`;
  return html`<h1>${title}</h1>${n === 0 ? '' : longTable(['what is wrong', 'since', 'why', 'what to do'], rows, OPEN, 'problems')}`;
}

const REVIEW = '/tables/match_review?column=event_type&op=is&value=sold';

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
  return html`<p>Next runs: ${schedules.map((each, i) => html`${i > 0 ? '; ' : ''}${scheduleName(each)} ${moment(each.next)}`)}.</p>`;
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
