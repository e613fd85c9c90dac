import { describe, expect, it } from 'vitest';
import { gda2020ToGda94 } from '../../../tools/sample/gda94.ts';
import { gda94ToGda2020 } from '../../../transforms/geo/datum.ts';

/** [place, GDA94 lat, lon, GDA2020 lat, lon, metres moved]. */
const VECTORS = [
  ['Sydney', -33.8688, 151.2093, -33.868787317, 151.20930543, 1.49],
  ['Melbourne', -37.8136, 144.9631, -37.813586837, 144.963105937, 1.55],
  ['Brisbane', -27.4698, 153.0251, -27.469787445, 153.025106034, 1.51],
  ['Perth', -31.9505, 115.8605, -31.950486607, 115.860510705, 1.8],
  ['Adelaide', -34.9285, 138.6007, -34.928486469, 138.600707243, 1.64],
  ['Hobart', -42.8821, 147.3272, -42.88208704, 147.327204852, 1.49],
  ['Darwin', -12.4634, 130.8456, -12.46338612, 130.84560871, 1.8],
] as const;

describe('GDA94 to GDA2020', () => {
  it.each(VECTORS)('moves %s by the national transformation', (_, lat94, lon94, lat20, lon20, metres) => {
    const p = Float64Array.of(lon94, lat94);
    gda94ToGda2020(p);
    expect(Math.abs(p[0]! - lon20)).toBeLessThan(1e-9);
    expect(Math.abs(p[1]! - lat20)).toBeLessThan(1e-9);
    const east = (p[0]! - lon94) * 111_320 * Math.cos((lat94 * Math.PI) / 180);
    const north = (p[1]! - lat94) * 110_900;
    expect(east).toBeGreaterThan(0.35);
    expect(north).toBeGreaterThan(1.3);
    expect(Math.abs(Math.hypot(east, north) - metres)).toBeLessThan(0.02);
  });

  it('gives the published position of the Alice Springs station', () => {
    const dms = (d: number, m: number, s: number): number => d + m / 60 + s / 3600;
    const p = Float64Array.of(dms(133, 53, 7.847844), -dms(23, 40, 12.446019));
    gda94ToGda2020(p);
    // to five decimals of a second; height 0 in place of 603 m moves it by less than that
    expect(Math.abs(p[0]! - dms(133, 53, 7.87779))).toBeLessThan(1e-5 / 3600 + 1e-9);
    expect(Math.abs(p[1]! + dms(23, 40, 12.3965))).toBeLessThan(1e-5 / 3600 + 1e-9);
  });

  it('returns to where it came from', () => {
    const start = Float64Array.from(VECTORS.flatMap((v) => [v[2], v[1]]));
    const p = start.slice();
    gda94ToGda2020(p);
    gda2020ToGda94(p);
    p.forEach((v, i) => {
      expect(Math.abs(v - start[i]!)).toBeLessThan(2e-13);
    });
  });
});
