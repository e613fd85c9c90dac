import type { LandAreaReason } from '../../schema/serving/property.ts';

/** Numbers of live principal addresses on one parcel. */
export interface ParcelAddresses {
  units: number;
  others: number;
}

/**
 * Returns the land area of a property in whole square metres, or why it has none of its own.
 * A unit gets the area of its parcel only if it is the only address there. Another address gets it only if no other non-unit
 * address shares the parcel (the parent address of a building gets the area of the lot).
 * A parcel with the same ground as another one is a lot of a building drawn with the whole footprint, and belongs to no single
 * property. `is_covered`: a cadastre covers the location.
 */
export function landAreaOf(
  unit: boolean,
  parcel_area_sqm: number | null,
  coincides: boolean,
  on: ParcelAddresses,
  is_covered = true,
): { land_area_sqm: number | null; land_area_reason: LandAreaReason | null } {
  if (parcel_area_sqm === null)
    return { land_area_sqm: null, land_area_reason: is_covered ? 'parcel_not_found' : 'not_covered' };
  if (coincides) return { land_area_sqm: null, land_area_reason: 'coincident_parcels' };
  if (unit && on.units + on.others > 1)
    return { land_area_sqm: null, land_area_reason: 'unit_on_shared_parcel' };
  if (!unit && on.others > 1) return { land_area_sqm: null, land_area_reason: 'several_addresses_on_parcel' };
  return { land_area_sqm: Math.round(parcel_area_sqm), land_area_reason: null };
}
