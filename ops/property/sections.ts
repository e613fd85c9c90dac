import { addressTitleCase } from '../../contract/answers/title_case.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import type { ComparablePoint } from '../../contract/map/around_property.ts';
import type { PropertyNeighbours } from '../../contract/property/property_neighbours.ts';
import type { Explanation, RecordOrigin } from '../../pipelines/explain/explain.ts';
import { dollars } from '../charts.ts';
import { html, htmlTable, type Markup, moment } from '../html.ts';
import { path, propertyLink, text, words } from './view.ts';

/** Lists comparable sales, most similar first. */
export function comparableTable(comparables: readonly ComparablePoint[]): Markup {
  if (comparables.length === 0) return html`<p>There are none.</p>`;
  return html`<p class="note">Adjusted: indexed to the valuation date. Likeness: 1 is the same home.</p>${htmlTable(
    ['sale', 'sold', 'price', 'adjusted', 'type', 'beds', 'land m²', '$/m²', 'metres', 'likeness'],
    comparables.map((each) => [
      html`${each.rank}. ${propertyLink(each.gnaf_pid, addressTitleCase(each.address))}`,
      html`<time>${each.date}</time>`,
      dollars(each.price),
      each.adjusted_price === null ? '' : dollars(each.adjusted_price),
      words(each.dwelling_type),
      each.bedrooms ?? '',
      each.land_area_sqm === null ? '' : Math.round(each.land_area_sqm),
      each.land_area_sqm === null ? '' : Math.round(each.price / each.land_area_sqm),
      each.distance_m,
      each.dist_score,
    ]),
  )}`;
}

/** Lists sales and listings, newest first. */
export function eventTable({ serving }: Explanation): Markup {
  const events = [...(serving.property_event ?? [])].sort((a, b) => (text(a.date) < text(b.date) ? 1 : -1));
  if (events.length === 0) return html`<p>No sale or listing is known.</p>`;
  const money = (value: unknown): string => (value === null ? '' : dollars(Number(value)));
  return htmlTable(
    ['date', 'what', 'price', 'range', 'until', 'ended', 'sources'],
    events.map(({ date, type, price, price_low, price_high, end_date, end_reason, sources }) => [
      html`<time>${text(date)}</time>`,
      text(type),
      type === 'For Rent' && price !== null ? `${money(price)} a week` : money(price),
      price_low === null && price_high === null ? '' : `${money(price_low)} – ${money(price_high)}`,
      text(end_date),
      words(end_reason),
      (sources as string[]).join(', '),
    ]),
  );
}

/** Lists addresses on adjoining parcels. */
export function neighbourTable(around: PropertyNeighbours | null): Markup {
  const list = around?.neighbours ?? [];
  if (list.length === 0) return html`<p>No address is known on an adjoining parcel.</p>`;
  return htmlTable(
    ['address', 'type', 'status', 'events'],
    list.map((each) => [
      propertyLink(each.gnaf_pid, addressTitleCase(each.address)),
      text(each.property_type),
      each.status,
      each.property_history.length,
    ]),
  );
}

/** Lists the publishers' records behind a property. */
export function origins({ address, parcel, zone, events, computed }: Explanation): Markup {
  const ownRecords = [
    ['address', address],
    ['parcel', parcel],
    ['zone', zone],
  ].filter((each): each is [string, RecordOrigin] => each[1] !== null);
  const reported = events.flatMap(({ type, date, records }) =>
    records.map((each) => [
      html`${type}, <time>${date}</time>`,
      each.dataset,
      each.release,
      '',
      each.place,
      each.files.join(', '),
    ]),
  );
  const rows = ownRecords.map(([what, each]) => [
    what,
    each.dataset,
    each.release,
    each.part,
    each.place,
    each.files.join(', '),
  ]);
  const stages = computed.map((each) => [
    each.stage,
    String(each.version),
    html`<a href="/runs/${each.run_id}">${each.run_id}</a>`,
    moment(each.computed_at),
  ]);
  return html`${htmlTable(['what', 'dataset', 'release', 'part', 'place in the file', 'files'], [...rows, ...reported])}
<details><summary>Stages that computed its place</summary>${htmlTable(['stage', 'version', 'run', 'computed'], stages)}</details>`;
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
