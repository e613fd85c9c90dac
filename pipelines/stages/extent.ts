/** A box around points, GDA2020 degrees; nulls: around none. */
export interface Extent {
  min_lon: number | null;
  min_lat: number | null;
  max_lon: number | null;
  max_lat: number | null;
}

/** The box around one point; without coordinates, around none. */
export const pointExtent = (lon: number | null, lat: number | null): Extent => ({
  min_lon: lon,
  min_lat: lat,
  max_lon: lon,
  max_lat: lat,
});

/** The box around two boxes. */
export function widen(a: Extent, b: Extent): Extent {
  if (a.min_lon === null) return extentOf(b);
  if (b.min_lon === null) return extentOf(a);
  return {
    min_lon: Math.min(a.min_lon, b.min_lon),
    min_lat: Math.min(a.min_lat!, b.min_lat!),
    max_lon: Math.max(a.max_lon!, b.max_lon!),
    max_lat: Math.max(a.max_lat!, b.max_lat!),
  };
}

/** The box alone of a row that has more columns. */
export const extentOf = ({ min_lon, min_lat, max_lon, max_lat }: Extent): Extent => ({
  min_lon,
  min_lat,
  max_lon,
  max_lat,
});

/** Makes an extent that is being gathered hold a point; without coordinates it stays as it is. */
export function addPoint(to: Extent, lon: number | null, lat: number | null): void {
  if (lon === null || lat === null) return;
  if (to.min_lon === null || lon < to.min_lon) to.min_lon = lon;
  if (to.max_lon === null || lon > to.max_lon) to.max_lon = lon;
  if (to.min_lat === null || lat < to.min_lat) to.min_lat = lat;
  if (to.max_lat === null || lat > to.max_lat) to.max_lat = lat;
}
