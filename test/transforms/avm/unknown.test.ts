import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildEvidence } from '../../../transforms/avm/evidence.ts';
import type { AvmParams, MaskedAttribute } from '../../../transforms/avm/params.ts';
import { Calibrator, type Estimate, rawPredictions } from '../../../transforms/avm/predict.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { inCanonicalOrder, type SaleTable, selectSales } from '../../../transforms/property/home_table.ts';
import { median } from '../../../transforms/stats/quantile.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

const CITY = inCanonicalOrder(syntheticCity(9000, 7));
const AS_OF = FIRST_DAY + 600;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const LATER = selectSales(
  CITY,
  Array.from(CITY.day.keys()).filter((row) => CITY.day[row]! > AS_OF),
);

/** A name, attributes that nobody stated, and whether the homes have no point of their own. */
type Pattern = [name: string, attributes: readonly MaskedAttribute[], isUnplaced?: boolean];

const LISTED: MaskedAttribute[] = ['bedrooms', 'bathrooms', 'parking', 'floor_area_sqm', 'year_built'];
const PATTERNS: readonly Pattern[] = [
  ['the year of building', ['year_built']],
  ['the floor', ['floor_area_sqm']],
  ['floor and year', ['floor_area_sqm', 'year_built']],
  ['the bedrooms', ['bedrooms']],
  ['the bathrooms', ['bathrooms', 'parking']],
  ['all but bedrooms', ['bathrooms', 'parking', 'floor_area_sqm', 'year_built']],
  ['bathrooms and floor', ['bathrooms', 'parking', 'floor_area_sqm']],
  ['bedrooms and floor', ['bedrooms', 'floor_area_sqm']],
  ['the land', ['land_area_sqm']],
  ['land and floor', ['land_area_sqm', 'floor_area_sqm']],
  ['all that listings state', LISTED],
  ['every attribute', [...LISTED, 'land_area_sqm']],
  ['the point', [], true],
  ['point and attributes', [...LISTED, 'land_area_sqm'], true],
];

/** Later sales of which all is stated that the pattern does not hide, without it. */
function blanked([, attributes, isUnplaced]: Pattern): SaleTable {
  const stated = (name: MaskedAttribute, row: number): boolean =>
    attributes.includes(name) ||
    Number.isFinite(LATER[name][row]!) ||
    // Flats have no land of their own.
    (name === 'land_area_sqm' && LATER.dwelling_type[row] === 'unit');
  const rows = Array.from(LATER.day.keys()).filter((row) =>
    [...LISTED, 'land_area_sqm' as const].every((name) => stated(name, row)),
  );
  const own = selectSales(LATER, rows);
  const hidden = new Float64Array(own.length).fill(Number.NaN);
  const names = [...attributes, ...(isUnplaced ? (['lon', 'lat'] as const) : [])];
  return { ...own, ...Object.fromEntries(names.map((name) => [name, hidden])) };
}

describe.each<[string, AvmParams]>([
  ['with trees', QUICK],
  ['without trees', { ...QUICK, min_boost_sales: 100_000 }],
])('intervals of a model %s', (_, params) => {
  let of: (sales: SaleTable) => (Estimate | null)[];

  beforeAll(() => {
    const { model } = trainAvm(CITY, { kind: 'sale', as_of: AS_OF, snapshot: 'test', digest }, params);
    const evidence = buildEvidence(CITY, params.evidence);
    const calibrator = new Calibrator(model);
    of = (sales) => {
      const { raws } = rawPredictions(model, evidence, sales, sales.day);
      return raws.map((raw) => calibrator.value(raw, AS_OF).estimate);
    };
  }, 120_000);

  it.each(PATTERNS)('contain 80 % of the sales without %s', (...pattern) => {
    const sales = blanked(pattern);
    const told = of(sales).flatMap((estimate, row) =>
      estimate ? [sales.price[row]! >= estimate.low && sales.price[row]! <= estimate.high] : [],
    );
    const coverage = (100 * told.filter(Boolean).length) / told.length;
    expect(told.length).toBeGreaterThan(300);
    expect(coverage).toBeGreaterThan(77);
    expect(coverage).toBeLessThan(83);
  });

  it('are wider, and confidence lower, where more is unknown', () => {
    const [all, some, none] = [[], ['floor_area_sqm'] as const, LISTED].map((hidden) => {
      const estimates = of(blanked(['', hidden])).filter((estimate) => estimate !== null);
      return {
        width: median(estimates.map(({ price, low, high }) => (high - low) / price)),
        confidence: median(estimates.map(({ confidence }) => confidence)),
      };
    });
    expect(some!.width).toBeGreaterThan(1.1 * all!.width);
    expect(none!.width).toBeGreaterThan(1.1 * some!.width);
    expect(some!.confidence).toBeLessThan(all!.confidence);
    expect(none!.confidence).toBeLessThan(some!.confidence);
  });
});
