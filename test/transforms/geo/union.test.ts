import { describe, expect, it } from 'vitest';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { fromGeoJson, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { ogcFault } from '../../../transforms/geo/ogc_validity.ts';
import { unionOf } from '../../../transforms/geo/union.ts';

const box = (x: number, y: number, width: number, height: number): MultiPolygon =>
  fromGeoJson([
    [
      [
        [x, y],
        [x + width, y],
        [x + width, y + height],
        [x, y + height],
        [x, y],
      ],
    ],
  ]);

/** A coast of many vertices around a point. */
function coast(x: number, vertices: number): MultiPolygon {
  const ring = Array.from({ length: vertices }, (_, i): [number, number] => {
    const angle = (2 * Math.PI * i) / vertices;
    const radius = 0.1 * (1 + 0.05 * Math.sin(angle * 50));
    return [x + radius * Math.cos(angle), -37 + radius * Math.sin(angle)];
  });
  return fromGeoJson([[[...ring, ring[0]!]]]);
}

/** A comb of thin teeth, upright or lying. */
function comb(teeth: number, isUpright: boolean): MultiPolygon {
  const step = 1e-5;
  const points: [number, number][] = [[-step, 0]];
  for (let i = 0; i < teeth; i++)
    points.push([2 * i * step, 0], [2 * i * step, 1], [(2 * i + 1) * step, 1], [(2 * i + 1) * step, 0]);
  points.push([2 * teeth * step, 0], [2 * teeth * step, -step], [-step, -step], [-step, 0]);
  const size = 2 * teeth * step;
  const place = ([a, b]: [number, number]): [number, number] => {
    const along = b === 1 ? size : b;
    return isUpright ? [145 + a, -37 + along] : [145 + along, -37 + a];
  };
  return fromGeoJson([[points.map(place)]]);
}

const areaOf = (parts: readonly MultiPolygon[]): number =>
  parts.reduce((sum, part) => sum + geodesicAreaSqm(part), 0);

describe('the union of several polygons', () => {
  it('keeps separate parts to the last bit, and counts repeated ones once', () => {
    const parts = [box(145, -37, 0.001, 0.001), box(145.1, -37, 0.001, 0.001)];
    expect(unionOf([...parts, parts[0]!])).toEqual({
      coords: Float64Array.from([...parts[0]!.coords, ...parts[1]!.coords]),
      ringEnds: [5, 10],
      polygonEnds: [1, 2],
    });
  });

  it('counts an overlap once', () => {
    const union = unionOf([box(145, -37, 0.002, 0.001), box(145.001, -37, 0.002, 0.001)])!;
    expect(areaOf([union])).toBeCloseTo(areaOf([box(145, -37, 0.003, 0.001)]), 2);
    expect(ogcFault(union)).toBeNull();
  });

  it('removes the borders of 10,000 parts in a grid, whose corners differ by rounding', () => {
    const parts = Array.from({ length: 10_000 }, (_, i) =>
      box(145 + (i % 100) * 0.001, -37 + Math.floor(i / 100) * 0.001, 0.001, 0.001),
    );
    const union = unionOf(parts)!;
    expect(union.polygonEnds).toEqual([1]);
    expect(areaOf([union]) / areaOf(parts)).toBeCloseTo(1, 9);
  });

  it('unites overlapping parts of 98,000 vertices in bounded time', { timeout: 60_000 }, () => {
    const parts = [coast(145, 49_000), coast(145.1, 49_000)];
    const union = unionOf(parts)!;
    expect(areaOf([union])).toBeLessThan(areaOf(parts) * 0.9);
    expect(areaOf([union])).toBeGreaterThan(areaOf(parts) * 0.75);
  });

  it('is null for parts that cross 90,000 times, and never counts an overlap twice', () => {
    expect(unionOf([comb(150, true), comb(150, false)])).toBeNull();
    const few = [comb(5, true), comb(5, false)];
    expect(areaOf([unionOf(few)!])).toBeLessThan(areaOf(few));
  });
});
