import { NO_CELL } from '../../schema/grid.ts';
import { marketFactAsset } from '../../schema/market_assets.ts';
import type { MarketLevel } from '../../schema/serving/region_market.ts';
import type { Row } from '../../schema/table.ts';
import { valuationDayAsset } from '../../schema/valuation_assets.ts';
import { firstDayOfMonth, isoOfDay } from '../../transforms/stats/calendar.ts';
import type {
  MarketFigures,
  MarketInput,
  MarketListing,
  MarketPrice,
} from '../../transforms/suburb/market.ts';
import type { IndexSale } from '../../transforms/suburb/price_index.ts';
import { input } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import { dayNumber } from './home_table.ts';
import type { RentedIn } from './rented_dwellings.ts';

/** Columns of market facts that figures read. */
const FACT_COLUMNS = [
  'gnaf_pid',
  'kind',
  'market',
  'date',
  'price',
  'end_date',
  'is_sold',
  'is_current',
  'state',
  'sal',
  'sa1',
  'sa2',
  'sa3',
  'lga',
  'poa',
] as const;

/** Inputs of every stage that makes figures of areas. */
export const FACT_INPUT = input(marketFactAsset, FACT_COLUMNS, { kind: 'all' });
export const DAY_INPUT = input(valuationDayAsset, ['as_of'], { kind: 'all' });

/** The last day before the day of valuation. */
export const lastDay = (day: readonly { as_of: string }[]): number =>
  day[0] ? dayNumber(day[0].as_of) - 1 : 0;

/** First day of a month, as a date of the database. */
export const monthDate = (month: number): string => isoOfDay(firstDayOfMonth(month));

type Fact = Pick<Row<typeof marketFactAsset>, (typeof FACT_COLUMNS)[number]>;

/** The area of a fact at each level; null: not located there. */
const AREA_OF: Readonly<Record<MarketLevel, (fact: Fact) => string | null>> = {
  SAL: (fact) => fact.sal,
  SA2: (fact) => fact.sa2,
  SA3: (fact) => fact.sa3,
  LGA: (fact) => fact.lga,
  POA: (fact) => fact.poa,
  STE: (fact) => fact.state,
};

/** The facts of one area and market. */
export interface MarketArea {
  level: MarketLevel;
  area: string;
  market: string;
  /** State of most of its facts; ties go to the first by name. */
  state: string;
  input: MarketInput;
}

/** Columns that name an area in the serving tables. */
export const areaIdentity = ({ level, area, market, state }: MarketArea, month: number) => ({
  level,
  area,
  market,
  cell: NO_CELL,
  state,
  month: monthDate(month),
});

const priceOf = (fact: Fact): MarketPrice & IndexSale => ({
  property: fact.gnaf_pid,
  day: dayNumber(fact.date),
  price: fact.price!,
});

const listingOf = (fact: Fact): MarketListing => ({
  listed_day: dayNumber(fact.date),
  closed_day: fact.end_date === null ? null : dayNumber(fact.end_date),
  is_sold: fact.is_sold,
  is_current: fact.is_current,
});

function mainState(facts: readonly Fact[]): string {
  const counts = [...groupBy(facts, (fact) => fact.state)].map(
    ([state, own]) => [state, own.length] as const,
  );
  return counts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]![0];
}

/** Gathers facts by area and market, sorted by both; facts of no area (null) are left out. */
export function* areasBy(
  facts: readonly Fact[],
  areaOf: (fact: Fact) => string | null,
  rentedIn: RentedIn = () => null,
): Iterable<Omit<MarketArea, 'level'>> {
  const located = facts.filter((fact) => areaOf(fact) !== null);
  const groups = groupBy(located, (fact) => `${areaOf(fact)}|${fact.market}`);
  for (const key of [...groups.keys()].sort()) {
    const own = groups.get(key)!;
    const of = (kind: string): Fact[] => own.filter((fact) => fact.kind === kind);
    yield {
      area: areaOf(own[0]!)!,
      market: own[0]!.market,
      state: mainState(own),
      input: {
        sales: of('sale').map(priceOf),
        rents: of('rent')
          .filter(({ price }) => price !== null)
          .map(priceOf),
        listings: of('listing').map(listingOf),
        rentals: of('rent').map(listingOf),
        rented_dwellings: rentedIn(areaOf(own[0]!)!, own[0]!.market),
      },
    };
  }
}

/** Gathers facts by level, area and market, sorted by area and market within each level. */
export function* marketAreas(
  facts: readonly Fact[],
  levels: readonly MarketLevel[],
  rented?: (level: MarketLevel) => RentedIn,
): Iterable<MarketArea> {
  for (const level of levels)
    for (const area of areasBy(facts, AREA_OF[level], rented?.(level))) yield { level, ...area };
}

/** Figures of an area as the serving tables have them. */
export const figureColumns = (figures: MarketFigures) => ({
  median_price: figures.median_price,
  price_sample: figures.price_sample,
  median_rent_aud_pw: figures.median_rent_aud_pw,
  rent_sample: figures.rent_sample,
  growth_1y_percent: figures.growth_pct[1],
  growth_3y_percent: figures.growth_pct[3],
  growth_5y_percent: figures.growth_pct[5],
  growth_10y_percent: figures.growth_pct[10],
  gross_yield_percent: figures.gross_yield_pct,
  days_on_market: figures.days_on_market,
  days_on_market_sample: figures.days_on_market_sample,
  stock: figures.stock,
  months_of_supply: figures.months_of_supply,
  vacant_rentals: figures.vacant_rentals,
  rented_dwellings: figures.rented_dwellings,
  vacancy_percent: figures.vacancy_pct,
});

/** A series as the serving tables have it. */
export const seriesRows = <T extends { month: number }>(series: readonly T[]): unknown =>
  series.map((point) => ({ ...point, month: monthDate(point.month) }));
