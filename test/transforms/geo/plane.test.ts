import geodesic from 'geographiclib-geodesic';
import { describe, expect, it } from 'vitest';
import { localPlane, metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';

const grs80 = new geodesic.Geodesic.Geodesic(6378137, 1 / 298.257222101);
const PLACES = [
  { name: 'Torres Strait', lon: 142.2, lat: -10.6 },
  { name: 'Perth', lon: 115.86, lat: -31.95 },
  { name: 'Melbourne', lon: 144.96, lat: -37.81 },
  { name: 'Macquarie Island', lon: 158.9, lat: -54.6 },
];
const BEARINGS = [0, 33, 90, 135, 180, 251, 270, 314];

/** The point `metres` away along the geodesic. */
function away(lon: number, lat: number, bearing: number, metres: number): [number, number] {
  const { lon2, lat2 } = grs80.Direct(lat, lon, bearing, metres);
  return [lon2!, lat2!];
}

describe.each(PLACES)('local plane at $name', ({ lon, lat }) => {
  const plane = localPlane(lon, lat);

  it.each([
    { metres: 1, within: 1e-6 },
    { metres: 1_000, within: 1e-4 },
    { metres: 5_000, within: 0.002 },
    { metres: 50_000, within: 2 },
  ])('puts points $metres m away at that distance within $within m', ({ metres, within }) => {
    for (const bearing of BEARINGS) {
      const [x, y] = plane.project(Float64Array.from(away(lon, lat, bearing, metres)));
      expect(Math.abs(Math.hypot(x!, y!) - metres)).toBeLessThan(within);
      if (metres <= 5000) {
        const angle = (bearing * Math.PI) / 180;
        expect(Math.hypot(x! - metres * Math.sin(angle), y! - metres * Math.cos(angle))).toBeLessThan(0.02);
      }
    }
  });

  it('keeps distances between two points that are both 5 km from the centre', () => {
    for (const bearing of BEARINGS) {
      const [lon1, lat1] = away(lon, lat, bearing, 5000);
      for (const turn of [20, 90, 180]) {
        const [lon2, lat2] = away(lon, lat, bearing + turn, 5000);
        const planar = Math.hypot(
          plane.x(lon1, lat1) - plane.x(lon2, lat2),
          plane.y(lon1, lat1) - plane.y(lon2, lat2),
        );
        expect(Math.abs(planar - grs80.Inverse(lat1, lon1, lat2, lon2).s12!)).toBeLessThan(0.05);
      }
    }
  });

  it('has its origin at 0, 0 and does not modify its input', () => {
    const coords = Float64Array.of(lon, lat, lon + 0.01, lat);
    const before = coords.slice();
    const projected = plane.project(coords);
    expect([projected[0], projected[1]]).toEqual([0, 0]);
    expect(coords).toEqual(before);
    expect(projected[2]).toBe(plane.x(lon + 0.01, lat));
  });

  it('agrees with the metres per degree', () => {
    const step = 1e-4;
    expect(metresPerDegreeLon(lat) * step).toBeCloseTo(grs80.Inverse(lat, lon, lat, lon + step).s12!, 6);
    const [south, north] = [lat - step / 2, lat + step / 2];
    expect(metresPerDegreeLat(lat) * step).toBeCloseTo(grs80.Inverse(south, lon, north, lon).s12!, 6);
  });
});
