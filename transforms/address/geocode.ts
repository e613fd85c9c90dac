/** Geocode types that lie on a street or locality and not on the property. Source: G-NAF GEOCODE_TYPE_AUT. */
const NOT_ON_PARCEL: ReadonlySet<string> = new Set(['STL', 'LOC', 'UNK']);
/** Bit of LEVEL_GEOCODED_CODE that says the address itself is geocoded. */
const ADDRESS_BIT = 1;

/** True where a G-NAF point lies on the property itself, so that a parcel, a zone or a hazard may be read there. */
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
