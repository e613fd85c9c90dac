import { describe, expect, it } from 'vitest';
import { gda2020ToGda94 } from '../../../tools/sample/gda94.ts';
import { seededRandom } from '../../../tools/sample/random.ts';
import { edgeOffset } from '../../../transforms/geo/edge_offset.ts';
import { EAST, LAT, LON, moved, NORTH, rectangle, town } from './town.ts';

describe('edges of zones compared with edges of lots', () => {
  it.each([0, 0.4, 1.1])('coincide if neither is shifted, in a town turned by %s', (angle) => {
    const { lots, zones } = town(angle);
    const found = edgeOffset([{ reference: lots, shapes: zones }])!;
    expect(found.unmoved).toBe(found.edges);
    expect(Math.hypot(found.east, found.north)).toBeLessThan(0.01);
  });

  it.each([0, 0.4, 1.1])('measure the shift of GDA94 from GDA2020, in a town turned by %s', (angle) => {
    const { lots, zones } = town(angle);
    const found = edgeOffset([{ reference: lots, shapes: moved(zones, gda2020ToGda94) }])!;
    expect(found.moved).toBe(found.edges);
    expect(found.unmoved).toBeLessThan(found.edges / 10);
    // ICSM’s grids and parameters: about 1.8 m to the north-east; here by the seven parameters at Melbourne
    const corner = Float64Array.of(LON, LAT);
    gda2020ToGda94(corner);
    expect(found.east).toBeCloseTo((LON - corner[0]!) * EAST, 2);
    expect(found.north).toBeCloseTo((LAT - corner[1]!) * NORTH, 2);
  });

  it('mostly do not match if zones are drawn by hand', () => {
    const { lots, zones } = town(0.4);
    const random = seededRandom(5, 'hand').next;
    const drawn = zones.map((zone) => {
      const [dx, dy] = [((random() - 0.5) * 6) / EAST, ((random() - 0.5) * 6) / NORTH];
      return moved([zone], (coords) => {
        for (let i = 0; i < coords.length; i += 2) {
          coords[i]! += dx;
          coords[i + 1]! += dy;
        }
      })[0]!;
    });
    const { edges, moved: met } = edgeOffset([{ reference: lots, shapes: drawn }])!;
    expect(met).toBeLessThan(edges / 2);
  });

  it('measure no shift from parallel edges, or without edges', () => {
    const lots = Array.from({ length: 50 }, (_, i) => rectangle(0, i * 40, 500, 40, 0));
    const slabs = Array.from({ length: 10 }, (_, i) => rectangle(-900, i * 160 + 1, 1200, 160, 0));
    expect(edgeOffset([{ reference: lots, shapes: slabs }])).toBeNull();
    expect(edgeOffset([{ reference: [], shapes: slabs }])).toBeNull();
    expect(edgeOffset([])).toBeNull();
  });
});
