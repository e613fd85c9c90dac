/** A zone at a point. `prevails`: it has priority over zones there that do not prevail. */
export interface PointZone {
  readonly zone_id: string;
  readonly prevails: boolean;
}

/** A zone that covers a part of a parcel. */
export interface ParcelZone extends PointZone {
  readonly share: number;
}

/** The primary zone, and how it was chosen. */
export interface PrimaryZone {
  zone_id: string;
  method: 'point' | 'largest_share';
}

/** Minimum share of a parcel for its primary zone if the point gives none. Half: no other zone can cover more. */
const LEAST_SHARE = 0.5;

const better = (a: ParcelZone, b: ParcelZone): boolean =>
  a.share > b.share || (a.share === b.share && a.zone_id < b.zone_id);

const largest = (zones: readonly ParcelZone[]): ParcelZone | null =>
  zones.reduce<ParcelZone | null>((best, zone) => (best === null || better(zone, best) ? zone : best), null);

/** Returns the zones that prevail, or all if none does. */
function prevailing<Z extends PointZone>(zones: readonly Z[]): readonly Z[] {
  const some = zones.filter((zone) => zone.prevails);
  return some.length > 0 ? some : zones;
}

/**
 * Returns the primary zone of a property. One zone at the point: that zone. Several: the one that covers most of the parcel, or the
 * lowest id if the parcel is unknown. None, or no position on the parcel: the zone that covers most of the parcel, if at least
 * half.
 * Zones that prevail exclude the others. Null: no zone. `atPoint`: null if the address has no position on its parcel; a zone may be
 * in it more than once.
 */
export function primaryZone(
  atPoint: readonly PointZone[] | null,
  onParcel: readonly ParcelZone[],
): PrimaryZone | null {
  if (atPoint?.length === 1) return { zone_id: atPoint[0]!.zone_id, method: 'point' };
  const ids = [...new Set(prevailing(atPoint ?? []).map(({ zone_id }) => zone_id))];
  if (ids.length === 1) return { zone_id: ids[0]!, method: 'point' };
  if (ids.length > 1) {
    const most = largest(onParcel.filter((zone) => ids.includes(zone.zone_id)));
    return { zone_id: most?.zone_id ?? [...ids].sort()[0]!, method: 'largest_share' };
  }
  const most = largest(prevailing(onParcel.filter(({ share }) => share >= LEAST_SHARE)));
  return most === null ? null : { zone_id: most.zone_id, method: 'largest_share' };
}
