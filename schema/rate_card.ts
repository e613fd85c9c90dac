/** Prices in cents by path of an operation, in force from `effective_at`. */
export interface RateCard {
  version: number;
  effective_at: string;
  prices: Readonly<Record<string, number>>;
}
