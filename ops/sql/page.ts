import { SQL_LIMITS, type SqlRefusal, type SqlRows } from '../../pipelines/views/read_sql.ts';
import { html, type Markup } from '../html.ts';
import type { Page } from '../page.ts';
import { ROWS_MAP, rowsMap, rowsTable } from '../rows.ts';

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

function answered(found: SqlRows): Markup {
  const { rows, isMore } = found;
  const count = isMore
    ? `The first ${rows.length.toLocaleString('en-AU')} rows; there are more.`
    : `${rows.length.toLocaleString('en-AU')} ${rows.length === 1 ? 'row' : 'rows'}.`;
  return html`<p>${count}</p>${rowsMap(found)}${rows.length === 0 || found.columns.length === 0 ? '' : rowsTable(found)}`;
}

/** Renders a query and its answer. `found` null: no query yet. */
export const sqlPage = (sql: string, found: SqlRows | SqlRefusal | null): Page => ({
  title: 'SQL',
  at: '/tables/',
  ...ROWS_MAP,
  body: html`<h1>SQL</h1><form action="/sql"><label for="q">A query of the <a href="/tables">tables</a></label>
<textarea id="q" name="q" rows="6" maxlength="${SQL_LIMITS.characters}" spellcheck="false" required>${sql}</textarea><button>Run</button></form>
<p class="note">It runs as the role of readers and changes nothing: at most ${SQL_LIMITS.seconds} s and ${SQL_LIMITS.rows.toLocaleString('en-AU')} rows, long texts cut. The address of the page is a link to the query. Rows with a shape, or with <code>lon</code> and <code>lat</code>, are drawn.</p>
<p>Such as ${EXAMPLES.map(([title, text], i) => html`${i === 0 ? '' : ', '}<a href="${sqlLink(text)}">${title}</a>`)}.</p>
${found === null ? (sql === '' ? '' : html`<p>Press Run: a link from another site does not run a query by itself.</p>`) : 'message' in found ? refused(sql, found) : answered(found)}`,
});
