import type { NoData } from '../../contract/answer.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import type { ComparablePoint, HazardLine } from '../../contract/map/around_property.ts';
import type { PropertyNeighbours } from '../../contract/property_neighbours.ts';
import type { Explanation, RecordOrigin } from '../../pipelines/inspect/explain.ts';
import { HAZARD_LAYERS, HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import { html, htmlTable, type Markup, moment } from '../html.ts';
import { layersAt } from '../map/drawn_layers.ts';
import { dataFor, type Page } from '../page.ts';
import { servedFields, valueText } from './fields.ts';
import { propertyLink } from './found_page.ts';
import { dollars, intervalPlot } from './valuation_view.ts';

/** All that the page of a property shows. */
export interface PropertyView {
  explanation: Explanation;
  publication: number | null;
  comparables: readonly ComparablePoint[];
  hazards: readonly HazardLine[];
  /** Why a hazard layer would have nothing here, by layer. */
  notFound: Readonly<Record<HazardLayer, NoData>>;
  around: PropertyNeighbours | null;
}

type Row = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const path = (pid: string, rest: string): string => `/property/${encodeURIComponent(pid)}/${rest}`;

function facts(view: PropertyView, property: Row): Markup {
  const { serving } = view.explanation;
  const [zone, basics, profile] = [
    serving.property_zoning?.[0],
    serving.property_basics?.[0],
    serving.property_profile?.[0],
  ];
  const area = number(property.land_area_sqm);
  const rooms = [
    ['bedrooms', basics?.bedrooms],
    ['bathrooms', basics?.bathrooms],
    ['parking', basics?.parking],
  ].filter(([, value]) => value !== null && value !== undefined);
  const list: [string, unknown][] = [
    ['G-NAF id', html`<code>${property.gnaf_pid}</code>`],
    ['suburb', text(property.sal)],
    ['council', text(profile?.lga_name)],
    ['dwelling', text(basics?.dwelling_type ?? property.dwelling_type)],
    ['stated', rooms.map(([name, value]) => `${name} ${value}`).join(', ')],
    [
      'land area',
      area === null
        ? `none: ${text(property.land_area_reason).replaceAll('_', ' ')}`
        : `${area.toLocaleString('en-AU')} m²`,
    ],
    [
      'parcel',
      property.parcel_id === null
        ? 'none'
        : html`<code>${property.parcel_id}</code> (${text(property.parcel_method).replaceAll('_', ' ')})`,
    ],
    ['zone', [zone?.code, zone?.name].filter(Boolean).join(', ')],
  ];
  return html`<dl class="facts">${list
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** What is said of a layer of which nothing was found. */
const NOT_FOUND: Partial<Record<NoData, string>> = {
  none_found: 'none within the search radius',
  not_covered: 'not assessed here, which is no all-clear',
  not_matched: 'not assessed: the address has no parcel and no point of its own',
};

function hazards({ explanation: { serving }, notFound }: PropertyView): Markup {
  const found = new Set((serving.property_risk ?? []).map(({ layer }) => layer));
  const others = HAZARD_LAYERS.filter((layer) => !found.has(layer)).map((layer) => [
    HAZARDS[layer].title,
    NOT_FOUND[notFound[layer]],
  ]);
  const rows = [...(serving.property_risk ?? [])]
    .sort((a, b) => (number(a.nearest_distance_m) ?? 0) - (number(b.nearest_distance_m) ?? 0))
    .map((row) => [
      text(row.layer).replaceAll('_', ' '),
      text(row.name),
      row.on_property ? html`<span class="fail">on the property</span>` : 'no',
      html`${number(row.nearest_distance_m)?.toLocaleString('en-AU')} m`,
      text(row.value),
      html`<code>${row.feature_id}</code>`,
    ]);
  const findings = htmlTable(
    ['layer', 'name', 'on property', 'distance', 'finding', 'feature that decides'],
    rows,
  );
  return html`${rows.length > 0 ? findings : ''}${others.length > 0 ? htmlTable(['layer', 'finding'], others) : ''}`;
}

function valuation(pid: string, { serving }: Explanation, comparables: readonly ComparablePoint[]): Markup {
  const avm = serving.property_avm?.[0];
  const [value, low, high] = [avm?.predicted_price, avm?.predicted_price_low, avm?.predicted_price_high].map(
    number,
  );
  if (!avm) return html`<p>It is not valued.</p>`;
  if (value == null || low == null || high == null)
    return html`<p>There is no estimate: ${text(avm.reason).replaceAll('_', ' ')}.</p>`;
  const rent = number(avm.rent_aud_pw);
  return html`${intervalPlot(
    { value, low, high },
    comparables.map(({ price, adjusted_price }) => adjusted_price ?? price),
  )}
<p>Confidence ${text(avm.confidence)} of 100, tier ${text(avm.tier)}, as of <time>${text(avm.prediction_date)}</time>${rent === null ? '' : html`; rent ${dollars(rent)} a week`}. <a href="${path(pid, 'valuation')}">Why this value, and what would change it</a></p>`;
}

function comparableTable(comparables: readonly ComparablePoint[]): Markup {
  if (comparables.length === 0) return html`<p>There are none.</p>`;
  return htmlTable(
    ['rank', 'address', 'sold', 'price', 'at the level of the day', 'metres', 'likeness'],
    comparables.map((each) => [
      each.rank,
      propertyLink(each.gnaf_pid, each.address),
      html`<time>${each.date}</time>`,
      dollars(each.price),
      each.adjusted_price === null ? '' : dollars(each.adjusted_price),
      each.distance_m,
      each.dist_score,
    ]),
  );
}

function neighbourTable(around: PropertyNeighbours | null): Markup {
  const list = around?.neighbours ?? [];
  if (list.length === 0) return html`<p>No address is known on an adjoining parcel.</p>`;
  return htmlTable(
    ['address', 'type', 'status', 'events'],
    list.map((each) => [
      propertyLink(each.gnaf_pid, each.address),
      text(each.property_type),
      each.status,
      each.property_history.length,
    ]),
  );
}

function origins({ address, parcel, zone, computed }: Explanation): Markup {
  const known = [
    ['address', address],
    ['parcel', parcel],
    ['zone', zone],
  ].filter((each): each is [string, RecordOrigin] => each[1] !== null);
  const rows = known.map(([what, each]) => [
    what,
    each.dataset,
    each.release,
    each.part,
    each.place,
    each.files.join(', '),
  ]);
  const stages = computed.map((each) => [each.stage, each.version, each.run_id, moment(each.computed_at)]);
  return html`${htmlTable(['what', 'dataset', 'release', 'part', 'place in the file', 'files'], rows)}
<details><summary>Stages that computed its place</summary>${htmlTable(['stage', 'version', 'run', 'computed'], stages)}</details>`;
}

/** Columns of a changed row that differ, before and after. */
function differences(before: unknown, after: unknown): Markup {
  const was = (before ?? {}) as Row;
  const is = (after ?? {}) as Row;
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  );
  return html`${names.slice(0, 12).map((name) => html`<div>${name}: ${valueText(was[name])} → ${valueText(is[name])}</div>`)}${names.length > 12 ? html`<div>and ${names.length - 12} more</div>` : ''}`;
}

function changes({ changes: list }: Explanation): Markup {
  if (list.length === 0) return html`<p>None since it was first published.</p>`;
  return htmlTable(
    ['publication', 'table', 'change', 'from and to'],
    list.map((each) => [
      each.publication_id,
      each.table_name,
      each.change,
      differences(each.before, each.after),
    ]),
  );
}

/** The first sentence of a text. */
const inShort = (doc: string): string => /^.*?[.:;](?=\s|$)/.exec(doc)?.[0].replace(/[:;]$/, '.') ?? doc;

const payloads = (pid: string): Markup =>
  html`${ENDPOINTS.filter(({ subject }) => subject === 'property').map(
    ({
      path: name,
      doc,
    }) => html`<details data-payload="${path(pid, `payload/${name}`)}"><summary><code>${name}</code> <span class="note">${inShort(doc)}</span></summary>
<pre tabindex="0" aria-label="Payload of ${name}"><a href="${path(pid, `payload/${name}`)}">The payload</a></pre></details>`,
  )}`;

const SECTIONS = [
  ['valuation', 'Valuation'],
  ['comparables', 'Comparable sales'],
  ['hazards', 'Hazards'],
  ['neighbours', 'Neighbours'],
  ['fields', 'Every served field'],
  ['origins', 'Where it came from'],
  ['changes', 'Changes over the publications'],
  ['payloads', 'Payloads'],
] as const;

/** The map of a property at [lon, lat]; null: it has no coordinates. */
function mapOf(at: readonly number[] | null): Markup {
  if (at === null) return html`<p>It has no coordinates, so there is no map of it.</p>`;
  return html`<div id="map" class="map own-map" role="region" aria-label="Map around the property"></div>
<p class="note"><span class="swatch mark-subject"></span> the property <span class="swatch mark-near"></span> neighbours <span class="swatch dot mark-sale"></span> comparable sales <span class="swatch mark-hazard"></span> to the nearest point of a hazard. <a href="/map?layers=SAL,parcel,address,zone#at=17.5/${at[1]}/${at[0]}">Whole map</a></p>`;
}

/** The page of a property that is served. */
export function propertyPage(view: PropertyView): Page {
  const { explanation, comparables } = view;
  const pid = explanation.gnaf_pid;
  const property = explanation.serving.property![0]!;
  const { lon, lat } = property as { lon: number | null; lat: number | null };
  const setup = {
    layers: layersAt(null),
    box: null,
    at: lon === null || lat === null ? null : [lon, lat],
    shapes: view.around?.geojson ?? null,
    comparables,
    hazards: view.hazards,
  };
  const content: Record<(typeof SECTIONS)[number][0], Markup> = {
    valuation: valuation(pid, explanation, comparables),
    comparables: comparableTable(comparables),
    hazards: hazards(view),
    neighbours: neighbourTable(view.around),
    fields: html`<p class="note">A field's name leads to its source, its history and why it was computed.</p>${servedFields(pid, explanation.serving)}`,
    origins: origins(explanation),
    changes: changes(explanation),
    payloads: html`<p class="note">What the service answers, read from the published tables when it is opened.</p>${payloads(pid)}`,
  };
  return {
    title: text(property.address),
    at: '/property/',
    modules: ['property_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`<h1>${property.address}</h1><p class="note">Publication ${view.publication ?? ''}. ${explanation.notes.join(' ')}</p><div class="split"><div>${facts(view, property)}<nav aria-label="Contents"><ul class="contents">${SECTIONS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav></div>
<div>${mapOf(setup.at)}</div></div>
${SECTIONS.map(([id, title]) => html`<h2 id="${id}">${title}</h2>${content[id]}`)}${dataFor('setup', setup)}`,
  };
}

/** What became of an id that is not served. */
export const notServedPage = ({ gnaf_pid, outcome, notes }: Explanation): Page => ({
  title: `${gnaf_pid}: ${outcome}`,
  at: '/property/',
  body: html`<h1>${gnaf_pid}: <span class="fail">${outcome}</span></h1>${notes.map((note) => html`<p>${note}</p>`)}`,
});
