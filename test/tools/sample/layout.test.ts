import { describe, expect, it } from 'vitest';
import { inAustralia } from '../../../schema/grid.ts';
import { Frame } from '../../../tools/sample/geography/frame.ts';
import { siteOf, spiral, stateQuotas, tileSize } from '../../../tools/sample/geography/layout.ts';
import { STATES } from '../../../tools/sample/geography/places.ts';
import { shapeArea, simple, toDegrees } from '../../../tools/sample/geography/shape.ts';
import { suburbName } from '../../../tools/sample/geography/words.ts';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';

describe('layout of the sample country', () => {
  it.each([100, 3_000, 50_000, 1_000_000])(
    'shares out %i properties to the last one, some to every state',
    (properties) => {
      const quotas = stateQuotas(properties);
      expect(quotas.reduce((sum, quota) => sum + quota, 0)).toBe(properties);
      expect(Math.min(...quotas)).toBeGreaterThan(0);
    },
  );

  it('gives every suburb a tile of its own', () => {
    const tiles = new Set(Array.from({ length: 2_000 }, (_, n) => spiral(n).join()));
    expect(tiles.size).toBe(2_000);
    const sites = new Set(Array.from({ length: 1_000 }, (_, k) => JSON.stringify(siteOf(k, 5))));
    expect(sites.size).toBe(1_000);
  });

  it('refuses more suburbs than a capital region holds', () => {
    expect(() => siteOf(5_000, 0)).toThrow(/ask for fewer properties/);
  });

  it('repeats only the names that are marked as repeated', () => {
    const names = new Set<string>();
    for (let k = 0; k < 1_000; k++) {
      for (let state = 0; state < 8; state++) {
        const { name, reach } = suburbName(state, k);
        if (reach === 'unique') expect(names.has(name), name).toBe(false);
        names.add(name);
      }
    }
  });

  it('keeps suburbs at about 600 to 2,000 properties in a large country, and small ones in a small country', () => {
    expect(tileSize(1_000_000)).toEqual({ cols: 5, rows: 11 });
    expect(tileSize(3_000)).toEqual({ cols: 2, rows: 5 });
  });
});

describe('plane of a town', () => {
  const square = simple([4_000, 7_000, 4_020, 7_000, 4_020, 7_035, 4_000, 7_035]);

  it.each(
    STATES.flatMap(({ capital, towns }) => [capital, ...towns]).map((town) => [town.name, town] as const),
  )('gives the true area of a lot at %s', (_, { lon, lat, turn_deg }) => {
    const frame = new Frame(lon, lat, turn_deg);
    const { coords } = toDegrees(frame, square);
    expect(inAustralia(coords[0]!, coords[1]!)).toBe(true);
    const area = shapeArea(square) * frame.areaScale(4_010, 7_017.5);
    const geometry = { coords, ringEnds: [5], polygonEnds: [1] };
    expect(Math.abs(area - geodesicAreaSqm(geometry))).toBeLessThan(0.005);
  });
});
