import { timeText } from '../../contract/answers/time_text.ts';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { RecordOrigin } from '../../pipelines/explain/explain.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { dollars } from '../charts.ts';
import { card, columnTable, html, htmlTable, Markup } from '../html.ts';
import { lateHazard, lateMark, TOPICS } from '../late.ts';
import { layersAt } from '../map/drawn_layers.ts';
import { dataFor, type Page } from '../page.ts';
import { notAssessed, overlayCover } from './planning.ts';
import type { ReportSources } from './report_sources.ts';
import { COMPARABLE_COLUMNS } from './sections.ts';
import { cautions, estimate, estimateOf, lastSale, NO_VALUE, shownDollars } from './value_card.ts';
import { number, type PropertyView, positionOf, propertyLink, text, words } from './view.ts';

/** Maximum comparables and overlays, so that the report fits two pages. */
const COMPARABLES = 10;
const OVERLAYS = 8;
/** Maximum findings of a hazard layer. */
const FINDINGS = 2;
/** Maximum characters of a text of a source. */
const TEXT = 160;

/** Shortens a long text of a source. */
const shorten = (value: unknown): string => {
  const all = text(value);
  return all.length > TEXT ? `${all.slice(0, TEXT)}…` : all;
};

const source = (says: string): Markup => html`<p class="note">Source: ${says}</p>`;
const sourceOf = (origin: RecordOrigin | null): string =>
  origin === null ? 'none' : `${origin.dataset} ${origin.release}`;

function saleCard(view: PropertyView): Markup {
  const { serving, events } = view.explanation;
  const mark = lateMark(view, TOPICS.market);
  const sale = lastSale(serving.property_event ?? []);
  if (sale === null) return card('Last sale', html`<p>No sale with a price is known.</p>`, mark);
  const records = events.find(({ event_id }) => event_id === sale.event_id)?.records ?? [];
  const from = [...new Set(records.map(({ dataset, release }) => `${dataset} ${release}`))];
  return card(
    'Last sale',
    html`<p class="big">${dollars(number(sale.price)!)}</p><p>on <time>${text(sale.date)}</time></p>${source(from.join(', ') || (sale.sources as string[]).join(', '))}`,
    mark,
  );
}

function estimateCard(view: PropertyView): Markup {
  const { publication, explanation } = view;
  const mark = lateMark(view, TOPICS.value);
  const ownEstimate = estimateOf(explanation);
  if (ownEstimate === null) {
    const { reason } = explanation.serving.property_avm?.[0] ?? {};
    return card('Estimate', html`<p>None: ${NO_VALUE[text(reason)] ?? 'it is not valued'}.</p>`, mark);
  }
  const { value, low, high, confidence, valued_on } = ownEstimate;
  return card(
    'Estimate',
    html`${estimate(value, confidence)}
<p>80 % range: ${shownDollars(low, confidence)} to ${shownDollars(high, confidence)}; confidence ${confidence}/100</p>${cautions(view, ownEstimate)}${source(`valuation model as of ${valued_on}, publication ${publication ?? ''}`)}`,
    mark,
  );
}

function homeCard(view: PropertyView): Markup {
  const { serving, address, parcel } = view.explanation;
  const property = serving.property![0]!;
  const basics = serving.property_basics?.[0] ?? {};
  const area = number(property.land_area_sqm);
  const roomTexts = (['bedrooms', 'bathrooms', 'parking'] as const)
    .filter((name) => number(basics[name]) !== null)
    .map((name) => `${name} ${basics[name]}`);
  const eventSources = serving.property_event?.flatMap(({ sources }) => sources as string[]) ?? [];
  return card(
    'Land and dwelling',
    html`<p>${words(basics.dwelling_type ?? property.dwelling_type) || 'type not known'}${roomTexts.length > 0 ? `, ${roomTexts.join(', ')}` : ''}; land ${area === null ? `not known: ${words(property.land_area_reason)}` : html`<b>${area.toLocaleString('en-AU')} m²</b>`}</p>
${source(`land ${sourceOf(parcel)}; dwelling ${[...new Set(eventSources)].sort().join(', ') || sourceOf(address)}`)}`,
    lateMark(view, TOPICS.land),
  );
}

function comparables({ comparables: all }: PropertyView, { sales }: ReportSources): Markup {
  if (all.length === 0) return html`<p>No comparable sale is known.</p>`;
  const table = columnTable(all.slice(0, COMPARABLES), [
    [
      'sale',
      (each) =>
        html`${each.rank}. ${propertyLink(each.gnaf_pid, shorten(addressTitleCase(each.address).replace(/ [A-Z]{2,3} \d{4}$/, '')))}`,
    ],
    ...COMPARABLE_COLUMNS,
    ['metres', ({ distance_m }) => distance_m],
    ['source', (each) => sales.get(`${each.gnaf_pid} ${each.date}`)],
  ]);
  return html`${table}<p class="note">Adjusted: indexed to the valuation date.</p>`;
}

/** Map of the property and its comparables, with the datasets that it draws. */
function map(at: readonly number[] | null, { datasets }: ReportSources): Markup {
  if (at === null) return html`<p class="note">No map: the property has no coordinates.</p>`;
  const drawn = [...new Set(datasets.filter(({ isOnMap }) => isOnMap).map((each) => each.attribution))];
  return html`<div id="map" class="map report-map" role="img" aria-label="Map of the property and its comparable sales"></div>
<p class="note">Red: the property. Numbers: comparable sales. North is up. Map data: ${drawn.join('; ')}</p>`;
}

function planning(
  { explanation: { serving, zone }, notFound }: PropertyView,
  sources: ReportSources,
): Markup {
  const zoning = serving.property_zoning?.[0];
  const overlays = [...(serving.property_overlay ?? [])].sort(
    (a, b) => (number(b.share) ?? 0) - (number(a.share) ?? 0),
  );
  const zoneRow = zoning && [
    'zone',
    html`<b>${shorten(zoning.name ?? zoning.code)}</b>${zoning.name && zoning.code ? ` (${shorten(zoning.code)})` : ''}${zoning.category ? `: ${words(zoning.category)}` : ''}`,
    overlayCover(zoning),
    sourceOf(zone),
  ];
  const rows = overlays
    .slice(0, OVERLAYS)
    .map((row) => [
      'overlay',
      html`<b>${shorten(row.layer)}</b>${row.code ? ` (${shorten(row.code)})` : ''}${text(row.value) === text(row.layer) ? '' : `: ${shorten(row.value)}`}`,
      overlayCover(row),
      sources.overlays.get(text(row.overlay_id)) ?? '',
    ]);
  const missing = [
    ...(zoning || notFound.zoning !== 'none_found' ? [] : ['No zone is on it.']),
    ...(overlays.length > 0 || notFound.overlay !== 'none_found' ? [] : ['No overlay is on it.']),
    ...(overlays.length > OVERLAYS
      ? [`${overlays.length - OVERLAYS} smaller overlays are on the page.`]
      : []),
  ];
  return html`${rows.length > 0 || zoneRow ? htmlTable(['', 'what', 'covers', 'source'], [...(zoneRow ? [zoneRow] : []), ...rows]) : ''}${missing.map((says) => html`<p>${says}</p>`)}`;
}

function hazards(view: PropertyView, sources: ReportSources): Markup {
  const { risks, notFound } = view;
  const { serving } = view.explanation;
  const assessed = HAZARD_LAYERS.filter((layer) => risks.data?.[layer] || notFound[layer] === 'none_found');
  const rows = assessed.map((layer) => {
    const all = risks.data?.[layer] ?? [];
    const [first] = all;
    const hiddenFindings = all.length - FINDINGS;
    const [head, what] =
      first === undefined
        ? [html`<span class="pass">none within the search radius</span>`, '']
        : [
            first.on_property
              ? html`<span class="${layer === 'public_housing' ? 'note' : 'fail'}">found</span>`
              : 'found near',
            `${all
              .slice(0, FINDINGS)
              .map(({ value }) => shorten(value))
              .join('; ')}${hiddenFindings > 0 ? `; and ${hiddenFindings} more` : ''}`,
          ];
    const featureSources = (serving.property_risk ?? [])
      .filter((row) => row.layer === layer)
      .flatMap(({ feature_id }) => sources.hazards.get(`${layer} ${feature_id}`) ?? []);
    const isOverlay = first?.search_radius_m === 0;
    const from = isOverlay
      ? 'its overlays'
      : [...new Set(featureSources)].join(', ') || (sources.assessed.get(layer) ?? '');
    return [HAZARDS[layer].title, html`${head}${lateHazard(view, layer, isOverlay)}`, what, from];
  });
  return html`${rows.length > 0 ? htmlTable(['hazard', 'finding', 'what', 'source'], rows) : ''}${notAssessed(view)}`;
}

const LIMITS = html`<p>The estimate comes from a statistical model of recorded sales; nobody has inspected the property, and its condition,
renovations and title are not known to the model. The range contains the price of four sales in five. Zone, overlays and hazards are what the
publishers mapped by the dates of their releases: hazards not assessed may exist, and maps can be wrong at a boundary. The report is no valuation by a
licensed valuer, and no advice on planning or finance.</p>`;

/** Lists datasets with their licences and the attribution that they require. */
const licences = ({ datasets }: ReportSources): Markup =>
  html`<ul class="sources">${datasets.map(
    ({ dataset, release, title, licence, attribution }) =>
      html`<li><b>${dataset} ${release}</b> ${title}. ${licence}. ${attribution}</li>`,
  )}</ul>`;

/** Quotes a text for a style sheet: characters other than letters and digits are escaped, so that none ends the string. */
const cssString = (says: string): string =>
  `"${says.replaceAll(/[^a-zA-Z0-9 ]/gu, (char) => `\\${char.codePointAt(0)!.toString(16)} `)}"`;

/** Writes address, date, publication and page number at the foot of each printed page. */
const footer = (says: string): Markup =>
  html`<style>@page{@bottom-left{content:${new Markup(cssString(says))}}@bottom-right{content:"Page " counter(page) " of " counter(pages)}}</style>`;

/** Renders the report of a property: two printed pages of A4 at most. */
export function propertyReport(view: PropertyView, sources: ReportSources): Page {
  const { explanation, publication } = view;
  const pid = explanation.gnaf_pid;
  const property = explanation.serving.property![0]!;
  const address = shorten(addressTitleCase(text(property.address)));
  const at = positionOf(property);
  const setup = {
    layers: layersAt(null),
    box: null,
    at,
    shapes: view.around?.geojson ?? null,
    comparables: view.comparables.slice(0, COMPARABLES),
    hazards: [],
    isReport: true,
  };
  return {
    title: `Report: ${address}`,
    at: '/property/',
    modules: ['property_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`${footer(`${address}, ${timeText(new Date().toISOString().slice(0, 10))}, publication ${publication ?? 'none'}`)}<div class="report"><h1>${address}</h1>
<p class="note">${propertyLink(pid, pid)}, ${text(property.sal)}, publication ${publication ?? ''}. Source of the address: ${sourceOf(explanation.address)}</p>
<div class="cards" style="--card:18rem">${saleCard(view)}${estimateCard(view)}${homeCard(view)}</div>
${map(at, sources)}
<h2>Comparable sales</h2>${lateMark(view, TOPICS.market)}${comparables(view, sources)}
<h2>Zone and overlays</h2>${lateMark(view, TOPICS.planning)}${planning(view, sources)}
<h2>Hazards</h2>${hazards(view, sources)}
<h2>Limitations</h2>${LIMITS}
<h2>Sources and licences</h2>${licences(sources)}</div>${dataFor('setup', setup)}`,
  };
}
