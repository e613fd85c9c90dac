import { type PublishedChange, ROWS } from '../../pipelines/views/what_changed.ts';
import type { UntypedRow } from '../../schema/table.ts';
import type { May } from '../forms.ts';
import { html, htmlTable, type Markup, moment } from '../html.ts';
import type { Page } from '../page.ts';
import { valueText } from '../property/fields.ts';
import { changeSentence } from './sentence.ts';

/** The property or suburb of a page. */
export interface Changed {
  /** Its address or name, and the path of its page. */
  name: string;
  path: string;
  /** G-NAF ids of its properties, which a watch of it has. */
  ids: readonly string[];
}

/** Lists the columns of a changed row that differ, before and after. */
function differences(before: unknown, after: unknown): Markup {
  const oldRow = (before ?? {}) as UntypedRow;
  const newRow = (after ?? {}) as UntypedRow;
  const names = [...new Set([...Object.keys(oldRow), ...Object.keys(newRow)])].filter(
    (name) => JSON.stringify(oldRow[name]) !== JSON.stringify(newRow[name]),
  );
  return html`${names.slice(0, 12).map((name) => html`<div>${name}: ${valueText(oldRow[name])} → ${valueText(newRow[name])}</div>`)}${names.length > 12 ? html`<div>and ${names.length - 12} more</div>` : ''}`;
}

/** Renders the form that lets an account be notified of changes. */
const watchForm = (may: May, { path, ids }: Changed): Markup =>
  html`<details><summary>Watch it</summary><p class="note">A receiver is notified when a publication changes ${ids.length === 1 ? 'it' : `one of its ${ids.length.toLocaleString('en-AU')} properties`}. The first message asks the receiver to confirm.</p>
${
  'why' in may
    ? html`<p>${may.why} <code>POST /v1/watches</code> of the service does the same with an API key.</p>`
    : html`<form method="post" action="${path}/watch">${may.token}<p class="asked"><label>Account <input name="account" required maxlength="100" autocomplete="off"></label> <label>Receiver <input name="url" type="url" required maxlength="2000" placeholder="https://…"></label> <button>Watch it</button></p></form>`
}</details>`;

const because = ({ releases }: PublishedChange): string =>
  releases === null || releases.length === 0 ? '' : `, because of ${releases.join(', ')}`;

/** Renders what publications changed for a property or suburb, and why, newest first. */
export const changesPage = (may: May, of: Changed, changes: readonly PublishedChange[]): Page => ({
  title: `Changes: ${of.name}`,
  at: '/property/',
  body: html`<h1>What changed: <a href="${of.path}">${of.name}</a></h1>${watchForm(may, of)}
${changes.flatMap(({ rows }) => rows).length === ROWS ? html`<p>The newest ${ROWS} changed rows; there are more.</p>` : ''}${changes.length === 0 ? html`<p>Nothing since it was first published, as far as the journal reaches back.</p>` : ''}
${changes.map(
  (
    each,
  ) => html`<h2>Publication ${each.publication_id}, ${moment(each.published_at)}</h2><p>${changeSentence(each, each.summary)}</p>
<details><summary>${each.rows.length === 0 ? 'No row' : each.rows.length === 1 ? 'One row' : `${each.rows.length} rows`} of its own changed${because(each)}</summary>${htmlTable(
    ['table', 'change', 'from and to'],
    each.rows.map((row) => [
      html`<a href="/tables/${row.table}">${row.table}</a>`,
      row.change,
      differences(row.before, row.after),
    ]),
  )}</details>`,
)}`,
});

/** Renders a new watch with its secret, which is shown only here. */
export const watchedPage = ({ name, path }: Changed, watch: { watch_id: number; secret: string }): Page => ({
  title: 'Watched',
  at: '/property/',
  body: html`<h1>Watch ${watch.watch_id} of <a href="${path}">${name}</a></h1><p>Give the receiver this secret, which is shown once: <code>${watch.secret}</code></p>`,
});
