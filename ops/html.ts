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

/** A table; cells are escaped unless they are markup. Columns of numbers stand to the right, zeros are faint. */
export function htmlTable(head: readonly string[], rows: readonly (readonly unknown[])[]): Markup {
  const numeric = (column: number): boolean =>
    rows.length > 0 && rows.every((row) => typeof row[column] === 'number' || row[column] === '');
  const cell = (value: unknown): Markup =>
    typeof value === 'number'
      ? html`<td class="${value === 0 ? 'n zero' : 'n'}">${value.toLocaleString('en-AU', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 })}</td>`
      : html`<td>${value}</td>`;
  const titles = head.map((name, i) =>
    numeric(i) ? html`<th class="n">${name}</th>` : html`<th>${name}</th>`,
  );
  return html`<div class="wide"><table><thead><tr>${titles}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map(cell)}</tr>`,
  )}</tbody></table></div>`;
}

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c2733}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.8rem 0 .4rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #e2e8ee;vertical-align:top;overflow-wrap:break-word}
.wide{overflow-x:auto}td:not(.n){min-width:6rem}details{margin:.5rem 0}summary{cursor:pointer;color:#51606e}tbody tr:hover{background:#f5f7f9}
th{font-weight:600;color:#51606e;vertical-align:bottom}.n{text-align:right}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}td.zero{color:#a9b4be}
.bar{display:block;padding:0 .3rem;background:linear-gradient(to right,#cfe3d6 var(--share),transparent var(--share))}
.pass,.published,.unchanged{color:#1a7f4b}.fail,.failed,.refused,.interrupted{color:#b3261e;font-weight:600}
.accepted{color:#9a6700;font-weight:600}.note{color:#51606e}pre{white-space:pre-wrap;background:#f5f7f9;padding:.6rem}svg{max-width:100%;height:auto}`;

/** A whole page. Nothing in it is fetched from anywhere, and nothing in it runs. */
export const page = (title: string, body: Markup): string =>
  `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title><style>${new Markup(STYLE)}</style></head><body>${body}</body></html>`.text
  }\n`;
