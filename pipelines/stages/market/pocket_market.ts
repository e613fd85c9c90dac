import { pocketStreetAsset } from '../../../schema/assets/market.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { pocketMarketTable } from '../../../schema/serving/pocket_market.ts';
import { MARKET, type MonthMedian, marketFigures } from '../../../transforms/market/market.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { stage } from '../../engine/stage.ts';
import {
  areasBy,
  DAY_INPUT,
  FACT_INPUT,
  figureColumns,
  lastDay,
  monthDate,
  seriesRows,
} from './market_areas.ts';
import { RENTED_INPUTS, rentedDwellings } from './rented_dwellings.ts';

export const pocketStreetStage = sqlStage({
  name: 'pocket_street',
  doc: 'The street with the most addresses in each SA1, with the regions of its largest part in one cell.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, ['home', 'street', 'sal_name', 'sa1', 'sa2', 'sa3'], { kind: 'all' }),
  },
  output: pocketStreetAsset,
  dropped: { no_pocket: 'sa1 IS NULL' },
  sql: `
    WITH part AS (
      SELECT sa1, street, home, sal_name AS sal, min(sa2 COLLATE "C") AS sa2, min(sa3 COLLATE "C") AS sa3, count(*) AS n,
        sum(count(*)) OVER (PARTITION BY sa1, street) AS on_street, sum(count(*)) OVER (PARTITION BY sa1, street, home) AS in_home
      FROM region WHERE sa1 IS NOT NULL AND street IS NOT NULL GROUP BY sa1, street, home, sal_name
    )
    SELECT DISTINCT ON (sa1) sa1, street, sal, sa2, sa3 FROM part
    ORDER BY sa1, on_street DESC, street COLLATE "C", in_home DESC, home, n DESC, sal COLLATE "C" NULLS FIRST`,
});

/** Returns a series without its suppressed months; in most pockets every month is suppressed. */
const shownRows = (series: readonly MonthMedian[]): unknown =>
  seriesRows(series.filter(({ median }) => median !== null));

export const servePocketMarketStage = stage({
  name: 'serve_pocket_market',
  version: 3,
  doc: 'Rows of serving.pocket_market: the figures of every SA1 with a sale, rent or listing.',
  subject: 'fact',
  inputs: {
    fact: FACT_INPUT,
    day: DAY_INPUT,
    ...RENTED_INPUTS,
    street: input(pocketStreetAsset, ['sa1', 'street', 'sal', 'sa2', 'sa3'], { kind: 'all' }),
  },
  output: pocketMarketTable,
  compute({ fact, day, street, census, suburb }, { emit }) {
    const params = { ...MARKET, as_of: lastDay(day) };
    const streets = new Map(street.map((row) => [row.sa1, row]));
    const rented = rentedDwellings(census, suburb)('SA1');
    for (const area of areasBy(fact, ({ sa1 }) => sa1, rented)) {
      const figures = marketFigures(area.input, params);
      const main = streets.get(area.area);
      emit({
        sa1: area.area,
        market: area.market,
        name: main?.street ?? null,
        sal: main?.sal ?? null,
        state: area.state,
        sa2: main?.sa2 ?? null,
        sa3: main?.sa3 ?? null,
        month: monthDate(figures.month),
        ...figureColumns(figures),
        price_series: shownRows(figures.price_series),
        rent_series: shownRows(figures.rent_series),
      });
    }
    const unplaced = fact.filter(({ sa1 }) => sa1 === null).length;
    const drops: Record<string, number> = unplaced > 0 ? { no_pocket: unplaced } : {};
    return { account: { in: fact.length, out: fact.length - unplaced, drops } };
  },
});
