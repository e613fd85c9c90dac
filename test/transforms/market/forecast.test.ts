import { describe, expect, it } from 'vitest';
import {
  backtestForecast,
  backtestOrigins,
  type Forecaster,
  fitForecasters,
  forecastGrowth,
  type GrowthPanel,
} from '../../../transforms/market/forecast.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';

const MONTHS = 180;

/** Areas of three states: growth that persists in part, a pull back to the usual place, and sampling noise. */
function panel(areas: number): GrowthPanel {
  const random = seededRandom(12, 1);
  const normal = (): number => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random.next();
    return sum;
  };
  const momentum = [0, 0, 0];
  const market = Array.from({ length: 3 }, () => new Float64Array(MONTHS));
  for (let t = 1; t < MONTHS; t++) {
    for (let s = 0; s < 3; s++) {
      momentum[s] = 0.97 * momentum[s]! + 0.0008 * normal();
      market[s]![t] = market[s]![t - 1]! + 0.004 + momentum[s]!;
    }
  }
  return {
    first_month: 400,
    months: MONTHS,
    areas: Array.from({ length: areas }, (_, k) => {
      const sample = 12 + random.int(150);
      let departure = 0;
      const log_price = Float64Array.from({ length: MONTHS }, (_, t) => {
        departure = 0.97 * departure + 0.01 * normal();
        const noise = (0.3 / Math.sqrt(sample)) * normal();
        return 13 + 0.3 * (k % 7) + market[k % 3]![t]! + departure + noise;
      });
      // Gaps, as suppression leaves them.
      for (let t = 0; t < MONTHS; t++) if (random.next() < 0.03) log_price[t] = NaN;
      return {
        key: `area ${k}`,
        peer: `state ${k % 3}`,
        kind: 'house',
        log_price,
        sample: new Float64Array(MONTHS).fill(sample),
      };
    }),
  };
}

const PANEL = panel(60);

const fitForecaster = (of: GrowthPanel, t: number): Forecaster | null => fitForecasters(of, [t])[0]!;

describe('the growth forecast', () => {
  it('beats no change and last year’s growth, and its range covers', () => {
    const groups = backtestForecast(PANEL, [110, 122, 134, 146, 158, 167], ({ peer }) => ['all', peer]);
    const backtest = groups.get('all')!;
    const others = [...groups].filter(([group]) => group !== 'all');
    expect(others).toHaveLength(3);
    expect(others.reduce((sum, [, { forecasts }]) => sum + forecasts, 0)).toBe(backtest.forecasts);
    expect(backtest.forecasts).toBeGreaterThan(250);
    expect(backtest.model).toBeLessThan(0.9 * backtest.no_change);
    expect(backtest.model).toBeLessThan(0.8 * backtest.last_year);
    expect(backtest.coverage_pct).toBeGreaterThan(70);
    expect(backtest.coverage_pct).toBeLessThan(92);
  });

  it('covers houses and units alike, however much more the ones vary', () => {
    const random = seededRandom(5, 2);
    const wild = panel(80);
    const areas = wild.areas.map((area, k) => {
      const kind = k % 4 === 0 ? 'house' : 'unit';
      const noise = (): number => (kind === 'house' ? 0.25 : 0.01) * (random.next() - 0.5);
      return { ...area, kind, log_price: area.log_price.map((own) => own + noise()) };
    });
    const origins = [110, 116, 122, 128, 134, 140, 146, 152, 158, 164];
    const groups = backtestForecast({ ...wild, areas }, origins, ({ kind }) => [kind]);
    for (const kind of ['house', 'unit']) {
      expect(groups.get(kind)!.forecasts).toBeGreaterThan(100);
      expect(groups.get(kind)!.coverage_pct, kind).toBeGreaterThan(74);
      expect(groups.get(kind)!.coverage_pct, kind).toBeLessThan(86);
    }
  });

  it('is no change, with its error, if the model was no better', () => {
    // Prices rise for eight years and then stand still, which the years of growth do not tell.
    const still: GrowthPanel = {
      ...PANEL,
      areas: PANEL.areas.map((area, k) => ({
        ...area,
        log_price: area.log_price.map((_, t) => 13 + 0.1 * k + 0.005 * Math.min(t, 100)),
      })),
    };
    const forecaster = fitForecaster(still, 167)!;
    const forecast = forecastGrowth(forecaster, 0)!;
    expect(forecast).toMatchObject({ method: 'no_change', growth_pct: 0 });
    const backtest = backtestForecast(still, [140, 152], ({ kind }) => [kind]).get('house')!;
    expect(backtest.model).toBe(backtest.no_change);
    expect(forecastGrowth(fitForecaster(PANEL, 167)!, 0)!.method).toBe('model');
  });

  it('is tested at months followed by a complete year', () => {
    expect(backtestOrigins({ months: 132 })).toEqual([77, 83, 89, 95, 101, 107, 113, 119]);
    expect(backtestOrigins({ months: 20 })).toEqual([1, 7]);
  });

  it('sees nothing that came later', () => {
    const t = 140;
    const changed: GrowthPanel = {
      ...PANEL,
      areas: PANEL.areas.map((area) => ({
        ...area,
        log_price: area.log_price.map((own, s) => (s > t ? own + Math.log(3) : own)),
      })),
    };
    const [a, b] = [fitForecaster(PANEL, t)!, fitForecaster(changed, t)!];
    expect(b.weights).toEqual(a.weights);
    PANEL.areas.forEach((_, area) => {
      expect(forecastGrowth(b, area)).toEqual(forecastGrowth(a, area));
    });
  });

  it('is the same for a month alone and among others, in any order', () => {
    const months = [167, 20, 140, 128, 155];
    const together = fitForecasters(PANEL, months);
    const numbers = (each: Forecaster | null) => each && [each.t, each.weights, [...each.ranges]];
    expect(together.map(numbers)).toEqual(months.map((t) => numbers(fitForecaster(PANEL, t))));
    expect(together[1]).toBeNull();
    expect(together.filter((each) => each !== null)).toHaveLength(4);
  });

  it('lies in its range, and is surer of areas with many sales', () => {
    const forecaster = fitForecaster(PANEL, 167)!;
    const forecasts = PANEL.areas.map((area, i) => ({
      sample: area.sample[0]!,
      own: forecastGrowth(forecaster, i),
    }));
    const known = forecasts.flatMap(({ sample, own }) => (own ? [{ sample, ...own }] : []));
    for (const { growth_pct, low_pct, high_pct, confidence } of known) {
      expect(low_pct).toBeLessThanOrEqual(growth_pct);
      expect(high_pct).toBeGreaterThanOrEqual(growth_pct);
      expect(confidence).toBeGreaterThan(0);
    }
    const mean = (rows: typeof known): number => rows.reduce((sum, r) => sum + r.confidence, 0) / rows.length;
    expect(mean(known.filter(({ sample }) => sample > 100))).toBeGreaterThan(
      mean(known.filter(({ sample }) => sample < 40)),
    );
  });

  it('is null without a median of today or a year ago, and without history', () => {
    const gap: GrowthPanel = {
      ...PANEL,
      areas: PANEL.areas.map((area, i) =>
        i === 0 ? { ...area, log_price: area.log_price.with(167, NaN) } : area,
      ),
    };
    expect(forecastGrowth(fitForecaster(gap, 167)!, 0)).toBeNull();
    expect(fitForecaster(PANEL, 20)).toBeNull();
  });
});
