import { addressTitleCase } from '../../contract/answers/title_case.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import type { ComparablePoint } from '../../contract/map/around_property.ts';
import type { PropertyNeighbours } from '../../contract/property/property_neighbours.ts';
import type { Explanation, RecordOrigin } from '../../pipelines/explain/explain.ts';
import { dollars } from '../charts.ts';
import { columnTable, type HtmlColumn, html, type Markup, moment } from '../html.ts';
import { path, propertyLink, text, words } from './view.ts';

/** Figures of a comparable sale. */
export const COMPARABLE_COLUMNS: readonly HtmlColumn<ComparablePoint>[] = [
  ['sold', ({ date }) => html`<time>${date}</time>`],
  ['price', ({ price }) => dollars(price)],
  ['adjusted', ({ adjusted_price }) => (adjusted_price === null ? '' : dollars(adjusted_price))],
  ['type', ({ dwelling_type }) => words(dwelling_type)],
  ['beds', ({ bedrooms }) => bedrooms],
  ['land m²', ({ land_area_sqm }) => land_area_sqm && Math.round(land_area_sqm)],
];

/** Lists comparable sales, most similar first. */
export function comparableTable(comparables: readonly ComparablePoint[]): Markup {
  if (comparables.length === 0) return html`<p>There are none.</p>`;
  const table = columnTable(comparables, [
    ['sale', (each) => html`${each.rank}. ${propertyLink(each.gnaf_pid, addressTitleCase(each.address))}`],
    ...COMPARABLE_COLUMNS,
    ['$/m²', (each) => each.land_area_sqm && Math.round(each.price / each.land_area_sqm)],
    ['metres', ({ distance_m }) => distance_m],
    ['likeness', ({ dist_score }) => dist_score],
  ]);
  return html`<p class="note">Adjusted: indexed to the valuation date. Likeness: 1 is the same home.</p>${table}`;
}

/** Lists sales and listings, newest first. */
export function eventTable({ serving }: Explanation): Markup {
  const events = [...(serving.property_event ?? [])].sort((a, b) => (text(a.date) < text(b.date) ? 1 : -1));
  if (events.length === 0) return html`<p>No sale or listing is known.</p>`;
  const money = (value: unknown): string => (value === null ? '' : dollars(Number(value)));
  return columnTable(events, [
    ['date', ({ date }) => html`<time>${text(date)}</time>`],
    ['what', ({ type }) => text(type)],
    [
      'price',
      ({ type, price }) => (type === 'For Rent' && price !== null ? `${money(price)} a week` : money(price)),
    ],
    [
      'range',
      ({ price_low: low, price_high: high }) =>
        low === null && high === null ? '' : `${money(low)} – ${money(high)}`,
    ],
    ['until', ({ end_date }) => text(end_date)],
    ['ended', ({ end_reason }) => words(end_reason)],
    ['sources', ({ sources }) => (sources as string[]).join(', ')],
  ]);
}

/** Lists addresses on adjoining parcels. */
export function neighbourTable(around: PropertyNeighbours | null): Markup {
  const list = around?.neighbours ?? [];
  if (list.length === 0) return html`<p>No address is known on an adjoining parcel.</p>`;
  return columnTable(list, [
    ['address', (each) => propertyLink(each.gnaf_pid, addressTitleCase(each.address))],
    ['type', ({ property_type }) => text(property_type)],
    'status',
    ['events', ({ property_history }) => property_history.length],
  ]);
}

/** Lists the publishers' records behind a property. */
export function origins({ address, parcel, zone, events, computed }: Explanation): Markup {
  const ownRecords = Object.entries({ address, parcel, zone }).flatMap(([what, origin]) =>
    origin === null ? [] : [{ ...origin, what }],
  );
  const reported = events.flatMap(({ type, date, records }) =>
    records.map((origin) => ({ ...origin, part: '', what: html`${type}, <time>${date}</time>` })),
  );
  const records = columnTable<Omit<RecordOrigin, 'part'> & { part: unknown; what: unknown }>(
    [...ownRecords, ...reported],
    [
      'what',
      'dataset',
      'release',
      'part',
      ['place in the file', ({ place }) => place],
      ['files', ({ files }) => files.join(', ')],
    ],
  );
  const stages = columnTable(computed, [
    'stage',
    ['version', ({ version }) => String(version)],
    ['run', ({ run_id }) => html`<a href="/runs/${run_id}">${run_id}</a>`],
    ['computed', ({ computed_at }) => moment(computed_at)],
  ]);
  return html`${records}
<details><summary>Stages that computed its place</summary>${stages}</details>`;
}

/** First sentence of a text. */
const inShort = (doc: string): string => /^.*?[.:;](?=\s|$)/.exec(doc)?.[0].replace(/[:;]$/, '.') ?? doc;

/** Shows the payload of every endpoint of a property, fetched on opening. */
export const payloads = (pid: string): Markup =>
  html`${ENDPOINTS.filter(({ subject }) => subject === 'property').map(
    ({
      subpath: name,
      doc,
    }) => html`<details data-payload="${path(pid, `payload/${name}`)}"><summary><code>${name}</code> <span class="note">${inShort(doc)}</span></summary>
<pre tabindex="0" aria-label="Payload of ${name}"><a href="${path(pid, `payload/${name}`)}">The payload</a></pre></details>`,
  )}`;
