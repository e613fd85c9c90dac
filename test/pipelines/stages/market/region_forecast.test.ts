import { describe, expect, it } from 'vitest';
import type { ComputedStage } from '../../../../pipelines/engine/stage.ts';
import {
  serveForecastBacktestStage,
  serveRegionForecastStage,
} from '../../../../pipelines/stages/market/region_forecast.ts';
import { firstDayOfMonth, isoOfDay, monthOf } from '../../../../transforms/stats/calendar.ts';
import { seededRandom } from '../../../../transforms/stats/random.ts';
import { computed } from '../../computed.ts';

const AS_OF = '2026-06-01';
const LAST = monthOf(20_604) - 1;

/** Two sales a month in each of twelve suburbs over eleven years; the growth of a year goes on for half. */
function facts() {
  const random = seededRandom(7, 7);
  return Array.from({ length: 12 }, (_, area) => {
    let level = 13;
    let growth = 0.004;
    return Array.from({ length: 132 }, (_unused, k) => {
      if (k % 12 === 0) growth = 0.5 * growth + 0.004 * random.next();
      level += growth;
      return [0, 1].map((sale) => ({
        kind: 'sale',
        market: 'house',
        date: isoOfDay(firstDayOfMonth(LAST - 131 + k) + 10 * sale),
        price: Math.round(Math.exp(level + 0.1 * (random.next() - 0.5))),
        end_date: null,
        is_sold: false,
        state: area % 3 === 0 ? 'TAS' : 'VIC',
        sal: `Suburb ${area}`,
        sa2: null,
        sa3: null,
        lga: null,
        poa: null,
      }));
    }).flat();
  }).flat();
}

const GIVEN = { fact: facts(), day: [{ as_of: AS_OF }] };
const rowsOf = (stage: ComputedStage) => {
  const { rows, account } = computed(stage, GIVEN);
  expect(account).toEqual({ in: GIVEN.fact.length, out: GIVEN.fact.length, drops: {} });
  return rows as Record<string, number | string>[];
};

describe('the growth forecast of regions', () => {
  it('is published with what past forecasts were worth, by state and in all', () => {
    const suburbs = rowsOf(serveForecastBacktestStage).filter(({ level }) => level === 'SAL');
    expect(suburbs.map(({ state }) => state).sort()).toEqual(['AU', 'TAS', 'VIC']);
    const of = (state: string) => suburbs.find((row) => row.state === state)!;
    expect(of('AU').forecasts).toBe(Number(of('TAS').forecasts) + Number(of('VIC').forecasts));
    expect(of('AU')).toMatchObject({ market: 'house', from_month: '2021-11-01', to_month: '2025-05-01' });
    for (const row of suburbs) {
      expect(row.error_points).toBeGreaterThan(0);
      expect(row.no_change_error_points).toBeGreaterThan(0);
      expect(row.last_year_error_points).toBeGreaterThan(0);
      expect(row.coverage_percent).toBeLessThanOrEqual(100);
    }
    // Prices rise by some percent a year: that they stay as they are must be the worst guess.
    expect(of('AU').error_points).toBeLessThan(Number(of('AU').no_change_error_points));
  });

  it('has a range around it for every suburb', () => {
    const rows = rowsOf(serveRegionForecastStage).filter(({ level }) => level === 'SAL');
    expect(rows).toHaveLength(12);
    for (const row of rows) {
      expect(row).toMatchObject({ method: 'model', backtest_forecasts: 8 });
      expect(row.backtest_error_points).toBeGreaterThan(0);
      expect(row.backtest_coverage_percent).toBeLessThanOrEqual(100);
    }
    for (const { low_percent, growth_percent, high_percent, month } of rows) {
      expect(low_percent).toBeLessThanOrEqual(Number(growth_percent));
      expect(high_percent).toBeGreaterThanOrEqual(Number(growth_percent));
      expect(month).toBe('2026-05-01');
    }
  });
});
