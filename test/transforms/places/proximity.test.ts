import geodesic from 'geographiclib-geodesic';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../tools/sample/random.ts';
import { localPlane } from '../../../transforms/geo/plane.ts';
import { buildPointIndex, nearestPlaces } from '../../../transforms/places/proximity.ts';
import { shuffled } from '../layers/hostile.ts';
import { countPlaces } from './count_places.ts';

const grs80 = new geodesic.Geodesic.Geodesic(6378137, 1 / 298.257222101);
const [LON, LAT] = [145.025, -37.825];
const PLANE = localPlane(LON, LAT);

const scattered = (random: Random, count: number, size: number): Float64Array =>
  new Float64Array(count * 2).map((_, i) => (i % 2 === 0 ? LON : LAT) + (random.next() - 0.5) * size);

/** All points with their geodesic distances, nearest first. */
function brute(lonlat: Float64Array, lon: number, lat: number): { item: number; m: number }[] {
  const all = Array.from({ length: lonlat.length / 2 }, (_, item) => ({
    item,
    m: grs80.Inverse(lat, lon, lonlat[item * 2 + 1]!, lonlat[item * 2]!).s12!,
  }));
  return all.sort((a, b) => a.m - b.m || a.item - b.item);
}

describe('nearestPlaces and countPlaces', () => {
  it.each([
    [5000, Infinity, 0.2],
    [5000, 10, 0.2],
    [20_000, 1, 0.3],
    [1000, 20, 0.05],
    [120, 3, 0.02],
  ])('within %d m, at most %d, agree with GeographicLib', (within_m, most, size) => {
    for (let round = 0; round < 10; round++) {
      const random = seededRandom(round, `proximity ${within_m} ${most}`);
      const count = [1, 7, 120, 500][round % 4]!;
      const places = scattered(random, count, size);
      const category = Uint8Array.from({ length: count }, () => random.int(3));
      const subjects = scattered(random, 25, 0.05);
      const index = buildPointIndex(places, PLANE, category, 3);
      const found = nearestPlaces(index, subjects, { within_m, most });
      const counts = countPlaces(index, subjects, within_m);
      for (let i = 0; i < 25; i++) {
        const all = brute(places, subjects[i * 2]!, subjects[i * 2 + 1]!);
        for (let c = 0; c < 3; c++) {
          const own = all.filter(({ item }) => category[item] === c);
          if (own.some(({ m }) => Math.abs(m - within_m) < within_m * 1e-4)) continue;
          const within = own.filter(({ m }) => m <= within_m);
          const slot = i * 3 + c;
          expect(counts[slot]).toBe(within.length);
          const expected = within.slice(0, most);
          expect(found.count[slot]).toBe(expected.length);
          const from = found.first[slot]!;
          expected.forEach(({ item, m }, k) => {
            expect(Math.abs(found.distance_m[from + k]! - m)).toBeLessThan(Math.max(0.005, m * 1e-4));
            const isTie = within.some((other) => other.item !== item && Math.abs(other.m - m) < 1 + m * 1e-4);
            if (!isTie) expect(found.items[from + k]).toBe(item);
          });
        }
      }
    }
  });

  it('gives the same whatever the order of subjects and the others among them', () => {
    const random = seededRandom(5, 'order');
    const places = scattered(random, 400, 0.1);
    const index = buildPointIndex(places, PLANE);
    const subjects = scattered(random, 200, 0.05);
    const order = shuffled(
      random,
      Array.from({ length: 200 }, (_, i) => i),
    );
    const mixed = Float64Array.from(order.flatMap((i) => [subjects[i * 2]!, subjects[i * 2 + 1]!]));
    const list = (found: ReturnType<typeof nearestPlaces>, i: number): unknown[] => {
      const [from, to] = [found.first[i]!, found.first[i]! + found.count[i]!];
      return [[...found.items.subarray(from, to)], [...found.distance_m.subarray(from, to)]];
    };
    const found = nearestPlaces(index, subjects, { within_m: 3000, most: 5 });
    const again = nearestPlaces(index, mixed, { within_m: 3000, most: 5 });
    const alone = nearestPlaces(index, subjects.subarray(0, 2), { within_m: 3000, most: 5 });
    for (const [k, i] of order.entries()) expect(list(again, k)).toEqual(list(found, i));
    expect(list(alone, 0)).toEqual(list(found, 0));
  });

  it('puts equally near ones in the order of their numbers', () => {
    const place = [LON + 0.001, LAT];
    const index = buildPointIndex(Float64Array.from([place, place, [LON, LAT], place].flat()), PLANE);
    const found = nearestPlaces(index, Float64Array.of(LON, LAT), { within_m: 1000, most: 3 });
    expect([...found.items]).toEqual([2, 0, 1]);
    expect(found.distance_m[0]).toBe(0);
  });

  it('takes places and subjects without coordinates, and none at all', () => {
    const nothing = Float64Array.of(Number.NaN, Number.NaN);
    const index = buildPointIndex(Float64Array.of(Number.NaN, Number.NaN, LON, LAT), PLANE);
    const found = nearestPlaces(index, Float64Array.of(Number.NaN, 1, LON, LAT), { within_m: 100 });
    expect([...found.count]).toEqual([0, 1]);
    expect([...found.items]).toEqual([1]);
    expect([...countPlaces(index, nothing, 100)]).toEqual([0]);
    const empty = buildPointIndex(new Float64Array(0), PLANE);
    expect([...countPlaces(empty, Float64Array.of(LON, LAT), 100)]).toEqual([0]);
    expect([...nearestPlaces(empty, Float64Array.of(LON, LAT), { within_m: 100, most: 1 }).count]).toEqual([
      0,
    ]);
  });
});
