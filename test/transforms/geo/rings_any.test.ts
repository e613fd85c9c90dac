import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { openShp } from 'shapefile';
import { describe, expect, it } from 'vitest';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { CROSS, nearEdge, worstContact } from '../../../transforms/geo/ring_contacts.ts';
import { assemblePolygons } from '../../../transforms/geo/rings.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../../growth.ts';
import { haveYarra } from '../property/yarra_parcels.ts';
import { pointNear, starPolygons } from './random_shapes.ts';
import { areaOf, assemble, flat, type Ring, shapeOf } from './shapefile_rings.ts';

describe('assemblePolygons', () => {
  it('encloses what the even-odd rule says, however often the rings cross', () => {
    const ring = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 })), {
        minLength: 3,
        maxLength: 12,
      })
      .map((points): Ring => [...points, points[0]!].map(([x, y]) => [x / 100, y / 100]));
    fc.assert(
      fc.property(
        fc.array(ring, { minLength: 1, maxLength: 3 }),
        fc.array(pointNear(145.005, -36.995, 0.006), { minLength: 30, maxLength: 30 }),
        (rings, points) => {
          const { coords, ringEnds } = flat(rings);
          const result = assemblePolygons(coords, ringEnds);
          const geometry = result.geometry ?? { coords: new Float64Array(0), ringEnds: [], polygonEnds: [] };
          if (result.reject) expect(result.reject.code).toBe('zero_area');
          else expect(worstContact(geometry.coords, geometry.ringEnds)).toBeLessThan(CROSS);
          if (result.repaired?.includes('duplicate_ring')) return;
          for (const [x, y] of points) {
            const isNear = Array.from({ length: coords.length / 2 - 1 }, (_, i) => i).some(
              (i) =>
                !ringEnds.includes(i + 1) && [-2e-9, 0, 2e-9].some((d) => nearEdge(coords, i, x + d, y + d)),
            );
            if (isNear) continue;
            const original = { coords, ringEnds, polygonEnds: ringEnds.map((_, i) => i + 1) };
            expect(pointInMultiPolygon(x, y, geometry)).toBe(pointInMultiPolygon(x, y, original));
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it('groups rings of any order and winding as they lie', () => {
    fc.assert(
      fc.property(
        starPolygons(0, 0, 5),
        fc.nat(999),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        (polygons, turnBy, flips) => {
          const rings = polygons.flat();
          const order = rings.map((_, i) => rings[(i * 7 + turnBy) % rings.length]!);
          fc.pre(new Set(order).size === rings.length);
          const result = assemble(...order.map((ring, i) => (flips[i] ? ring.toReversed() : ring)));
          expect(shapeOf(result.geometry).sort()).toEqual(polygons.map((p) => p.length).sort());
          expect(areaOf(result.geometry!)).toBeCloseTo(areaOf(assemble(...rings).geometry!), 6);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('preserves the vertices of a ring that it splits', () => {
    const { coords, ringEnds } = flat([
      [
        [0, 0],
        [2.000000123, 2],
        [2, 0],
        [0, 2],
        [0, 0],
      ],
    ]);
    const { geometry } = assemblePolygons(coords, ringEnds);
    const kept = new Set(
      Array.from({ length: geometry!.coords.length / 2 }, (_, i) =>
        geometry!.coords.slice(i * 2, i * 2 + 2).join(),
      ),
    );
    for (let i = 0; i < 4; i++) expect(kept).toContain(coords.slice(i * 2, i * 2 + 2).join());
  });

  it('checks 90,000 vertices in less than quadratic time', () => {
    const wavy = (n: number): Ring =>
      Array.from({ length: n }, (_, i) => {
        const a = (i / n) * 2 * Math.PI;
        const r = 40 + 8 * Math.sin(a * 37) + 0.05 * Math.sin(a * 4001);
        return [r * Math.cos(a), r * Math.sin(a)];
      });
    const valid = (n: number) => {
      const ring = wavy(n);
      return () => assembled([[...ring, ring[0]!]]);
    };
    const crossed = (n: number) => {
      const [ring, at] = [wavy(n), (n * 2) / 3];
      return () => assembled([[...ring.slice(0, at), [0, 45], [44, 10], ...ring.slice(at), ring[0]!]]);
    };
    expect(valid(90_000)().repaired).toBeNull();
    expect(crossed(90_000)().repaired).toBe('self_intersection_split');
    for (const of of [valid, crossed]) expect(timesAsMuch(of(90_000), of(22_500))).toBeLessThan(FOURFOLD_MAX);
  });

  it('finds the shells of many holes in a large feature', () => {
    const round = (x: number, radius: number, n: number): Ring =>
      Array.from({ length: n + 1 }, (_, i) => {
        const a = ((i % n) / n) * 2 * Math.PI;
        return [x + radius * (1 + 0.1 * Math.sin(a * 301)) * Math.cos(a), radius * Math.sin(a)];
      });
    const holes: Ring[] = [];
    for (let k = 0; k < 900; k++) {
      const [x, y] = [-20 + (k % 30) * 1.3 + (k % 2) * 200, -20 + Math.floor(k / 30) * 1.3];
      holes.push([
        [x, y],
        [x + 1, y],
        [x, y + 1],
        [x, y],
      ]);
    }
    const { coords, ringEnds } = flat([...holes, round(0, 40, 20_000), round(200, 40, 20_000)]);
    const { geometry, repaired } = assemblePolygons(coords, ringEnds);
    expect(shapeOf(geometry)).toEqual([451, 451]);
    expect(repaired).toBe('wound_hole');
  });

  it('gives up on a ring in which almost every edge crosses almost every other', () => {
    const ring: Ring = [];
    for (let i = 0; i < 20_001; i++) {
      const a = i * Math.PI * (20_000 / 20_001);
      ring.push([Math.cos(a), Math.sin(a)]);
    }
    expect(assembled([[...ring, ring[0]!]]).reject?.code).toBe('self_intersection');
  });
});

function assembled(rings: Ring[]) {
  const { coords, ringEnds } = flat(rings);
  return assemblePolygons(coords, ringEnds);
}

describe.skipIf(!haveYarra)('real polygons', () => {
  it.each([
    // [file, features with a geometry, the published invalid ones]
    ['planning/VMPLAN/PLAN_ZONE', 1304, 4],
    ['planning/VMPLAN/PLAN_OVERLAY', 2782, 2],
    ['cadastre/yarra_parcels', 19_858, 0],
    ['asgs/SA2_2021_AUST_GDA94', 43, 0],
  ])('%s: all pass, the invalid ones are repaired', async (name, count, invalid) => {
    const path = fileURLToPath(new URL(`../../../../shared/data/yarra/${name}.shp`, import.meta.url));
    const source = await openShp(path);
    const repairs: string[] = [];
    let features = 0;
    for (let next = await source.read(); !next.done; next = await source.read()) {
      if (!next.value) continue;
      features++;
      const rings = (
        next.value.type === 'Polygon'
          ? next.value.coordinates
          : (next.value as unknown as { coordinates: Ring[][] }).coordinates.flat()
      ) as Ring[];
      const ringEnds: number[] = [];
      for (const ring of rings) ringEnds.push((ringEnds.at(-1) ?? 0) + ring.length);
      const result = assemblePolygons(Float64Array.from(rings.flat(2)), ringEnds);
      expect(result.reject).toBeUndefined();
      if (result.repaired) repairs.push(result.repaired);
      expect(result.geometry!.coords.length).toBeGreaterThan(0);
    }
    expect(features).toBe(count);
    expect(repairs).toEqual(Array(invalid).fill('self_touch_split'));
  });
});
