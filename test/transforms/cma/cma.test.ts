import { describe, expect, it } from 'vitest';
import { DISTANCE_COSTS, DISTANCE_SCALES } from '../../../transforms/cma/comparable_distance.ts';
import {
  COMPARABLES,
  comparablesEstimate,
  comparablesFor,
  makeRanked,
  rankComparables,
} from '../../../transforms/cma/comparables.ts';
import {
  buildPointGrid,
  makeFound,
  metresBetween,
  nearestPoints,
  pointsWithin,
} from '../../../transforms/cma/point_grid.ts';
import {
  buildSalesIndex,
  type SubjectProperty,
  searchedWithin,
  subjectOf,
} from '../../../transforms/cma/sales_index.ts';
import { selectSales } from '../../../transforms/property/home_table.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';
import { FIRST_DAY, syntheticCity } from '../avm/synthetic_city.ts';

const CITY = syntheticCity(3000);
const INDEX = buildSalesIndex(CITY);
const AS_OF = FIRST_DAY + 850;

/** Squared distance written out from its definition. */
function squaredDistance(subject: SubjectProperty, sale: number): number {
  const { sales } = INDEX;
  const scaled = (a: number, b: number, scale: number, cost: number): number =>
    Number.isNaN(a - b) ? cost : ((a - b) / scale) ** 2;
  const s = DISTANCE_SCALES;
  const c = DISTANCE_COSTS;
  const km = metresBetween(subject.lon, subject.lat, sales.lon[sale]!, sales.lat[sale]!) / 1000;
  const isUnit = subject.dwelling_type === 'unit';
  return (
    (km / s.km) ** 2 +
    ((AS_OF - sales.day[sale]!) / s.days) ** 2 +
    scaled(subject.bedrooms, sales.bedrooms[sale]!, s.bedrooms, c.bedrooms) +
    scaled(subject.bathrooms, sales.bathrooms[sale]!, s.bathrooms, c.bathrooms) +
    scaled(subject.parking, sales.parking[sale]!, s.parking, c.parking) +
    (isUnit
      ? 0
      : scaled(Math.log(subject.land_area_sqm), Math.log(sales.land_area_sqm[sale]!), s.ln_land, c.ln_land)) +
    scaled(Math.log(subject.floor_area_sqm), Math.log(sales.floor_area_sqm[sale]!), s.ln_floor, c.ln_floor) +
    scaled(subject.year_built, sales.year_built[sale]!, s.year_built, c.year_built) +
    (subject.area === sales.area[sale] ? 0 : c.other_area)
  );
}

/** All candidates by likeness, by looking at every sale. */
function bruteForceRank(subject: SubjectProperty): number[] {
  const { sales } = INDEX;
  const all = Array.from({ length: sales.length }, (_, i) => i).filter(
    (i) =>
      sales.dwelling_type[i] === subject.dwelling_type &&
      sales.day[i]! <= AS_OF &&
      sales.day[i]! >= AS_OF - COMPARABLES.max_age_days &&
      sales.property[i] !== subject.property &&
      metresBetween(subject.lon, subject.lat, sales.lon[i]!, sales.lat[i]!) <= COMPARABLES.max_m,
  );
  const distance = (i: number): number =>
    metresBetween(subject.lon, subject.lat, sales.lon[i]!, sales.lat[i]!);
  const candidates = all.sort((a, b) => distance(a) - distance(b) || b - a).slice(0, COMPARABLES.candidates);
  const d2 = new Map(candidates.map((i) => [i, squaredDistance(subject, i)]));
  return candidates.sort((a, b) => d2.get(a)! - d2.get(b)! || sales.day[b]! - sales.day[a]! || a - b);
}

/** The set as its definition reads: of each home the most alike sale, none below the least score. */
function bruteForceSet(subject: SubjectProperty, top: number): number[] {
  const { property } = INDEX.sales;
  const alike = bruteForceRank(subject).filter(
    (sale) => Math.exp(-0.25 * Math.sqrt(squaredDistance(subject, sale))) >= COMPARABLES.least_score,
  );
  return alike
    .filter((sale, k) => alike.findIndex((other) => property[other] === property[sale]) === k)
    .slice(0, top);
}

const RANDOM = seededRandom(4, 4);
const SUBJECTS = Array.from({ length: 60 }, () => subjectOf(CITY, RANDOM.int(CITY.length)));

describe('comparables', () => {
  it('are those that looking at every sale gives', () => {
    for (const subject of SUBJECTS) {
      const set = comparablesFor(INDEX, subject, AS_OF);
      expect(set.map(({ sale }) => sale)).toEqual(bruteForceSet(subject, COMPARABLES.top));
      set.forEach(({ sale, parts, dist_score }) => {
        const total = Object.values(parts).reduce((sum, own) => sum + own, 0);
        expect(total).toBeCloseTo(squaredDistance(subject, sale), 9);
        expect(dist_score).toBeCloseTo(Math.exp(-0.25 * Math.sqrt(total)), 12);
      });
      const scores = set.map(({ dist_score }) => dist_score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
  });

  it('include a home once, by its most similar sale', () => {
    const twin = { ...subjectOf(CITY, 0), property: 'subject' };
    const rows = selectSales(CITY, [0, 0, 0, 0]);
    const sales = {
      ...rows,
      id: ['a', 'b', 'c', 'd'],
      property: ['x', 'x', 'y', ''],
      day: Int32Array.of(AS_OF - 300, AS_OF - 10, AS_OF - 200, AS_OF - 250),
    };
    const set = comparablesFor(buildSalesIndex(sales), twin, AS_OF);
    expect(set.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  it('are fewer for an unusual home, and empty without any similar sale', () => {
    const subject = { ...SUBJECTS[0]!, dwelling_type: 'house', land_area_sqm: 500, property: 'subject' };
    const farm = { ...subject, land_area_sqm: 80e6 };
    expect(comparablesFor(INDEX, farm, AS_OF)).toEqual([]);
    const sizes = [500, 3000, 9000].map(
      (land_area_sqm) => comparablesFor(INDEX, { ...subject, land_area_sqm }, AS_OF).length,
    );
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes[0]).toBe(COMPARABLES.top);
    expect(sizes[2]).toBeLessThan(COMPARABLES.top);
  });

  it('are the same from an index of only the sales searched', () => {
    const oldest = AS_OF - 200;
    const params = { ...COMPARABLES, max_age_days: 200 };
    const recent = searchedWithin(INDEX, oldest, AS_OF);
    expect(recent.everything.items).toHaveLength(
      CITY.day.filter((day) => day >= oldest && day <= AS_OF).length,
    );
    for (const subject of SUBJECTS)
      expect(comparablesFor(recent, subject, AS_OF, params)).toEqual(
        comparablesFor(INDEX, subject, AS_OF, params),
      );
  });

  it('are of the type, before the day, and never of the property itself', () => {
    for (const subject of SUBJECTS) {
      for (const { sale, property, day } of comparablesFor(INDEX, subject, AS_OF)) {
        expect(INDEX.sales.dwelling_type[sale]).toBe(subject.dwelling_type);
        expect(day).toBeLessThanOrEqual(AS_OF);
        expect(property).not.toBe(subject.property);
      }
    }
  });

  it('order equals by the newer sale, then the lower id', () => {
    const twin = { ...subjectOf(CITY, 0), property: 'subject' };
    const rows = selectSales(CITY, [0, 0, 0]);
    const sales = {
      ...rows,
      id: ['b', 'a', 'c'],
      property: ['x', 'y', 'z'],
      day: Int32Array.of(AS_OF - 10, AS_OF - 10, AS_OF - 10),
    };
    const set = comparablesFor(buildSalesIndex(sales), twin, AS_OF);
    expect(set.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const newer = { ...sales, day: Int32Array.of(AS_OF - 10, AS_OF - 10, AS_OF + 10) };
    const timeless = { ...COMPARABLES, scales: { ...COMPARABLES.scales, days: Infinity } };
    expect(comparablesFor(buildSalesIndex(newer), twin, AS_OF + 10, timeless).map(({ id }) => id)).toEqual([
      'c',
      'a',
      'b',
    ]);
  });

  it('carry the price to the day by the level of the type', () => {
    const month = Math.floor((FIRST_DAY / 365.25) * 12);
    const flat = new Float64Array(40);
    const rising = Float64Array.from(flat, (_, m) => 0.01 * m);
    const levels = { first_month: month, by_type: new Map([['house', rising]]), pooled: flat };
    for (const subject of SUBJECTS.slice(0, 10)) {
      for (const own of comparablesFor(INDEX, subject, AS_OF, { ...COMPARABLES, levels })) {
        if (subject.dwelling_type !== 'house') expect(own.adjusted_price).toBe(own.price);
        else expect(own.adjusted_price).toBeGreaterThanOrEqual(own.price);
      }
    }
  });

  it('are empty for a subject without coordinates, or of a type that never sold', () => {
    expect(comparablesFor(INDEX, { ...SUBJECTS[0]!, lon: NaN }, AS_OF)).toEqual([]);
    expect(comparablesFor(INDEX, { ...SUBJECTS[0]!, dwelling_type: 'villa' }, AS_OF)).toEqual([]);
    expect(comparablesEstimate([])).toBeNull();
  });

  it('do not depend on the order of the sales', () => {
    const reversed = buildSalesIndex(
      selectSales(
        CITY,
        Array.from({ length: CITY.length }, (_, i) => CITY.length - 1 - i),
      ),
    );
    for (const subject of SUBJECTS)
      expect(comparablesFor(reversed, subject, AS_OF)).toEqual(comparablesFor(INDEX, subject, AS_OF));
  });

  it('rank without an object per sale as with them', () => {
    const ranked = makeRanked(COMPARABLES.top);
    for (const subject of SUBJECTS) {
      rankComparables(INDEX, subject, AS_OF, COMPARABLES, ranked);
      expect([...ranked.sales.subarray(0, ranked.n)]).toEqual(
        bruteForceRank(subject).slice(0, COMPARABLES.top),
      );
    }
  });
});

describe('the point grid', () => {
  const random = seededRandom(8, 8);
  const n = 2000;
  const lon = Float64Array.from({ length: n }, () => 150 + 0.2 * random.next());
  const lat = Float64Array.from({ length: n }, () => -34 + 0.2 * random.next());
  const grid = buildPointGrid(
    lon,
    lat,
    Array.from({ length: n }, (_, i) => i).filter((i) => i % 7 > 0),
  );
  const brute = (x: number, y: number, from: number, to: number): { item: number; m: number }[] =>
    Array.from({ length: n }, (_, item) => ({ item, m: metresBetween(x, y, lon[item]!, lat[item]!) }))
      .filter(({ item }) => item % 7 > 0 && item >= from && item < to)
      .sort((a, b) => a.m - b.m || b.item - a.item);

  it('finds what looking at every point finds', () => {
    const found = makeFound();
    for (let k = 0; k < 200; k++) {
      const [x, y] = [150 + 0.2 * random.next(), -34 + 0.2 * random.next()];
      const from = random.int(n);
      const to = from + random.int(n - from);
      const all = brute(x, y, from, to);
      pointsWithin(grid, x, y, 1500, from, to, found);
      const inside = all.filter(({ m }) => m <= 1500).map(({ item }) => item);
      expect([...found.items.subarray(0, found.n)].sort((a, b) => a - b)).toEqual(
        inside.sort((a, b) => a - b),
      );
      nearestPoints(grid, x, y, 25, 5000, from, to, found);
      const nearest = all
        .filter(({ m }) => m <= 5000)
        .slice(0, 25)
        .map(({ item }) => item);
      expect([...found.items.subarray(0, found.n)].sort((a, b) => a - b)).toEqual(
        nearest.sort((a, b) => a - b),
      );
    }
  });

  it('ignores points without coordinates, and finds nothing if it is empty', () => {
    const found = makeFound();
    const empty = buildPointGrid(Float64Array.of(NaN), Float64Array.of(-34), [0]);
    nearestPoints(empty, 150, -34, 5, 12_000, 0, 1, found);
    expect(found.n).toBe(0);
  });
});
