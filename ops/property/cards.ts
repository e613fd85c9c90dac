import { coverOf } from '../../contract/property/zoning_overlays.ts';
import type { UntypedRow } from '../../schema/table.ts';
import { card, facts, html, htmlTable, type Markup } from '../html.ts';
import { lateMark, TOPICS } from '../late.ts';
import { areaLink, areaPath } from '../suburb/area_path.ts';
import { CARD_FIGURES, marketTable } from '../suburb/market_table.ts';
import { valueCard } from './value_card.ts';
import { number, type PropertyView, text, words } from './view.ts';

function landCard(view: PropertyView, property: UntypedRow): Markup {
  const { serving } = view.explanation;
  const [basics, profile] = [serving.property_basics?.[0], serving.property_profile?.[0]];
  const area = number(property.land_area_sqm);
  const rooms = [
    ['bedrooms', basics?.bedrooms],
    ['bathrooms', basics?.bathrooms],
    ['parking', basics?.parking],
  ].filter(([, value]) => value !== null && value !== undefined);
  return card(
    'Land and dwelling',
    facts([
      [
        'land area',
        area === null
          ? `none: ${words(property.land_area_reason)}`
          : html`<b>${area.toLocaleString('en-AU')} m²</b>`,
      ],
      ['dwelling', words(basics?.dwelling_type ?? property.dwelling_type) || 'type not known'],
      ['stated', rooms.map(([name, value]) => `${name} ${value}`).join(', ')],
      [
        'parcel',
        property.parcel_id === null
          ? 'none'
          : html`<code>${property.parcel_id}</code> by ${words(property.parcel_method)}`,
      ],
      ['suburb', areaLink('SAL', text(property.sal), text(property.sal))],
      ['council', areaLink('LGA', text(profile?.lga), text(profile?.lga_name))],
    ]),
    lateMark(view, TOPICS.land),
  );
}

/** Describes how much of the property an overlay or zone covers. */
export const overlayCover = ({ share }: UntypedRow): string => coverOf(number(share));

/** Maximum overlays in a card. */
const OVERLAYS = 6;

function planningCard(view: PropertyView): Markup {
  const { serving } = view.explanation;
  const zone = serving.property_zoning?.[0];
  const overlays = serving.property_overlay ?? [];
  const rows = overlays
    .slice(0, OVERLAYS)
    .map((row) => [
      [row.layer, row.code].filter(Boolean).join(' '),
      text(row.value) === text(row.layer) ? '' : text(row.value),
      overlayCover(row),
    ]);
  return card(
    'Zone and overlays',
    html`<p>${zone ? html`<b>${[zone.code, zone.name].filter(Boolean).join(', ')}</b>` : 'No zone is known.'}</p>
${rows.length > 0 ? htmlTable(['overlay', 'value', 'covers'], rows) : html`<p>No overlay is known.</p>`}${overlays.length > OVERLAYS ? html`<p class="note">and ${overlays.length - OVERLAYS} more, among the served fields</p>` : ''}`,
    lateMark(view, TOPICS.planning),
  );
}

/** Maximum schools in a card: the nearest. */
const SCHOOLS = 5;

function schoolCard(view: PropertyView): Markup {
  const { schools } = view;
  const mark = lateMark(view, TOPICS.schools);
  if (schools.data === null) return card('Schools', html`<p>${schools.message}</p>`, mark);
  const rows = [...schools.data]
    .sort((a, b) => a.distance_m - b.distance_m)
    .slice(0, SCHOOLS)
    .map((each) => [
      each.name,
      [each.school_level_type, each.sector].filter(Boolean).join(', '),
      each.distance_m,
      each.naplan_label ?? '',
    ]);
  return card(
    'Schools',
    html`${htmlTable(['school', 'kind', 'metres', 'NAPLAN'], rows)}<p class="note">${schools.data.length.toLocaleString('en-AU')} within 5 km</p>`,
    mark,
  );
}

function transportCard(view: PropertyView): Markup {
  const { transport } = view;
  const mark = lateMark(view, TOPICS.transport);
  if (transport.data === null) return card('Transport', html`<p>${transport.message}</p>`, mark);
  const { counts, nearest, radius_m } = transport.data;
  const rows = (['train', 'tram', 'bus', 'ferry'] as const).map((mode) => [
    mode,
    nearest[mode]?.label ?? 'no stop',
    nearest[mode]?.distance_m ?? '',
    counts[mode],
  ]);
  return card(
    'Transport',
    html`${htmlTable(['mode', 'nearest', 'metres', 'stops'], rows)}<p class="note">Within ${radius_m.toLocaleString('en-AU')} m</p>`,
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
    title,
    html`${marketTable(market.data, CARD_FIGURES)}<p><a href="${areaPath('SAL', suburb)}">Suburb page</a></p>`,
    mark,
  );
}

/** Builds the cards of a property: those next to the map and those below it. */
export function cardsOf(view: PropertyView, property: UntypedRow): { beside: Markup; below: Markup } {
  return {
    beside: html`${valueCard(view)}${landCard(view, property)}`,
    below: html`${planningCard(view)}${marketCard(view, text(property.sal))}${schoolCard(view)}${transportCard(view)}`,
  };
}
