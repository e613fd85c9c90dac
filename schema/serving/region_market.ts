import { col, nullable, table } from '../table.ts';

/** Levels of market figures. */
export const MARKET_LEVELS = ['SAL', 'SA2', 'SA3', 'LGA', 'POA', 'STE'] as const;
export type MarketLevel = (typeof MARKET_LEVELS)[number];

/** Columns that name an area and a market. */
export const marketArea = {
  level: col('text', 'SAL SA2 SA3 LGA POA STE.'),
  area: col('text', 'SAL name, state abbreviation, or ABS code of the other levels.'),
  market: col('text', 'house (house, duplex, rural) or unit (unit, townhouse, villa, retirement).'),
  state: col('text', 'State of most of its events.'),
  month: col('date', 'First day of the last complete month.'),
} as const;

const thin = 'null: suppressed, the sample is below 10';

/** Figures of an area and market. */
export const marketFigureColumns = {
  median_price: nullable('int4', `Median price of the last twelve months, dollars; ${thin}.`),
  price_sample: col('int4', 'Sales that it rests on: the volume of the twelve months.'),
  median_rent_aud_pw: nullable('int4', `Median rent of the last twelve months, dollars per week; ${thin}.`),
  rent_sample: col('int4', 'Rents that it rests on.'),
  growth_1y_percent: nullable(
    'float8',
    `Change of the twelve-month median price over a year; ${thin} at one end.`,
  ),
  growth_3y_percent: nullable('float8', `Over three years, in all; ${thin} at one end.`),
  growth_5y_percent: nullable('float8', `Over five years, in all; ${thin} at one end.`),
  growth_10y_percent: nullable('float8', `Over ten years, in all; ${thin} at one end.`),
  gross_yield_percent: nullable(
    'float8',
    'A year of the median rent by the median price; null: one is suppressed.',
  ),
  days_on_market: nullable(
    'int4',
    `Median days from listing to sale of those sold in the twelve months; ${thin}.`,
  ),
  days_on_market_sample: col('int4', 'Listings that it rests on.'),
  stock: col(
    'int4',
    'Listings for sale that are open at the end of the month, and were mentioned within 180 days.',
  ),
  months_of_supply: nullable('float8', 'Stock by the sales of a month; null: too few sales.'),
  vacant_rentals: col('int4', 'Rent listings that are open for three weeks or more at the end of the month.'),
  rented_dwellings: nullable(
    'int4',
    'Rented dwellings of the Census: of houses separate ones, of units semi-detached ones and flats; null: not delivered.',
  ),
  vacancy_percent: nullable(
    'float8',
    'vacant_rentals by rented_dwellings; null: fewer than 100 of these, or fewer than 10 rent listings of the twelve months that lasted a day or more.',
  ),
} as const;

/** Answers the market indicators of a suburb or region. */
export const regionMarketTable = table({
  schema: 'serving',
  name: 'region_market',
  doc: 'Market figures of an area and kind of dwelling, with the monthly series that they come from.',
  columns: {
    ...marketArea,
    ...marketFigureColumns,
    price_series: col(
      'jsonb',
      'List of {month, median, sample, window_months} of prices, oldest first; median null: suppressed.',
    ),
    rent_series: col('jsonb', 'The same of rents.'),
    index_series: nullable(
      'jsonb',
      'Weighted repeat-sales index, list of {month, index, sample, window_months}, oldest first: 100 in the first period; a period is a month where 20 sales of homes that sold twice lie in it, else as many months up to twelve, and month is its last; one with fewer than 10 is absent. Null: fewer than 60 homes sold twice, or over fewer than 24 months.',
    ),
  },
  primaryKey: ['level', 'area', 'market'],
  checks: { region_market_market: "market IN ('house', 'unit')" },
});
