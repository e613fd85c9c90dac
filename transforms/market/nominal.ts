/** Prices up to this are no prices: a transfer within a family, a placeholder. Dollars. */
const NOMINAL_MOST = 1000;

/** True where a price is only a form: $1, or a transfer for love. Rents are never nominal in this sense. */
export const isNominal = (price_aud: number): boolean => price_aud <= NOMINAL_MOST;
