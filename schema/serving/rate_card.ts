import { col, table } from '../table.ts';

/** Prices that the API bills by. */
export const rateCardTable = table({
  schema: 'serving',
  name: 'rate_card',
  doc: 'Price of an endpoint; an endpoint that is not listed has no price yet.',
  columns: {
    endpoint: col('text', 'Path with its parameters in braces.'),
    version: col('int4', 'Version of the rate card, for X-Rate-Card-Version.'),
    price_cents: col('int4', 'Price of a call, cents; 0: free.'),
  },
  primaryKey: ['endpoint'],
  checks: { rate_card_price: 'price_cents >= 0 AND version >= 1' },
});
