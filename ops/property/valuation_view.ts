import type { AvmExplanation, ExplainedValue } from '../../pipelines/explain/explain_avm.ts';
import { dollars } from '../charts.ts';
import { html, htmlTable, type Markup } from '../html.ts';
import { describeFeature, type ExplainedHome } from './feature_words.ts';
import { estimate, shownDollars } from './value_card.ts';

/** Maximum steps shown one by one; the others are summed. */
const STEPS_SHOWN = 12;

/** A step from the base value to the estimate. */
export interface Step {
  says: string;
  /** Log of the factor. */
  log_effect: number;
  /** Dollars before and after the step. */
  from: number;
  to: number;
}

/**
 * Lists the steps of an estimate, largest first. Features with equal descriptions are one step, and so are the small ones. The last step
 * ends at the value.
 */
export function stepsOf({ start, contributions }: ExplainedValue, home: ExplainedHome): Step[] {
  const effects = new Map<string, number>();
  for (const { feature, log_effect } of contributions) {
    const says = describeFeature(feature, home);
    effects.set(says, (effects.get(says) ?? 0) + log_effect);
  }
  const ordered = [...effects].sort(([a, x], [b, y]) => Math.abs(y) - Math.abs(x) || (a < b ? -1 : 1));
  const small = ordered.slice(STEPS_SHOWN);
  const shownEffects =
    small.length < 2
      ? ordered
      : [
          ...ordered.slice(0, STEPS_SHOWN),
          [
            `${small.length} smaller effects together`,
            small.reduce((sum, [, each]) => sum + each, 0),
          ] as const,
        ];
  let at = start ?? 0;
  return shownEffects.map(([says, log_effect]) => {
    const from = at;
    at *= Math.exp(log_effect);
    return { says, log_effect, from, to: at };
  });
}

const percent = (log: number): string => {
  const value = 100 * (Math.exp(log) - 1);
  const digits = Math.abs(value) < 10 ? 1 : 0;
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)} %`;
};

/** Draws a waterfall: each step described, its effect on the value, and a bar. */
function waterfall(value: ExplainedValue, home: ExplainedHome): Markup {
  const steps = stepsOf(value, home);
  if (steps.length === 0) return html``;
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const positionOf = (price: number): string =>
    `${((100 * (price - least)) / (most - least || 1)).toFixed(1)}%`;
  const bar = ({ from, to }: Step): Markup => {
    const tone = to < from ? 'fail' : 'pass';
    return html`<span class="step" style="--from:${positionOf(Math.min(from, to))};--to:${positionOf(Math.max(from, to))};--tone:var(--${tone})"></span>`;
  };
  const rows = steps.map((step) => [
    step.says,
    html`<span class="${step.log_effect < 0 ? 'fail' : 'pass'} line">${percent(step.log_effect)}</span>`,
    shownDollars(step.to, value.confidence),
    bar(step),
  ]);
  return htmlTable(
    ['factor', 'effect', 'running value', 'change'],
    [['Base value', '', shownDollars(value.start!, value.confidence), ''], ...rows],
  );
}

/** Warns if the estimate is far from the prices of the most similar sales. */
const dispute = ({ disputed_times, comparables_price }: ExplainedValue): Markup =>
  disputed_times === null
    ? html``
    : html`<p class="warn">The median of the most similar sales is ${dollars(comparables_price!)}, a factor of ${disputed_times.toFixed(2)} away: the error of such an estimate is about twice the usual.</p>`;

function oneValue(each: ExplainedValue, home: ExplainedHome): Markup {
  const isRent = each.kind === 'rent';
  const valueText =
    each.price === null
      ? html`<p>No estimate: ${each.reason?.replaceAll('_', ' ')}.</p>`
      : html`${estimate(each.price, each.confidence)}<p>80 % range: ${shownDollars(each.low!, each.confidence)} to ${shownDollars(each.high!, each.confidence)}; confidence ${each.confidence}/100${each.is_served ? '' : '; a refresh would serve it'}.</p>${dispute(each)}`;
  return html`<h2>${isRent ? 'Rent, a week' : 'Value'}</h2>${valueText}${waterfall(each, home)}
<p class="note">Each factor multiplies the value above it; largest first. Model <code>${each.model_id.slice(0, 12)}</code> of ${each.trained_sales.toLocaleString('en-AU')} ${isRent ? 'rents' : 'sales'}, tier ${each.tier ?? 'none'}, as of <time>${each.as_of}</time>; the newest model was ${each.outcome.replaceAll('_', ' ')}${each.failures.length > 0 ? `: ${each.failures.join(', ')}` : ''}.</p>`;
}

/** Explains the value and the rent. */
export const contributions = ({ values, home }: AvmExplanation): Markup =>
  values.length === 0
    ? html`<p>No model of its region is in service.</p>`
    : html`${values.map((each) => oneValue(each, home))}`;
