import type { MethodFigures } from '../../pipelines/evaluate/error_figures.ts';
import { fixed, groupFigureRows, SPREAD_HEAD, spreadRows } from '../../pipelines/evaluate/group_rows.ts';
import { type EvaluationReport, type EvaluationResult, runEvaluation } from '../../pipelines/evaluate/run.ts';
import { VALUATION_KINDS } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import { checkPage, writePage } from '../../store/system/output_path.ts';
import type { ConfigFlags } from '../load_config.ts';
import { printLine } from '../print.ts';
import { columns } from '../render.ts';

type EvaluateFlags = ConfigFlags & {
  sales?: string;
  map?: string;
  kind: string;
  split: string;
  folds: string;
  lagDays: string;
  groups?: boolean;
  report?: string;
  json?: boolean;
};

const MS_PER_DAY = 86_400_000;
/** Maximum areas in the text: those with the most test sales. */
const AREAS = 15;

function numberFlag(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high))
    throw new EtlError('evaluate_option', `${name} is ${text}; it must be a number from ${low} to ${high}.`);
  return value;
}

const METHOD_HEAD = [
  'method',
  'sales',
  'median error %',
  '95 %',
  'within 10 %',
  'within 20 %',
  'COD',
  'PRD',
  'PRB',
  'median ratio',
];

function methodRow(figures: MethodFigures): string[] {
  const { low, high } = figures.interval.median_abs_error_pct;
  return [
    figures.method,
    String(figures.n),
    fixed(figures.median_abs_error_pct, 2),
    `${fixed(low, 2)}-${fixed(high, 2)}`,
    fixed(figures.within_10_pct, 1),
    fixed(figures.within_20_pct, 1),
    fixed(figures.cod, 2),
    fixed(figures.prd, 3),
    fixed(figures.prb, 3),
    fixed(figures.median_ratio, 3),
  ];
}

const counts = (record: Record<string, number | undefined>): string =>
  Object.entries(record)
    .map(([name, value]) => `${value} ${name}`)
    .join(', ') || 'none';

function inputLines({ input }: EvaluationReport): string[] {
  const lines = [
    `input      ${input.file}: ${input.rows_in} rows = ${input.valid} valid + ${input.rejected} rejected + excluded: ${counts(input.excluded)}`,
    `unknown    not readable: ${counts(input.unreadable)}; not plausible: ${counts(input.implausible)}`,
  ];
  if (Object.keys(input.unknown_types).length > 0)
    lines.push(`types      not in the map: ${counts(input.unknown_types)}`);
  return lines;
}

/** Lists the models, if there are several. */
function modelLines({ models }: EvaluationReport): string[] {
  if (models.length === 1) return [];
  const head = ['model of', '', 'trained on', 'until', 'judged on', 'from', 'to'];
  const rows = models.map((own) => [
    own.region,
    own.model_id.slice(0, 16),
    String(own.train),
    own.train_until,
    String(own.test),
    own.test_from,
    own.test_until,
  ]);
  return ['', columns([head, ...rows])];
}

/** Lists the spread of each metric over the time windows. */
function spreadLines({ by_window, spread }: EvaluationReport): string[] {
  const rows = spreadRows(spread);
  return rows.length === 0 ? [] : ['', columns([[`${by_window.length} windows`, ...SPREAD_HEAD], ...rows])];
}

function worthLines({ group_worth }: EvaluationReport): string[] {
  if (group_worth === null) return [];
  const head = ['without', 'median error %', 'rise', 'COD', 'rise'];
  const rows = group_worth.map((own) => [
    own.group,
    fixed(own.median_abs_error_pct, 2),
    fixed(own.error_rise, 2),
    fixed(own.cod, 2),
    fixed(own.cod_rise, 2),
  ]);
  return ['', 'models without a group of features', columns([head, ...rows])];
}

function render(report: EvaluationReport): string {
  const { split, models } = report;
  const largest = [...report.by_area].sort((a, b) => b.n - a.n).slice(0, AREAS);
  const groups = [
    groupFigureRows('80 % interval', [report.overall, ...report.by_type]),
    groupFigureRows('by window', report.by_window),
    groupFigureRows('by price', report.by_price_tercile),
    groupFigureRows('by estimate', report.by_predicted_tercile),
    groupFigureRows('by confidence', report.by_confidence),
    groupFigureRows('by tier', report.by_tier),
    ...(report.by_state.length > 0 ? [groupFigureRows('by state', report.by_state)] : []),
    ...(report.by_sa4.length > 0 ? [groupFigureRows('by SA4', report.by_sa4)] : []),
    groupFigureRows(`largest areas`, largest),
  ];
  const gains = report.feature_gain.map(({ group, gain_pct, features }) => [
    group,
    `${fixed(gain_pct, 1)} %`,
    features
      .slice(0, 4)
      .map(({ name, gain_pct: own }) => `${name} ${fixed(own, 1)}`)
      .join(', '),
  ]);
  return [
    `model      ${report.kind} ${models.map((own) => own.model_id.slice(0, 16)).join(', ')}`,
    ...inputLines(report),
    `split      trained on ${split.train} sales until ${split.train_until}, judged on ${split.test} from ${split.test_from} to ${split.test_until}, lag ${report.lag_days} days`,
    `left out   ${report.outliers} outliers of the evidence; without estimate: ${counts(report.no_estimate)}`,
    ...modelLines(report),
    '',
    columns([METHOD_HEAD, ...report.methods.map(methodRow)]),
    `  comparables are ${fixed(report.comparables_better_pct, 1)} % better than eight random sales within 1 km`,
    ...spreadLines(report),
    ...groups.flatMap((rows) => ['', columns(rows)]),
    '',
    'gain of the splits by group of features',
    columns(gains),
    ...worthLines(report),
  ].join('\n');
}

/** Evaluates on a file of sales, without a database, or on the stored sales. */
async function evaluated(flags: EvaluateFlags): Promise<EvaluationResult> {
  const settings = {
    split: numberFlag('--split', flags.split, 0.01, 0.9),
    folds: numberFlag('--folds', flags.folds, 1, 100),
    lag_days: numberFlag('--lag-days', flags.lagDays, 0, 3650),
    groups: flags.groups === true,
  };
  if (!Number.isInteger(settings.folds))
    throw new EtlError('evaluate_option', `--folds is ${flags.folds}; it must be a whole number.`);
  if ((flags.sales === undefined) !== (flags.map === undefined))
    throw new EtlError('evaluate_option', '--sales and --map go together: a file and its column map.');
  if (flags.sales !== undefined && flags.map !== undefined) {
    const today = Math.floor(Date.now() / MS_PER_DAY);
    return runEvaluation({ sales: flags.sales, map: flags.map, today, ...settings });
  }
  const kind = VALUATION_KINDS.find((own) => own === flags.kind);
  if (!kind)
    throw new EtlError(
      'evaluate_option',
      `--kind is ${flags.kind}; it must be ${VALUATION_KINDS.join(' or ')}.`,
    );
  // Modules that a file does not need are loaded only for stored sales.
  const [{ evaluateStored }, { loadConfig }, { withConfiguredClient }] = await Promise.all([
    import('../../pipelines/evaluate/stored.ts'),
    import('../load_config.ts'),
    import('./inspect.ts'),
  ]);
  const { config } = await loadConfig(flags);
  return withConfiguredClient(config, (client) => evaluateStored(client, { kind, ...settings }));
}

/** Trains and evaluates the valuation model on a file of sales or rents, or on the stored ones, and prints the metrics. */
export async function evaluateCommand(flags: EvaluateFlags): Promise<void> {
  if (flags.report !== undefined) await checkPage(flags.report);
  const { report, evaluatedSales } = await evaluated(flags);
  if (flags.report !== undefined) {
    const { htmlReport } = await import('../../pipelines/evaluate/html_report.ts');
    await writePage(flags.report, htmlReport(report, evaluatedSales));
  }
  printLine(flags.json ? JSON.stringify(report) : render(report));
}
