import { SQL_LIMITS, type SqlRefusal, type SqlRows } from '../../pipelines/views/read_sql.ts';
import { columnSql } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { html, type Markup } from '../html.ts';
import { dataFor, type Page } from '../page.ts';
import { mapFiles, rowsMap, rowsTable } from '../rows.ts';

const EXAMPLES: readonly (readonly [title: string, sql: string])[] = [
  [
    'properties by state',
    'SELECT state, count(*) AS properties FROM property GROUP BY state ORDER BY 2 DESC',
  ],
  [
    'the newest sales on the map',
    'SELECT date, price, address, gnaf_pid, lon, lat\nFROM sale ORDER BY date DESC LIMIT 100',
  ],
  [
    'the largest parcels',
    'SELECT p.parcel_id, p.geom FROM parcel_shape p\nORDER BY octet_length(p.geom) DESC LIMIT 50',
  ],
  [
    'what was published',
    'SELECT publication_id, published_at, kind, reason FROM publication ORDER BY 1 DESC',
  ],
];

export const sqlLink = (sql: string): string => `/sql?${new URLSearchParams({ q: sql })}`;

function refused(sql: string, { message, hint, at }: SqlRefusal): Markup {
  const before = at === null ? null : [...sql].slice(0, at - 1).join('');
  const line =
    before === null
      ? ''
      : ` (line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')})`;
  return html`<p class="fail" role="alert">${message}${line}</p>${hint === null ? '' : html`<p class="note">${hint}</p>`}`;
}

function answered(result: SqlRows, map: Markup): Markup {
  const { rows, isMore } = result;
  const count = isMore
    ? `The first ${rows.length.toLocaleString('en-AU')} rows; there are more.`
    : `${rows.length.toLocaleString('en-AU')} ${rows.length === 1 ? 'row' : 'rows'}.`;
  return html`<p>${count}</p>${map}${rows.length === 0 || result.columns.length === 0 ? '' : rowsTable(result)}`;
}

/** Columns of the tables with their types, which ops/browser/sql_editor.mjs lists and completes. */
const columnsOf = (tables: readonly Table[]): object =>
  Object.fromEntries(
    tables.map(({ name, columns }) => [
      name,
      Object.fromEntries(Object.entries(columns).map(([column, of]) => [column, columnSql(of).type])),
    ]),
  );

/** Renders a query, its answer, and a list of the tables with their columns. `found` null: no query yet. */
export function sqlPage(sql: string, result: SqlRows | SqlRefusal | null, tables: readonly Table[]): Page {
  const isAnswer = result !== null && !('message' in result);
  const map = isAnswer ? rowsMap(result) : html``;
  const { modules, styles } = mapFiles(map);
  return {
    title: 'SQL',
    at: '/tables/',
    modules: ['sql_editor.mjs', ...modules],
    styles,
    body: html`<h1>SQL</h1><div class="split editor"><form action="/sql"><label for="q">A query of the <a href="/tables">tables</a></label>
<textarea id="q" name="q" rows="6" maxlength="${SQL_LIMITS.characters}" spellcheck="false" required>${sql}</textarea><p><button>Run</button> <span class="note">or Ctrl+Enter</span></p>
<p>Examples: ${EXAMPLES.map(([title, text], i) => html`${i === 0 ? '' : ', '}<a href="${sqlLink(text)}">${title}</a>`)}.</p></form><div id="tables" class="columns" tabindex="0" role="group" aria-label="Tables and their columns"></div></div>
<p class="note">It runs as the role of readers and changes nothing: at most ${SQL_LIMITS.seconds} s and ${SQL_LIMITS.rows.toLocaleString('en-AU')} rows, long texts cut. The address of the page is a link to the query. Rows with a shape, or with <code>lon</code> and <code>lat</code>, are drawn.</p>
${result === null ? (sql === '' ? '' : html`<p>Press Run: a link from another site does not run a query by itself.</p>`) : isAnswer ? answered(result, map) : refused(sql, result as SqlRefusal)}${dataFor('columns', columnsOf(tables))}`,
  };
}
