import { marketFactAsset } from '../../../schema/assets/market.ts';
import { valuationDayAsset } from '../../../schema/assets/valuation.ts';
import type { MarketLevel } from '../../../schema/serving/region_market.ts';
import type { Row } from '../../../schema/table.ts';
import type {
  MarketEventKind,
  MarketFigures,
  MarketInput,
  MarketListing,
} from '../../../transforms/market/market.ts';
import type { MarketPrice } from '../../../transforms/market/month_prices.ts';
import type { IndexSale } from '../../../transforms/market/price_index.ts';
import { dayNumber, firstDayOfMonth, isoOfDay } from '../../../transforms/stats/calendar.ts';
import { input } from '../../engine/input.ts';
import type { RentedIn } from './rented_dwellings.ts';

/** Columns of market facts that market metrics need. */
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

/** Inputs of every stage that computes market metrics of areas. */
export const FACT_INPUT = input(marketFactAsset, FACT_COLUMNS, { kind: 'all' });
export const DAY_INPUT = input(valuationDayAsset, ['as_of'], { kind: 'all' });

/** Returns the last day before the valuation date, as a day number; 0: no valuation date. */
export const lastDay = (day: readonly { as_of: string }[]): number =>
  day[0] ? dayNumber(day[0].as_of) - 1 : 0;

const DATES = new Map<number, string>();

/** Returns the first day of a month as an ISO date. Cached: all series share the same few months. */
export function monthDate(month: number): string {
  const cached = DATES.get(month);
  if (cached !== undefined) return cached;
  const date = isoOfDay(firstDayOfMonth(month));
  DATES.set(month, date);
  return date;
}

type Fact = Pick<Row<typeof marketFactAsset>, (typeof FACT_COLUMNS)[number]>;

/** Area of a fact at each level; null: not located there. */
const AREA_OF: Readonly<Record<MarketLevel, (fact: Fact) => string | null>> = {
  SAL: (fact) => fact.sal,
  SA2: (fact) => fact.sa2,
  SA3: (fact) => fact.sa3,
  LGA: (fact) => fact.lga,
  POA: (fact) => fact.poa,
  STE: (fact) => fact.state,
};

export interface MarketArea {
  level: MarketLevel;
  area: string;
  market: string;
  /** State of most of its facts. Ties: the first by name. */
  state: string;
  input: MarketInput;
}

/** Returns the columns that name an area in the serving tables. */
export const areaIdentity = ({ level, area, market, state }: MarketArea, month: number) => ({
  level,
  area,
  market,
  state,
  month: monthDate(month),
});

/** A fact in the form that metrics need. */
interface Prepared {
  fact: Fact;
  /** Price of a sale, or of a rent if stated; null: none. */
  price: (MarketPrice & IndexSale) | null;
  /** Listing for sale or rent; null: a sale. */
  listing: MarketListing | null;
}

/** Prepares facts for metrics, once for all levels. */
function prepared(facts: readonly Fact[]): Prepared[] {
  // Cached, because parsing dates is slow and there are far fewer days than facts.
  const days = new Map<string, number>();
  const dayOf = (date: string): number => {
    const cached = days.get(date);
    if (cached !== undefined) return cached;
    const day = dayNumber(date);
    days.set(date, day);
    return day;
  };
  return facts.map((fact) => {
    const day = dayOf(fact.date);
    const isPriced = fact.kind === 'sale' || (fact.kind === 'rent' && fact.price !== null);
    const price = isPriced ? { property: fact.gnaf_pid, day, price: fact.price! } : null;
    const listing =
      fact.kind === 'sale'
        ? null
        : {
            listed_day: day,
            closed_day: fact.end_date === null ? null : dayOf(fact.end_date),
            is_sold: fact.is_sold,
            is_current: fact.is_current,
          };
    return { fact, price, listing };
  });
}

/** Collects the facts of an area and market. */
class AreaFacts {
  readonly area: string;
  readonly market: string;
  readonly sales: (MarketPrice & IndexSale)[] = [];
  readonly rents: MarketPrice[] = [];
  readonly listings: MarketListing[] = [];
  readonly rentals: MarketListing[] = [];
  readonly #states = new Map<string, number>();

  constructor(area: string, market: string) {
    this.area = area;
    this.market = market;
  }

  add({ fact, price, listing }: Prepared): void {
    this.#states.set(fact.state, (this.#states.get(fact.state) ?? 0) + 1);
    const isRent = fact.kind === 'rent';
    if (price) (isRent ? this.rents : this.sales).push(price);
    if (listing) (isRent ? this.rentals : this.listings).push(listing);
  }

  /** State of most facts. Ties: the first by name. */
  get state(): string {
    return [...this.#states].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]![0];
  }
}

/** Kinds of events that the sources report, by state. */
function kindsByState(facts: readonly Fact[]): ReadonlyMap<string, ReadonlySet<MarketEventKind>> {
  const kinds = new Map<string, Set<MarketEventKind>>();
  for (const { state, kind } of facts) {
    const stateKinds = kinds.get(state) ?? new Set<MarketEventKind>();
    kinds.set(state, stateKinds.add(kind as MarketEventKind));
  }
  return kinds;
}

/** Groups prepared facts by area and market, sorted by both. Facts without an area (null) are left out. */
function* gathered(
  facts: readonly Prepared[],
  areaOf: (fact: Fact) => string | null,
  rentedIn: RentedIn,
  reportedIn: ReadonlyMap<string, ReadonlySet<MarketEventKind>>,
): Iterable<Omit<MarketArea, 'level'>> {
  const markets = new Map<string, Map<string, AreaFacts>>();
  for (const each of facts) {
    const area = areaOf(each.fact);
    if (area === null) continue;
    const { market } = each.fact;
    const areas = markets.get(market) ?? new Map<string, AreaFacts>();
    markets.set(market, areas);
    const areaFacts = areas.get(area) ?? new AreaFacts(area, market);
    areas.set(area, areaFacts);
    areaFacts.add(each);
  }
  const keyed = [...markets.values()].flatMap((areas) =>
    [...areas.values()].map((own) => [`${own.area}|${own.market}`, own] as const),
  );
  keyed.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, own] of keyed) {
    const { area, market, state, sales, rents, listings, rentals } = own;
    const rented_dwellings = rentedIn(area, market);
    const reported = reportedIn.get(state)!;
    yield { area, market, state, input: { sales, rents, listings, rentals, rented_dwellings, reported } };
  }
}

/** Groups facts by area and market, sorted by both. Facts without an area (null) are left out. */
export const areasBy = (
  facts: readonly Fact[],
  areaOf: (fact: Fact) => string | null,
  rentedIn: RentedIn = () => null,
): Iterable<Omit<MarketArea, 'level'>> => gathered(prepared(facts), areaOf, rentedIn, kindsByState(facts));

/** Groups facts by level, area and market, sorted by area and market within each level. */
export function* marketAreas(
  facts: readonly Fact[],
  levels: readonly MarketLevel[],
  rented?: (level: MarketLevel) => RentedIn,
): Iterable<MarketArea> {
  const all = prepared(facts);
  const reportedIn = kindsByState(facts);
  for (const level of levels)
    for (const area of gathered(all, AREA_OF[level], rented?.(level) ?? (() => null), reportedIn))
      yield { level, ...area };
}

/** Returns the metrics of an area as columns of the serving tables. */
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

/** Returns a series as the serving tables store it, with months as dates. */
export const seriesRows = <T extends { month: number }>(series: readonly T[]): unknown =>
  series.map((point) => ({ ...point, month: monthDate(point.month) }));
