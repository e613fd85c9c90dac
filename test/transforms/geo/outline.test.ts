import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { madeValid, ogcFault } from '../../../transforms/geo/ogc_validity.ts';
import { outlineOf } from '../../../transforms/geo/outline.ts';
import { multiPolygon } from '../shapes.ts';
import { isValidInJts } from './jts.ts';
import { starPolygons } from './random_shapes.ts';

describe('the outline of a region', () => {
  it('is valid wherever the region is, though simplified borders cross', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.0003, 0.0006, 0.0012, 0.003).chain((size) => starPolygons(145, -37.8, size)),
        (polygons) => {
          const region = madeValid(multiPolygon(polygons));
          fc.pre(region !== null && ogcFault(region) === null);
          const outline = outlineOf(region!);
          expect(isValidInJts(outline)).toBe(true);
          expect(geodesicAreaSqm(outline)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500, seed: 7 },
    );
  });

  it('is valid where two holes cross and part the inside between them', () => {
    const shell = [
      [144.988753, -37.800371],
      [144.988471, -37.802048],
      [144.986997, -37.801904],
    ] as const;
    const hole = [
      [144.988262, -37.801338],
      [144.988484, -37.801368],
      [144.988556, -37.800928],
    ] as const;
    const other = [
      [144.988009, -37.801445],
      [144.988313, -37.801365],
      [144.98816, -37.801352],
      [144.98805, -37.800999],
    ] as const;
    const region = multiPolygon([[shell, hole, other]]);
    expect(ogcFault(region)).toBeNull();
    const outline = outlineOf(region);
    expect(isValidInJts(outline)).toBe(true);
    // What both holes cover is inside, by the even-odd rule, and a polygon of its own.
    expect(outline.polygonEnds).toEqual([2, 3]);
  });

  it('has far fewer vertices than a border that hardly bends', () => {
    const bay = Array.from({ length: 1000 }, (_, i): [number, number] => {
      const angle = (i * 2 * Math.PI) / 1000;
      return [145 + 0.05 * Math.cos(angle), -37.8 + 0.05 * Math.sin(angle)];
    });
    expect(outlineOf(multiPolygon([[bay]])).coords.length).toBeLessThan(200);
  });
});
