import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intervalWithin, pointSegmentDistance } from '../../../transforms/geo/distance.ts';

describe('pointSegmentDistance', () => {
  it.each([
    { name: 'beside the segment', p: [5, 3], expected: 3 },
    { name: 'beyond its end', p: [13, 4], expected: 5 },
    { name: 'before its start', p: [-3, -4], expected: 5 },
    { name: 'on it', p: [7, 0], expected: 0 },
  ])('$name', ({ p, expected }) => {
    expect(pointSegmentDistance(p[0]!, p[1]!, 0, 0, 10, 0)).toBe(expected);
  });

  it('takes a segment of no length as a point', () => {
    expect(pointSegmentDistance(3, 4, 0, 0, 0, 0)).toBe(5);
  });
});

describe('intervalWithin', () => {
  const out = new Float64Array(2);
  it.each([
    { name: 'the same segment', ab: [0, 0, 10, 0], expected: [0, 1] },
    { name: 'the same segment the other way', ab: [10, 0, 0, 0], expected: [0, 1] },
    { name: 'the middle part', ab: [4, 0, 6, 0], expected: [0.3, 0.7] },
    { name: 'parallel at exactly the radius', ab: [4, 1, 6, 1], expected: [0.4, 0.6] },
    { name: 'parallel beyond the radius', ab: [4, 1.001, 6, 1.001], expected: null },
    { name: 'crossing at a right angle', ab: [5, -5, 5, 5], expected: [0.4, 0.6] },
    { name: 'touching with an end', ab: [5, 0, 5, 5], expected: [0.4, 0.6] },
    { name: 'a point', ab: [5, 0.6, 5, 0.6], expected: [0.42, 0.58] },
    { name: 'beyond the end', ab: [11.5, 0, 20, 0], expected: null },
  ])('$name', ({ ab, expected }) => {
    const found = intervalWithin(0, 0, 10, 0, ab[0]!, ab[1]!, ab[2]!, ab[3]!, 1, out, 0);
    expect(found).toBe(expected !== null);
    if (expected) {
      expect(out[0]).toBeCloseTo(expected[0]!, 12);
      expect(out[1]).toBeCloseTo(expected[1]!, 12);
    }
  });

  it('holds exactly the points that pointSegmentDistance finds within the radius', () => {
    const at = fc.double({ min: -3, max: 3, noNaN: true });
    const radius = fc.constantFrom(0.05, 0.2, 1);
    fc.assert(
      fc.property(fc.array(at, { minLength: 8, maxLength: 8 }), radius, ([px, py, qx, qy, ...ab], r) => {
        fc.pre(Math.hypot(qx! - px!, qy! - py!) > 1e-6);
        const [ax, ay, bx, by] = ab as [number, number, number, number];
        const found = intervalWithin(px!, py!, qx!, qy!, ax, ay, bx, by, r, out, 0);
        for (let k = 0; k <= 50; k++) {
          const t = k / 50;
          const x = px! + t * (qx! - px!);
          const y = py! + t * (qy! - py!);
          const distance = pointSegmentDistance(x, y, ax, ay, bx, by);
          if (Math.abs(distance - r) < 1e-9) continue;
          expect(found && t >= out[0]! && t <= out[1]!).toBe(distance < r);
        }
      }),
      { numRuns: 500 },
    );
  });
});
