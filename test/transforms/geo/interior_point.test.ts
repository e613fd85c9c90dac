import { describe, expect, it } from 'vitest';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { interiorPoint } from '../../../transforms/geo/interior_point.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { assemblePolygons } from '../../../transforms/geo/rings.ts';

function polygon(...rings: readonly (readonly [number, number][])[]): MultiPolygon {
  const coords = Float64Array.from(rings.flat(2), (value, i) => (i % 2 === 0 ? 145 : -37) + value / 1000);
  let end = 0;
  const ends = rings.map((ring) => {
    end += ring.length;
    return end;
  });
  const { geometry } = assemblePolygons(coords, ends);
  return geometry!;
}

const SHAPES: Readonly<Record<string, MultiPolygon>> = {
  'a square': polygon([
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 4],
    [0, 0],
  ]),
  'a horseshoe': polygon([
    [0, 0],
    [9, 0],
    [9, 9],
    [8, 9],
    [8, 1],
    [1, 1],
    [1, 9],
    [0, 9],
    [0, 0],
  ]),
  'a ring around its centre': polygon(
    [
      [0, 0],
      [9, 0],
      [9, 9],
      [0, 9],
      [0, 0],
    ],
    [
      [1, 1],
      [8, 1],
      [8, 8],
      [1, 8],
      [1, 1],
    ],
  ),
  'two islands': polygon(
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ],
    [
      [8, 8],
      [9, 8],
      [9, 9],
      [8, 9],
      [8, 8],
    ],
  ),
  'a vertex at the centre of the box': polygon([
    [0, 0],
    [4, 0],
    [4, 4],
    [2, 2],
    [0, 4],
    [0, 0],
  ]),
};

describe('a point inside an area', () => {
  it.each(Object.entries(SHAPES))('%s', (_, shape) => {
    const [lon, lat] = interiorPoint(shape);
    expect(pointInMultiPolygon(lon, lat, shape)).toBe(true);
    expect(interiorPoint(shape)).toEqual([lon, lat]);
    for (let i = 0; i < shape.coords.length; i += 2)
      expect(Math.hypot(shape.coords[i]! - lon, shape.coords[i + 1]! - lat)).toBeGreaterThan(1e-5);
  });

  it('is the centre of a square', () => {
    const [lon, lat] = interiorPoint(SHAPES['a square']!);
    expect(lon).toBeCloseTo(145.002, 9);
    expect(lat).toBeCloseTo(-36.998, 9);
  });
});
