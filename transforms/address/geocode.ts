/** Geocode types of points on a street or locality, not on the property. Source: G-NAF GEOCODE_TYPE_AUT. */
const NOT_ON_PARCEL: ReadonlySet<string> = new Set(['STL', 'LOC', 'UNK']);
/** Bit of LEVEL_GEOCODED_CODE for a geocode of the address itself. */
const ADDRESS_BIT = 1;

/** Returns whether a G-NAF point is on the property itself, so that parcel, zone or hazard can be read there. */
export function hasParcelPosition(row: {
  geocode_type: string | null;
  geocode_level: number;
  lon: number | null;
}): boolean {
  return (
    row.lon !== null &&
    row.geocode_type !== null &&
    !NOT_ON_PARCEL.has(row.geocode_type) &&
    (row.geocode_level & ADDRESS_BIT) === ADDRESS_BIT
  );
}
