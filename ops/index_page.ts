import type { RunLine } from '../pipelines/inspect/status.ts';
import type { Publication } from '../store/journal.ts';
import type { Health } from './health.ts';
import { html, htmlTable, type Markup, moment } from './html.ts';
import type { Page } from './page.ts';

const runTable = (runs: readonly RunLine[]): Markup =>
  htmlTable(
    ['run', 'command', 'state', 'started', 'seconds', 'publication', 'error'],
    runs.map((run) => [
      html`<a href="/runs/${run.run_id}">${run.run_id}</a>`,
      run.command,
      run.kept.length === 0
        ? html`<span class="${run.state}">${run.state}</span>`
        : html`<span class="warn">${run.state}, without ${run.kept.join(', ')}</span>`,
      moment(run.started_at),
      run.seconds ?? '',
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

const publicationTable = (publications: readonly Publication[]): Markup =>
  htmlTable(
    ['publication', 'published', 'kind', 'rows changed', 'note'],
    publications.map((each) => [
      each.publication_id,
      moment(each.published_at),
      each.kind,
      each.tables.reduce((sum, table) => sum + table.inserted + table.updated + table.deleted, 0),
      noteOf(each),
    ]),
  );

/** The first page: health, the last publications and runs, and where the rest is. */
export function indexPage(
  health: Health,
  runs: readonly RunLine[],
  publications: readonly Publication[],
): Page {
  const served = publications[0];
  const mood = health.status === 'ok' ? 'pass' : health.status === 'degraded' ? 'warn' : 'fail';
  return {
    title: 'Property data pipeline',
    at: '/',
    body: html`<h1>What is served: <span class="${mood}">${health.status}</span></h1>
${health.reasons.map((reason) => html`<p class="${mood}">${reason}</p>`)}
${served ? html`<p>Publication ${served.publication_id} of ${moment(served.published_at)}. <a href="/map">See it on the map</a>, or find a property above.</p>` : ''}
<h2>Last runs</h2>${runTable(runs)}<p><a href="/runs">All runs and publications</a></p>
<h2>Last publications</h2>${publicationTable(publications)}`,
  };
}

/** Runs and publications, the newest first. */
export const runsPage = (
  runs: readonly RunLine[],
  publications: readonly Publication[],
  history: Markup,
): Page => ({
  title: 'Runs',
  at: '/runs',
  body: html`<h1>Runs</h1>${runTable(runs)}${history}<h2>Publications</h2>${publicationTable(publications)}`,
});
