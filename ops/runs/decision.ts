import type { UndecidedRun } from '../../jobs/operator/operate_view.ts';
import { gateFailureText } from '../../pipelines/publish/gate_texts.ts';
import { differing, type KeyedChange } from '../../pipelines/views/journal_view.ts';
import { actionForm, type May } from '../forms.ts';
import { html, htmlTable, type Markup } from '../html.ts';
import { valueText } from '../property/fields.ts';
import { propertyLink } from '../property/view.ts';

/** Field of a form for the reason that a publication records. */
export const REASON = html`<p><label>Reason <input name="reason" required maxlength="400" autocomplete="off"></label></p>`;

/** Selects all gates of a table; ops/browser/operate_page.mjs shows it where scripts run. */
const SELECT_ALL = html`<p><label><input type="checkbox" data-all hidden> <span hidden>All of this table</span></label></p>`;

/** Renders the form that accepts gates: those that may be ticked, by table, and those that may not. */
export function acceptForm(may: May, { gates }: UndecidedRun): Markup {
  const ofGate = ({ check, canAccept }: UndecidedRun['gates'][number]): Markup =>
    canAccept
      ? html`<p><label><input type="checkbox" name="gate" value="${check.check}"> <code>${check.check}</code></label> ${check.message}</p>`
      : html`<p><code>${check.check}</code> ${check.message} <strong>It must hold, and cannot be accepted.</strong></p>`;
  const sets = [...new Set(gates.map(({ check }) => check.table))].sort().map((table) => {
    const ownGates = gates.filter(({ check }) => check.table === table);
    const all = ownGates.filter(({ canAccept }) => canAccept).length > 1 ? SELECT_ALL : '';
    return html`<fieldset><legend>${table}, ${ownGates.length}</legend>${all}${ownGates.map(ofGate)}</fieldset>`;
  });
  const flags = gates.filter(({ canAccept }) => canAccept).map(({ check }) => `--accept ${check.check} `);
  if (flags.length === 0)
    return html`${sets}<p>Nothing can be accepted: correct the data, and load it again.</p>`;
  return actionForm(may, {
    action: 'publish',
    command: `publish ${flags.join('')}--reason "…"`,
    fields: html`${sets}${REASON}`,
    button: html`<button class="danger">Accept and publish</button>`,
  });
}

/** Renders the form that publishes a held run whose gates passed. */
export const publishForm = (may: May): Markup =>
  actionForm(may, { action: 'publish', command: 'publish', button: html`<button>Publish</button>` });

/** Maximum columns of an example. */
const COLUMNS = 6;
const side = (row: Record<string, unknown> | null, change: KeyedChange): Markup =>
  row === null
    ? html`<span class="note">no row</span>`
    : html`${differing(change)
        .slice(0, COLUMNS)
        .map(
          (name) =>
            html`<div>${name}: ${typeof row[name] === 'number' ? row[name].toLocaleString('en-AU', { maximumFractionDigits: 2 }) : valueText(row[name])}</div>`,
        )}`;

function exampleRow(change: KeyedChange): unknown[] {
  const { gnaf_pid: pid, ...key } = change.key ?? {};
  const keyValues = Object.values(key).join(' ');
  return [
    html`${change.table} ${typeof pid === 'string' ? propertyLink(pid, pid) : ''} ${keyValues}`,
    side(change.before, change),
    side(change.after, change),
  ];
}

/** Renders what is to be decided about a run: what failed in plain words, the ways on, and examples. */
export function decisionPart(may: May, run: UndecidedRun): Markup {
  const { run_id, state, gates, examples, loaded, isCandidate } = run;
  const n = gates.length;
  const title =
    state === 'held'
      ? 'It is held, and not published'
      : `It is not published: ${n === 1 ? 'one gate' : `${n} gates`} failed`;
  const wrong = gates.map(
    ({ check }) => html`<li><span class="fail">${gateFailureText(check.check)}</span>: ${check.message}</li>`,
  );
  const start = html`<h2 id="decision">${title}</h2>${n > 0 ? html`<ul>${wrong}</ul>` : html`<p>No gate failed.</p>`}`;
  if (!isCandidate)
    return html`${start}<p>Its result is no longer held: it was published or discarded, or a later run began. <a href="/operate">Operate</a> shows what can be done now.</p>`;
  const accept =
    n === 0
      ? html`<p>Publish exactly this. The next run publishes it too, with what is new by then.</p>${publishForm(may)}`
      : html`<p>Accept what failed, with a reason.</p>${acceptForm(may, run)}`;
  const name = loaded.length === 1 ? loaded[0] : 'NAME';
  const keepOld = html`<h3>One dataset is wrong: keep its old data</h3><p>It loaded ${loaded.join(', ')}. Put the previous files of the wrong one back, then <code>pipeline refresh --only ${name}</code>. Until its publisher corrects it, <code>pipeline refresh --skip ${name}</code> reads all others.</p>`;
  return html`${start}<h3>The change is right</h3>${accept}
${loaded.length === 0 ? '' : keepOld}
<h3>The files are corrected: load again</h3>${actionForm(may, { action: 'run', command: 'refresh', button: html`<button>Run now</button>` })}
<h3>A limit or a setting is wrong</h3><p>Change it in the configuration, then <code>pipeline refresh</code>.</p>
<p>To drop what run ${run_id} computed: <code>pipeline discard</code>.</p>
<h3>What it would change, the largest first</h3>${examples.length === 0 ? '' : htmlTable(['row', 'before', 'after'], examples.map(exampleRow))}<p class="note">All: <code>pipeline diff --candidate</code>. A property: <code>/property/&lt;gnaf_pid&gt;?candidate</code>.</p>`;
}
