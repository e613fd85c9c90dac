import { shownValue } from '../../contract/answers/shown_value.ts';
import { outsideComparables } from '../../contract/property/comparison.ts';
import type { UntypedRow } from '../../schema/table.ts';
import { dollars, intervalPlot } from '../charts.ts';
import { html, type Markup } from '../html.ts';
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

const sentence = (words: string): string => words[0]!.toUpperCase() + words.slice(1);
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** Formats an estimate or an end of its interval, rounded as its confidence allows. */
export const shownDollars = (exact: number, confidence: number | null): string =>
  dollars(shownValue(exact, confidence).value);

/** Shows an estimate, rounded and large, and marks it if its confidence is low. */
export function estimate(exact: number, confidence: number | null): Markup {
  const { value, is_uncertain } = shownValue(exact, confidence);
  return html`<p class="big">${is_uncertain ? 'about ' : ''}${dollars(value)}${is_uncertain ? html` <span class="warn">low confidence</span>` : ''}</p>`;
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
  return html`<p class="warn">The estimate is ${percent} % ${share > 0 ? 'above' : 'below'} the last sale.</p>`;
}

/** Prices of comparable sales, indexed to the valuation date where an index is known. */
const comparablePrices = (comparables: PropertyView['comparables']): number[] =>
  comparables.map(({ price, adjusted_price }) => adjusted_price ?? price);

/** Says that an estimate contradicts all of its comparable sales. Empty: it is within their range. */
function comparisonNote(value: number, prices: readonly number[]): Markup {
  const outside = outsideComparables(value, prices);
  if (outside === null) return html``;
  const { side, sales, nearest } = outside;
  const which = sales === 1 ? 'its comparable sale' : `all ${sales} comparable sales`;
  const end = side === 'above' ? 'highest' : 'lowest';
  return html`<p class="warn">The estimate is ${side} ${which}; the ${end} is ${dollars(nearest)} at the valuation date. The model weighs more sales than these; “Why this value” lists what it adds and takes away for this home.</p>`;
}

/** Value, interval and confidence of an estimate. Null: there is none. */
export function estimateOf({ serving }: PropertyView['explanation']) {
  const avm = serving.property_avm?.[0] ?? {};
  const [value, low, high] = [avm.predicted_price, avm.predicted_price_low, avm.predicted_price_high].map(
    number,
  );
  if (value == null || low == null || high == null) return null;
  return { value, low, high, confidence: number(avm.confidence) ?? 0, valued_on: text(avm.prediction_date) };
}

/** Says what speaks against an estimate: its age, all of its comparable sales, or a recent sale of the property. */
export function cautions(
  { comparables, explanation }: PropertyView,
  { value, valued_on }: { value: number; valued_on: string },
): Markup {
  const years = Math.floor(daysBetween(valued_on, new Date().toISOString()) / 365);
  const age =
    years > 0
      ? html`<p class="warn">The valuation date is ${years === 1 ? 'a year' : `${years} years`} old.</p>`
      : '';
  const sale = lastSale(explanation.serving.property_event ?? []);
  return html`${age}${comparisonNote(value, comparablePrices(comparables))}${sale === null ? '' : difference(sale, value, valued_on)}`;
}

/** Shows the estimate first and largest, with its range and confidence; then what contradicts it. */
export function headline(view: PropertyView): Markup {
  const { comparables, explanation } = view;
  const { gnaf_pid, serving } = explanation;
  const mark = lateMark(view, TOPICS.value);
  const ownEstimate = estimateOf(explanation);
  if (ownEstimate === null)
    return html`<p class="big">No estimate</p>${mark}<p>${sentence(NO_VALUE[text(serving.property_avm?.[0]?.reason)] ?? 'it is not valued')}.${comparables.length > 0 ? ' The comparable sales below are too few, or too unlike it, for one.' : ''}</p>`;
  const { value, low, high, confidence, valued_on } = ownEstimate;
  const roundedText = (exact: number): string => shownDollars(exact, confidence);
  return html`${estimate(value, confidence)}${mark}
<p>80 % range: ${roundedText(low)} to ${roundedText(high)}; confidence ${confidence}/100, as of <time>${valued_on}</time>.</p>
${cautions(view, ownEstimate)}<p><a href="${path(gnaf_pid, 'valuation')}">Why this value</a></p>`;
}

/** Draws an estimate with its interval and the prices of comparable sales. Empty: no estimate. */
export function comparisonPlot({ comparables, explanation }: PropertyView): Markup {
  const ownEstimate = estimateOf(explanation);
  if (ownEstimate === null) return html``;
  const { value, low, high } = ownEstimate;
  const round = (exact: number): number => shownValue(exact, ownEstimate.confidence).value;
  const sales = comparablePrices(comparables);
  const label = `Estimate ${dollars(round(value))}, 80 % interval ${dollars(round(low))} to ${dollars(round(high))}, ${sales.length} comparable sales`;
  return html`${intervalPlot(label, { value: round(value), low: round(low), high: round(high) }, sales)}<p class="note">The band is the interval${sales.length > 0 ? ', dots are comparable sales indexed to the valuation date' : ''}.</p>`;
}
