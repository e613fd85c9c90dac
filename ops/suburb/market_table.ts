import type { z } from 'zod';
import type { marketFigureFields, suburbMarketPayload } from '../../contract/suburb/suburb_market.ts';
import { dollars, shortDollars } from '../charts.ts';
import { html, htmlTable, type Markup } from '../html.ts';

export type MarketOfKind = z.infer<typeof suburbMarketPayload>[number];

/** Formats a percentage of the contract with one decimal. */
export const percentText = (value: number): string =>
  `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(1)} %`;
const count = (value: number): string => value.toLocaleString('en-AU');

/** Formats the last month of figures: `August 2017`. */
const monthText = ({ month }: Pick<MarketOfKind, 'month'>): string =>
  new Date(month).toLocaleDateString('en-AU', { month: 'long', year: 'numeric', timeZone: 'UTC' });
/** Adds the month of the figures to a title: `Prices, August 2017`. Null: there are no figures. */
export const titleWithMonth = (
  title: string,
  figures: readonly Pick<MarketOfKind, 'month'>[] | null,
): string => (figures?.[0] === undefined ? title : `${title}, ${monthText(figures[0])}`);

/** Figures of a market that fit a card, and their formats. */
export const CARD_FIGURES = [
  ['median price', 'median_price', dollars],
  ['growth in a year', 'growth_1y_percent', percentText],
  ['median rent a week', 'median_rent_aud_pw', dollars],
  ['gross yield', 'gross_yield_percent', percentText],
  ['days on market', 'days_on_market', count],
  ['for sale at the month’s end', 'stock', count],
] as const;

/** Rents, yield and stock of a market. */
export const RENT_FIGURES = [
  ['median rent a week', 'median_rent_aud_pw', dollars],
  ['rents counted', 'rent_sample', count],
  ['gross yield', 'gross_yield_percent', percentText],
  ['vacant rentals', 'vacant_rentals', count],
  ['vacancy', 'vacancy_percent', percentText],
] as const;

/** Prices, growth and stock of a market. */
export const PRICE_FIGURES = [
  ['median price', 'median_price', dollars],
  ['sales counted', 'price_sample', count],
  ['growth in a year', 'growth_1y_percent', percentText],
  ['growth in 5 years', 'growth_5y_percent', percentText],
  ['days on market', 'days_on_market', count],
  ['for sale at the month’s end', 'stock', count],
  ['months of supply', 'months_of_supply', (value: number) => value.toFixed(1)],
] as const;

type FigureColumn = keyof typeof marketFigureFields;
type MarketFigure = readonly [string, FigureColumn, (value: number) => string];

/** The count that a figure is drawn from. Where it is null, no source reports such events. */
const COUNT_OF: Partial<Record<FigureColumn, FigureColumn>> = {
  median_price: 'price_sample',
  growth_1y_percent: 'price_sample',
  growth_5y_percent: 'price_sample',
  median_rent_aud_pw: 'rent_sample',
  gross_yield_percent: 'rent_sample',
  days_on_market: 'days_on_market_sample',
  months_of_supply: 'stock',
  vacancy_percent: 'vacant_rentals',
};

/** Formats a figure, or says why there is none: no source was assessed, or the sample is too small. */
export function figureText(
  market: Pick<MarketOfKind, FigureColumn>,
  column: FigureColumn,
  write: (value: number) => string,
): string | Markup {
  const value = market[column];
  if (value !== null) return write(value);
  const count = COUNT_OF[column];
  const isAssessed = count !== undefined && market[count] !== null;
  return html`<span class="note">${isAssessed ? 'too few' : 'not assessed'}</span>`;
}

/** Says the price, growth and sales of a kind of dwelling in one sentence: `Richmond houses: median $1.42 m over the twelve months to August 2017, +3.1 %, 212 sales`. */
export function marketSentence(name: string, market: MarketOfKind): Markup {
  const { median_price, price_sample, growth_1y_percent } = market;
  const span = `over the twelve months to ${monthText(market)}`;
  const growth =
    growth_1y_percent === null
      ? ''
      : `, ${growth_1y_percent > 0 ? '+' : ''}${percentText(growth_1y_percent)}`;
  const sales =
    price_sample === null
      ? 'sales not assessed'
      : `${count(price_sample)} ${price_sample === 1 ? 'sale' : 'sales'}`;
  const price =
    median_price !== null
      ? html`median <b>${shortDollars(median_price)}</b> ${span}${growth}, `
      : price_sample === null
        ? ''
        : `too few sales for a median ${span}: `;
  return html`<p class="headline">${name} ${market.market}s: ${price}${sales}</p>`;
}

/** Lists figures by kind of dwelling. */
export function marketTable(kinds: readonly MarketOfKind[], figures: readonly MarketFigure[]): Markup {
  const rows = figures.map(([name, column, write]) => [
    name,
    ...kinds.map((each) => figureText(each, column, write)),
  ]);
  return html`<div class="market">${htmlTable(['', ...kinds.map((each) => `${each.market}s`)], rows)}</div>`;
}
