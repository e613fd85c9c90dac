import type { TransportMode } from '../../schema/records/stop.ts';
import { dollars } from '../charts.ts';
import { card, columnTable, html, type Markup } from '../html.ts';
import { lateMark, TOPICS } from '../late.ts';
import { areaLink, areaPath } from '../suburb/area_path.ts';
import { CARD_FIGURES, marketTable, titleWithMonth } from '../suburb/market_table.ts';
import { zoneText } from './planning.ts';
import { lastSale } from './value_card.ts';
import { number, type PropertyView, text, words } from './view.ts';

/** A fact that is missing: its reason, in faint text. */
const missing = (says: string): Markup => html`<span class="note">${says}</span>`;

/** Says how many rooms of each kind are known. */
function roomsOf({ serving }: PropertyView['explanation']): Markup {
  const basics = serving.property_basics?.[0] ?? {};
  const roomTexts = (['bedrooms', 'bathrooms', 'parking'] as const)
    .filter((name) => number(basics[name]) !== null)
    .map((name) => `${basics[name]} ${basics[name] === 1 ? name.replace(/s$/, '') : name}`);
  const type = words(basics.dwelling_type ?? serving.property![0]!.dwelling_type);
  return html`${roomTexts.length > 0 ? html`<b>${roomTexts.join(', ')}</b>` : missing('not known')}${type === '' ? '' : ` ${type}`}`;
}

/** Shows the facts of a property on one strip: land, zone, last sale and beds, then where it is. */
export function factStrip(view: PropertyView): Markup {
  const { explanation, market, notFound } = view;
  const { serving } = explanation;
  const property = serving.property![0]!;
  const [profile, avm, zone] = [
    serving.property_profile?.[0],
    serving.property_avm?.[0],
    serving.property_zoning?.[0],
  ];
  const area = number(property.land_area_sqm);
  const sale = lastSale(serving.property_event ?? []);
  const [rent, yields] = [number(avm?.rent_aud_pw), number(avm?.yield_percent)];
  const hasSales = market?.data != null || market?.no_data !== 'not_covered';
  const list: readonly (readonly [string, Markup | string, readonly string[]])[] = [
    [
      'Land',
      area === null
        ? missing(`none: ${words(property.land_area_reason)}`)
        : html`<b>${area.toLocaleString('en-AU')} m²</b>`,
      TOPICS.land,
    ],
    [
      'Zone',
      zone
        ? html`<b>${zoneText(zone)}</b>`
        : missing(notFound.zoning === 'none_found' ? 'none' : 'not assessed'),
      TOPICS.planning,
    ],
    [
      'Last sale',
      sale
        ? html`<b>${dollars(number(sale.price)!)}</b> <time>${text(sale.date)}</time>`
        : missing(hasSales ? 'none with a price' : 'not assessed'),
      TOPICS.market,
    ],
    ['Beds', roomsOf(explanation), TOPICS.land],
    [
      'Rent',
      rent === null
        ? ''
        : html`<b>${dollars(rent)}</b> a week${yields === null ? '' : `, a yield of ${yields.toFixed(1)} %`}`,
      TOPICS.value,
    ],
    [
      'Suburb',
      html`${areaLink('SAL', text(property.sal), text(property.sal))} ${areaLink('LGA', text(profile?.lga), text(profile?.lga_name))}`,
      TOPICS.region,
    ],
  ];
  return html`<dl class="strip">${list
    .filter(([, value]) => value !== '')
    .map(
      ([name, value, topics]) => html`<div><dt>${name}</dt><dd>${value}${lateMark(view, topics)}</dd></div>`,
    )}</dl>`;
}

/** Maximum schools in a card: the nearest. */
const SCHOOLS = 5;

function schoolCard(view: PropertyView): Markup {
  const { schools } = view;
  const mark = lateMark(view, TOPICS.schools);
  if (schools.data === null) return card('Schools', html`<p>${schools.message}</p>`, mark);
  const nearest = [...schools.data].sort((a, b) => a.distance_m - b.distance_m).slice(0, SCHOOLS);
  const table = columnTable(nearest, [
    ['school', ({ name }) => name],
    ['kind', (each) => [each.school_level_type, each.sector].filter(Boolean).join(', ')],
    ['metres', ({ distance_m }) => distance_m],
    ['NAPLAN', ({ naplan_label }) => naplan_label],
  ]);
  return card(
    'Schools',
    html`${table}<p class="note">${schools.data.length.toLocaleString('en-AU')} within 5 km</p>`,
    mark,
  );
}

function transportCard(view: PropertyView): Markup {
  const { transport } = view;
  const mark = lateMark(view, TOPICS.transport);
  if (transport.data === null) return card('Transport', html`<p>${transport.message}</p>`, mark);
  const { covered, counts, nearest, radius_m } = transport.data;
  const isKnown = (mode: TransportMode): boolean => covered || counts[mode] > 0;
  const table = columnTable(['train', 'tram', 'bus', 'ferry'] as const, [
    ['mode', (mode) => mode],
    ['nearest', (mode) => nearest[mode]?.label ?? missing(isKnown(mode) ? 'no stop' : 'not assessed')],
    ['metres', (mode) => nearest[mode]?.distance_m],
    ['stops', (mode) => (isKnown(mode) ? counts[mode] : null)],
  ]);
  return card(
    'Transport',
    html`${table}<p class="note">Within ${radius_m.toLocaleString('en-AU')} m</p>`,
    mark,
  );
}

function marketCard(view: PropertyView, suburb: string): Markup {
  const { market } = view;
  const mark = lateMark(view, TOPICS.market);
  const title = suburb === '' ? 'Market of the suburb' : `Market of ${suburb}`;
  if (market === null) return card(title, html`<p>It lies in no suburb.</p>`, mark);
  if (market.data === null) return card(title, html`<p>${market.message}</p>`, mark);
  return card(
    titleWithMonth(title, market.data),
    html`${marketTable(market.data, CARD_FIGURES)}<p><a href="${areaPath('SAL', suburb)}">Suburb page</a></p>`,
    mark,
  );
}

/** Cards about the surroundings of a property. */
export const surroundings = (view: PropertyView): Markup =>
  html`<div class="cards">${marketCard(view, text(view.explanation.serving.property![0]!.sal))}${schoolCard(view)}${transportCard(view)}</div>`;
