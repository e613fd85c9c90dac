/**
 * Which of parcel and point a property is measured from: the preferred one where it is known, else the other; null: neither is.
 */
export function measuredFrom(
  preferred: 'parcel' | 'point',
  hasParcel: boolean,
  hasPoint: boolean,
): 'parcel' | 'point' | null {
  if (preferred === 'parcel' ? hasParcel : hasPoint) return preferred;
  if (hasParcel) return 'parcel';
  return hasPoint ? 'point' : null;
}

/** Distance that a property is told to be from a finding: whole metres, 0 on the property and at least 1 off it. */
export const toldDistance = (is_on: boolean, distance_m: number): number =>
  is_on ? 0 : Math.max(1, Math.round(distance_m));
