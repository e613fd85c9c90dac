/** Text that stands in HTML as it is: nothing in it is markup. */
export const escapeHtml = (text: unknown): string =>
  String(text ?? '').replaceAll(
    /[&<>"']/g,
    (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char]!,
  );

/** Markup that is put into a page as it is; everything else is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Markup from a template: values are escaped unless they are markup; lists are joined. */
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

/** A moment as ISO 8601 has it, with its zone; it is never wrapped. */
export const moment = (iso: string | null): Markup =>
  iso === null ? html`` : html`<time datetime="${iso}">${iso}</time>`;

/** What becomes of a table that is wider than a phone: it scrolls, or the cells of a row stand below each other with their titles. */
export type Narrow = 'scroll' | 'stack';

/** `shown`: rows that stand open; the others are folded away. */
function tableOf(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  narrow: Narrow,
  shown: number,
): Markup {
  const numeric = (column: number): boolean =>
    rows.some((row) => typeof row[column] === 'number') &&
    rows.every((row) => typeof row[column] === 'number' || row[column] === '');
  const label = (column: number): Markup =>
    narrow === 'stack' ? html` data-label="${head[column]}"` : html``;
  const cell = (value: unknown, column: number): Markup =>
    typeof value === 'number'
      ? html`<td${label(column)} class="${value === 0 ? 'n zero' : 'n'}">${value.toLocaleString('en-AU', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 })}</td>`
      : html`<td${label(column)}>${value}</td>`;
  const titles = head.map((name, i) =>
    numeric(i) ? html`<th scope="col" class="n">${name}</th>` : html`<th scope="col">${name}</th>`,
  );
  const lines = rows.map((row) => html`<tr>${row.map(cell)}</tr>`);
  const rest = shown < rows.length ? html`<tbody class="rest">${lines.slice(shown)}</tbody>` : '';
  const table = html`<table><thead><tr>${titles}</tr></thead><tbody>${lines.slice(0, shown)}</tbody>${rest}</table>`;
  return narrow === 'stack'
    ? html`<div class="stack">${table}</div>`
    : html`<div class="wide" tabindex="0" role="group" aria-label="Table of ${head.filter(Boolean).join(', ')}">${table}</div>`;
}

/** A table; cells are escaped unless they are markup. Columns of numbers stand to the right, zeros are faint. */
export const htmlTable = (
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  narrow: Narrow = 'scroll',
): Markup => tableOf(head, rows, narrow, rows.length);

/** Of a table of few rows more than are shown, none is folded away. */
const FEW = 2;

/** The same with its first `shown` rows; a line above it, which says how many `things` there are, opens the others. Paper has them all. */
export function longTable(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  shown: number,
  things: string,
  narrow: Narrow = 'scroll',
): Markup {
  if (rows.length <= shown + FEW) return htmlTable(head, rows, narrow);
  return html`<details class="fold"><summary>All ${rows.length.toLocaleString('en-AU')} ${things}<span class="closed">; ${shown} are shown</span></summary></details>${tableOf(head, rows, narrow, shown)}`;
}
