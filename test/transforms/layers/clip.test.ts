import { area, booleanPointInPolygon, point } from '@turf/turf';
import geodesic from 'geographiclib-geodesic';
import type { MultiPolygon as GeoJsonMultiPolygon, Polygon } from 'geojson';
import { describe, expect, it } from 'vitest';
import { cellBbox, cellOf } from '../../../schema/grid.ts';
import { cutIntoCells, cutLinesIntoCells } from '../../../transforms/geo/pieces.ts';
import { encodeLineWkb, encodePointWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';
import { type ClipPiece, circleClipper } from '../../../transforms/layers/clip.ts';

const { WGS84 } = geodesic.Geodesic;
/** A corner of four grid cells: what lies around it is cut into four pieces. */
const [corner_lon, corner_lat] = cellBbox(cellOf(145.02, -37.79));
const centre = { lon: corner_lon + 1e-3, lat: corner_lat + 1e-3 };
const metres = (lon: number, lat: number): number => WGS84.Inverse(centre.lat, centre.lon, lat, lon).s12!;

const ring = (...points: [number, number][]): number[] => [...points, points[0]!].flat();
const box = (d: number): number[] =>
  ring(
    [centre.lon - d, centre.lat - d],
    [centre.lon + d, centre.lat - d],
    [centre.lon + d, centre.lat + d],
    [centre.lon - d, centre.lat + d],
  );
const pieces = (rings: number[][]) =>
  [
    ...cutIntoCells({
      coords: Float64Array.from(rings.flat()),
      ringEnds: rings.map((_, i) => rings.slice(0, i + 1).flat().length / 2),
      polygonEnds: [rings.length],
    }),
  ].map(({ cell, geometry }) => ({ cell, geom: encodeWkb(geometry) }));

const clipToCircle = (shape: string, parts: readonly ClipPiece[], at: typeof centre, radius_m: number) =>
  circleClipper(at, radius_m)(shape, parts);

describe('circleClipper', () => {
  it('joins the pieces of four cells into one shape without seams, of the area of the circle', () => {
    const parts = pieces([box(0.2)]);
    expect(parts.length).toBeGreaterThan(4);
    const clipped = clipToCircle('polygon', parts, centre, 1000) as Polygon;
    expect(clipped.type).toBe('Polygon');
    expect(clipped.coordinates).toHaveLength(1);
    expect(area(clipped)).toBeGreaterThan(Math.PI * 1000 ** 2 * 0.99);
    expect(area(clipped)).toBeLessThan(Math.PI * 1000 ** 2 * 1.01);
    for (const [lon, lat] of clipped.coordinates[0]!) expect(metres(lon!, lat!)).toBeLessThan(1001);
  });

  it('preserves a hole, and a shape inside the circle', () => {
    const parts = pieces([box(0.2), box(0.003)]);
    const clipped = clipToCircle('polygon', parts, centre, 1000) as Polygon | GeoJsonMultiPolygon;
    expect(booleanPointInPolygon(point([centre.lon, centre.lat]), clipped)).toBe(false);
    expect(booleanPointInPolygon(point([centre.lon + 0.005, centre.lat]), clipped)).toBe(true);
    const small = clipToCircle('polygon', pieces([box(0.001)]), centre, 1000) as Polygon;
    expect(small.coordinates[0]).toHaveLength(5);
  });

  it('gives nothing for what lies outside, the corner of the circle’s box included', () => {
    const outside = ring(
      [centre.lon + 0.0109, centre.lat + 0.0087],
      [centre.lon + 0.012, centre.lat + 0.0087],
      [centre.lon + 0.012, centre.lat + 0.01],
      [centre.lon + 0.0109, centre.lat + 0.01],
    );
    expect(clipToCircle('polygon', pieces([outside]), centre, 1000)).toBeNull();
    expect(clipToCircle('polygon', [], centre, 1000)).toBeNull();
  });

  it('cuts lines where they leave the circle, once in each cell', () => {
    const coords = Float64Array.from([centre.lon - 0.1, centre.lat, centre.lon + 0.1, centre.lat]);
    const parts = [...cutLinesIntoCells({ coords, lineEnds: [2] })].map(({ cell, geometry }) => ({
      cell,
      geom: encodeLineWkb(geometry),
    }));
    const clipped = clipToCircle('line', parts, centre, 1000) as unknown as {
      coordinates: [number, number][][];
    };
    const length = clipped.coordinates
      .map((line) =>
        line.slice(1).reduce((sum, [x, y], i) => sum + WGS84.Inverse(line[i]![1], line[i]![0], y, x).s12!, 0),
      )
      .reduce((a, b) => a + b, 0);
    expect(length).toBeCloseTo(2000, 0);
  });

  it('keeps the points within the circle', () => {
    const at = (lon: number) => ({
      cell: 0,
      geom: encodePointWkb({ coords: Float64Array.from([lon, centre.lat]) }),
    });
    const clipped = clipToCircle('point', [at(centre.lon + 0.005), at(centre.lon + 0.02)], centre, 1000);
    expect(clipped).toEqual({ type: 'MultiPoint', coordinates: [[centre.lon + 0.005, centre.lat]] });
    expect(clipToCircle('point', [at(centre.lon + 0.02)], centre, 1000)).toBeNull();
  });
});
