import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { RecordOrigin } from '../../pipelines/explain/explain.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { localPlane } from '../../transforms/geo/plane.ts';
import { dollars, placeMap } from '../charts.ts';
import { card, html, htmlTable, type Markup } from '../html.ts';
import { lateHazard, lateMark, TOPICS } from '../late.ts';
import type { Page } from '../page.ts';
import { overlayCover } from './cards.ts';
import { NOT_FOUND } from './hazards.ts';
import type { ReportSources } from './report_sources.ts';
import {
  comparablePrices,
  comparisonNote,
  estimate,
  lastSale,
  NO_VALUE,
  shownDollars,
} from './value_card.ts';
import { number, type PropertyView, propertyLink, text, words } from './view.ts';

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
  const { comparables: all, publication } = view;
  const { serving } = view.explanation;
  const mark = lateMark(view, TOPICS.value);
  const avm = serving.property_avm?.[0] ?? {};
  const [value, low, high] = [avm.predicted_price, avm.predicted_price_low, avm.predicted_price_high].map(
    number,
  );
  if (value == null || low == null || high == null)
    return card('Estimate', html`<p>None: ${NO_VALUE[text(avm.reason)] ?? 'it is not valued'}.</p>`, mark);
  const confidence = number(avm.confidence) ?? 0;
  return card(
    'Estimate',
    html`${estimate(value, confidence)}
<p>80 % range: ${shownDollars(low, confidence)} to ${shownDollars(high, confidence)}; confidence ${confidence}/100</p>${comparisonNote(value, comparablePrices(all))}${source(`valuation model as of ${text(avm.prediction_date)}, publication ${publication ?? ''}`)}`,
    mark,
  );
}

function homeCard(view: PropertyView): Markup {
  const { serving, address, parcel } = view.explanation;
  const property = serving.property![0]!;
  const basics = serving.property_basics?.[0] ?? {};
  const area = number(property.land_area_sqm);
  const rooms = (['bedrooms', 'bathrooms', 'parking'] as const)
    .filter((name) => number(basics[name]) !== null)
    .map((name) => `${name} ${basics[name]}`);
  const stated = serving.property_event?.flatMap(({ sources }) => sources as string[]) ?? [];
  return card(
    'Land and dwelling',
    html`<p>${words(basics.dwelling_type ?? property.dwelling_type) || 'type not known'}${rooms.length > 0 ? `, ${rooms.join(', ')}` : ''}; land ${area === null ? `not known: ${words(property.land_area_reason)}` : html`<b>${area.toLocaleString('en-AU')} m²</b>`}</p>
${source(`land ${sourceOf(parcel)}; dwelling ${[...new Set(stated)].sort().join(', ') || sourceOf(address)}`)}`,
    lateMark(view, TOPICS.land),
  );
}

function comparables({ comparables: all, explanation }: PropertyView, { sales }: ReportSources): Markup {
  if (all.length === 0) return html`<p>No comparable sale is known.</p>`;
  const list = all.slice(0, COMPARABLES);
  const { lon, lat } = explanation.serving.property![0] as { lon: number | null; lat: number | null };
  const plane = lon === null || lat === null ? null : localPlane(lon, lat);
  const places = list.flatMap(({ rank, at }) =>
    plane === null || at === null ? [] : [{ number: rank, east: plane.x(...at), north: plane.y(...at) }],
  );
  const table = htmlTable(
    ['sale', 'sold', 'price', 'adjusted', 'type', 'beds', 'land m²', 'metres', 'source'],
    list.map((each) => [
      html`${each.rank}. ${propertyLink(each.gnaf_pid, shorten(addressTitleCase(each.address).replace(/ [A-Z]{2,3} \d{4}$/, '')))}`,
      html`<time>${each.date}</time>`,
      dollars(each.price),
      each.adjusted_price === null ? '' : dollars(each.adjusted_price),
      words(each.dwelling_type),
      each.bedrooms ?? '',
      each.land_area_sqm === null ? '' : Math.round(each.land_area_sqm),
      each.distance_m,
      sales.get(`${each.gnaf_pid} ${each.date}`) ?? '',
    ]),
  );
  const map =
    places.length === 0
      ? html`<p class="note">No map: the property or its comparables have no coordinates.</p>`
      : html`${placeMap('Comparable sales around the property', places)}<p class="note">Diamond: the property. Numbers: sales.</p>`;
  return html`${table}<p class="note">Adjusted: indexed to the valuation date.</p>${map}`;
}

function planning(
  { explanation: { serving, zone }, notCovered }: ReportView,
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
    ...(zoning ? [] : ['No zone is known.']),
    ...(overlays.length > 0
      ? []
      : [notCovered ? 'Overlays were not assessed here.' : 'No overlay is on it.']),
    ...(overlays.length > OVERLAYS
      ? [`${overlays.length - OVERLAYS} smaller overlays are on the page.`]
      : []),
  ];
  return html`${rows.length > 0 || zoneRow ? htmlTable(['', 'what', 'covers', 'source'], [...(zoneRow ? [zoneRow] : []), ...rows]) : ''}${missing.map((says) => html`<p>${says}</p>`)}`;
}

function hazards(view: PropertyView, sources: ReportSources): Markup {
  const { risks, notFound } = view;
  const { serving } = view.explanation;
  const rows = HAZARD_LAYERS.map((layer) => {
    const all = risks.data?.[layer] ?? [];
    const [first] = all;
    const more = all.length - FINDINGS;
    const [head, what] =
      first === undefined
        ? [NOT_FOUND[notFound[layer]], '']
        : [
            first.on_property
              ? html`<span class="${layer === 'public_housing' ? 'note' : 'fail'}">found</span>`
              : 'found near',
            `${all
              .slice(0, FINDINGS)
              .map(({ value }) => shorten(value))
              .join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
          ];
    const known = (serving.property_risk ?? [])
      .filter((row) => row.layer === layer)
      .flatMap(({ feature_id }) => sources.hazards.get(`${layer} ${feature_id}`) ?? []);
    const assessed = sources.assessed.get(layer) ?? '';
    const from =
      first === undefined && notFound[layer] !== 'none_found'
        ? 'none covers it'
        : first?.search_radius_m === 0
          ? 'its overlays'
          : [...new Set(known)].join(', ') || assessed;
    const mark = lateHazard(view, layer, first?.search_radius_m === 0);
    return [HAZARDS[layer].title, html`${head}${mark}`, what, from];
  });
  return htmlTable(['hazard', 'finding', 'what', 'source'], rows);
}

interface ReportView extends PropertyView {
  /** True if no source of overlays covers the property. */
  notCovered: boolean;
}

/** Renders the report of a property: two printed pages of A4 at most. */
export function propertyReport(view: PropertyView, sources: ReportSources): Page {
  const { explanation, publication } = view;
  const pid = explanation.gnaf_pid;
  const property = explanation.serving.property![0]!;
  const covered = (explanation.serving.property_coverage?.[0]?.covered ?? []) as string[];
  return {
    title: `Report: ${shorten(addressTitleCase(text(property.address)))}`,
    at: '/property/',
    body: html`<div class="report"><h1>${shorten(addressTitleCase(text(property.address)))}</h1>
<p class="note">${propertyLink(pid, pid)}, ${text(property.sal)}, publication ${publication ?? ''}. Source of the address: ${sourceOf(explanation.address)}</p>
<div class="cards" style="--card:18rem">${saleCard(view)}${estimateCard(view)}${homeCard(view)}</div>
<h2>Comparable sales</h2>${lateMark(view, TOPICS.market)}${comparables(view, sources)}
<h2>Zone and overlays</h2>${lateMark(view, TOPICS.planning)}${planning({ ...view, notCovered: !covered.includes('overlay') }, sources)}
<h2>Hazards</h2>${hazards(view, sources)}</div>`,
  };
}
