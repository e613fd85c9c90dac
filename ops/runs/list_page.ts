import type { RunLine } from '../../pipelines/views/status.ts';
import type { Publication } from '../../store/journal/journal.ts';
import { ago, FIRST_STEPS, html, htmlTable, type Markup, nothing, spanText } from '../html.ts';
import type { Page } from '../page.ts';

/** Lists runs with their age. `now`: milliseconds. */
export const runTable = (runs: readonly RunLine[], now: number): Markup =>
  htmlTable(
    ['run', 'state', 'started', 'took', 'publication', 'error'],
    runs.map((run) => [
      html`<a href="/runs/${run.run_id}">Run ${run.run_id}: ${run.command}</a>`,
      run.kept.length === 0
        ? html`<span class="${run.state}">${run.state}</span>`
        : html`<span class="warn">${run.state}, without ${run.kept.join(', ')}</span>`,
      ago(run.started_at, now),
      run.seconds === null ? '' : html`<span class="line">${spanText(run.seconds)}</span>`,
      run.publication ?? '',
      run.error ?? '',
    ]),
  );

const noteOf = (each: Publication): string =>
  [
    each.restores === null ? '' : `restores ${each.restores}`,
    each.held ? 'computed rows are held back' : '',
    each.reason ?? '',
  ]
    .filter(Boolean)
    .join('; ');

const publicationTable = (publications: readonly Publication[], now: number): Markup =>
  htmlTable(
    ['publication', 'published', 'kind', 'rows changed', 'note'],
    publications.map((each) => [
      html`<a href="/runs/${each.run_id}">${each.publication_id}</a>`,
      ago(each.published_at, now),
      each.kind,
      each.tables.reduce((sum, table) => sum + table.inserted + table.updated + table.deleted, 0),
      noteOf(each),
    ]),
  );

/** Renders runs and publications, newest first. */
export const runsPage = (
  runs: readonly RunLine[],
  publications: readonly Publication[],
  now: number,
): Page => ({
  title: 'Runs',
  at: '/runs',
  body: html`<h1>Runs</h1>${runs.length === 0 ? nothing('No run yet.', FIRST_STEPS) : runTable(runs, now)}<p><a href="/metrics/plots">Plots of the last runs</a></p><h2>Publications</h2>${publications.length === 0 ? html`<p>Nothing is published.</p>` : publicationTable(publications, now)}`,
});
