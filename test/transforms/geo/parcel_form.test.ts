import { describe, expect, it } from 'vitest';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { parcelForm } from '../../../transforms/geo/parcel_form.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';
import { multiPolygon } from '../shapes.ts';

const [LON, LAT] = [145, -37.8];

/** Form of rings in metres, turned by an angle in degrees. */
function formOf(rings: readonly (readonly [number, number])[][], angle = 0) {
  const [c, s] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const geometry = multiPolygon([
    rings.map((ring) =>
      [...ring, ring[0]!].map(([x, y]): [number, number] => [
        LON + (c * x - s * y) / metresPerDegreeLon(LAT),
        LAT + (s * x + c * y) / metresPerDegreeLat(LAT),
      ]),
    ),
  ]);
  return parcelForm(geometry, geodesicAreaSqm(geometry))!;
}

const box = (x: number, y: number, wide: number, deep: number): [number, number][] => [
  [x, y],
  [x + wide, y],
  [x + wide, y + deep],
  [x, y + deep],
];

describe('the form of a parcel', () => {
  it.each([0, 17, 45, 133])('is that of a terrace, turned by %i degrees', (angle) => {
    const { width_m, perimeter_m, compactness } = formOf([box(0, 0, 5, 30)], angle);
    expect(width_m).toBeCloseTo(5, 1);
    expect(perimeter_m).toBeCloseTo(70, 1);
    expect(compactness).toBeCloseTo((4 * Math.PI * 150) / 70 ** 2, 2);
  });

  it('tells a square from a battle-axe, and a circle from both', () => {
    const axe: [number, number][] = [...box(0, 0, 20, 20).slice(0, 3), [4, 20], [4, 55], [0, 55]];
    const circle = Array.from({ length: 60 }, (_, i): [number, number] => [
      12 * Math.cos((i * Math.PI) / 30),
      12 * Math.sin((i * Math.PI) / 30),
    ]);
    expect(formOf([box(0, 0, 20, 20)]).compactness).toBeCloseTo(Math.PI / 4, 2);
    expect(formOf([axe]).compactness).toBeLessThan(0.35);
    expect(formOf([axe]).width_m).toBeCloseTo(20, 1);
    expect(formOf([circle]).compactness).toBeGreaterThan(0.99);
  });

  it('counts the boundary of a hole', () => {
    expect(formOf([box(0, 0, 40, 40), box(10, 10, 20, 20)]).perimeter_m).toBeCloseTo(160 + 80, 1);
  });

  it('is null for an empty polygon', () => {
    expect(parcelForm(multiPolygon([]), 0)).toBeNull();
  });
});
