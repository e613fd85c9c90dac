import type { EvaluatedSale, GroupFigures, MethodFigures } from './error_figures.ts';
import type { TriedModel } from './evaluate.ts';
import { barsByGroup, errorMap, ratioByPrice } from './evaluation_charts.ts';
import { fixed, groupFigureRows, SPREAD_HEAD, spreadRows } from './group_rows.ts';
import type { EvaluationReport } from './run.ts';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((each) => `<${tag}>${escaped(each)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line('th', head)}</thead><tbody>${rows.map((row) => line('td', row)).join('')}</tbody></table>`;
}

function methodTable(methods: readonly MethodFigures[]): string {
  const range = (figures: MethodFigures, name: keyof MethodFigures['interval'], digits: number): string => {
    const { low, high } = figures.interval[name];
    return `${fixed(figures[name], digits)} (${fixed(low, digits)} to ${fixed(high, digits)})`;
  };
  return table(
    ['method', 'sales', 'median error %', 'within 10 %', 'within 20 %', 'COD', 'PRD', 'PRB', 'median ratio'],
    methods.map((own) => [
      own.method,
      String(own.n),
      range(own, 'median_abs_error_pct', 2),
      range(own, 'within_10_pct', 1),
      range(own, 'within_20_pct', 1),
      range(own, 'cod', 2),
      range(own, 'prd', 3),
      range(own, 'prb', 3),
      range(own, 'median_ratio', 3),
    ]),
  );
}

function groupTable(title: string, groups: readonly GroupFigures[]): string {
  const [head, ...rows] = groupFigureRows(title, groups);
  return table(head, rows);
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;max-width:1000px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0;font-size:13px}th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #d8dee4}
th:first-child,td:first-child{text-align:left}figure{margin:1rem 0}figcaption{color:#57606a;font-size:13px}svg{max-width:100%;height:auto}`;

const figure = (svg: string, caption: string): string =>
  `<figure>${svg}<figcaption>${escaped(caption)}</figcaption></figure>`;

function modelTable(models: readonly TriedModel[]): string {
  return table(
    ['region', 'model', 'trained on', 'until', 'judged on', 'from', 'to'],
    models.map((own) => [
      own.region,
      own.model_id.slice(0, 16),
      String(own.train),
      own.train_until,
      String(own.test),
      own.test_from,
      own.test_until,
    ]),
  );
}

function worthTable(groups: EvaluationReport['group_worth']): string {
  if (groups === null) return '';
  return table(
    ['without the group', 'median error %', 'rise', 'COD', 'rise'],
    groups.map((own) => [
      own.group,
      fixed(own.median_abs_error_pct, 2),
      fixed(own.error_rise, 2),
      fixed(own.cod, 2),
      fixed(own.cod_rise, 2),
    ]),
  );
}

function accountOf({ input, split, lag_days, no_estimate }: EvaluationReport): string {
  const excluded = Object.entries(input.excluded).map(([name, n]) => [`excluded: ${name}`, String(n)]);
  const without = Object.entries(no_estimate).map(([name, n]) => [`without estimate: ${name}`, String(n)]);
  return table(
    ['input', input.file],
    [
      ['rows', String(input.rows_in)],
      ['rejected', String(input.rejected)],
      ...excluded,
      ['valid', String(input.valid)],
      ['trained on', `${split.train}, until ${split.train_until}`],
      ['judged on', `${split.test}, from ${split.test_from} to ${split.test_until}`],
      ['lag', `${lag_days} days`],
      ...without,
    ],
  );
}

/** Renders the report as one self-contained page of tables and SVG plots. Deterministic. */
export function htmlReport(report: EvaluationReport, sales: readonly EvaluatedSale[]): string {
  const gains = report.feature_gain.flatMap(({ group, gain_pct, features }) => [
    [group, '', fixed(gain_pct, 1)],
    ...features.map((own) => ['', own.name, fixed(own.gain_pct, 1)]),
  ]);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Valuation of ${escaped(report.kind)}s</title><style>${STYLE}</style></head><body>
<h1>Valuation model, judged on ${report.split.test} ${escaped(report.kind)}s that it had not seen</h1>
<p>Everything known of a sale is dated at least ${report.lag_days} days before it. Brackets hold 95 % bootstrap intervals.</p>
${accountOf(report)}
${modelTable(report.models)}
<h2>Methods</h2>
${methodTable(report.methods)}
<h2>Time windows</h2>
${groupTable('window from', report.by_window)}
${table([`${report.by_window.length} windows`, ...SPREAD_HEAD], spreadRows(report.spread))}
<h2>Ratio by price</h2>
${figure(ratioByPrice(sales), 'Estimate over price, each dot one sale; the line is the median of a tenth of the sales.')}
<h2>80 % interval</h2>
${figure(barsByGroup([report.overall, ...report.by_type, ...report.by_price_tercile], 'coverage_pct'), 'Share of prices in the interval by type and third of the prices, percent; 80 is meant.')}
${groupTable('', [report.overall, ...report.by_type])}
${groupTable('by price', report.by_price_tercile)}
${groupTable('by estimate', report.by_predicted_tercile)}
${groupTable('by type and estimate', report.by_type_and_predicted_tercile)}
<h2>Confidence</h2>
${figure(barsByGroup(report.by_confidence, 'median_abs_error_pct'), 'Median absolute error by band of confidence, percent.')}
${groupTable('by confidence', report.by_confidence)}
${groupTable('by tier', report.by_tier)}
<h2>Place</h2>
${figure(errorMap(sales), 'Error of each estimate: red above the price, blue below it.')}
${report.by_state.length > 0 ? groupTable('by state', report.by_state) : ''}
${report.by_sa4.length > 0 ? groupTable('by SA4', report.by_sa4) : ''}
${groupTable('by area', report.by_area)}
<h2>Features</h2>
${table(['group', 'feature', 'share of gain %'], gains)}
${worthTable(report.group_worth)}
</body></html>
`;
}
