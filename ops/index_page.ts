import type { RunLine } from '../pipelines/inspect/status.ts';
import type { Publication } from '../store/journal.ts';
import type { Health } from './health.ts';
import { html, htmlTable, page } from './html.ts';

/** The first page: health, publications, runs, and where the rest is. */
export function indexPage(
  health: Health,
  runs: readonly RunLine[],
  publications: readonly Publication[],
): string {
  const runRows = runs.map((run) => [
    html`<a href="/runs/${run.run_id}">${run.run_id}</a>`,
    run.command,
    html`<span class="${run.state}">${run.state}</span>`,
    run.started_at,
    run.seconds ?? '',
    run.publication ?? '',
    run.error ?? '',
  ]);
  const publicationRows = publications.map((each) => [
    each.publication_id,
    each.published_at,
    each.kind,
    each.tables.reduce((sum, table) => sum + table.inserted + table.updated + table.deleted, 0),
    [
      each.restores === null ? '' : `restores ${each.restores}`,
      each.held ? 'computed rows are held back' : '',
      each.reason ?? '',
    ]
      .filter(Boolean)
      .join('; '),
  ]);
  return page(
    'Property data pipeline',
    html`<h1>Property data pipeline: <span class="${health.status === 'ok' ? 'pass' : 'fail'}">${health.status}</span></h1>
${health.reasons.map((reason) => html`<p class="fail">${reason}</p>`)}
<p><a href="/queue/">Queue</a> · <a href="/metrics">Metrics</a> · <a href="/healthz">Health</a></p>
<h2>Runs</h2>${htmlTable(['run', 'command', 'state', 'started', 'seconds', 'publication', 'error'], runRows)}
<h2>Publications</h2>${htmlTable(['publication', 'published', 'kind', 'rows changed', 'note'], publicationRows)}`,
  );
}
