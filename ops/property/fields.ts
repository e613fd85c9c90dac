import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table, UntypedRow } from '../../schema/table.ts';
import { html, htmlTable, Markup } from '../html.ts';

/** Columns that every row of a property repeats. */
const REPEATED: ReadonlySet<string> = new Set(['gnaf_pid', 'cell', 'state', 'sa2', 'sa3']);
/** Maximum rows of a table to show; the rest is counted. */
const ROWS = 60;

export function valueText(value: unknown): Markup | string {
  if (value === null || value === undefined) return html`<span class="note">null</span>`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return typeof value === 'object' ? html`<code class="json">${JSON.stringify(value)}</code>` : String(value);
}

/** Link to the history of a field. */
const why = (pid: string, table: string, column: string): string =>
  `/property/${encodeURIComponent(pid)}/why/${table}.${column}`;

function single(pid: string, { name, columns }: Table, row: UntypedRow): Markup {
  const shownColumns = Object.entries(columns).filter(
    ([column]) => name === 'property' || !REPEATED.has(column),
  );
  return htmlTable(
    ['field', 'value', 'what it is'],
    shownColumns.map(([column, { doc }]) => [
      html`<a href="${why(pid, name, column)}">${column}</a>`,
      valueText(row[column]),
      html`<span class="note">${doc}</span>`,
    ]),
  );
}

function several({ columns }: Table, rows: readonly UntypedRow[]): Markup {
  const shownColumns = Object.keys(columns).filter((column) => !REPEATED.has(column));
  const hiddenRows = rows.length - ROWS;
  return html`${htmlTable(
    shownColumns,
    rows.slice(0, ROWS).map((row) => shownColumns.map((column) => valueText(row[column]))),
  )}${hiddenRows > 0 ? html`<p>and ${hiddenRows} more</p>` : ''}`;
}

/** Lists every served row of a property by table, in the order of the declarations. Names tables without a row. */
export function servedFields(pid: string, serving: Readonly<Record<string, readonly UntypedRow[]>>): Markup {
  const tables = SERVING_TABLES.filter((table) => 'gnaf_pid' in table.columns) as readonly Table[];
  const empty = tables.filter(({ name }) => (serving[name] ?? []).length === 0).map(({ name }) => name);
  const sections = tables
    .filter(({ name }) => !empty.includes(name))
    .map((table) => {
      const rows = serving[table.name]!;
      const isSingle = table.primaryKey.length === 1;
      return html`<details><summary>${table.name} <span class="note">${isSingle ? '' : `${rows.length} rows. `}${table.doc}</span></summary>
${isSingle ? single(pid, table, rows[0]!) : several(table, rows)}</details>`;
    });
  return html`${sections}${empty.length > 0 ? html`<p class="note">Without a row: ${empty.join(', ')}.</p>` : new Markup('')}`;
}
