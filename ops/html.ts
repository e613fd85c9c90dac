import { timeText } from '../contract/answers/time_text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, so that nothing in it is markup. Marks that turn the direction of the text around them are shown as `\u202e`. */
export const escapeHtml = (text: unknown): string =>
  String(text ?? '').replaceAll(
    /[&<>"'\u202a-\u202e\u2066-\u2069]/g,
    (char) => ENTITIES[char] ?? `\\u${char.charCodeAt(0).toString(16)}`,
  );

/** Markup that is inserted without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Builds markup from a template: values are escaped unless they are markup; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const show = (value: unknown): string =>
    value instanceof Markup
      ? value.text
      : Array.isArray(value)
        ? value.map(show).join('')
        : escapeHtml(value);
  return new Markup(
    parts.reduce((text, part, i) => text + part + (i < values.length ? show(values[i]) : ''), ''),
  );
}

/** Renders a time, with its seconds as a tooltip. Null: nothing. */
export const moment = (iso: string | null): Markup =>
  iso === null ? html`` : html`<time datetime="${iso}" title="${iso}">${timeText(iso)}</time>`;

const SPANS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Formats a duration in its largest unit: `3 days`. */
export function spanText(seconds: number): string {
  const [unit, size] = SPANS.find(([, each]) => Math.abs(seconds) >= each) ?? SPANS.at(-1)!;
  const n = Math.floor(Math.abs(seconds) / size);
  return `${n.toLocaleString('en-AU')} ${unit}${n === 1 ? '' : 's'}`;
}

/** Renders the age of a time, with the time itself as a tooltip. */
export const ago = (iso: string, now: number): Markup =>
  html`<time datetime="${iso}" title="${timeText(iso)}">${spanText(Math.max(0, now - Date.parse(iso)) / 1000)} ago</time>`;

/** Renders a titled box. `mark`: a mark of its values, after the title. */
export const card = (title: string, body: Markup, mark: Markup = html``): Markup =>
  html`<section class="card"><h2>${title}</h2>${mark}${body}</section>`;

/** Renders names with values. Null and empty values are left out. */
export const facts = (list: readonly (readonly [string, unknown])[]): Markup =>
  html`<dl class="facts">${list
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** Renders a section under its title. */
export const section = (id: string, title: string, body: Markup): Markup =>
  html`<h2 id="${id}">${title}</h2>${body}`;

export const NO_MARKUP = new Markup('');

/** Says that something is missing, and what to do next. */
export const nothing = (says: string, steps: readonly Markup[]): Markup =>
  html`<p>${says} Next:</p><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`;

export const FIRST_STEPS: readonly Markup[] = [
  html`Check the configuration and the files: <code>pipeline doctor</code>.`,
  html`See what a run would do: <code>pipeline plan</code>.`,
  html`Start it: <code>pipeline refresh</code>, or <a href="/operate">Operate</a>.`,
];

const isEmpty = (value: unknown): boolean =>
  value instanceof Markup ? value.text.trim() === '' : (value ?? '') === '';
/** An amount or share as text, which no line break may divide: `$1,250,000`, `−3.1 %`, `$55 – $60`. */
const AMOUNT = /^[−+]?(\$[\d.,]+( – \$[\d.,]+)?|[\d.,]+ %)$/;
const isAmount = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && AMOUNT.test(value));

/** Renders a table. `shown`: rows shown; the rest is folded. `hasEmptyColumns`: columns without a value are shown too. */
function tableOf(
  titlesOfAll: readonly string[],
  rowsOfAll: readonly (readonly unknown[])[],
  shownCount: number,
  hasEmptyColumns = false,
): Markup {
  const isShown = titlesOfAll.map(
    (_, i) =>
      i === 0 || hasEmptyColumns || rowsOfAll.length === 0 || rowsOfAll.some((row) => !isEmpty(row[i])),
  );
  const head = titlesOfAll.filter((_, i) => isShown[i]);
  const rows = rowsOfAll.map((row) => row.filter((_, i) => isShown[i] ?? true));
  const numeric = (column: number): boolean =>
    rows.some((row) => isAmount(row[column])) &&
    rows.every(({ [column]: value }) => isAmount(value) || isEmpty(value) || value instanceof Markup);
  const label = (column: number): Markup => html` data-label="${head[column]}"`;
  const cell = (value: unknown, column: number): Markup =>
    typeof value === 'number'
      ? html`<td${label(column)} class="${value === 0 ? 'n zero' : 'n'}">${value.toLocaleString('en-AU', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 })}</td>`
      : html`<td${label(column)}${isAmount(value) ? html` class="n"` : ''}>${value}</td>`;
  const titles = head.map((name, i) =>
    numeric(i) ? html`<th scope="col" class="n">${name}</th>` : html`<th scope="col">${name}</th>`,
  );
  const lines = rows.map((row) => html`<tr>${row.map(cell)}</tr>`);
  const foldedRows =
    shownCount < rows.length ? html`<tbody class="rest">${lines.slice(shownCount)}</tbody>` : '';
  return html`<div class="wide rows" tabindex="0" role="group" aria-label="Table of ${head.filter(Boolean).join(', ')}"><table><thead><tr>${titles}</tr></thead><tbody>${lines.slice(0, shownCount)}</tbody>${foldedRows}</table></div>`;
}

/**
 * Renders a table. Cells are escaped unless they are markup. Numbers align right, zeros are faint. On a phone each row becomes a card: its
 * first cell, then the others with their titles. Columns that are empty throughout are left out, unless `hasEmptyColumns`.
 */
export const htmlTable = (
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  hasEmptyColumns = false,
): Markup => tableOf(head, rows, rows.length, hasEmptyColumns);

/** Column of a table: its title and the cell of a row, or the name of a member that is both. */
export type HtmlColumn<T> = (keyof T & string) | readonly [title: string, cellOf: (row: T) => unknown];

const titlesOf = <T>(columns: readonly HtmlColumn<T>[]): string[] =>
  columns.map((column) => (typeof column === 'string' ? column : column[0]));
const cellsOf = <T>(columns: readonly HtmlColumn<T>[], rows: readonly T[]): unknown[][] =>
  rows.map((row) => columns.map((column) => (typeof column === 'string' ? row[column] : column[1](row))));

/** Renders records as a table by its columns. */
export const columnTable = <T>(rows: readonly T[], columns: readonly HtmlColumn<T>[]): Markup =>
  htmlTable(titlesOf(columns), cellsOf(columns, rows));

/** Renders records as a long table by its columns. */
export const longColumnTable = <T>(
  rows: readonly T[],
  columns: readonly HtmlColumn<T>[],
  shownCount: number,
  noun: string,
): Markup => longTable(titlesOf(columns), cellsOf(columns, rows), shownCount, noun);

/** A table with at most this many rows more than are shown is not folded. */
const FEW = 2;

/** Renders a table with its first `shown` rows. A line with the number of `things` opens the rest. Printed pages show all rows. */
export function longTable(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  shownCount: number,
  noun: string,
): Markup {
  if (rows.length <= shownCount + FEW) return htmlTable(head, rows);
  return html`<details class="more"><summary>All ${rows.length.toLocaleString('en-AU')} ${noun}<span class="closed">; ${shownCount} are shown</span></summary></details>${tableOf(head, rows, shownCount)}`;
}
