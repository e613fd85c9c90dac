import { shownValue } from '../../contract/answers/shown_value.ts';
import { outsideComparables } from '../../contract/property/comparison.ts';
import type { UntypedRow } from '../../schema/table.ts';
import { dollars, intervalPlot } from '../charts.ts';
import { card, html, type Markup } from '../html.ts';
import { lateMark, TOPICS } from '../late.ts';
import { number, type PropertyView, path, text } from './view.ts';

/** Reasons for a missing value. */
export const NO_VALUE: Readonly<Record<string, string>> = {
  no_model: 'no model of its state is in service',
  type_not_valued: 'it is not known to be a dwelling of a kind that is valued',
  outside_evidence: 'no similar sale nearby',
  not_located: 'it has no coordinates',
  too_few_sales: 'too few sales are known around it',
  too_uncertain: 'what is known of it leaves too wide an interval',
};

/** Maximum days between a sale and the valuation date for the sale to be recent. */
const RECENT_DAYS = 730;
/** Minimum difference from a recent sale to be flagged. */
const FAR = 0.15;
const DAY_MS = 86_400_000;

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** Formats an estimate or an end of its interval, rounded as its confidence allows. */
export const shownDollars = (exact: number, confidence: number | null): string =>
  dollars(shownValue(exact, confidence).value);

/** Shows an estimate: large and to the dollar if it is confident, else rounded and marked. */
export function estimate(exact: number, confidence: number | null): Markup {
  const { value, is_rounded } = shownValue(exact, confidence);
  return is_rounded
    ? html`<p>about <b>${dollars(value)}</b> <span class="warn">low confidence</span></p>`
    : html`<p class="big">${dollars(value)}</p>`;
}

/** Returns the latest sale with a price. Null: none. */
export const lastSale = (events: readonly UntypedRow[]): UntypedRow | null =>
  events
    .filter(({ type, price }) => type === 'Sold' && price !== null)
    .sort((a, b) => (text(a.date) < text(b.date) ? 1 : -1))[0] ?? null;

/** Compares an estimate with a recent sale. Empty: it is older, or close to the estimate. */
function difference(sale: UntypedRow, value: number, valued_on: string): Markup {
  const share = value / number(sale.price)! - 1;
  if (Math.abs(daysBetween(text(sale.date), valued_on)) > RECENT_DAYS || Math.abs(share) <= FAR)
    return html``;
  const percent = Math.round(Math.abs(share) * 100);
  return html` <span class="warn">The estimate is ${percent} % ${share > 0 ? 'above' : 'below'} this sale.</span>`;
}

/** Shows the latest sale, and how far the estimate is from it. */
function saleLine(sale: UntypedRow | null, value: number | null, valued_on: string): Markup {
  if (sale === null) return html`<p>No sale with a price is known.</p>`;
  return html`<p>Last sold for <b>${dollars(number(sale.price)!)}</b> on <time>${text(sale.date)}</time>.${value === null ? '' : difference(sale, value, valued_on)}</p>`;
}

/** Prices of comparable sales, indexed to the valuation date where an index is known. */
export const comparablePrices = (comparables: PropertyView['comparables']): number[] =>
  comparables.map(({ price, adjusted_price }) => adjusted_price ?? price);

/** Says that an estimate contradicts all of its comparable sales. Empty: it is within their range. */
export function comparisonNote(value: number, prices: readonly number[]): Markup {
  const outside = outsideComparables(value, prices);
  if (outside === null) return html``;
  const { side, sales, nearest } = outside;
  const which = sales === 1 ? 'its comparable sale' : `all ${sales} comparable sales`;
  const end = side === 'above' ? 'highest' : 'lowest';
  return html`<p class="warn">The estimate is ${side} ${which}; the ${end} is ${dollars(nearest)} at the valuation date. The model weighs more sales than these; “Why this value” lists what it adds and takes away for this home.</p>`;
}

/** Shows the estimate: to the dollar if it is confident, else rounded and marked; with the latest sale, the rent and the yield. */
export function valueCard(view: PropertyView): Markup {
  const { comparables } = view;
  const { gnaf_pid, serving } = view.explanation;
  const mark = lateMark(view, TOPICS.value);
  const avm = serving.property_avm?.[0] ?? {};
  const [value, low, high, rent, yields] = [
    avm.predicted_price,
    avm.predicted_price_low,
    avm.predicted_price_high,
    avm.rent_aud_pw,
    avm.yield_percent,
  ].map(number);
  const sale = lastSale(serving.property_event ?? []);
  const rented =
    rent == null
      ? ''
      : html`<p>Rent ${dollars(rent)} a week${yields == null ? '' : `, a yield of ${yields.toFixed(1)} %`}.</p>`;
  const valued_on = text(avm.prediction_date);
  if (value == null || low == null || high == null)
    return card(
      'Value',
      html`<p>There is no estimate: ${NO_VALUE[text(avm.reason)] ?? 'it is not valued'}.${comparables.length > 0 ? ' The comparable sales below are too few, or too unlike it, for one.' : ''}</p>${saleLine(sale, null, valued_on)}${rented}`,
      mark,
    );
  const confidence = number(avm.confidence) ?? 0;
  const round = (exact: number): number => shownValue(exact, confidence).value;
  const shown = (exact: number): string => shownDollars(exact, confidence);
  const years = Math.floor(daysBetween(valued_on, new Date().toISOString()) / 365);
  const sales = comparablePrices(comparables);
  const label = `Estimate ${shown(value)}, 80 % interval ${shown(low)} to ${shown(high)}, ${sales.length} comparable sales`;
  return card(
    'Value',
    html`${estimate(value, confidence)}
<p>80 % range: ${shown(low)} to ${shown(high)}; confidence ${confidence}/100, as of <time>${valued_on}</time>.${years > 0 ? html` <span class="warn">The valuation date is ${years === 1 ? 'a year' : `${years} years`} old.</span>` : ''}</p>
${comparisonNote(value, sales)}${saleLine(sale, value, valued_on)}${intervalPlot(label, { value: round(value), low: round(low), high: round(high) }, sales)}<p class="note">The band is the interval${sales.length > 0 ? ', dots are comparable sales indexed to the valuation date' : ''}.</p>
${rented}<p><a href="${path(gnaf_pid, 'valuation')}">Why this value</a></p>`,
    mark,
  );
}
