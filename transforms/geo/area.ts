import type { MultiPolygon } from './geometry.ts';

/** Ellipsoid GRS80: semi-major axis in metres and first eccentricity squared. */
const A = 6_378_137;
const F = 1 / 298.257222101;
const E2 = F * (2 - F);
const B2 = (A * (1 - F)) ** 2;
const RAD = Math.PI / 180;

/** Coefficients of ∫ cos φ / (1 - e² sin² φ)² dφ as an odd series in sin φ: (k + 1) / (2k + 1) · e^(2k). Six terms: 1e-14. */
const [C1, C2, C3, C4, C5, C6] = [1, 2, 3, 4, 5, 6].map((k) => ((k + 1) / (2 * k + 1)) * E2 ** k) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const Q1 = 1 + C1 + C2 + C3 + C4 + C5 + C6;
/** Squared radius of the sphere with the ellipsoid's surface area, square metres. */
const AUTHALIC_R2 = B2 * Q1;

/** Returns the sine of the authalic latitude, which gives areas on the ellipsoid as the sine of latitude does on a sphere. */
function authalicSine(latDeg: number): number {
  const s = Math.sin(latDeg * RAD);
  const w = s * s;
  return (s * (1 + w * (C1 + w * (C2 + w * (C3 + w * (C4 + w * (C5 + w * C6))))))) / Q1;
}

/** Maximum edge length for the series, radians of longitude; its error there is under 1e-12 of R². */
const SERIES_MAX = 0.005;

/**
 * Returns the area, in units of R², between a great-circle edge on the authalic sphere and the equator; positive eastwards. The
 * exact formula is 2 atan(tan(Δλ / 2) · sin m / cos d), m being the mean and d the half difference of the latitudes.
 */
function edgeExcess(dLon: number, s1: number, s2: number): number {
  const mean = (s1 + s2) / 2;
  const halfSum = (s1 - s2) / 2;
  // sin² d of the half difference of latitudes, from the difference of their sines.
  const sin2d = (halfSum * halfSum) / (1 - mean * mean);
  const x = mean / (1 - sin2d);
  if (dLon < SERIES_MAX && dLon > -SERIES_MAX && sin2d < 1e-5)
    return dLon * x + (dLon ** 3 / 12) * x * (1 - x * x);
  const b1 = Math.asin(s1);
  const b2 = Math.asin(s2);
  return 2 * Math.atan(Math.tan(dLon / 2) * (Math.sin((b1 + b2) / 2) / Math.cos((b1 - b2) / 2)));
}

function ringExcess(coords: Float64Array, from: number, to: number): number {
  let sum = 0;
  let lon = coords[from * 2]!;
  let s = authalicSine(coords[from * 2 + 1]!);
  for (let i = from * 2 + 2, end = to * 2; i < end; i += 2) {
    const nextLon = coords[i]!;
    const nextS = authalicSine(coords[i + 1]!);
    if (nextLon !== lon) sum += edgeExcess((nextLon - lon) * RAD, s, nextS);
    lon = nextLon;
    s = nextS;
  }
  return Math.abs(sum);
}

/**
 * Returns the area on the GRS80 ellipsoid of all parts without their holes, square metres; edges are geodesics.
 * Relative accuracy against a geodesic reference: 1e-6 (or 0.001 m²) for edges up to 10 km, 1e-5 to 100 km, 1e-4 to 500 km.
 * Rings must not cross themselves; `assemblePolygons` guarantees that.
 * For a parcel it equals Turf's spherical area times M·N/R², the ratio of ellipsoid to sphere at its latitude.
 */
export function geodesicAreaSqm(g: MultiPolygon): number {
  let total = 0;
  let ring = 0;
  let from = 0;
  for (const polygonEnd of g.polygonEnds) {
    for (const shell = ring; ring < polygonEnd; ring++) {
      const end = g.ringEnds[ring]!;
      const excess = ringExcess(g.coords, from, end);
      total += ring === shell ? excess : -excess;
      from = end;
    }
  }
  return total * AUTHALIC_R2;
}
