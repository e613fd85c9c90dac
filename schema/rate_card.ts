/** Prices in cents by path of an operation, from a time on. */
export interface RateCard {
  version: number;
  effective_at: string;
  prices: Readonly<Record<string, number>>;
}
