import type { AccuracyRecord } from '../../contract/service/accuracy.ts';
import { linePlot } from '../charts.ts';
import {
  columnTable,
  type HtmlColumn,
  html,
  longColumnTable,
  type Markup,
  NO_MARKUP,
  nothing,
} from '../html.ts';
import type { Page } from '../page.ts';

/** Suburbs shown at first; the rest is folded. */
const OPEN = 15;
const MONTHS = 24;
const percent = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} %`);
const figure = (value: number | null, digits: number): string =>
  value === null ? '–' : value.toFixed(digits);

/** A figure and whether it meets the standard of the IAAO. */
const withVerdict = (text: string, isMet: boolean | null): Markup =>
  isMet === null
    ? html`${text}`
    : html`${text} <span class="${isMet ? 'pass' : 'fail'}">${isMet ? 'pass' : 'fail'}</span>`;

/** Minimum sales for a price-related bias that says anything. */
const PRB_LEAST = 30;

const FIGURES: readonly HtmlColumn<AccuracyRecord>[] = [
  'sales',
  ['median error', (each) => percent(each.median_error_percent)],
  ['within 10 %', (each) => percent(each.within_10_percent)],
  ['within 20 %', (each) => percent(each.within_20_percent)],
  ['median ratio', (each) => withVerdict(figure(each.median_ratio, 3), each.meets_level)],
  ['COD', (each) => withVerdict(figure(each.cod, 1), each.meets_uniformity)],
  ['PRD', (each) => figure(each.prd, 3)],
  ['PRB', (each) => figure(each.sales < PRB_LEAST ? null : each.prb, 3)],
  ['VEI', (each) => withVerdict(percent(each.vei), each.meets_vertical_equity)],
  ['inside 80 %', (each) => percent(each.coverage_percent)],
];

/** Lists groups of evaluated sales by name. */
export const accuracyTable = (rows: readonly (AccuracyRecord & { name: string })[]): Markup =>
  columnTable(rows, [['sales of', ({ name }) => name], ...FIGURES]);

const regionName = (region: string): string => (region === 'AU' ? 'whole country' : region);
const MODEL: HtmlColumn<AccuracyRecord> = ['model', ({ region }) => regionName(region)];

/** Charts the median error by month of the model that evaluated most sales. */
function monthly(rows: readonly AccuracyRecord[]): Markup {
  const months = rows.filter(({ level }) => level === 'month');
  const regions = [...new Set(months.map(({ region }) => region))];
  const size = (region: string): number =>
    months.filter((each) => each.region === region).reduce((sum, { sales }) => sum + sales, 0);
  const largest = regions.sort((a, b) => size(b) - size(a))[0];
  const largestMonths = months.filter(({ region }) => region === largest).slice(-MONTHS);
  if (largest === undefined || largestMonths.length < 2) return NO_MARKUP;
  const title = `Median error by month, ${regionName(largest)}, per cent`;
  const points = largestMonths.flatMap(({ group, median_error_percent: value }) =>
    value === null ? [] : [{ name: group, value }],
  );
  return html`<h2>${title}</h2>${linePlot(title, points)}`;
}

/** Renders the errors of estimates for sales or rents. */
export function accuracyPage(kind: AccuracyRecord['kind'], rows: readonly AccuracyRecord[]): Page {
  const of = (level: AccuracyRecord['level']): AccuracyRecord[] =>
    rows.filter((each) => each.level === level);
  const other = kind === 'sale' ? 'rent' : 'sale';
  const grouped = (level: AccuracyRecord['level'], title: string): Markup => {
    const records = of(level);
    if (records.length === 0) return NO_MARKUP;
    const columns = [
      MODEL,
      [level === 'suburb' ? level : 'group', ({ group }: AccuracyRecord) => group] as const,
      ...FIGURES,
    ];
    return html`<h2>${title}</h2>${level === 'suburb' ? longColumnTable(records, columns, OPEN, 'suburbs') : columnTable(records, columns)}`;
  };
  return {
    title: 'Accuracy',
    at: '/accuracy',
    body: html`<h1>Accuracy of the valuation, ${kind}s</h1>
<p>How far estimates were from what homes then ${kind === 'sale' ? 'sold' : 'let'} for: only ${kind}s that the model had valued before it saw them. <a href="/accuracy?kind=${other}">${other === 'rent' ? 'Rents' : 'Sales'}</a></p>
${
  rows.length === 0
    ? nothing(`No model has judged a ${kind}: too few are known.`, [
        html`See whether <a href="/datasets">datasets</a> of ${kind}s are loaded, and why rows were rejected.`,
        html`See which are used in the table <a href="/tables/unused_sale">unused_sale</a>.`,
        html`Judge sales of a file: <code>pipeline evaluate</code>.`,
      ])
    : columnTable(of('all'), [MODEL, ...FIGURES])
}
${rows.length === 0 ? NO_MARKUP : html`<p class="note">Ratio: estimate / price. The IAAO asks for a median ratio of 0.90 to 1.10, a COD of at most 15, and a vertical equity indicator (VEI) within ±10 % or explained by chance. PRD should be 0.98 to 1.03 and PRB within ±0.05; PRB is shown from 30 sales on. The interval should hold 80 % of the prices.</p>`}
${monthly(rows)}
${grouped('dwelling_type', 'By kind of dwelling')}
${grouped('price_third', 'By price')}
${grouped('suburb', 'By suburb')}`,
  };
}
