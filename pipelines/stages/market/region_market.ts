import { MARKET_LEVELS, regionMarketTable } from '../../../schema/serving/region_market.ts';
import {
  RANKED_MEASURES,
  type RankedMeasure,
  regionRankingTable,
} from '../../../schema/serving/region_ranking.ts';
import { MARKET, marketFigures, marketIndex } from '../../../transforms/market/market.ts';
import { MIN_PEERS } from '../../../transforms/stats/peers.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { stage } from '../../engine/stage.ts';
import {
  areaIdentity,
  DAY_INPUT,
  FACT_INPUT,
  figureColumns,
  lastDay,
  marketAreas,
  seriesRows,
} from './market_areas.ts';
import { RENTED_INPUTS, rentedDwellings } from './rented_dwellings.ts';

export const serveRegionMarketStage = stage({
  name: 'serve_region_market',
  version: 3,
  doc: 'Rows of serving.region_market: the figures of every area with a sale, rent or listing.',
  subject: 'fact',
  inputs: { fact: FACT_INPUT, day: DAY_INPUT, ...RENTED_INPUTS },
  output: regionMarketTable,
  params: () => ({ MARKET_LEVELS, RANKED_MEASURES }),
  compute({ fact, day, census, suburb }, { emit }) {
    const params = { ...MARKET, as_of: lastDay(day) };
    const rented = rentedDwellings(census, suburb);
    for (const area of marketAreas(fact, MARKET_LEVELS, rented)) {
      const figures = marketFigures(area.input, params);
      const index = marketIndex(area.input, params);
      emit({
        ...areaIdentity(area, figures.month),
        ...figureColumns(figures),
        price_series: seriesRows(figures.price_series),
        rent_series: seriesRows(figures.rent_series),
        index_series: index && seriesRows(index),
      });
    }
    return { account: { in: fact.length, out: fact.length, drops: {} } };
  },
});

const RANKED = Object.entries(RANKED_MEASURES) as [RankedMeasure, 'high_first' | 'low_first'][];

export const serveRegionRankingStage = sqlStage({
  name: 'serve_region_ranking',
  doc: `Rows of serving.region_ranking: ranks of the figures within state and nation, among ${MIN_PEERS} or more.`,
  subject: 'market',
  inputs: {
    market: input(
      regionMarketTable,
      ['level', 'area', 'market', 'state', 'month', ...RANKED.map(([measure]) => measure)],
      { kind: 'all' },
      { level: { not: 'STE' } },
    ),
  },
  output: regionRankingTable,
  sql: `
    WITH ranked AS (
      SELECT level, area, market, state, month, measure, value,
        rank() OVER nation AS nation_rank, count(*) OVER (PARTITION BY level, market, measure) AS nation_of,
        rank() OVER state AS state_rank, count(*) OVER (PARTITION BY level, market, measure, state) AS state_of
      FROM market, LATERAL (VALUES ${RANKED.map(
        ([measure, order]) => `('${measure}', ${measure}, ${order === 'high_first' ? '-' : ''}${measure})`,
      ).join(', ')}) figure (measure, value, place)
      WHERE value IS NOT NULL
      WINDOW nation AS (PARTITION BY level, market, measure ORDER BY place),
        state AS (PARTITION BY level, market, measure, state ORDER BY place)
    )
    SELECT level, area, market, state, month, measure, value, nation_rank, nation_of,
      CASE WHEN state_of >= ${MIN_PEERS} THEN state_rank END AS state_rank, CASE WHEN state_of >= ${MIN_PEERS} THEN state_of END AS state_of
    FROM ranked WHERE nation_of >= ${MIN_PEERS}`,
});
