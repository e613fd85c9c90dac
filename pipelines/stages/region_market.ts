import { MARKET_LEVELS, regionMarketTable } from '../../schema/serving/region_market.ts';
import {
  RANKED_MEASURES,
  type RankedMeasure,
  regionRankingTable,
} from '../../schema/serving/region_ranking.ts';
import { MARKET, marketFigures, marketIndex } from '../../transforms/suburb/market.ts';
import { rankAreas } from '../../transforms/suburb/ranking.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
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
  version: 2,
  doc: 'Rows of serving.region_market: the figures of every area with a sale, rent or listing.',
  subject: 'fact',
  by: 'whole',
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

export const serveRegionRankingStage = stage({
  name: 'serve_region_ranking',
  version: 1,
  doc: 'Rows of serving.region_ranking: ranks of the figures within state and nation.',
  subject: 'market',
  by: 'whole',
  inputs: {
    market: input(
      regionMarketTable,
      ['level', 'area', 'market', 'state', 'month', ...(Object.keys(RANKED_MEASURES) as RankedMeasure[])],
      { kind: 'all' },
      { level: { not: 'STE' } },
    ),
  },
  output: regionRankingTable,
  params: () => ({ MARKET_LEVELS, RANKED_MEASURES }),
  compute({ market }, { emit }) {
    for (const peers of groupBy(market, (row) => `${row.level}|${row.market}`).values()) {
      for (const [measure, order] of Object.entries(RANKED_MEASURES)) {
        const figureOf = (row: (typeof peers)[number]): number | null => row[measure as RankedMeasure];
        const ranks = rankAreas(
          peers.map((row) => ({ key: row.area, state: row.state, value: figureOf(row) })),
          order,
        );
        for (const row of peers) {
          const value = figureOf(row);
          if (value === null) continue;
          const { state, nation } = ranks.get(row.area)!;
          emit({
            level: row.level,
            area: row.area,
            market: row.market,
            state: row.state,
            month: row.month,
            measure,
            value,
            state_rank: state?.rank ?? null,
            state_of: state?.of ?? null,
            nation_rank: nation?.rank ?? null,
            nation_of: nation?.of ?? null,
          });
        }
      }
    }
    return { account: { in: market.length, out: market.length, drops: {} } };
  },
});
