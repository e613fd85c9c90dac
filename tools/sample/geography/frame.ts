const RAD = Math.PI / 180;
const A = 6_378_137;
const F = 1 / 298.257222101;
const E2 = F * (2 - F);

/** Metres per degree of longitude and of latitude on GRS80 at a latitude. */
export function metresPerDegree(lat: number): { lon: number; lat: number } {
  const sin = Math.sin(lat * RAD);
  const w = Math.sqrt(1 - E2 * sin * sin);
  return { lon: (A / w) * Math.cos(lat * RAD) * RAD, lat: ((A * (1 - E2)) / (w * w * w)) * RAD };
}

/**
 * The plane of one town: metres east and north of its origin, turned by `turn_deg` so that few edges run along a
 * meridian. The map to GDA2020 degrees is affine, so a point shared by two shapes has the same coordinates in both;
 * away from the origin its metres are stretched (by `stretchAt`), which every true length and area takes into account.
 */
export class Frame {
  readonly lon0: number;
  readonly lat0: number;
  private readonly matrix: readonly [number, number, number, number];
  private readonly area0: number;

  constructor(lon0: number, lat0: number, turn_deg: number) {
    this.lon0 = lon0;
    this.lat0 = lat0;
    const scale = metresPerDegree(lat0);
    const cos = Math.cos(turn_deg * RAD);
    const sin = Math.sin(turn_deg * RAD);
    this.matrix = [cos / scale.lon, -sin / scale.lon, sin / scale.lat, cos / scale.lat];
    this.area0 = scale.lon * scale.lat;
  }

  lon(x: number, y: number): number {
    return this.lon0 + x * this.matrix[0] + y * this.matrix[1];
  }

  lat(x: number, y: number): number {
    return this.lat0 + x * this.matrix[2] + y * this.matrix[3];
  }

  /** True square metres per square metre of the plane at a point; relative error below 1e-5 over 60 km. */
  areaScale(x: number, y: number): number {
    const scale = metresPerDegree(this.lat(x, y));
    return (scale.lon * scale.lat) / this.area0;
  }

  /** True length of a short segment of the plane. */
  length(ax: number, ay: number, bx: number, by: number): number {
    const scale = metresPerDegree(this.lat((ax + bx) / 2, (ay + by) / 2));
    return Math.hypot(
      (this.lon(bx, by) - this.lon(ax, ay)) * scale.lon,
      (this.lat(bx, by) - this.lat(ax, ay)) * scale.lat,
    );
  }
}
