import { avmChoiceAsset, modelEvidenceAsset } from '../../../schema/assets/valuation.ts';
import { type AccuracyLevel, valuationAccuracyTable } from '../../../schema/serving/valuation_accuracy.ts';
import type { Row } from '../../../schema/table.ts';
import { unpackModel } from '../../../transforms/avm/artefact.ts';
import { type JudgedSale, judgedSales, saleMark } from '../../../transforms/avm/judged.ts';
import { isoOfDay } from '../../../transforms/stats/calendar.ts';
import { quantile } from '../../../transforms/stats/quantile.ts';
import { ratioStudy } from '../../../transforms/stats/ratio_study.ts';
import { standardsMet } from '../../../transforms/stats/standards.ts';
import { NO_EQUITY, verticalEquity } from '../../../transforms/stats/vertical_equity.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

type ValuationAccuracyRow = Row<typeof valuationAccuracyTable>;
type Sold = Pick<
  Row<typeof modelEvidenceAsset>,
  'kind' | 'state' | 'area' | 'date' | 'price' | 'dwelling_type'
>;

/** Minimum sales of a group for useful metrics. */
const LEAST = 5;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const finite = (value: number, digits: number): number | null =>
  Number.isFinite(value) ? rounded(value, digits) : null;

/** Computes the accuracy metrics of some sales; at least one is required. */
function figures(
  sales: readonly JudgedSale[],
  level: AccuracyLevel,
): Omit<ValuationAccuracyRow, 'kind' | 'region' | 'level' | 'group_name' | 'as_of'> {
  const estimates = Float64Array.from(sales, ({ estimate }) => estimate);
  const prices = Float64Array.from(sales, ({ price }) => price);
  const study = ratioStudy(estimates, prices);
  // Within a third of the prices, the ratio follows the price by selection alone.
  const equity = level === 'price_third' ? NO_EQUITY : verticalEquity(estimates, prices);
  const met = standardsMet(study, equity);
  const withRange = sales.filter(({ is_inside }) => is_inside !== null);
  return {
    sales: sales.length,
    median_error_percent: rounded(study.median_abs_error_pct, 2),
    within_10_percent: rounded(study.within_10_pct, 2),
    within_20_percent: rounded(study.within_20_pct, 2),
    median_ratio: rounded(study.median_ratio, 4),
    cod: rounded(study.cod, 2),
    prd: rounded(study.prd, 4),
    prb: finite(study.prb, 4),
    vei: finite(equity.vei, 2),
    meets_level: met.level,
    meets_uniformity: met.uniformity,
    meets_vertical_equity: met.vertical_equity,
    coverage_percent: finite(
      (100 * withRange.filter(({ is_inside }) => is_inside).length) / withRange.length,
      2,
    ),
  };
}

/** Finds the suburb of each sale, by day, price and dwelling type; null: sales in several suburbs share these. */
function suburbsOf(
  evidence: readonly Sold[],
  kind: string,
  region: string,
): ReadonlyMap<string, string | null> {
  const suburbs = new Map<string, string | null>();
  for (const sold of evidence) {
    if (sold.kind !== kind || (region !== 'AU' && sold.state !== region) || sold.area === null) continue;
    const mark = saleMark(sold.date, sold.price, sold.dwelling_type ?? '');
    const knownSuburb = suburbs.get(mark);
    suburbs.set(mark, knownSuburb === undefined || knownSuburb === sold.area ? sold.area : null);
  }
  return suburbs;
}

/** Groups sales by accuracy level and group name. */
function groupsOf(
  sales: readonly JudgedSale[],
  suburbs: ReadonlyMap<string, string | null>,
): Map<AccuracyLevel, Map<string, JudgedSale[]>> {
  const prices = Float64Array.from(sales, ({ price }) => price).sort();
  const [first, second] = [quantile(prices, 1 / 3), quantile(prices, 2 / 3)];
  const groups = new Map<AccuracyLevel, Map<string, JudgedSale[]>>();
  const put = (level: AccuracyLevel, name: string, sale: JudgedSale): void => {
    const of = groups.get(level) ?? new Map<string, JudgedSale[]>();
    groups.set(level, of);
    const ownRegion = of.get(name);
    if (ownRegion === undefined) of.set(name, [sale]);
    else ownRegion.push(sale);
  };
  for (const sale of sales) {
    const day = isoOfDay(sale.day);
    put('all', '', sale);
    put('dwelling_type', sale.dwelling_type, sale);
    put('price_third', sale.price <= first ? 'low' : sale.price <= second ? 'middle' : 'high', sale);
    put('month', day.slice(0, 7), sale);
    const suburb = suburbs.get(saleMark(day, sale.price, sale.dwelling_type));
    if (suburb) put('suburb', suburb, sale);
  }
  return groups;
}

export const serveValuationAccuracyStage = stage({
  name: 'serve_valuation_accuracy',
  version: 2,
  doc: 'Rows of serving.valuation_accuracy: errors of the models in service on sales that they were not trained on.',
  subject: 'choice',
  inputs: {
    choice: input(avmChoiceAsset, ['kind', 'state', 'region', 'artefact'], { kind: 'all' }),
    evidence: input(
      modelEvidenceAsset,
      ['kind', 'state', 'area', 'date', 'price', 'dwelling_type', 'as_of'],
      { kind: 'all' },
    ),
  },
  output: valuationAccuracyTable,
  compute({ choice, evidence }, { emit }) {
    const done = new Set<string>();
    for (const { kind, region, artefact } of choice) {
      if (done.has(`${kind}|${region}`)) continue;
      done.add(`${kind}|${region}`);
      const model = unpackModel(artefact);
      const suburbs = suburbsOf(evidence, kind, region);
      for (const [level, groups] of groupsOf(judgedSales(model), suburbs))
        for (const [group_name, sales] of groups)
          if (sales.length >= LEAST || level === 'all')
            emit({ kind, region, level, group_name, as_of: isoOfDay(model.as_of), ...figures(sales, level) });
    }
    return { account: { in: choice.length, out: choice.length, drops: {} } };
  },
});
