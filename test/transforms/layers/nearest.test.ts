import { describe, expect, it } from 'vitest';
import { expandBbox } from '../../../schema/grid.ts';
import { type Random, seededRandom } from '../../../tools/sample/random.ts';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { localPlane } from '../../../transforms/geo/plane.ts';
import type { AnyGeometry } from '../../../transforms/geo/wkb.ts';
import { buildFeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import { nearestToPoints } from '../../../transforms/layers/nearest_to_points.ts';
import { prepareParcels } from '../../../transforms/layers/parcel_set.ts';
import { HANG_MS } from '../../waiting.ts';
import { rectangle } from '../shapes.ts';
import { at, expectEqual, single } from './compare.ts';
import {
  anyFeature,
  areaFeature,
  asPieces,
  CENTRE,
  parcelShape,
  placed,
  shuffled,
  uncut,
  wavyRing,
} from './hostile.ts';
import { nearestToParcels } from './nearest_to_parcels.ts';
import { type Measured, measureParcel, measurePoint } from './oracle.ts';

const PLANE = localPlane(CENTRE[0] + 0.01, CENTRE[1] - 0.01);
/** Rounds of each test; a wider search is made with FUZZ_ROUNDS=200. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 6);

/** Degrees beyond which nothing lies within a radius. */
const reach = (within_m: number): number => (within_m * 1.3) / 88_000;

interface Found {
  distance_m: number;
  nearest: number;
  features: number;
  margin_m: number;
}

/** Compares one subject with brute force; leaves out what lies within a millimetre of a limit. */
function expectSame(
  own: Found,
  features: readonly AnyGeometry[],
  all: readonly Measured[],
  within_m: number,
): void {
  const distances = all.map(({ border_m, isIn }) => (isIn ? 0 : border_m));
  const least = Math.min(...distances);
  const tolerance = Math.max(0.05, least * 0.001);
  const isAtLimit = distances.some((d) => Math.abs(d - within_m) < 0.01);
  if (Math.abs(least - within_m) > 0.01) {
    if (least > within_m) expect([own.distance_m, own.nearest]).toEqual([Infinity, -1]);
    else {
      expect(Math.abs(own.distance_m - least)).toBeLessThan(tolerance / 10);
      const first = distances.findIndex((d) => d <= least + 0.001);
      const isAtTie = distances.some((d) => Math.abs(d - least - 0.001) < 0.001);
      if (!isAtTie) expect(own.nearest).toBe(first);
    }
  }
  if (!isAtLimit) expect(own.features).toBe(distances.filter((d) => d <= within_m).length);
  const borders = all.map(({ border_m, hasVertexIn }, i) =>
    features[i]!.kind !== 'polygon' ? Infinity : hasVertexIn ? 0 : border_m,
  );
  const margin = Math.min(...borders);
  if (Math.abs(margin - within_m) < 0.01) return;
  if (margin > within_m) expect(own.margin_m).toBe(Infinity);
  else expect(Math.abs(own.margin_m - margin)).toBeLessThan(Math.max(0.05, margin * 0.001) / 10);
}

function pointsAround(random: Random, count: number): Float64Array {
  return new Float64Array(count * 2).map((_, i) =>
    i % 2 === 0 ? CENTRE[0] + (random.next() - 0.5) * 0.03 : CENTRE[1] + (random.next() - 0.5) * 0.03,
  );
}

const region = expandBbox([CENTRE[0] - 0.07, CENTRE[1] - 0.07, CENTRE[0] + 0.07, CENTRE[1] + 0.07], 2000);

const LAYERS: [string, (random: Random) => AnyGeometry][] = [
  ['areas', (random) => ({ kind: 'polygon', geometry: areaFeature(random) })],
  ['areas, lines and points', anyFeature],
];

describe.each(LAYERS)('%s', (name, makeFeature) => {
  it.each([100, 250, 1000])(
    'points agree with brute force within %d m',
    (within_m) => {
      for (let round = 0; round < ROUNDS; round++) {
        const random = seededRandom(round, `points ${name} ${within_m}`);
        const features = Array.from({ length: 1 + random.int(14) }, () => makeFeature(random));
        const lonlat = pointsAround(random, 20);
        const rank = features.map(() => random.int(3));
        const found = nearestToPoints(buildFeatureLayer(asPieces(features), PLANE, region), lonlat, {
          within_m,
          rank,
        });
        for (let i = 0; i < 20; i++) {
          const all = features.map((each) =>
            measurePoint(each, lonlat[i * 2]!, lonlat[i * 2 + 1]!, reach(within_m)),
          );
          expectSame(at(found, i) as unknown as Found, features, all, within_m);
          const on = all.flatMap(({ isIn }, f) => (isIn ? [f] : []));
          const top = on.reduce((best, f) => (best < 0 || rank[f]! > rank[best]! ? f : best), -1);
          if (!all.some(({ border_m }) => border_m < 0.11)) {
            expect([found.on[i], found.top[i]]).toEqual([on.length > 0 ? 1 : 0, top]);
          }
        }
        const whole = buildFeatureLayer(shuffled(random, uncut(features)), PLANE, region);
        expectEqual(nearestToPoints(whole, lonlat, { within_m, rank }), found);
      }
    },
    ROUNDS * HANG_MS,
  );

  it.each([100, 1000])(
    'parcels agree with Turf and brute force within %d m',
    (within_m) => {
      for (let round = 0; round < ROUNDS; round++) {
        const random = seededRandom(round, `parcels ${name} ${within_m}`);
        const features = Array.from({ length: 1 + random.int(12) }, () => makeFeature(random));
        const parcels = Array.from({ length: 12 }, () => parcelShape(random));
        // a parcel that is itself a feature, and its neighbour
        const first = features.find((each) => each.kind === 'polygon' && each.geometry.coords.length < 400);
        if (first?.kind === 'polygon' && bboxOf(first.geometry.coords)[2] < CENTRE[0] + 0.06)
          parcels.push(first.geometry);
        const rank = features.map(() => random.int(3));
        const options = { within_m, on_min_sqm: 1, rank };
        const layer = buildFeatureLayer(shuffled(random, asPieces(features)), PLANE, region);
        const found = nearestToParcels(layer, prepareParcels(parcels, PLANE), options);
        for (const [i, parcel] of parcels.entries())
          expectParcel(at(found, i), parcel, features, rank, within_m);
        const whole = buildFeatureLayer(uncut(features), PLANE, region);
        const order = shuffled(
          random,
          parcels.map((_, i) => i),
        );
        const again = nearestToParcels(
          whole,
          prepareParcels(
            order.map((i) => parcels[i]!),
            PLANE,
          ),
          options,
        );
        for (const [k, i] of order.entries()) expectEqual(single(found, i), single(again, k));
      }
    },
    ROUNDS * HANG_MS,
  );
});

function expectParcel(
  own: Record<string, number>,
  parcel: MultiPolygon,
  features: readonly AnyGeometry[],
  rank: readonly number[],
  within_m: number,
): void {
  const all = features.map((each) => measureParcel(each, parcel, reach(within_m)));
  expectSame(own as unknown as Found, features, all, within_m);
  const area = geodesicAreaSqm(parcel);
  const widest = Math.max(...all.map(({ overlap_sqm }) => overlap_sqm));
  expect(Math.abs(own.overlap_sqm! - widest)).toBeLessThan(0.001 + widest * 0.0005);
  expect(Math.abs(own.share! - widest / area)).toBeLessThan(0.001 + 0.001 / area);
  if (features.some(({ kind }) => kind === 'line') || all.some((m) => Math.abs(m.overlap_sqm - 1) < 0.02))
    return;
  const on = all.flatMap(({ isIn, overlap_sqm }, f) =>
    (features[f]!.kind === 'polygon' ? overlap_sqm > 1 : isIn) ? [f] : [],
  );
  const top = on.reduce((best, f) => (best < 0 || rank[f]! > rank[best]! ? f : best), -1);
  expect([own.on, own.top]).toEqual([on.length > 0 ? 1 : 0, top]);
}

describe('special cases', () => {
  it('measures many parcels and points together exactly like each alone', () => {
    const random = seededRandom(7, 'together');
    const features = Array.from({ length: 30 }, () => anyFeature(random));
    const layer = buildFeatureLayer(asPieces(features), PLANE, region);
    const parcels = Array.from({ length: 80 }, () => parcelShape(random));
    for (let k = 0; k < 80; k++) {
      // many to a fine cell
      const x = random.next() * 250;
      const y = random.next() * 250;
      parcels.push(placed([[rectangle(x, y, x + 5 + random.next() * 25, y + 30)]]));
    }
    const options = { within_m: 1000, on_min_sqm: 1 };
    const together = nearestToParcels(layer, prepareParcels(shuffled(random, parcels), PLANE), options);
    const mixed = shuffled(seededRandom(8, 'order'), parcels);
    const again = nearestToParcels(layer, prepareParcels(mixed, PLANE), options);
    for (const [i, parcel] of mixed.entries()) {
      const alone = nearestToParcels(layer, prepareParcels([parcel], PLANE), options);
      expect(at(again, i)).toEqual(at(alone, 0));
    }
    for (const key of ['distance_m', 'features', 'margin_m', 'overlap_sqm'] as const)
      expect([...again[key]].sort()).toEqual([...together[key]].sort());
    const lonlat = pointsAround(random, 200);
    const points = nearestToPoints(layer, lonlat, options);
    for (let i = 0; i < 200; i++) {
      const alone = nearestToPoints(layer, lonlat.slice(i * 2, i * 2 + 2), options);
      expect(at(points, i)).toEqual(at(alone, 0));
    }
  });

  it('measures a polygon of 90,000 vertices', () => {
    const random = seededRandom(1, 'wavy');
    const features: AnyGeometry[] = [{ kind: 'polygon', geometry: wavyRing() }];
    const layer = buildFeatureLayer(asPieces(features), PLANE);
    const lonlat = pointsAround(random, 2);
    const points = nearestToPoints(layer, lonlat, { within_m: 1000 });
    for (let i = 0; i < 2; i++) {
      const all = [measurePoint(features[0]!, lonlat[i * 2]!, lonlat[i * 2 + 1]!, 0.02)];
      expectSame(at(points, i) as unknown as Found, features, all, 1000);
      expect(points.on[i]).toBe(all[0]!.isIn ? 1 : 0);
    }
    const parcels = [1, 3].map((k) => placed([[rectangle(k * 450, k * 100, k * 450 + 30, k * 100 + 40)]]));
    const found = nearestToParcels(layer, prepareParcels(parcels, PLANE), { within_m: 1000, on_min_sqm: 1 });
    for (const [i, parcel] of parcels.entries()) expectParcel(at(found, i), parcel, features, [0], 1000);
  });

  it('counts a feature once, however many pieces and parts it has, and finds it from another cell', () => {
    const feature = placed([[rectangle(-9000, 500, 9000, 600)], [rectangle(-9000, 700, 9000, 800)]]);
    const layer = buildFeatureLayer(asPieces([{ kind: 'polygon', geometry: feature }]), PLANE);
    const found = nearestToPoints(layer, Float64Array.from(CENTRE), { within_m: 1000 });
    expect([found.features[0], found.nearest[0]]).toEqual([1, 0]);
    expect(found.distance_m[0]).toBeCloseTo(500, 1);
    expect(found.margin_m[0]).toBe(found.distance_m[0]);
  });

  it('does not take the cuts between cells for borders', () => {
    const feature = placed([[rectangle(-20_000, -900, 20_000, 900)]]);
    const layer = buildFeatureLayer(asPieces([{ kind: 'polygon', geometry: feature }]), PLANE);
    const points = nearestToPoints(layer, Float64Array.from(CENTRE), { within_m: 1000 });
    expect([points.on[0], points.distance_m[0]]).toEqual([1, 0]);
    expect(points.margin_m[0]).toBeCloseTo(900, 0);
    const parcel = prepareParcels([placed([[rectangle(-40, -20, 40, 20)]])], PLANE);
    const parcels = nearestToParcels(layer, parcel, { within_m: 1000, on_min_sqm: 1 });
    expect([parcels.on[0], parcels.share[0], parcels.features[0]]).toEqual([1, 1, 1]);
    expect(parcels.margin_m[0]).toBeCloseTo(880, 0);
  });

  it('keeps slivers off the property, at a distance of 0', () => {
    const parcels = prepareParcels([placed([[rectangle(100, 100, 120, 140)]])], PLANE);
    const feature = placed([[rectangle(119.98, 50, 300, 300)]]);
    const layer = buildFeatureLayer(asPieces([{ kind: 'polygon', geometry: feature }]), PLANE);
    const found = nearestToParcels(layer, parcels, { within_m: 1000, on_min_sqm: 1 });
    expect([found.on[0], found.top[0], found.distance_m[0], found.nearest[0]]).toEqual([0, -1, 0, 0]);
    expect(found.overlap_sqm[0]).toBeCloseTo(0.8, 2);
    expect(nearestToParcels(layer, parcels, { within_m: 1000, on_min_sqm: 0.5 }).on[0]).toBe(1);
  });

  it('knows lines that cross a parcel from lines along its border, and points in it', () => {
    const parcels = prepareParcels(
      [
        placed([[rectangle(0, 0, 20, 40)]]),
        placed([[rectangle(20, 0, 40, 40)]]),
        placed([[rectangle(40, 0, 60, 40)]]),
      ],
      PLANE,
    );
    const along = placed([[rectangle(20, -100, 20, 100)]]).coords.slice(2, 6);
    const across = placed([[rectangle(45, -100, 45, 100)]]).coords.slice(2, 6);
    const features: AnyGeometry[] = [
      { kind: 'line', geometry: { coords: along, lineEnds: [2] } },
      { kind: 'line', geometry: { coords: across, lineEnds: [2] } },
      { kind: 'point', geometry: { coords: placed([[rectangle(30, 20, 31, 21)]]).coords.slice(0, 2) } },
    ];
    const found = nearestToParcels(buildFeatureLayer(asPieces(features), PLANE), parcels, {
      within_m: 1000,
      on_min_sqm: 1,
    });
    expect([...found.on]).toEqual([0, 1, 1]);
    expect([...found.top]).toEqual([-1, 2, 1]);
    expect([...found.features]).toEqual([3, 3, 3]);
    expect([...found.margin_m]).toEqual([Infinity, Infinity, Infinity]);
    for (const distance of found.distance_m) expect(distance).toBeCloseTo(0, 6);
  });

  it('puts a point on a line or point within the tolerance', () => {
    const coords = placed([[rectangle(0, 0, 500, 0)]]).coords.slice(0, 4);
    const layer = buildFeatureLayer(asPieces([{ kind: 'line', geometry: { coords, lineEnds: [2] } }]), PLANE);
    const lonlat = placed([[rectangle(250, 0.05, 260, 0.5)]]).coords;
    const found = nearestToPoints(layer, lonlat, { within_m: 1000 });
    expect([...found.on]).toEqual([1, 1, 0, 0, 1]);
    expect([found.distance_m[0], found.top[0]]).toEqual([0, 0]);
  });

  it('finds nothing without features nearby, and for subjects without coordinates', () => {
    expect(buildFeatureLayer([], PLANE)).toBeNull();
    const lonlat = Float64Array.from([...CENTRE, Number.NaN, Number.NaN]);
    const parcels = prepareParcels([placed([[rectangle(0, 0, 20, 40)]]), placed([])], PLANE);
    const options = { within_m: 1000, on_min_sqm: 1 };
    expect(nearestToPoints(null, lonlat, options).nearest).toEqual(Int32Array.of(-1, -1));
    expect(nearestToParcels(null, parcels, options).distance_m).toEqual(Float64Array.of(Infinity, Infinity));
    const near: AnyGeometry[] = [{ kind: 'polygon', geometry: placed([[rectangle(-5, -5, 5, 5)]]) }];
    const layer = buildFeatureLayer(asPieces(near), PLANE);
    expect([...nearestToPoints(layer, lonlat, options).on]).toEqual([1, 0]);
    expect([...nearestToParcels(layer, parcels, options).features]).toEqual([1, 0]);
    const far = Float64Array.of(120, -20, 150, -25);
    expect([...nearestToPoints(layer, far, options).nearest]).toEqual([-1, -1]);
  });
});
