import { z } from 'zod';
import { noParams, search } from '../answers/operation.ts';
import { ENDPOINTS, SEARCHES } from '../index.ts';

/** Version of the prices. Raise it with every price change. */
export const RATE_CARD_VERSION = 1;

const pricesPayload = z.array(
  z.strictObject({ endpoint: z.string(), price_cents: z.int().min(0), version: z.int().min(1) }),
);

/** /api/rate_card: the prices in effect. They belong to the accounts, not to a published table. */
export const rateCard = search({
  methods: ['GET'],
  path: '/api/rate_card',
  price_cents: 0,
  doc: 'The price of each endpoint in cents, and the version of the rate card in effect.',
  isOfToday: true,
  payload: pricesPayload,
  params: noParams,
  async query(_db, _params, card) {
    const { prices, version } = card ?? { prices: RATE_CARD, version: RATE_CARD_VERSION };
    const data = Object.entries(prices)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([endpoint, price_cents]) => ({ endpoint, price_cents, version }));
    return { data };
  },
});

/**
 * Default price of each path in cents, from its operation. Source: specification, sections 4.2 and 4.3, and the provider's published
 * prices. Paths without either are priced by content: a single value 3 to 5, a series or list 5 to 20, a search 30, a bundle the sum of its
 * parts.
 */
export const RATE_CARD: Readonly<Record<string, number>> = {
  '/v1/ping': 0,
  '/v1/me': 0,
  ...Object.fromEntries(
    [...ENDPOINTS, ...SEARCHES, rateCard].map(({ path, price_cents }) => [path, price_cents]),
  ),
  '/v1/exports': 0,
  '/v1/exports/{export}': 50_000,
  '/v1/watches': 0,
  '/v1/watches/{watch_id}': 0,
};
