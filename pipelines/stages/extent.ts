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
