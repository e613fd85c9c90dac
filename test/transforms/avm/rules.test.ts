import { describe, expect, it } from 'vitest';
import { CALIBRATION, calibrate, calibrationAsOf, levelsThen } from '../../../transforms/avm/calibration.ts';
import {
  CONFIDENCE_BANDS,
  confidenceBand,
  confidenceOf,
  forecastSd,
} from '../../../transforms/avm/confidence.ts';
import { buildEvidence } from '../../../transforms/avm/evidence.ts';
import { type LedgerEntry, makeLedger } from '../../../transforms/avm/ledger.ts';
import { isComplete, maskedHomes, neededAttributes } from '../../../transforms/avm/mask.ts';
import { gateFailures, type ModelFigures } from '../../../transforms/avm/model_gates.ts';
import { AVM } from '../../../transforms/avm/params.ts';
import { grossYieldPct, weeklyRent } from '../../../transforms/avm/rent_yield.ts';
import { NO_DAY, SALE_RULES, validateSales } from '../../../transforms/avm/validate_sales.ts';
import { selectSales } from '../../../transforms/property/home_table.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';
import { FIRST_DAY, syntheticCity } from './synthetic_city.ts';

const TODAY = FIRST_DAY + 1000;
const TEN = selectSales(syntheticCity(50), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

describe('validation', () => {
  const only = (change: Partial<typeof TEN>, facts = {}) =>
    validateSales({ ...TEN, ...change }, facts, TODAY, SALE_RULES.sale);
  const texts = (value: string) => TEN.id.map((_, i) => (i === 3 ? value : TEN.dwelling_type[i]!));

  it.each([
    ['no_price', only({ price: TEN.price.with(3, NaN) })],
    ['no_price', only({ price: TEN.price.with(3, -5) })],
    ['no_price', only({ price: TEN.price.with(3, Infinity) })],
    ['nominal_price', only({ price: TEN.price.with(3, 1) })],
    ['excessive_price', only({ price: TEN.price.with(3, 1e9) })],
    ['no_date', only({ day: TEN.day.with(3, NO_DAY) })],
    ['future_date', only({ day: TEN.day.with(3, TODAY + 1) })],
    ['type_not_valued', only({ dwelling_type: texts('land') })],
    ['type_not_valued', only({ dwelling_type: texts('') })],
    ['no_place', only({ lon: TEN.lon.with(3, NaN), area: TEN.area.map((area, i) => (i === 3 ? '' : area)) })],
    ['not_a_sale', only({}, { is_sale: TEN.id.map((_, i) => i !== 3) })],
    ['partial_interest', only({}, { interest_pct: new Float64Array(10).with(3, 50) })],
  ])('names %s', (name, { sales, excluded, counts }) => {
    expect([...excluded]).toEqual([[3, name]]);
    expect(counts[name as keyof typeof counts]).toBe(1);
    expect(sales.length).toBe(9);
  });

  it('takes no price that several properties share, and no repetition', () => {
    const transaction = TEN.id.map((_, i) => (i < 2 ? 'AB1' : i < 4 ? 'AB2' : ''));
    const property = TEN.property.map((own, i) => (i === 3 ? TEN.property[2]! : own));
    const { counts } = only({ property }, { transaction });
    expect(counts.multi_property).toBe(2);
    const twice = selectSales(TEN, [0, 0, 1]);
    const renamed = { ...twice, id: ['b', 'a', 'c'] };
    const { sales } = validateSales(renamed, {}, TODAY, SALE_RULES.sale);
    expect([...sales.id].sort()).toEqual(['a', 'c']);
  });

  it('accounts for every row', () => {
    const price = TEN.price.map((own, i) => [own, NaN, 1][i % 3]!);
    const { sales, excluded } = only({ price });
    expect(sales.length + excluded.size).toBe(TEN.length);
  });

  it('takes attributes that cannot be as unknown, and counts them', () => {
    const { sales, blanked } = only({
      year_built: TEN.year_built.with(0, 1196),
      floor_area_sqm: TEN.floor_area_sqm.with(0, 44_515),
      bathrooms: TEN.bathrooms.with(0, 0),
    });
    expect(blanked).toMatchObject({ year_built: 1, floor_area_sqm: 1, bathrooms: 1, land_area_sqm: 0 });
    expect(sales.length).toBe(10);
  });
});

describe('outliers', () => {
  it('are no evidence: a few absurd prices move nothing', () => {
    const city = syntheticCity(1500);
    const price = city.price.slice();
    for (const i of [100, 500, 900]) price[i] = price[i]! * 12;
    const evidence = buildEvidence({ ...city, price });
    const late = [100, 500, 900].filter((i) => city.day[i]! > FIRST_DAY + 200).map((i) => city.id[i]!);
    for (const id of late) expect(evidence.outliers).toContain(id);
    expect(evidence.outliers.length).toBeLessThan(6);
  });
});

describe('masking', () => {
  it('hides what it may, at its rate, and nothing else', () => {
    const city = syntheticCity(4000);
    const hidden = maskedHomes(city, AVM.mask, 1);
    const known = (values: Float64Array): number => values.filter(Number.isFinite).length;
    expect(known(hidden.bedrooms) / known(city.bedrooms)).toBeCloseTo(1 - AVM.mask.bedrooms, 1);
    expect(known(hidden.floor_area_sqm) / known(city.floor_area_sqm)).toBeCloseTo(0.7, 1);
    expect(hidden.lon).toBe(city.lon);
    expect(maskedHomes(city, AVM.mask, 1)).toEqual(hidden);
  });

  it('asks only for what enough homes have', () => {
    const city = syntheticCity(200);
    const none = new Float64Array(200).fill(NaN);
    expect(neededAttributes(city)).toContain('floor_area_sqm');
    const needed = neededAttributes({ ...city, floor_area_sqm: none });
    expect(needed).not.toContain('floor_area_sqm');
    expect(isComplete({ ...city, floor_area_sqm: none, bathrooms: none }, 0, needed)).toBe(false);
  });
});

describe('confidence', () => {
  it.each([
    [0, 100],
    [0.1, 74],
    [0.22, 37],
    [0.4, 9],
  ])('of a forecast deviation of %d is %d', (fsd, score) => expect(confidenceOf(fsd)).toBe(score));

  it('comes from the width of the 80 % interval', () => {
    expect(forecastSd(1_000_000, 871_840, 1_128_160)).toBeCloseTo(0.1, 6);
  });

  it('has bands that leave nothing out', () => {
    for (let score = 0; score <= 100; score++) expect(confidenceBand(score)).toBeTruthy();
    expect(CONFIDENCE_BANDS.map(({ least }) => confidenceBand(least))).toEqual(
      CONFIDENCE_BANDS.map(({ name }) => name),
    );
  });
});

describe('calibration', () => {
  const random = seededRandom(6, 6);
  const normal = (): number => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random.next();
    return sum;
  };
  /** Errors of twice the spread that the quantiles say, and of a level that is 0.1 too low. */
  const draw = (day: number): LedgerEntry => {
    const log_predicted = 13 + random.next();
    const dwelling_type = random.next() < 0.5 ? 'house' : 'unit';
    const spread = dwelling_type === 'house' ? 0.1 : 0.2;
    return {
      day,
      dwelling_type,
      generation: 1,
      log_predicted,
      log_price: log_predicted + 0.1 + spread * normal(),
      low: -0.64 * spread,
      high: 0.64 * spread,
    };
  };
  const ledger = makeLedger(Array.from({ length: 2000 }, (_, i) => draw(Math.floor(i / 10))));
  const levels = levelsThen(ledger, CALIBRATION);
  const calibration = calibrationAsOf(ledger, levels, 400, 1, CALIBRATION)!;

  it('brings the interval to its level', () => {
    const fresh = Array.from({ length: 4000 }, () => draw(400));
    const inside = fresh.filter((own) => {
      const { log_low, log_high } = calibrate(own, calibration);
      return own.log_price >= log_low && own.log_price <= log_high;
    });
    expect(inside.length / fresh.length).toBeGreaterThan(0.77);
    expect(inside.length / fresh.length).toBeLessThan(0.83);
  });

  it('corrects a share of the level of its own model only', () => {
    expect(calibration.level).toBeGreaterThan(0.04);
    expect(calibration.level).toBeLessThan(0.08);
    expect(calibrationAsOf(ledger, levels, 400, 2, CALIBRATION)!.level).toBe(0);
  });

  it('knows nothing of the days within the lag', () => {
    expect(calibrationAsOf(ledger, levels, 13, 1, CALIBRATION)).toBeNull();
    expect(calibrationAsOf(ledger, levels, 14, 1, CALIBRATION)!.scores).toBe(10);
  });
});

describe('rents', () => {
  it.each([
    [500, 'week', 500],
    [500, 'per week', 500],
    [1000, 'Fortnight', 500],
    [2600, 'month', 600],
    [500, 'night', null],
    [NaN, 'week', null],
  ])('%d a %s is %s a week', (amount, period, expected) => expect(weeklyRent(amount, period)).toBe(expected));

  it.each([
    [500, 650_000, 4],
    [null, 650_000, null],
    [500, 0, null],
  ])('of %s on %s yield %s %%', (rent, price, expected) => expect(grossYieldPct(rent, price)).toBe(expected));
});

describe('gates', () => {
  const good: ModelFigures = {
    study: {
      n: 1000,
      median_abs_error_pct: 8,
      within_10_pct: 58,
      within_20_pct: 85,
      median_ratio: 1,
      cod: 11,
      prd: 1.01,
      prb: 0,
    },
    coverage_pct: 80,
    hit_pct: 99,
  };
  const study = (change: Partial<ModelFigures['study']>): ModelFigures => ({
    ...good,
    study: { ...good.study, ...change },
  });

  it.each([
    ['nothing', good, 0],
    ['a larger error', study({ median_abs_error_pct: 9 }), 1],
    ['a larger COD', study({ cod: 12 }), 1],
    ['a level that is off', study({ median_ratio: 1.08 }), 1],
    ['coverage', { ...good, coverage_pct: 70 }, 1],
    ['fewer estimates', { ...good, hit_pct: 90 }, 1],
    ['figures that are not numbers', study({ prd: NaN, cod: NaN }), 2],
  ])('stop a challenger for %s', (_, challenger, failures) => {
    expect(gateFailures(challenger, good)).toHaveLength(failures);
  });
});
