/** What a source says of places for cars; null: nothing. */
export interface Parking {
  /** One figure for all. */
  readonly total: number | null;
  readonly garages: number | null;
  readonly carports: number | null;
  /** Open, uncovered spaces. */
  readonly open_spaces: number | null;
}

/**
 * Car spaces by one rule: the total where the source states one above 0, else garages + carports + open spaces, of which those
 * that are not stated count as none. Null: nothing is stated at all.
 */
export function parkingOf({ total, garages, carports, open_spaces }: Parking): number | null {
  if (total !== null && total > 0) return total;
  if (garages === null && carports === null && open_spaces === null) return total;
  return (garages ?? 0) + (carports ?? 0) + (open_spaces ?? 0);
}
