import { forecastBacktestTable } from '../../../schema/serving/forecast_backtest.ts';
import { regionForecastTable } from '../../../schema/serving/region_forecast.ts';
import { MARKET_LEVELS, type MarketLevel } from '../../../schema/serving/region_market.ts';
import { POOLED } from '../../../transforms/avm/model.ts';
import {
  backtestForecast,
  backtestOrigins,
  type ForecastBacktest,
  fitForecasters,
  forecastGrowth,
  type GrowthPanel,
  type PanelArea,
} from '../../../transforms/market/forecast.ts';
import { lastCompleteMonth, MARKET, yearSeries } from '../../../transforms/market/market.ts';
import { stage } from '../../engine/stage.ts';
import {
  areaIdentity,
  DAY_INPUT,
  FACT_INPUT,
  lastDay,
  type MarketArea,
  marketAreas,
  monthDate,
} from './market_areas.ts';

type MarketAreasInput = Parameters<typeof marketAreas>[0];

/** Returns the series of an area for the forecaster: twelve-month medians throughout. */
function panelArea(area: MarketArea, as_of: number): PanelArea {
  const { median, sample } = yearSeries(area.input.sales, { ...MARKET, as_of });
  return {
    key: `${area.area}|${area.market}`,
    peer: `${area.state}|${area.market}`,
    kind: area.market,
    log_price: median.map(Math.log),
    sample: Float64Array.from(sample),
  };
}

function panelOf(
  facts: MarketAreasInput,
  level: MarketLevel,
  as_of: number,
): { areas: MarketArea[]; panel: GrowthPanel } {
  const areas = [...marketAreas(facts, [level])];
  const { months } = MARKET;
  const first_month = lastCompleteMonth(as_of) - months + 1;
  return { areas, panel: { first_month, months, areas: areas.map((area) => panelArea(area, as_of)) } };
}

const hundredth = (value: number): number => Math.round(100 * value) / 100;

/** Returns the accuracy of an area's past forecasts, as columns of its forecast. */
function ownBacktest(figures: ForecastBacktest | undefined) {
  const hundredthOrNull = (value: number | undefined): number | null =>
    value === undefined ? null : hundredth(value);
  return {
    backtest_forecasts: figures?.forecasts ?? 0,
    backtest_error_points: hundredthOrNull(figures?.model),
    backtest_no_change_error_points: hundredthOrNull(figures?.no_change),
    backtest_last_year_error_points: hundredthOrNull(figures?.last_year),
    backtest_coverage_percent: hundredthOrNull(figures?.coverage_pct),
  };
}

/**
 * Rounds a forecast to a tenth of a per cent, far finer than its accuracy. All areas share one model, so without rounding a change in one
 * area would change every forecast row.
 */
const tenth = (percent: number): number => Math.round(percent * 10) / 10;

export const serveRegionForecastStage = stage({
  name: 'serve_region_forecast',
  version: 3,
  doc: 'Rows of serving.region_forecast: growth over the next twelve months, if there is enough history, and the errors of past forecasts.',
  subject: 'fact',
  inputs: { fact: FACT_INPUT, day: DAY_INPUT },
  output: regionForecastTable,
  params: () => ({ MARKET_LEVELS }),
  compute({ fact, day }, { emit }) {
    for (const level of MARKET_LEVELS) {
      const { areas, panel } = panelOf(fact, level, lastDay(day));
      const [forecaster] = fitForecasters(panel, [panel.months - 1]);
      if (!forecaster) continue;
      const past = backtestForecast(panel, backtestOrigins(panel), ({ key }) => [key]);
      areas.forEach((area, i) => {
        const forecast = forecastGrowth(forecaster, i);
        if (!forecast) return;
        emit({
          ...areaIdentity(area, panel.first_month + panel.months - 1),
          method: forecast.method,
          growth_percent: tenth(forecast.growth_pct),
          low_percent: tenth(forecast.low_pct),
          high_percent: tenth(forecast.high_pct),
          confidence: forecast.confidence,
          ...ownBacktest(past.get(panel.areas[i]!.key)),
        });
      });
    }
    return { account: { in: fact.length, out: fact.length, drops: {} } };
  },
});

export const serveForecastBacktestStage = stage({
  name: 'serve_forecast_backtest',
  version: 2,
  doc: 'Rows of serving.forecast_backtest: errors of past forecasts by level, market, and state or nation.',
  subject: 'fact',
  inputs: { fact: FACT_INPUT, day: DAY_INPUT },
  output: forecastBacktestTable,
  params: () => ({ MARKET_LEVELS }),
  compute({ fact, day }, { emit }) {
    for (const level of MARKET_LEVELS) {
      const { panel } = panelOf(fact, level, lastDay(day));
      const origins = backtestOrigins(panel);
      const groups = backtestForecast(panel, origins, ({ peer }) => {
        const market = peer.slice(peer.indexOf('|') + 1);
        return [peer, `${POOLED}|${market}`];
      });
      for (const [group, figures] of groups) {
        const [state, market] = group.split('|') as [string, string];
        emit({
          level,
          market,
          state,
          from_month: monthDate(panel.first_month + origins[0]!),
          to_month: monthDate(panel.first_month + origins.at(-1)!),
          forecasts: figures.forecasts,
          error_points: hundredth(figures.model),
          no_change_error_points: hundredth(figures.no_change),
          last_year_error_points: hundredth(figures.last_year),
          coverage_percent: hundredth(figures.coverage_pct),
        });
      }
    }
    return { account: { in: fact.length, out: fact.length, drops: {} } };
  },
});
