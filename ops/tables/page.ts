import type { TableRows, TableView } from '../../pipelines/views/browse_table.ts';
import { columnSql } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { type FilterCondition, OPERATORS, sortable } from '../../store/read/table_filter.ts';
import { columnTable, html, htmlTable, type Markup, nothing } from '../html.ts';
import type { Page } from '../page.ts';
import { mapFiles, rowsMap, rowsTable } from '../rows.ts';
import { sqlLink } from '../sql/page.ts';
import { linkOf } from './link.ts';

const n = (count: number): string => count.toLocaleString('en-AU');

/** Renders a select. `chosen`: the current option. */
const choice = (
  name: string,
  label: string,
  options: readonly (readonly [value: string, title: string])[],
  chosen: string,
): Markup =>
  html`<select name="${name}" aria-label="${label}">${options.map(([value, title]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${title}</option>`)}</select>`;

/** Lists every serving table with its number of published rows. */
export const tablesPage = (tables: readonly Table[], rows: ReadonlyMap<string, number>): Page => ({
  title: 'Tables',
  at: '/tables',
  body: html`<h1>Tables</h1><p>What is published: ${tables.length} tables. Filter and sort them, take what is filtered as a file, or ask them by <a href="/sql">SQL</a>.</p>
${columnTable(tables, [
  ['table', ({ name }) => html`<a href="/tables/${name}">${name}</a>`],
  ['rows', ({ name }) => rows.get(name) ?? 0],
  ['columns', ({ columns }) => Object.keys(columns).length],
  ['what it is', ({ doc }) => doc],
])}`,
});

/** Data of a table's page. */
export interface TableShown {
  table: Table;
  view: TableView;
  rows: TableRows;
  /** Published rows. */
  all: number;
  /** Number of rows that meet the filter, at most `most`. */
  count: number;
  /** Maximum rows of a file. */
  most: number;
}

function conditionRow({ columns }: Table, { column, op, value }: FilterCondition): Markup {
  const names = Object.keys(columns).map((name) => [name, name] as const);
  const operators = Object.entries(OPERATORS).map(([name, { title }]) => [name, title] as const);
  return html`<div class="asked">${choice('column', 'Column', [['', column === '' ? 'add a condition' : 'no condition'], ...names], column)}
${choice('op', 'Operator', operators, op)} <input name="value" aria-label="Value" value="${value}" autocomplete="off"></div>`;
}

const filterForm = (table: Table, { conditions, column, isDescending }: TableView): Markup =>
  html`<form action="/tables/${table.name}">${[...conditions, { column: '', op: 'is', value: '' }].map((each) => conditionRow(table, each))}
<div class="asked"><label>Sorted by ${choice('sort', 'Sorted by', [['', 'its key'], ...sortable(table).map((name) => [name, name] as const)], column ?? '')}</label>
<label><input type="checkbox" name="desc" value="1"${isDescending ? html` checked` : ''}> descending</label> <button>Show</button></div></form>`;

function countText({ view, all, count, most }: TableShown): string {
  if (view.conditions.length === 0) return `${n(all)} rows.`;
  return count > most ? `More than ${n(most)} of ${n(all)} rows.` : `${n(count)} of ${n(all)} rows.`;
}

/** Renders a table: filter, rows, a map if they have positions, and the meaning of its columns. */
export function tablePage(tableView: TableShown): Page {
  const { table, view, rows: browsed, all, count, most } = tableView;
  const path = `/tables/${table.name}`;
  const first = { ...view, after: null };
  const map = rowsMap(browsed);
  const file = (format: string, title: string): Markup =>
    html`<a href="${path}/${format}${linkOf(first)}" download>${title}</a>`;
  const columns = Object.entries(table.columns).map(([name, column]) => [
    html`<code>${name}</code>`,
    `${columnSql(column).type}${column.nullable ? ', may be null' : ''}`,
    column.doc,
  ]);
  return {
    title: table.name,
    at: '/tables/',
    ...mapFiles(map),
    body: html`<h1>${table.name}</h1><p>${table.doc}</p>${filterForm(table, view)}
<p>${countText(tableView)} ${count > most ? html`<span class="note">A file holds ${n(most)} at most: <code>pipeline export</code> writes more.</span>` : html`All of them as ${file('csv', 'CSV')} or ${file('parquet', 'Parquet')}.`} <a href="${sqlLink(`SELECT *\nFROM ${table.name}\nLIMIT 100`)}">Ask it by SQL</a></p>
<details><summary>${columns.length} columns: what each means, and its unit</summary>${htmlTable(['column', 'type', 'what it is'], columns)}</details>
${map}${
  browsed.rows.length === 0
    ? nothing(all === 0 ? 'The table is empty.' : 'No row meets this.', [
        html`<a href="${path}">Show all ${n(all)} rows</a>.`,
        html`See <a href="/lineage">what it is made of</a>.`,
        html`See <a href="/tables">the other tables</a>.`,
      ])
    : rowsTable(browsed)
}
<p>${view.after === null ? '' : html`<a href="${path}${linkOf(first)}">First rows</a> `}${browsed.next === null ? '' : html`<a href="${path}${linkOf({ ...view, after: browsed.next })}" rel="next">Next rows</a>`}</p>`,
  };
}
