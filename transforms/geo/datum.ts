/** GDA94 to GDA2020, national seven parameters (ICSM; EPSG:8048): metres, arc seconds, parts per million; coordinate-frame rotation. */
const T = [0.06155, -0.01087, -0.04019] as const;
const R_ARCSEC = [-0.0394924, -0.0327221, -0.0328979] as const;
const SCALE_PPM = -0.009994;

const RAD = Math.PI / 180;
const [RX, RY, RZ] = R_ARCSEC.map((s) => (s / 3600) * RAD) as [number, number, number];
const S = 1 + SCALE_PPM * 1e-6;

/** GRS80, the ellipsoid of both datums. */
const A = 6_378_137;
const F = 1 / 298.257222101;
const E2 = F * (2 - F);
const B = A * (1 - F);
const EP2 = E2 / (1 - E2);

/** Writes the GDA2020 position of GDA94 `lon`, `lat` (degrees, height 0) to `out[at]` and `out[at + 1]`. */
function shiftPoint(lon: number, lat: number, out: Float64Array, at: number): void {
  const sinLat = Math.sin(lat * RAD);
  const cosLat = Math.cos(lat * RAD);
  const n = A / Math.sqrt(1 - E2 * sinLat * sinLat);
  const x = n * cosLat * Math.cos(lon * RAD);
  const y = n * cosLat * Math.sin(lon * RAD);
  const z = n * (1 - E2) * sinLat;
  const x2 = T[0] + S * (x + RZ * y - RY * z);
  const y2 = T[1] + S * (-RZ * x + y + RX * z);
  const z2 = T[2] + S * (RY * x - RX * y + z);
  // Bowring's formula: exact to 1e-14 of a degree this close to the ellipsoid.
  const p = Math.sqrt(x2 * x2 + y2 * y2);
  const tanT = (z2 * A) / (p * B);
  const cosT = 1 / Math.sqrt(1 + tanT * tanT);
  const sinT = tanT * cosT;
  out[at] = Math.atan2(y2, x2) / RAD;
  out[at + 1] = Math.atan2(z2 + EP2 * B * sinT * sinT * sinT, p - E2 * A * cosT * cosT * cosT) / RAD;
}

/**
 * Moves GDA94 [lon, lat] degrees to GDA2020 in place, height 0: 1.5 to 1.8 m to the north-east. Source: GDA2020 Technical Manual,
 * national transformation; local distortion, up to 0.3 m in places, is not modelled (ntv2.ts reads grids that do).
 */
export function gda94ToGda2020(coords: Float64Array): void {
  for (let i = 0; i < coords.length; i += 2) shiftPoint(coords[i]!, coords[i + 1]!, coords, i);
}
