import type { DatasetLine, DatasetView, NotLoaded } from '../../pipelines/views/dataset_view.ts';
import { DROPS } from '../../schema/error_codes/drops.ts';
import {
  FIRST_STEPS,
  facts,
  html,
  htmlTable,
  longTable,
  type Markup,
  moment,
  NO_MARKUP,
  nothing,
} from '../html.ts';
import type { Page } from '../page.ts';
import { linkOf } from '../tables/link.ts';

/** Datasets shown at first: those that need attention, then others. */
const OPEN = 20;
const n = (value: number): string => value.toLocaleString('en-AU');

/** Age compared with the publisher's release cycle; without a release date, the time since loading. `isWhole`: describes the cycle too. */
function freshness(line: DatasetLine, isWhole: boolean): Markup {
  const { age_days, release_date, is_late, cadence, cadence_days } = line;
  const days = `${n(age_days)} ${age_days === 1 ? 'day' : 'days'}`;
  const age = release_date === null ? `unknown; loaded ${days} ago` : days;
  const lateness = is_late ? ', late' : is_late === false && release_date !== null ? ', in time' : '';
  const tone = lateness === '' ? 'line' : is_late ? 'warn line' : 'pass line';
  const cycle = cadence_days === null ? cadence : `${cadence}, at most ${n(cadence_days)}`;
  return html`<span class="${tone}">${age}${lateness}</span>${isWhole ? ` (${cycle})` : ''}`;
}

/** Sorts datasets that need attention first. */
const rank = ({ error, is_late, rejects }: DatasetLine): number =>
  error !== null ? 0 : is_late ? 1 : rejects > 0 ? 2 : 3;

/** Themes with the number of states that the dataset covers. */
function covers({ coverage }: DatasetLine): string {
  const themes = [...new Set(coverage.map(({ theme }) => theme))];
  return themes
    .map((theme) => {
      const states = [...new Set(coverage.filter((each) => each.theme === theme).map(({ state }) => state))];
      return `${theme} ${states.length > 2 ? `in ${states.length} states` : states.join(', ')}`;
    })
    .join('; ');
}

/** Lists configured datasets that are not loaded: failed ones with their error, the others by name. */
function notLoadedPart(all: readonly NotLoaded[]): Markup {
  const failed = all.flatMap(({ dataset, failed }) =>
    failed === null
      ? []
      : [
          [
            dataset,
            html`<a href="/runs/${failed.run_id}">${failed.run_id}</a>`,
            moment(failed.at),
            html`<span class="fail">${failed.error}</span>`,
          ],
        ],
  );
  const others = all.filter(({ failed }) => failed === null).map(({ dataset }) => dataset);
  return html`${failed.length > 0 ? html`<h2>Failed at the first load</h2>${htmlTable(['dataset', 'run', 'at', 'error'], failed)}` : NO_MARKUP}
${others.length > 0 ? html`<p class="fail">Configured but not loaded yet: ${others.join(', ')}.</p>` : NO_MARKUP}`;
}

/** Renders all datasets, those that need attention first. */
export function datasetsPage(datasets: readonly DatasetLine[], notLoaded: readonly NotLoaded[]): Page {
  const count = (is: (each: DatasetLine) => boolean): number => datasets.filter(is).length;
  const [kept, late] = [count(({ error }) => error !== null), count(({ is_late }) => is_late === true)];
  const rows = [...datasets]
    .sort((a, b) => rank(a) - rank(b) || (a.dataset < b.dataset ? -1 : 1))
    .map((each) => [
      html`<a href="/datasets/${encodeURIComponent(each.dataset)}">${each.dataset}</a>`,
      freshness(each, false),
      each.records,
      each.rejects,
      each.release,
      covers(each),
      each.adapter,
      each.licence,
    ]);
  const failed = datasets
    .filter(({ error }) => error !== null)
    .map(({ dataset, release, error }) => [
      html`<a href="/datasets/${encodeURIComponent(dataset)}">${dataset}</a>`,
      release,
      html`<span class="fail">${error}</span>`,
    ]);
  const head = ['dataset', 'age', 'records', 'rejected', 'release', 'covers', 'adapter', 'licence'];
  return {
    title: 'Datasets',
    at: '/datasets',
    body: html`<h1>Datasets</h1>
<p>${n(datasets.length)} loaded; <span class="${kept > 0 ? 'fail' : 'pass'}">${n(kept)} could not be read in a newer delivery</span>, <span class="${late > 0 ? 'warn' : 'pass'}">${n(late)} late</span>.</p>
${notLoadedPart(notLoaded)}
${failed.length > 0 ? html`<h2>Served as they were loaded before</h2>${htmlTable(['dataset', 'release', 'last error'], failed)}` : NO_MARKUP}
${notLoaded.length + failed.length > 0 ? html`<h2>Loaded</h2>` : NO_MARKUP}
${rows.length > 0 ? longTable(head, rows, OPEN, 'datasets') : nothing('No dataset is loaded.', FIRST_STEPS)}`,
  };
}

/** Lists rejects of a dataset by code, each with its first few. */
function rejectTable({ rejected, rejects }: DatasetView): Markup {
  if (rejected.length === 0) return NO_MARKUP;
  const EXAMPLES = 3;
  const codes = [...new Set(rejected.map(({ code }) => code))];
  const rows = codes.map((code) => {
    const of = rejected.filter((each) => each.code === code);
    const examples = of
      .slice(0, EXAMPLES)
      .map(({ file, at, message }) => html`<div>${file}:${at} ${message}</div>`);
    return [code, of.length, examples];
  });
  const first = rejected.length < rejects ? ` Of the first ${n(rejected.length)} of ${n(rejects)}.` : '';
  return html`<h2>Rejects</h2><p class="note">Rows that could not be read, by cause.${first}</p>${htmlTable(['code', 'rows', 'examples'], rows)}`;
}

/** Says how many market events are matched to an address, and why the others are not. */
function matchPart({ dataset, matches }: DatasetView): Markup {
  if (matches.length === 0) return NO_MARKUP;
  const all = matches.reduce((sum, { events }) => sum + events, 0);
  const matched = matches.find(({ status }) => status === 'matched')?.events ?? 0;
  const listOf = (status: string): string =>
    `/tables/match_review${linkOf({
      conditions: [
        { column: 'event_key', op: 'starts', value: `${dataset}|` },
        { column: 'status', op: 'is', value: status },
      ],
      column: null,
      isDescending: false,
      after: null,
    })}`;
  const rows = matches.flatMap(({ status, events }) =>
    status === 'matched'
      ? []
      : [
          [
            html`<a href="${listOf(status)}">${status.replace('_', ' ')}</a>`,
            events,
            DROPS[status].join(' '),
          ],
        ],
  );
  return html`<h2 id="matches">Matched to addresses</h2><p>${n(matched)} of ${n(all)} sales and listings are matched to one address. ${rows.length > 0 ? 'The others belong to no property: estimates, comparables and figures of suburbs do not use them.' : ''}</p>
${rows.length > 0 ? htmlTable(['not matched', 'events', 'what it means'], rows) : NO_MARKUP}`;
}

function historyTable({ runs }: DatasetView): Markup {
  if (runs.length === 0) return NO_MARKUP;
  const rows = runs.map((run) => [
    html`<a href="/runs/${run.run_id}">${run.run_id}</a>`,
    moment(run.started_at),
    run.action,
    run.release,
    run.records,
    run.rejects,
    Number(run.seconds.toFixed(2)),
    run.reason,
  ]);
  return html`<h2>Runs that loaded it</h2>${htmlTable(['run', 'started', 'action', 'release', 'records', 'rejected', 'seconds', 'reason'], rows)}`;
}

export function datasetPage(view: DatasetView): Page {
  const { dataset, title, publisher, coverage, parts, notes, files, error } = view;
  const about = facts([
    ['adapter', `${view.adapter}: ${title}`],
    ['publisher', publisher],
    [
      'release',
      view.release_date === null ? view.release : html`${view.release} (<time>${view.release_date}</time>)`,
    ],
    ['age', freshness(view, true)],
    ['loaded', moment(view.loaded_at)],
    ['rows', `${n(view.records)} records, ${n(view.rejects)} rejected, ${n(view.left_out)} left out`],
    ['CRS', view.crs || 'none'],
    ['parts', parts.join(', ')],
    ['licence', view.licence],
    ['attribution', view.attribution],
    ['last error', error === null ? 'none' : html`<span class="fail">${error}</span>`],
  ]);
  const covered = coverage.map(({ theme, state, areas }) => [
    theme,
    state,
    areas.includes('*') ? 'the whole state' : `${areas.length} councils: ${areas.join(', ')}`,
  ]);
  return {
    title: dataset,
    at: '/datasets/',
    body: html`<h1>${dataset}</h1>${about}
<p><a href="/lineage?of=dataset:${encodeURIComponent(dataset)}">Used by</a></p>
${covered.length > 0 ? html`<h2>Coverage</h2>${htmlTable(['theme', 'state', 'where'], covered)}` : NO_MARKUP}
${notes.length > 0 ? html`<h2>Notes</h2><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>` : NO_MARKUP}
${matchPart(view)}${rejectTable(view)}${historyTable(view)}
<details><summary>${files.length} ${files.length === 1 ? 'file' : 'files'}</summary><ul>${files.map((file) => html`<li>${file}</li>`)}</ul></details>`,
  };
}
