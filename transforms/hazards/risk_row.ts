/** Returns whether a property is measured from its parcel or its point: the preferred one if known, else the other. Null: neither is known. */
export function measuredFrom(
  preferred: 'parcel' | 'point',
  hasParcel: boolean,
  hasPoint: boolean,
): 'parcel' | 'point' | null {
  if (preferred === 'parcel' ? hasParcel : hasPoint) return preferred;
  if (hasParcel) return 'parcel';
  return hasPoint ? 'point' : null;
}

/** Returns the reported distance from a finding: whole metres, 0 on the property and at least 1 off it. */
export const reportedDistance = (is_on: boolean, distance_m: number): number =>
  is_on ? 0 : Math.max(1, Math.round(distance_m));
