import { col, nullable, table } from '../table.ts';

export const MARKET_LEVELS = ['SAL', 'SA2', 'SA3', 'LGA', 'POA', 'STE'] as const;
export type MarketLevel = (typeof MARKET_LEVELS)[number];

/** Columns that identify an area and a market. */
export const marketArea = {
  level: col('text', 'SAL SA2 SA3 LGA POA STE.'),
  area: col('text', 'SAL name, state abbreviation, or ABS code of the other levels.'),
  market: col('text', 'house (house, duplex, rural) or unit (unit, townhouse, villa, retirement).'),
  state: col('text', 'State of most of its events.'),
  month: col('date', 'First day of the last complete month.'),
} as const;

const thin = 'null: suppressed, the sample is below 10';
const unreported = (events: string) => `null: no source reports ${events} of the state`;

/** Metrics of an area and market. */
export const marketFigureColumns = {
  median_price: nullable('int4', `Median price of the last twelve months, dollars; ${thin}.`),
  price_sample: nullable(
    'int4',
    `Number of sales behind it: the volume of the twelve months; ${unreported('sales')}.`,
  ),
  median_rent_aud_pw: nullable('int4', `Median rent of the last twelve months, dollars per week; ${thin}.`),
  rent_sample: nullable('int4', `Number of rents behind it; ${unreported('rents')}.`),
  growth_1y_percent: nullable(
    'float8',
    `Change of the twelve-month median price over a year; ${thin} at one end.`,
  ),
  growth_3y_percent: nullable('float8', `Total change over three years; ${thin} at one end.`),
  growth_5y_percent: nullable('float8', `Total change over five years; ${thin} at one end.`),
  growth_10y_percent: nullable('float8', `Total change over ten years; ${thin} at one end.`),
  gross_yield_percent: nullable(
    'float8',
    'Annual median rent divided by the median price; null: one is suppressed.',
  ),
  days_on_market: nullable(
    'int4',
    `Median days from listing to sale, of listings sold in the twelve months; ${thin}.`,
  ),
  days_on_market_sample: nullable(
    'int4',
    `Number of listings behind it; ${unreported('listings for sale')}.`,
  ),
  stock: nullable(
    'int4',
    `Listings for sale open at the end of the month and mentioned within 180 days; ${unreported('listings for sale')}.`,
  ),
  months_of_supply: nullable(
    'float8',
    'Stock divided by monthly sales; null: too few sales, or stock is null.',
  ),
  vacant_rentals: nullable(
    'int4',
    `Rent listings open for three weeks or more at the end of the month; ${unreported('rents')}.`,
  ),
  rented_dwellings: nullable(
    'int4',
    'Rented dwellings in the Census: separate houses for house, semi-detached dwellings and flats for unit; null: not delivered.',
  ),
  vacancy_percent: nullable(
    'float8',
    'vacant_rentals divided by rented_dwellings; null: fewer than 100 rented dwellings, or fewer than 10 rent listings of at least one day in the twelve months.',
  ),
} as const;

/** Rows for the market indicators of a suburb or region. */
export const regionMarketTable = table({
  schema: 'serving',
  name: 'region_market',
  doc: 'Market figures of an area and dwelling kind, with their monthly series.',
  columns: {
    ...marketArea,
    ...marketFigureColumns,
    price_series: col(
      'jsonb',
      'List of {month, median, sample, window_months} of prices, oldest first; median null: suppressed.',
    ),
    rent_series: col('jsonb', 'The same for rents.'),
    index_series: nullable(
      'jsonb',
      'Weighted repeat-sales index, list of {month, index, sample, window_months}, oldest first: 100 in the first period. A period is a month with 20 sales of homes that sold twice, otherwise as many months as needed, up to twelve; month is its last. Periods with fewer than 10 such sales are absent. Null: fewer than 60 homes sold twice, or over fewer than 24 months.',
    ),
  },
  primaryKey: ['level', 'area', 'market'],
  checks: { region_market_market: "market IN ('house', 'unit')" },
});
