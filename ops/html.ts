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

/** A table; cells are escaped unless they are markup. Columns of numbers stand to the right, zeros are faint. */
export function htmlTable(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  narrow: Narrow = 'scroll',
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
  const table = html`<table><thead><tr>${titles}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map(cell)}</tr>`,
  )}</tbody></table>`;
  return narrow === 'stack'
    ? html`<div class="stack">${table}</div>`
    : html`<div class="wide" tabindex="0" role="group" aria-label="Table of ${head.filter(Boolean).join(', ')}">${table}</div>`;
}
