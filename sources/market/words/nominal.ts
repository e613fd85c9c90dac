/** Maximum nominal price, dollars: a transfer within a family, a placeholder. */
const NOMINAL_MOST = 1000;

/** Returns whether a price is nominal: $1, or a transfer for love. Rents are never nominal in this sense. */
export const isNominal = (price_aud: number): boolean => price_aud <= NOMINAL_MOST;
