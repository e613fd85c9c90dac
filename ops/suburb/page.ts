import { feature } from '@turf/turf';
import type { Envelope } from '../../contract/answers/answer.ts';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import { HAZARD_LAYERS, HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import { absence } from '../absence.ts';
import { accuracyTable } from '../accuracy/page.ts';
import { dollars, seriesChart } from '../charts.ts';
import { card, columnTable, facts, html, longColumnTable, type Markup, section } from '../html.ts';
import { lateHazard, lateMark, TOPICS } from '../late.ts';
import type { Page } from '../page.ts';
import { propertyLink, words } from '../property/view.ts';
import { mapFiles, shapesMap } from '../rows.ts';
import { areaLink, areaPath, type PageLevel } from './area_path.ts';
import {
  figureText,
  type MarketOfKind,
  marketSentence,
  marketTable,
  PRICE_FIGURES,
  percentText,
  RENT_FIGURES,
  titleWithMonth,
} from './market_table.ts';
import type { AreaView } from './read_area.ts';

/** Rows of a table shown at first; the rest is folded. */
const OPEN = 10;
const MAPS: Readonly<Record<PageLevel, { zoom: number; layers: string }>> = {
  SAL: { zoom: 15, layers: 'SAL,parcel,address,zone' },
  LGA: { zoom: 11, layers: 'SAL,LGA' },
  SA2: { zoom: 13.5, layers: 'SAL,SA2,parcel' },
};
const NAMES: Readonly<Record<PageLevel, string>> = { SAL: 'suburb', LGA: 'council', SA2: 'SA2' };

/** Name of a place without its state. */
const plainName = ({ profile }: AreaView): string => profile.name.replace(/ \(.*\)$/, '');
/** Says what is missing. */
const missing = (says: string): Markup => html`<p class="note">${says}</p>`;
/** Lists the rows of an answer, or says why there are none. */
const answerTable = <T>(
  answer: Envelope<T[]>,
  noun: string,
  columns: Parameters<typeof longColumnTable<T>>[1],
): Markup =>
  answer.data === null ? missing(answer.message) : longColumnTable(answer.data, columns, OPEN, noun);

function priceSeries({ market, price_series: series }: MarketOfKind): Markup {
  if (!series.some(({ median }) => median !== null)) {
    const sales = series.reduce((most, { sample }) => Math.max(most, sample), 0);
    return missing(
      `No price series of ${market}s: no month has enough sales for a median. The most is ${sales}.`,
    );
  }
  const months = [...new Set(series.map(({ window_months }) => window_months))].sort((a, b) => a - b);
  const window = months.length === 1 ? `${months[0]}` : `${months[0]} to ${months.at(-1)}`;
  const table = columnTable([...series].reverse(), [
    ['month', ({ month }) => html`<time>${month.slice(0, 7)}</time>`],
    ['median', ({ median }) => (median === null ? 'too few' : dollars(median))],
    ['sales', ({ sample }) => sample],
    ['months counted', ({ window_months }) => window_months],
  ]);
  return html`${seriesChart(`Median price of ${market}s and number of sales`, series)}<p class="note">Each point counts the sales of the ${window} months up to it.</p>
<details><summary>The ${series.length} months of ${market}s as a table</summary>${table}</details>`;
}

const prices = ({ market }: AreaView): Markup =>
  market.data === null ? missing(market.message) : html`${market.data.map(priceSeries)}`;

const rank = (position: number | null, of: number | null): string =>
  position === null || of === null ? 'not ranked' : `${position} of ${of.toLocaleString('en-AU')}`;

function rankedValue({ measure, value }: { measure: string; value: number }): string | number {
  if (measure.endsWith('_percent')) return percentText(value);
  return /price|rent/.test(measure) ? dollars(value) : value;
}

const ranking = ({ level, ranking: answer, profile: { state } }: AreaView): Markup =>
  answerTable(answer, 'ranks', [
    ['measure', ({ measure }) => words(measure.replace(/_percent$/, ''))],
    ['kind', ({ market }) => `${market}s`],
    ['month', ({ month }) => html`<time>${month.slice(0, 7)}</time>`],
    ['value', rankedValue],
    [
      `rank among loaded ${NAMES[level]}s of ${state ?? 'the state'}`,
      (each) => rank(each.state_rank, each.state_of),
    ],
    [`rank among all loaded ${NAMES[level]}s`, (each) => rank(each.nation_rank, each.nation_of)],
  ]);

function pockets({ pockets: answer }: AreaView): Markup {
  if (answer === null) return missing('Pockets are shown for suburbs only.');
  return html`<p class="note">A pocket is an SA1, named after its most common street.</p>${answerTable(
    answer,
    'pockets',
    [
      ['pocket', ({ name, sa1 }) => addressTitleCase(name ?? sa1)],
      ['kind', ({ market }) => `${market}s`],
      ['median price', (each) => figureText(each, 'median_price', dollars)],
      ['sales', (each) => figureText(each, 'price_sample', String)],
      ['growth in a year', (each) => figureText(each, 'growth_1y_percent', percentText)],
      ['rent a week', (each) => figureText(each, 'median_rent_aud_pw', dollars)],
      ['yield', (each) => figureText(each, 'gross_yield_percent', percentText)],
      ['for sale at the month’s end', (each) => figureText(each, 'stock', String)],
    ],
  )}`;
}

/** Formats a share of the contract, which has four decimals. */
const shareText = (share: number): string => `${(100 * share).toFixed(2)} %`;

function hazards(view: AreaView): Markup {
  const data = view.hazards.data ?? [];
  const assessed = new Set(data.map(({ layer }) => layer));
  const absent = HAZARD_LAYERS.filter((layer) => !assessed.has(layer)).map((layer) => ({
    title: HAZARDS[layer].title,
    reason: `no source covers ${plainName(view)}`,
    mark: lateHazard(view, layer),
  }));
  const table = columnTable(data, [
    ['hazard', ({ layer }) => html`${HAZARDS[layer as HazardLayer].title}${lateHazard(view, layer)}`],
    [
      'share of properties',
      ({ share }) =>
        html`<span class="bar" style="--share:${(100 * share).toFixed(2)}%">${shareText(share)}</span>`,
    ],
    ['on it', ({ properties_on }) => properties_on],
    ['assessed', ({ properties_covered }) => properties_covered],
  ]);
  return html`${data.length > 0 ? table : ''}${absence(absent)}`;
}

const range = (low: number | null, high: number | null): string =>
  low === null && high === null
    ? 'not stated'
    : [low, high]
        .filter((each) => each !== null)
        .map(dollars)
        .join(' – ');

const homeLink = ({ gnaf_pid, address }: { gnaf_pid: string; address: string }): Markup =>
  propertyLink(gnaf_pid, addressTitleCase(address));

const stock = ({ listings: answer }: AreaView): Markup =>
  answerTable(answer, 'listings', [
    ['address', homeLink],
    ['listed', ({ listing_date }) => html`<time>${listing_date}</time>`],
    [
      'asking',
      ({ price, price_low, price_high }) => (price === null ? range(price_low, price_high) : dollars(price)),
    ],
    ['type', ({ dwelling_type }) => words(dwelling_type)],
    ['beds', ({ bed_count }) => bed_count],
    ['state', ({ is_under_offer }) => (is_under_offer ? 'under offer' : 'for sale')],
  ]);

const sales = ({ sales: answer }: AreaView): Markup =>
  answerTable(answer, 'latest sales', [
    ['address', homeLink],
    ['sold', ({ sale_date }) => html`<time>${sale_date}</time>`],
    ['price', ({ sale_price }) => dollars(sale_price)],
    ['type', ({ dwelling_type }) => words(dwelling_type)],
    ['beds', ({ bed_count }) => bed_count],
  ]);

const schools = ({ schools: answer }: AreaView): Markup =>
  answerTable(answer, 'schools', [
    ['school', ({ name }) => name],
    ['kind', (each) => [each.school_level_type, each.sector].filter(Boolean).join(', ')],
    ['years', ({ year_range }) => year_range],
    ['NAPLAN', ({ naplan_label }) => naplan_label],
    ['socio-economic', ({ socioeconomic_label }) => socioeconomic_label],
  ]);

function accuracy({ level, accuracy: { own, wide }, profile }: AreaView): Markup {
  const rows = own.map((row) => ({ ...row, name: profile.name }));
  if (wide !== null)
    rows.push({ ...wide, name: wide.region === 'AU' ? 'the whole country' : `all of ${wide.region}` });
  const none =
    level === 'SAL'
      ? 'No sale here was valued by a model before it saw the sale.'
      : `Errors are known by suburb, not by ${NAMES[level]}.`;
  if (rows.length === 0) return missing(`${none} No model has judged a sale of the state either.`);
  return html`${own.length === 0 ? missing(none) : ''}${accuracyTable(rows)}<p class="note">How far estimates were from what homes then sold for. <a href="/accuracy">What the figures mean</a></p>`;
}

/** Census figures of a place: name, measure and format. */
const CENSUS = [
  ['population', 'population', (value: number) => value.toLocaleString('en-AU')],
  ['median age', 'median_age', String],
  ['household income a week', 'median_household_income_aud_pw', dollars],
  ['persons in a household', 'household_size', String],
  ['rented homes', 'rented_share', shareText],
  ['flats', 'flat_share', shareText],
  ['born overseas', 'born_overseas_share', shareText],
  ['bachelor degree', 'bachelor_share', shareText],
] as const;

/** Lists Census figures; one that the Census does not have is "not delivered". */
function demographicsCard(view: AreaView): Markup {
  const { demographics } = view;
  const mark = lateMark(view, TOPICS.demographics);
  const { data } = demographics;
  if (!data)
    return card('Demographics', missing('message' in demographics ? demographics.message : ''), mark);
  const list = CENSUS.map(([name, measure, write]) => {
    const value = data[measure];
    return [name, value === null ? missing('not delivered') : write(value)] as const;
  });
  return card(`Demographics, ${data.census_year}`, facts(list), mark);
}

function factsCard(view: AreaView): Markup {
  const { properties, area_sqkm, state, sa2, sa2_code, code } = view.profile;
  return card(
    'Place',
    facts([
      ['properties', html`<b>${properties.toLocaleString('en-AU')}</b>`],
      ['area', area_sqkm === null ? 'boundary not loaded' : `${area_sqkm.toFixed(2)} km²`],
      ['state', state],
      ['SA2', view.level === 'SA2' ? null : areaLink('SA2', sa2_code ?? '', sa2 ?? '')],
      ['code', html`<code>${code}</code>`],
    ]),
    lateMark(view, TOPICS.region),
  );
}

/** Map of the area, which links to the whole map. Empty: it has no boundary, and no property has coordinates. */
function mapOf({ level, shape, profile: { latitude, longitude } }: AreaView): { map: Markup; link: Markup } {
  const { zoom, layers } = MAPS[level];
  return {
    map: !shape.data ? html`` : shapesMap([feature(shape.data.geometry)], 'Map of the area'),
    link:
      latitude === null
        ? html`No map: no property has coordinates.`
        : html`<a href="/map?layers=${layers}#at=${zoom}/${latitude}/${longitude}">Open the map here</a>`,
  };
}

/** Renders the page of a suburb or region. */
export function suburbPage(view: AreaView): Page {
  const { level, profile, market, publication } = view;
  const marketMark = lateMark(view, TOPICS.market);
  const { map, link } = mapOf(view);
  const marketCard = (title: string, list: typeof PRICE_FIGURES | typeof RENT_FIGURES): Markup =>
    card(
      titleWithMonth(title, market.data),
      market.data === null ? missing(market.message) : marketTable(market.data, list),
      marketMark,
    );
  return {
    title: profile.name,
    at: '/property/',
    ...mapFiles(map),
    body: html`<h1>${profile.name}</h1><p class="note">${NAMES[level]}, publication ${publication ?? ''}${level === 'SAL' ? html` <a href="${areaPath('SAL', profile.name)}/changes">What changed</a>` : ''}</p>
<div class="split"><div>${market.data === null ? missing(market.message) : market.data.map((each) => marketSentence(plainName(view), each))}${marketMark}<p>${link}</p></div><div>${map}</div></div>
<div class="cards" style="--card:20rem">${factsCard(view)}${demographicsCard(view)}${marketCard('Prices', PRICE_FIGURES)}${marketCard('Rents and yield', RENT_FIGURES)}</div>
${section('stock', 'For sale', html`${marketMark}${stock(view)}`)}
${section('prices', 'Price series', html`${marketMark}${prices(view)}`)}
${section('ranking', 'Ranking', html`${marketMark}${ranking(view)}`)}
${section('pockets', titleWithMonth('Pockets', view.pockets?.data ?? null), html`${marketMark}${pockets(view)}`)}
${section('hazards', 'Hazards', hazards(view))}
${section('sales', 'Recent sales', html`${marketMark}${sales(view)}`)}
${section('schools', 'Schools', html`${lateMark(view, TOPICS.schools)}${schools(view)}`)}
${section('accuracy', 'Accuracy of the estimates', html`${marketMark}${accuracy(view)}`)}`,
  };
}

/** Lists the suburbs of one name, the largest first. */
export const namesakesPage = (
  name: string,
  suburbs: readonly { suburb_name: string; state: string; properties: number }[],
): Page => ({
  title: name,
  at: '/property/',
  body: html`<h1>Suburbs named “${name}”</h1>${columnTable(suburbs, [
    ['suburb', ({ suburb_name }) => areaLink('SAL', suburb_name, suburb_name)],
    'state',
    'properties',
  ])}`,
});

/** Renders that there is no area of this name, with the names that it may mean. */
export const unknownAreaPage = (level: PageLevel, id: string, like: readonly string[]): Page => ({
  title: 'Not found',
  at: '/property/',
  body: html`<h1>No ${NAMES[level]} has the name${level === 'SAL' ? '' : ' or code'} “${id}”</h1>${
    like.length === 0
      ? html`<p>Enter its name into the field above.</p>`
      : html`<p>Similar names:</p><ul>${like.map((name) => html`<li><a href="${areaPath('SAL', name)}">${name}</a></li>`)}</ul>`
  }`,
});
