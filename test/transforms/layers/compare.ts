import { expect } from 'vitest';

/** What is found for one subject, by name. */
export const at = (out: object, i: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(out as Record<string, ArrayLike<number>>).map(([key, list]) => [key, list[i]!]),
  );

const FLAGS = ['nearest', 'features', 'on', 'top', 'widest'];

/** Numbers of two ways to compute the same: flags and counts identical, distances to 2 mm, areas to 1 part in 10,000. */
export function expectEqual(a: object, b: object): void {
  for (const [key, list] of Object.entries(a as Record<string, ArrayLike<number>>)) {
    const other = (b as Record<string, ArrayLike<number>>)[key]!;
    for (let i = 0; i < list.length; i++) {
      if (FLAGS.includes(key) || list[i] === other[i]) expect([key, i, other[i]]).toEqual([key, i, list[i]]);
      else {
        const tolerance = key.endsWith('_m') ? 0.002 : 0.001 + Math.abs(list[i]!) * 1e-4;
        expect(Math.abs(list[i]! - other[i]!)).toBeLessThan(tolerance);
      }
    }
  }
}

/** The same as lists of one. */
export const single = (out: object, i: number): Record<string, number[]> =>
  Object.fromEntries(Object.entries(at(out, i)).map(([key, value]) => [key, [value]]));
