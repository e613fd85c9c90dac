import geodesic from 'geographiclib-geodesic';
import { describe, expect, it } from 'vitest';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';
import { encodeLineWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';
import { localDegrees, type TurfPosition } from '../../../transforms/independent/local_degrees.ts';
import {
  turfArea,
  turfCovered,
  turfCrossing,
  turfShared,
} from '../../../transforms/independent/turf_cover.ts';
import { turfDistance, turfNearest } from '../../../transforms/independent/turf_distance.ts';
import { readShape, turfPointShape } from '../../../transforms/independent/turf_shape.ts';
import { HERE, inMetres, type Polygons, rectangle } from '../shapes.ts';

const scale = localDegrees([...HERE]);
const at = (east: number, north: number): TurfPosition => [
  HERE[0] + east / metresPerDegreeLon(HERE[1]),
  HERE[1] + north / metresPerDegreeLat(HERE[1]),
];
const shape = (polygons: Polygons) => readShape(encodeWkb(inMetres(polygons)));
const square = (east: number, north = 0, side = 20) =>
  shape([[rectangle(east, north, east + side, north + side)]]);
const line = (...places: TurfPosition[]) =>
  readShape(encodeLineWkb({ coords: Float64Array.from(places.flat()), lineEnds: [places.length] }));

describe('Turf in local degrees', () => {
  it('agrees with the area on the ellipsoid to 1e-5, and notices 0.01 %', () => {
    // One long side, which is a geodesic, with short ones on the other side.
    const top = Array.from({ length: 11 }, (_, i): [number, number] => [1000 - 100 * i, 10]);
    for (const polygons of [
      [[rectangle(0, 0, 30, 30), rectangle(5, 5, 6, 6)]],
      [[rectangle(0, 0, 1000, 1000)]],
      [[[[0, 0], [1000, 0], ...top, [0, 0]]]],
    ] as Polygons[]) {
      const own = geodesicAreaSqm(inMetres(polygons));
      const off = turfArea(shape(polygons), scale) / own - 1;
      expect(Math.abs(off)).toBeLessThan(1e-5);
      expect(Math.abs(off - 1e-4)).toBeGreaterThan(1e-5);
    }
  });

  it('agrees with GeographicLib to 2 mm within 1 km', () => {
    const grs80 = new geodesic.Geodesic.Geodesic(6_378_137, 1 / 298.257222101);
    const places = [
      [0, 0],
      [990, 0],
      [0, 990],
      [700, 700],
      [-700, -700],
      [300, 400],
      [0.05, 0],
    ] as const;
    for (const latitude of [-12, -28, -37.8, -43]) {
      const moved = ([lon, lat]: TurfPosition): TurfPosition => [lon, lat - HERE[1] + latitude];
      const local = localDegrees([HERE[0], latitude]);
      for (const [east, north] of places) {
        const [from, to] = [moved(at(0, 0)), moved(at(east, north))];
        const { s12 } = grs80.Inverse(from[1], from[0], to[1], to[0]);
        const found = turfDistance(turfPointShape(from), turfPointShape(to), local);
        expect(Math.abs(found - s12!), `${latitude} ${east} ${north}`).toBeLessThan(0.002);
      }
    }
  });

  it('measures from polygons, lines and points, and 0 inside', () => {
    expect(turfDistance(square(0), square(20.05), scale)).toBeCloseTo(0.05, 3);
    expect(turfDistance(square(0), square(10, 10), scale)).toBe(0);
    expect(turfDistance(square(0, 0, 100), square(40, 40), scale)).toBe(0);
    expect(turfDistance(square(40, 40), square(0, 0, 100), scale)).toBe(0);
    expect(turfDistance(square(0), line(at(-50, 30), at(50, 30)), scale)).toBeCloseTo(10, 2);
    expect(turfDistance(square(0), line(at(-50, 10), at(50, 10)), scale)).toBe(0);
    expect(turfDistance(square(0), turfPointShape(at(23, 24)), scale)).toBeCloseTo(5, 2);
    expect(turfDistance(turfPointShape(at(3, 4)), square(0), scale)).toBe(0);
  });

  it('measures from the border of a hole', () => {
    const ring = shape([[rectangle(0, 0, 100, 100), rectangle(30, 30, 70, 70)]]);
    expect(turfDistance(ring, square(40, 40), scale)).toBeCloseTo(10, 2);
  });

  it('finds the nearest shape within a radius', () => {
    const shapes = [square(500), square(100), square(-300)].map((each) => ({
      box: each.box,
      shape: each,
    }));
    expect(turfNearest(square(0), shapes, 1000, scale)).toBeCloseTo(80, 2);
    expect(turfNearest(square(0), shapes, 79, scale)).toBe(Infinity);
  });

  it('measures what polygons cover, once where they overlap', () => {
    expect(turfCovered(square(0), [square(10)], scale)).toBeCloseTo(200, 1);
    expect(turfCovered(square(0), [square(10), square(5, 10)], scale)).toBeCloseTo(250, 1);
    expect(turfCovered(square(0), [square(20), square(21)], scale)).toBeCloseTo(0, 3);
  });

  it('measures common boundaries', () => {
    // The tolerance goes on for 0.2 m around a corner.
    expect(turfShared(square(0), square(20), 0.2, scale)).toBeCloseTo(20.4, 1);
    expect(turfShared(square(0), square(20.1, 5), 0.2, scale)).toBeCloseTo(15.273, 2);
    expect(turfShared(square(0), square(20, 20), 0.2, scale)).toBeCloseTo(0.4, 1);
    expect(turfShared(square(0), square(21), 0.2, scale)).toBe(0);
    expect(turfShared(square(0, 0, 100), square(40, 40), 0.2, scale)).toBeCloseTo(80, 1);
  });

  it('measures the part of a line in a parcel, but not along its border', () => {
    expect(turfCrossing(line(at(-5, 10), at(5, 10)), square(0), scale)).toBeCloseTo(4.99, 1);
    expect(turfCrossing(line(at(0, 0), at(0, 20)), square(0), scale)).toBe(0);
  });
});
