import { timeText } from '../../contract/answers/time_text.ts';
import { NAMED_JOBS } from '../../jobs/named_jobs.ts';
import type { OperateView } from '../../jobs/operator/view.ts';
import { type Diff, differing } from '../../pipelines/views/journal_view.ts';
import { ago, card, html, htmlTable, type Markup } from '../html.ts';
import type { Page } from '../page.ts';

/** Permission for actions: the hidden field of every form, or why there are no forms. */
export type May = { token: Markup } | { why: string };

/** Renders an action: its form, or without permission the command to type instead. */
const ask = (may: May, action: string, command: string, fields: Markup, button: Markup): Markup =>
  'why' in may
    ? html`<p>Type <code>pipeline ${command}</code></p>`
    : html`<form method="post" action="/operate/${action}">${may.token}${fields} ${button}</form>`;

const REASON = html`<p><label>Reason <input name="reason" required maxlength="400" autocomplete="off"></label></p>`;
const button = (text: string): Markup => html`<button>${text}</button>`;
const danger = (text: string): Markup => html`<button class="danger">${text}</button>`;

/** Selects all gates of a table; ops/browser/operate_page.mjs shows it where scripts run. */
const SELECT_ALL = html`<p><label><input type="checkbox" data-all hidden> <span hidden>All of this table</span></label></p>`;

function acceptPart(may: May, { refused }: OperateView): Markup {
  if (refused === null) return html`<p>No gate refuses: the last run was not refused.</p>`;
  const gate = ({ check, canAccept }: (typeof refused.gates)[number]): Markup =>
    canAccept
      ? html`<p><label><input type="checkbox" name="gate" value="${check.check}"> <code>${check.check}</code></label> ${check.message}</p>`
      : html`<p><code>${check.check}</code> ${check.message} <strong>It must hold, and cannot be accepted.</strong></p>`;
  const tables = [...new Set(refused.gates.map(({ check }) => check.table))].sort();
  const gates = tables.map((table) => {
    const own = refused.gates.filter(({ check }) => check.table === table);
    const all = own.filter(({ canAccept }) => canAccept).length > 1 ? SELECT_ALL : '';
    return html`<fieldset><legend>${table}, ${own.length}</legend>${all}${own.map(gate)}</fieldset>`;
  });
  const flags = refused.gates
    .filter(({ canAccept }) => canAccept)
    .map(({ check }) => `--accept ${check.check}`);
  return html`<p><a href="/runs/${refused.run_id}">Run ${refused.run_id}</a> was refused: ${refused.gates.length === 1 ? 'one gate' : `${refused.gates.length} gates`} failed. Accept what is right; a refresh follows.</p>
${ask(may, 'accept', `refresh ${flags.join(' ')} --reason "…"`, html`${gates}${REASON}`, danger('Accept and run'))}`;
}

const datasetPart = (may: May, { failed }: OperateView): Markup =>
  failed.length === 0
    ? html`<p>No dataset failed.</p>`
    : html`${failed.map(
        ({ dataset, error }) =>
          html`<p><a href="/datasets/${encodeURIComponent(dataset)}">${dataset}</a> <span class="fail">${error}</span></p>${ask(may, 'dataset', `refresh --only ${dataset}`, html`<input type="hidden" name="dataset" value="${dataset}">`, button(`Read ${dataset} again`))}`,
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
<div class="cards">${card('Run now', ask(may, 'run', 'worker --now', html`<label>Ask for <select name="job">${JOBS.map(([name, title]) => html`<option value="${name}">${title}</option>`)}</select></label>`, button('Run now')))}
${card('Accept a gate', acceptPart(may, view))}${card('Rerun a failed dataset', datasetPart(may, view))}${card('Roll back', rollbackPart(view))}</div>
<h2 id="log">Actions</h2>${logPart(view, now)}`,
});

const side = (row: Record<string, unknown> | null, names: readonly string[]): unknown =>
  row && names.slice(0, 6).map((name) => html`<div>${name}: ${JSON.stringify(row[name])}</div>`);

/** Renders the changes of a rollback, as `diff` lists them. */
export function rollbackPage(may: May, found: Diff): Page {
  const { from: last } = found;
  const to = found.publication.publication_id;
  const changed = found.tables.filter(({ inserted, updated, deleted }) => inserted + updated + deleted > 0);
  return {
    title: `Roll back to ${to}`,
    at: '/operate/',
    body: html`<h1>Back from publication ${last} to ${to}</h1>
${
  changed.length === 0
    ? html`<p>Both serve the same rows.</p>`
    : htmlTable(
        ['table', 'rows then', 'added', 'changed', 'removed'],
        changed.map(({ table, rows, inserted, updated, deleted }) => [
          table,
          rows,
          inserted,
          updated,
          deleted,
        ]),
      )
}
${
  found.changes.length === 0
    ? ''
    : html`<h2>The first rows of each</h2>${htmlTable(
        ['row', 'change', 'is', 'would be'],
        found.changes.map((each) => [
          html`${each.table} <code>${Object.values(each.key ?? {}).join(' ')}</code>`,
          each.change,
          side(each.before, differing(each)),
          side(each.after, differing(each)),
        ]),
      )}`
}
<h2>Go back</h2><p>Publication ${to} is served again, as a publication of its own. What is computed is held back until somebody accepts the gate <code>rollback</code>.</p>
${ask(may, 'rollback', `rollback --to ${to} --reason "…"`, html`<input type="hidden" name="to" value="${to}"><input type="hidden" name="from" value="${last}">${REASON}`, danger(`Roll back to ${to}`))}
<p><a href="/operate">Leave it as it is</a></p>`,
  };
}
