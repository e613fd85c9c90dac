/** The side of its comparable sales that an estimate lies on. */
export interface OutsideComparables {
  side: 'above' | 'below';
  sales: number;
  /** The nearest of their prices, dollars of the valuation date. */
  nearest: number;
}

/** Compares an estimate with the prices of its comparable sales at the valuation date. Null: it is within their range, or there is none. */
export function outsideComparables(estimate: number, prices: readonly number[]): OutsideComparables | null {
  const sales = prices.length;
  if (sales === 0) return null;
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)];
  if (estimate > highest) return { side: 'above', sales, nearest: highest };
  return estimate < lowest ? { side: 'below', sales, nearest: lowest } : null;
}
