import type { LandAreaReason } from '../../schema/serving/property.ts';

/** Live principal addresses on one parcel. */
export interface ParcelAddresses {
  units: number;
  others: number;
}

/**
 * Land area of a property in whole square metres, or why it has none of its own.
 * A unit has the area of its parcel only where it is the only address there; another address only where no other
 * non-unit address shares the parcel (the parent address of a building keeps the area of the lot). A parcel on whose ground another one lies
 * is a lot of a building that is drawn with the footprint of the whole, which is nobody's land. `is_covered`: a cadastre covers the place.
 */
export function landArea(
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
