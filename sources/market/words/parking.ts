/** Stated car spaces. Null: not stated. */
export interface Parking {
  readonly total: number | null;
  readonly garages: number | null;
  readonly carports: number | null;
  /** Open, uncovered spaces. */
  readonly open_spaces: number | null;
}

/**
 * Returns the car spaces: the total if it is above 0, else garages + carports + open spaces, counting unstated ones as 0. Null:
 * nothing is stated.
 */
export function parkingOf({ total, garages, carports, open_spaces }: Parking): number | null {
  if (total !== null && total > 0) return total;
  if (garages === null && carports === null && open_spaces === null) return total;
  return (garages ?? 0) + (carports ?? 0) + (open_spaces ?? 0);
}
