import { timeText } from '../../contract/answers/time_text.ts';
import { NAMED_JOBS } from '../../jobs/named_jobs.ts';
import type { OperateView } from '../../jobs/operator/operate_view.ts';
import type { RollbackPreview } from '../../pipelines/views/change_summary.ts';
import { changedHome, estimateDollars } from '../changes/sentence.ts';
import { actionForm, type May, readAgain } from '../forms.ts';
import { ago, card, html, htmlTable, type Markup, moment } from '../html.ts';
import type { Page } from '../page.ts';
import { acceptForm, publishForm, REASON } from '../runs/decision.ts';

function decidePart(may: May, { undecided }: OperateView): Markup {
  if (undecided === null) return html`<p>No gate refuses: the last run was not refused.</p>`;
  const { run_id, state, gates } = undecided;
  const link = html`<a href="/runs/${run_id}#decision">Examples, and the other ways on</a>`;
  if (state === 'held')
    return html`<p>Run ${run_id} is held, and no gate failed. ${link}.</p>${publishForm(may)}`;
  return html`<p><a href="/runs/${run_id}">Run ${run_id}</a> was refused: ${gates.length === 1 ? 'one gate' : `${gates.length} gates`} failed. ${'why' in may ? 'Type what accepts it, without the gates that are wrong' : 'Tick what is right; exactly this is published'}. ${link}.</p>${acceptForm(may, undecided)}`;
}

const datasetPart = (may: May, { failed }: OperateView): Markup =>
  failed.length === 0
    ? html`<p>No dataset failed.</p>`
    : html`${failed.map(
        ({ dataset, error }) =>
          html`<p><a href="/datasets/${encodeURIComponent(dataset)}">${dataset}</a> <span class="fail">${error}</span></p>${readAgain(may, dataset)}`,
      )}`;

const rollbackPart = ({ earlier }: OperateView): Markup =>
  earlier.length === 0
    ? html`<p>There is no earlier publication to go back to.</p>`
    : html`<form action="/operate/rollback"><label>Serve again <select name="to">${earlier.map(({ publication_id, published_at, kind }) => html`<option value="${publication_id}">publication ${publication_id}, ${kind}, ${timeText(published_at)}</option>`)}</select></label> <button>Show what would change</button></form>`;

/** Lists requested actions with user and outcome. */
const logPart = ({ actions }: OperateView, now: number): Markup =>
  actions.length === 0
    ? html`<p>No requests yet.</p>`
    : htmlTable(
        ['action', 'when', 'who', 'with', 'state', 'run'],
        actions.map(({ action, at, who, detail, state, run_id, why, job_id }) => [
          action,
          ago(at, now),
          who,
          Object.entries(detail)
            .map(([name, value]) => `${name} ${[value].flat().join(', ')}`)
            .join('; '),
          html`${state ?? (job_id === null ? 'not taken' : 'done')}${why === null ? '' : html` <span class="fail">${why}</span>`}`,
          run_id === null ? '' : html`<a href="/runs/${run_id}">run ${String(run_id)}</a>`,
        ]),
      );

const JOBS = [['', 'a refresh of everything'], ...NAMED_JOBS.map(({ name, title }) => [name, title])];

/** Renders the operator's actions and their log. */
export const operatePage = (may: May, view: OperateView, now: number): Page => ({
  title: 'Operate',
  at: '/operate',
  modules: ['operate_page.mjs'],
  body: html`<h1>Operate</h1><p>${'why' in may ? html`<strong>${may.why}</strong>` : view.workers === 0 ? html`<strong class="warn">No worker is running: requests wait for <code>pipeline worker</code>.</strong>` : 'Actions are queued; workers do one run at a time.'}</p>
<div class="cards">${card('Run now', actionForm(may, { action: 'run', command: 'worker --now', fields: html`<label>Ask for <select name="job">${JOBS.map(([name, title]) => html`<option value="${name}">${title}</option>`)}</select></label>`, button: html`<button>Run now</button>` }))}
${card('Publish what is held', decidePart(may, view))}${card('Rerun a failed dataset', datasetPart(may, view))}${card('Roll back', rollbackPart(view))}</div>
<h2 id="log">Actions</h2>${logPart(view, now)}`,
});

/** Renders what a rollback would change, and its form above the details. `now`: milliseconds. */
export function rollbackPage(may: May, preview: RollbackPreview, now: number): Page {
  const { target, from, tables, properties, emptied, summary } = preview;
  const [to, last] = [target.publication_id, from.publication_id];
  const rows = tables.reduce((sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted, 0);
  const undone = last - to === 1 ? `publication ${last}` : `publications ${to + 1} to ${last}`;
  const isSame = rows === 0 && emptied.length === 0;
  return {
    title: `Roll back to ${to}`,
    at: '/operate/',
    body: html`<h1>Back from publication ${last} to ${to}</h1>
<p>It serves again what was published ${moment(target.published_at)}, ${ago(target.published_at, now)}, and undoes ${undone}. ${isSame ? 'Both serve the same rows.' : html`<strong>${rows.toLocaleString('en-AU')} rows of ${tables.length} tables change, and ${properties.toLocaleString('en-AU')} properties.</strong>`} ${emptied.length === 0 ? '' : html`All rows of ${emptied.join(', ')} go: they came since.`}</p>
<p class="note">It is a publication of its own, which can be rolled back. What is computed is held back until somebody accepts the gate <code>rollback</code>.</p>
${actionForm(may, {
  action: 'rollback',
  command: `rollback --to ${to} --reason "…"`,
  fields: html`<input type="hidden" name="to" value="${to}"><input type="hidden" name="from" value="${last}">${REASON}`,
  button: html`<button class="danger">Roll back to ${to}</button>`,
})}
<p><a href="/operate">Leave it as it is</a></p>
${
  summary.largest.length === 0
    ? html`<p>No estimate changes.</p>`
    : html`<h2>Estimates that change most</h2>${htmlTable(
        ['property', 'is', 'would be', 'difference'],
        summary.largest.map((each) => [
          changedHome(each),
          estimateDollars(each.after, each.confidence),
          estimateDollars(each.before, each.confidence),
          each.after === null || each.before === null
            ? ''
            : estimateDollars(each.before - each.after, each.confidence, true),
        ]),
      )}`
}
${
  tables.length === 0
    ? ''
    : html`<h2>Rows by table</h2>${htmlTable(
        ['table', 'rows', 'added', 'changed', 'removed'],
        tables.map(({ table, inserted, updated, deleted }) => [
          table,
          inserted + updated + deleted,
          inserted,
          updated,
          deleted,
        ]),
      )}`
}`,
  };
}
