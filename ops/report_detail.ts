import type { ModelRatios, RunDetail } from '../pipelines/views/run_detail.ts';
import { dotMap, histogram } from './charts.ts';
import {
  columnTable,
  type HtmlColumn,
  html,
  longColumnTable,
  longTable,
  type Markup,
  NO_MARKUP,
} from './html.ts';

/** Maximum suburbs listed with the lowest coverage. */
const LEAST = 10;
/** Rows of a long table shown at first: the worst. */
const OPEN = 8;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** Shows the share of properties with a value: by suburb on a map, and by field and state. */
export function suburbCoverage({ suburbs, suburbs_known, fields }: RunDetail): Markup {
  if (suburbs.length === 0) return NO_MARKUP;
  const most = suburbs[0]!.properties;
  const title =
    suburbs.length === suburbs_known
      ? `Values of the ${suburbs_known.toLocaleString('en-AU')} suburbs`
      : `Values of the ${suburbs.length.toLocaleString('en-AU')} largest of ${suburbs_known.toLocaleString('en-AU')} suburbs`;
  const map = dotMap(
    title,
    suburbs.map(({ lon, lat, share, properties }) => ({ lon, lat, share, weight: properties / most })),
  );
  const least = [...suburbs].sort((a, b) => a.share - b.share || (a.sal < b.sal ? -1 : 1)).slice(0, LEAST);
  const states = [...new Set(fields.map((each) => each.state))].sort();
  const by = new Map(fields.map((each) => [`${each.field} ${each.state}`, each.share]));
  const leastOf = new Map<string, number>();
  for (const { field, share } of fields) leastOf.set(field, Math.min(share, leastOf.get(field) ?? 1));
  const worst = [...leastOf].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([field]) => field);
  const rows = worst.map((field) => [
    field,
    ...states.map((state) => {
      const share = by.get(`${field} ${state}`);
      if (share === undefined) return '';
      return html`<span class="bar" style="--share:${(100 * share).toFixed(0)}%">${percent(share)}</span>`;
    }),
  ]);
  return html`<h2 id="coverage-by-suburb">Coverage by suburb and field</h2>
<p class="note">Share of properties that have a value, over all fields that are counted; a dot is as large as its suburb.</p>${map}
<details><summary>Suburbs with the least</summary>${columnTable(least, [['suburb', ({ sal }) => sal], 'state', 'properties', ['with a value', ({ share }) => percent(share)]])}</details>
<h3>Fields by state</h3>${longTable(['field', ...states], rows, OPEN, 'fields')}`;
}

const PARTS: Readonly<Record<ModelRatios['part'], string>> = {
  boosted: 'boosted trees',
  bare: 'boosted trees, homes of which little is known',
  ridge_local: 'ridge with local residual',
  area_median: 'median of the area',
};

/** Compares estimates with prices of sales that the models had not seen. */
export function ratioStudies({ models }: RunDetail): Markup {
  if (models.length === 0) return NO_MARKUP;
  const orBlank = (value: number): number | string => (Number.isFinite(value) ? value : '');
  const error = (each: ModelRatios): number =>
    Number.isFinite(each.median_abs_error_pct) ? each.median_abs_error_pct : -1;
  const urgent = [...models].sort((a, b) => error(b) - error(a));
  const columns: HtmlColumn<ModelRatios>[] = [
    'kind',
    'region',
    ['part of the model', ({ part }) => PARTS[part]],
    ['sales', ({ n }) => n],
    ['median error %', (each) => orBlank(each.median_abs_error_pct)],
    ['within 10 %', (each) => orBlank(each.within_10_pct)],
    ['within 20 %', (each) => orBlank(each.within_20_pct)],
    ['median ratio', (each) => orBlank(each.median_ratio)],
    ['COD', (each) => orBlank(each.cod)],
    ['PRD', (each) => orBlank(each.prd)],
    ['PRB', (each) => orBlank(each.prb)],
  ];
  const largest = models.reduce((most, each) => (each.kind === most.kind && each.n > most.n ? each : most));
  const studied = models.filter((each) => each.kind === largest.kind && each.part === largest.part);
  const ratios = studied.flatMap((each) => Array.from(each.ratios));
  const chart = histogram(
    `Estimate over price of ${ratios.length.toLocaleString('en-AU')} ${largest.kind}s (${PARTS[largest.part]})`,
    ratios,
    0.4,
    1.6,
  );
  return html`<h2 id="ratio-study">Ratio study of the valuation</h2>
<p class="note">Estimates of the models in service for sales that they had not seen, over the prices paid; before calibration of the
interval. A median ratio of 1, a COD below 15, a PRD of 0.98 to 1.03 and a PRB within ±0.05 are what assessors ask for.</p>
${longColumnTable(urgent, columns, OPEN, 'models')}${chart}`;
}
