import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../pipelines/evaluate/evaluate.ts';
import { ForestThreads, withForestThreads } from '../../../pipelines/evaluate/forest_threads.ts';
import { groupWorth } from '../../../pipelines/evaluate/group_worth.ts';
import { htmlReport } from '../../../pipelines/evaluate/html_report.ts';
import { runEvaluation } from '../../../pipelines/evaluate/run.ts';
import { inCanonicalOrder, selectSales } from '../../../transforms/property/home_table.ts';
import { dayOf } from '../../../transforms/stats/calendar.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';
import { ROOT } from '../../source_tree.ts';
import { QUICK, syntheticCity } from '../../transforms/avm/synthetic_city.ts';

const OPTIONS = { kind: 'sale', split: 0.2, folds: 1, lag_days: 14, snapshot: 'test' } as const;
const INPUT = {
  file: '<sales>.csv',
  sha256: 'x',
  rows_in: 1,
  rejected: 0,
  excluded: {},
  valid: 1,
  unreadable: {},
  implausible: {},
  unknown_types: {},
};

const HERE = new ForestThreads(1);
const city = inCanonicalOrder(syntheticCity(2500));
const { evaluation, evaluatedSales } = await evaluate(city, OPTIONS, HERE, QUICK);

describe('an evaluation', () => {
  const figures = new Map(evaluation.methods.map((own) => [own.method, own]));

  it('judges on the last sales only, all methods on the same ones', () => {
    const { split } = evaluation;
    expect(split.test).toBeGreaterThanOrEqual(500);
    expect(split.train_until < split.test_from).toBe(true);
    expect(evaluatedSales.length).toBeLessThanOrEqual(split.test);
    const reasons = Object.values(evaluation.no_estimate).reduce((sum, n) => sum + n, 0);
    expect(evaluatedSales.length + reasons).toBe(split.test);
  });

  it('finds the order that the made-up prices have', () => {
    const error = (name: string): number => figures.get(name)!.median_abs_error_pct;
    expect(error('model')).toBeLessThan(0.7 * error('suburb and type median'));
    expect(error('comparables')).toBeLessThan(0.9 * error('eight random within 1 km'));
    for (const { interval, median_abs_error_pct } of figures.values()) {
      expect(interval.median_abs_error_pct.low).toBeLessThanOrEqual(median_abs_error_pct);
      expect(interval.median_abs_error_pct.high).toBeGreaterThanOrEqual(median_abs_error_pct);
    }
  });

  it('divides the same sales by type, tercile, band and tier, and the gain by group', () => {
    for (const groups of [
      evaluation.by_type,
      evaluation.by_price_tercile,
      evaluation.by_predicted_tercile,
      evaluation.by_confidence,
      evaluation.by_tier,
    ])
      expect(groups.reduce((sum, { n }) => sum + n, 0)).toBe(evaluatedSales.length);
    const gain = evaluation.feature_gain.reduce((sum, { gain_pct }) => sum + gain_pct, 0);
    expect(gain).toBeCloseTo(100, 6);
    expect(evaluation.feature_gain.map(({ group }) => group).sort()).toEqual([
      'attributes',
      'evidence',
      'place',
    ]);
  });

  it('is the same in two threads, in JSON and as a page that needs nothing else', async () => {
    const again = await withForestThreads(2, (threads) => evaluate(city, OPTIONS, threads, QUICK));
    expect(JSON.stringify(again.evaluation)).toBe(JSON.stringify(evaluation));
    const page = htmlReport({ input: INPUT, group_worth: null, ...evaluation }, evaluatedSales);
    expect(htmlReport({ input: INPUT, group_worth: null, ...again.evaluation }, again.evaluatedSales)).toBe(
      page,
    );
    expect(page.match(/<svg/g)).toHaveLength(4);
    expect(page).not.toMatch(/<script|<link|<img|src=/);
    expect(page).toContain('&#60;sales&#62;.csv');
  });

  it('works without coordinates, by suburb alone', async () => {
    const none = new Float64Array(city.length).fill(NaN);
    const { evaluation: blind } = await evaluate({ ...city, lon: none, lat: none }, OPTIONS, HERE, QUICK);
    const [model, area] = blind.methods;
    expect(area!.method).toBe('suburb and type median');
    expect(model!.median_abs_error_pct).toBeLessThan(0.85 * area!.median_abs_error_pct);
  });

  it('walks forward through windows, each with models that have not seen it', async () => {
    const { evaluation: folded } = await evaluate(city, { ...OPTIONS, folds: 2 }, HERE, QUICK);
    expect(folded.models).toHaveLength(2);
    const [first, second] = folded.models;
    expect(first!.test_until < second!.test_from).toBe(true);
    expect(second!.train_until < second!.test_from).toBe(true);
    expect(second!.train).toBeGreaterThan(first!.train);
    expect(first!.test + second!.test).toBe(evaluation.split.test);
    expect(folded.methods[0]!.median_abs_error_pct).toBeLessThan(
      0.7 * folded.methods[1]!.median_abs_error_pct,
    );
    expect(folded.by_window.map(({ group }) => group)).toEqual([first!.test_from, second!.test_from]);
    expect(folded.by_window.reduce((sum, { n }) => sum + n, 0)).toBe(folded.overall.n);
    const [one, two] = folded.by_window.map(({ cod }) => cod) as [number, number];
    expect(folded.spread.cod).toEqual({
      mean: (one + two) / 2,
      sd: expect.closeTo(Math.abs(one - two) / Math.SQRT2, 9),
      low: Math.min(one, two),
      high: Math.max(one, two),
    });
    expect(folded.overall.met).toMatchObject({ level: true, uniformity: true });
    expect(evaluation.spread.cod).toBeNull();
  });

  it('gives states with enough sales their own model, and the rest that of all', async () => {
    const labels = new Map(
      city.id.map((id, i) => [id, { state: i % 50 === 0 ? 'NT' : 'VIC', sa4: i % 2 === 0 ? 'a' : null }]),
    );
    const regions = { labels, pooled: 'AU' };
    const { evaluation: divided } = await evaluate(city, OPTIONS, HERE, QUICK, regions);
    expect(divided.models.map(({ region }) => region)).toEqual(['VIC', 'AU']);
    expect(divided.models.reduce((sum, { test }) => sum + test, 0)).toBe(evaluation.split.test);
    expect(divided.by_state.map(({ group }) => group)).toEqual(['NT', 'VIC']);
    expect(divided.by_state.reduce((sum, { n }) => sum + n, 0)).toBe(divided.overall.n);
    expect(divided.by_sa4).toHaveLength(1);
    expect(divided.by_sa4[0]!.n).toBeLessThan(divided.overall.n);
  });

  it('says what a group of features is worth', async () => {
    const town = inCanonicalOrder(syntheticCity(1200));
    const noise = town.price.map((_, i) => i % 11);
    const hint = town.price.map((price, i) => Math.log(price) + 0.02 * (i % 9));
    const given = { ...town, extra: { 'school.hint': hint, 'hazard.noise': noise } };
    const params = { ...QUICK, min_boost_sales: 400 };
    const { evaluation: whole } = await evaluate(given, OPTIONS, HERE, params);
    const [hazard, school] = await groupWorth(given, whole, { options: OPTIONS, threads: HERE, params });
    expect(hazard).toMatchObject({ group: 'hazard', features: ['hazard.noise'] });
    expect(school!.error_rise).toBeGreaterThan(3 + Math.abs(hazard!.error_rise));
    expect(whole.feature_gain.map(({ group }) => group)).toContain('school');
  });

  it('refuses too few sales', async () => {
    const few = selectSales(
      city,
      Array.from({ length: 80 }, (_, i) => i),
    );
    await expect(evaluate(few, { ...OPTIONS, excluded: { no_date: 900 } }, HERE, QUICK)).rejects.toThrow(
      expect.objectContaining({
        code: 'evaluate_few_sales',
        message: expect.stringContaining('900 no_date'),
      }),
    );
  });
});

const SHARED = hasSharedData('the evaluation on real sales');

describe.skipIf(!SHARED)('on real sales of Melbourne, with default settings', () => {
  it('keeps the bars of accuracy, interval, confidence and comparables', async () => {
    const { report } = await runEvaluation({
      sales: sharedPath('yarra/sales/melb_data.csv'),
      map: `${ROOT}config/maps/melbourne.yaml`,
      split: 0.15,
      folds: 1,
      groups: false,
      lag_days: 14,
      today: dayOf({ year: 2026, month: 1, day: 1 }),
    });
    expect(report.input).toMatchObject({
      rows_in: 13_580,
      rejected: 0,
      valid: 10_817,
      excluded: { not_a_sale: 2763 },
    });
    const figures = new Map(report.methods.map((own) => [own.method, own]));
    const model = figures.get('model')!;
    const area = figures.get('suburb and type median')!;
    expect(model.median_abs_error_pct).toBeLessThan(0.62 * area.median_abs_error_pct);
    expect(model.cod).toBeLessThanOrEqual(11.7);
    expect(model.prd).toBeLessThanOrEqual(1.03);
    expect(Math.abs(model.prb)).toBeLessThanOrEqual(0.05);
    expect(Math.abs(model.median_ratio - 1)).toBeLessThanOrEqual(0.02);
    expect(report.overall.coverage_pct).toBeGreaterThanOrEqual(78);
    expect(report.overall.coverage_pct).toBeLessThanOrEqual(82.5);
    for (const { coverage_pct } of [...report.by_price_tercile, ...report.by_predicted_tercile]) {
      expect(coverage_pct).toBeGreaterThanOrEqual(76.5);
      expect(coverage_pct).toBeLessThanOrEqual(84);
    }
    const errors = report.by_confidence.map(({ median_abs_error_pct }) => median_abs_error_pct);
    expect(errors).toEqual(errors.toSorted((a, b) => a - b));
    expect(report.comparables_better_pct).toBeGreaterThanOrEqual(20);
  });
});
