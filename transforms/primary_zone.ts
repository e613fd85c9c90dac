/** A zone that covers a part of a parcel. */
export interface ParcelZone {
  zone_id: string;
  share: number;
}

/** The zone that counts, and what decided. */
export interface PrimaryZone {
  zone_id: string;
  method: 'point' | 'largest_share';
}

/** Share of a parcel from which a zone is its primary zone where the point gives none. Half: no other zone can cover more. */
const LEAST_SHARE = 0.5;

const better = (a: ParcelZone, b: ParcelZone): boolean =>
  a.share > b.share || (a.share === b.share && a.zone_id < b.zone_id);

const largest = (zones: readonly ParcelZone[]): ParcelZone | null =>
  zones.reduce<ParcelZone | null>((best, zone) => (best === null || better(zone, best) ? zone : best), null);

/**
 * The primary zone of a property. One zone at the point: that one. Several there: of them, the one that covers most of the
 * parcel, and the lowest id where no parcel is known. None there, or no position on the parcel: the one that covers most of
 * the parcel, where that is at least half of it. Null: no zone.
 * `atPoint` holds the ids of the zones at the point, null where the address has no position on its parcel.
 */
export function primaryZone(
  atPoint: readonly string[] | null,
  onParcel: readonly ParcelZone[],
): PrimaryZone | null {
  const ids = atPoint ?? [];
  if (ids.length === 1) return { zone_id: ids[0]!, method: 'point' };
  if (ids.length > 1) {
    const most = largest(onParcel.filter((zone) => ids.includes(zone.zone_id)));
    return { zone_id: most?.zone_id ?? [...ids].sort()[0]!, method: 'largest_share' };
  }
  const most = largest(onParcel);
  return most !== null && most.share >= LEAST_SHARE
    ? { zone_id: most.zone_id, method: 'largest_share' }
    : null;
}
