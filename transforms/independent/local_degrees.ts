/** Longitude and latitude. */
export type Position = [number, number];

const SEMI_MAJOR_M = 6_378_137;
const ECCENTRICITY_SQUARED = 0.006694380022900788;
/** Radius of Turf's sphere. */
const SPHERE_M = 6_371_008.8;

/** Moves a position. */
export type Scale = (position: Position) => Position;

/** Returns a scale of degrees about a position: near it, metres on Turf's sphere equal metres on the ellipsoid GRS80. */
export function localDegrees([lon, lat]: Position): Scale {
  const w = 1 - ECCENTRICITY_SQUARED * Math.sin((lat * Math.PI) / 180) ** 2;
  const east = SEMI_MAJOR_M / Math.sqrt(w) / SPHERE_M;
  const north = (SEMI_MAJOR_M * (1 - ECCENTRICITY_SQUARED)) / w ** 1.5 / SPHERE_M;
  return ([x, y]) => [lon + (x - lon) * east, lat + (y - lat) * north];
}
