import type { ExplainedValue } from '../../pipelines/inspect/explain_avm.ts';
import { html, htmlTable, Markup } from '../html.ts';

/** An estimate with its interval. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

export const dollars = (value: number): string => `$${value.toLocaleString('en-AU')}`;

const WIDTH = 640;
const INNER = WIDTH - 40;

/** The estimate, its interval, and what the comparables sold for, on one scale. */
export function intervalPlot({ value, low, high }: Interval, sales: readonly number[]): Markup {
  const all = [low, high, value, ...sales];
  const [from, to] = [Math.min(...all) * 0.97, Math.max(...all) * 1.03];
  const x = (price: number): string => (20 + (INNER * (price - from)) / (to - from)).toFixed(1);
  const label = `Estimate ${dollars(value)}, 80 % interval ${dollars(low)} to ${dollars(high)}${sales.length > 0 ? `; ${sales.length} comparable sales from ${dollars(Math.min(...sales))} to ${dollars(Math.max(...sales))}` : ''}`;
  return html`<svg class="own" role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} 92" width="${WIDTH}" font-size="12" fill="currentColor">
<rect x="${x(low)}" y="36" width="${(Number(x(high)) - Number(x(low))).toFixed(1)}" height="16" rx="3" fill="#6ba3dd" opacity=".55"/>
${sales.map((price) => html`<circle cx="${x(price)}" cy="44" r="4.5" fill="#e8590c" stroke="#fff"/>`)}
<rect x="${(Number(x(value)) - 1.5).toFixed(1)}" y="28" width="3" height="32"/>
<text x="${x(value)}" y="20" text-anchor="middle" font-weight="600">${dollars(value)}</text>
<text x="${x(low)}" y="76" text-anchor="middle">${dollars(low)}</text><text x="${x(high)}" y="76" text-anchor="middle">${dollars(high)}</text></svg>
<p class="note">The band is the 80 % interval${sales.length > 0 ? ', dots are comparable sales at the level of the day' : ''}.</p>`;
}

const money = (value: number | null): string => (value === null ? '' : dollars(value));
/** A value of a feature; four digits tell it. */
const shown = (value: unknown): string => {
  if (value === null || value === undefined) return 'not known';
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value);
};

function oneValue(each: ExplainedValue): Markup {
  const rows = each.contributions.map(({ feature, group, value, effect_percent }) => [
    feature,
    group,
    shown(value),
    html`<span class="${effect_percent < 0 ? 'fail' : 'pass'}">${effect_percent > 0 ? '+' : ''}${effect_percent.toFixed(1)} %</span>`,
  ]);
  const said =
    each.price === null
      ? html`<p>No estimate: ${each.reason}.</p>`
      : html`<p>${money(each.price)}, from ${money(each.low)} to ${money(each.high)}; confidence ${each.confidence}, tier ${each.tier}${each.is_served ? '' : '; a refresh would serve it'}.</p>
<p class="note">It starts at ${money(each.start === null ? null : Math.round(each.start))}; each row multiplies it. What would change it most stands first.</p>`;
  return html`<h2>${each.kind === 'sale' ? 'Value' : 'Rent, a week'}</h2>
<p class="note">Model <code>${each.model_id.slice(0, 12)}</code> of ${each.trained_sales.toLocaleString('en-AU')} sales, as of <time>${each.as_of}</time>; the newest model was ${each.outcome.replaceAll('_', ' ')}${each.failures.length > 0 ? `: ${each.failures.join(', ')}` : ''}.</p>
${said}${rows.length > 0 ? htmlTable(['feature', 'group', 'value', 'effect'], rows) : new Markup('')}`;
}

/** How the value and the rent come about: what each feature does to them. */
export const contributions = (values: readonly ExplainedValue[]): Markup =>
  values.length === 0 ? html`<p>No model of its region is in service.</p>` : html`${values.map(oneValue)}`;
