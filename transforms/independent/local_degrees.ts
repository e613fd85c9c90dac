import proj4 from 'proj4';

/** Longitude and latitude. */
export type TurfPosition = [number, number];

export type Scale = (position: TurfPosition) => TurfPosition;

/** Metres of a degree on Turf's sphere. */
const METRES_PER_DEGREE = (Math.PI / 180) * 6_371_008.8;

/**
 * Returns a scale of GDA2020 degrees to degrees near 0, 0, where a degree has the same metres in every direction on Turf's sphere, by proj4's
 * transverse Mercator projection about a position. Distances within 1 km are right to 2 mm.
 */
export function localDegrees([lon, lat]: TurfPosition): Scale {
  const { forward } = proj4(
    '+proj=longlat +ellps=GRS80',
    `+proj=tmerc +lat_0=${lat} +lon_0=${lon} +k=1 +x_0=0 +y_0=0 +ellps=GRS80`,
  );
  return (at) => {
    const [east, north] = forward(at);
    return [east! / METRES_PER_DEGREE, north! / METRES_PER_DEGREE];
  };
}
