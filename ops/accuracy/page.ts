import type { AccuracyRecord } from '../../contract/accuracy.ts';
import { bars } from '../charts.ts';
import { html, htmlTable, longTable, Markup } from '../html.ts';
import type { Page } from '../page.ts';

/** Suburbs shown at first; the rest is folded. */
const OPEN = 15;
/** Months in the chart. */
const MONTHS = 24;
const HEAD = [
  'sales',
  'median error',
  'within 10 %',
  'within 20 %',
  'median ratio',
  'COD',
  'PRD',
  'PRB',
  'inside 80 %',
];

const percent = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} %`);
const figure = (value: number | null, digits: number): string =>
  value === null ? '–' : value.toFixed(digits);

const cells = (each: AccuracyRecord): unknown[] => [
  each.sales,
  percent(each.median_error_percent),
  percent(each.within_10_percent),
  percent(each.within_20_percent),
  figure(each.median_ratio, 3),
  figure(each.cod, 1),
  figure(each.prd, 3),
  figure(each.prb, 3),
  percent(each.coverage_percent),
];

const regionName = (region: string): string => (region === 'AU' ? 'whole country' : region);

/** Charts the median error by month of the model that evaluated most sales. */
function monthly(rows: readonly AccuracyRecord[]): Markup {
  const months = rows.filter(({ level }) => level === 'month');
  const regions = [...new Set(months.map(({ region }) => region))];
  const size = (region: string): number =>
    months.filter((each) => each.region === region).reduce((sum, { sales }) => sum + sales, 0);
  const largest = regions.sort((a, b) => size(b) - size(a))[0];
  const own = months.filter(({ region }) => region === largest).slice(-MONTHS);
  if (largest === undefined || own.length < 2) return new Markup('');
  return bars({
    title: `Median error by month, ${regionName(largest)}, per cent`,
    names: own.map(({ group }) => group),
    series: [{ name: 'median error', values: own.map(({ median_error_percent }) => median_error_percent) }],
  });
}

/** Renders the errors of estimates for sales or rents. */
export function accuracyPage(kind: AccuracyRecord['kind'], rows: readonly AccuracyRecord[]): Page {
  const of = (level: AccuracyRecord['level']): AccuracyRecord[] =>
    rows.filter((each) => each.level === level);
  const other = kind === 'sale' ? 'rent' : 'sale';
  const grouped = (level: AccuracyRecord['level'], title: string): Markup => {
    const own = of(level);
    if (own.length === 0) return new Markup('');
    const lines = own.map((each) => [regionName(each.region), each.group, ...cells(each)]);
    return html`<h2>${title}</h2>${level === 'suburb' ? longTable(['model', 'suburb', ...HEAD], lines, OPEN, 'suburbs') : htmlTable(['model', 'group', ...HEAD], lines)}`;
  };
  return {
    title: 'Accuracy',
    at: '/accuracy',
    body: html`<h1>Accuracy of the valuation, ${kind}s</h1>
<p>How far estimates were from what homes then ${kind === 'sale' ? 'sold' : 'let'} for: only ${kind}s that the model had valued before it saw them. <a href="/accuracy?kind=${other}">${other === 'rent' ? 'Rents' : 'Sales'}</a></p>
${
  rows.length === 0
    ? html`<p>No model has judged a ${kind} yet: too few are known.</p>`
    : htmlTable(
        ['model', ...HEAD],
        of('all').map((each) => [regionName(each.region), ...cells(each)]),
      )
}
${rows.length === 0 ? new Markup('') : html`<p class="note">Ratio: estimate / price. Assessors ask for a median ratio near 1, a COD below 15, a PRD of 0.98 to 1.03 and a PRB within ±0.05. The interval should hold 80 % of the prices.</p>`}
${monthly(rows)}
${grouped('dwelling_type', 'By kind of dwelling')}
${grouped('price_third', 'By price')}
${grouped('suburb', 'By suburb')}`,
  };
}
