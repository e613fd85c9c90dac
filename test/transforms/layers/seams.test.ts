import { booleanPointInPolygon } from '@turf/turf';
import geodesic from 'geographiclib-geodesic';
import { describe, expect, it } from 'vitest';
import { expandBbox } from '../../../schema/grid.ts';
import { seededRandom } from '../../../tools/sample/random.ts';
import { distanceToArea } from '../../../transforms/geo/area_distance.ts';
import { toGeoJson } from '../../../transforms/geo/geometry.ts';
import { cutIntoCells } from '../../../transforms/geo/pieces.ts';
import { localPlane } from '../../../transforms/geo/plane.ts';
import { buildPointLookup } from '../../../transforms/geo/point_lookup.ts';
import { assemblePolygons } from '../../../transforms/geo/rings.ts';
import { type AnyGeometry, encodeWkb } from '../../../transforms/geo/wkb.ts';
import { buildFeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import { nearestToPoints } from '../../../transforms/layers/nearest_to_points.ts';
import { prepareParcels } from '../../../transforms/layers/parcel_set.ts';
import { buildPointIndex, nearestPlaces } from '../../../transforms/places/proximity.ts';
import { expectEqual } from './compare.ts';
import {
  anyFeature,
  areaFeature,
  asPieces,
  CENTRE,
  moved,
  parcelShape,
  SEAMS,
  shuffled,
  uncut,
  wavyRing,
} from './hostile.ts';
import { nearestToParcels } from './nearest_to_parcels.ts';
import { measurePoint, turfOverlap } from './oracle.ts';
import { overlapShares } from './overlap_shares.ts';

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 1);
const grs80 = new geodesic.Geodesic.Geodesic(6378137, 1 / 298.257222101);
const around = (lon: number) =>
  expandBbox([lon - 0.07, CENTRE[1] - 0.07, lon + 0.07, CENTRE[1] + 0.07], 2000);
const movedAll = (features: readonly AnyGeometry[], east: number): AnyGeometry[] =>
  features.map((each) => ({ ...each, geometry: moved<never>(each.geometry as never, east) }));

describe.each(SEAMS)('at longitude %d', (lon) => {
  const east = lon - CENTRE[0];

  it('hazards are those of the same shapes elsewhere, seen from the plane of any of the cells', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = seededRandom(round, 'seams');
      const features = Array.from({ length: 10 }, () => anyFeature(random));
      if (round === 0 && lon === 144) features.push({ kind: 'polygon', geometry: wavyRing() });
      const parcels = Array.from({ length: 20 }, () => parcelShape(random));
      const points = new Float64Array(60).map((_, i) => CENTRE[i % 2]! + (random.next() - 0.5) * 0.03);
      const options = { within_m: 1000, on_min_sqm: 1 };
      const plane = localPlane(CENTRE[0] + 0.025, CENTRE[1] + 0.025);
      const layer = buildFeatureLayer(asPieces(features), plane, around(CENTRE[0]));
      const expected = [
        nearestToPoints(layer, points, options),
        nearestToParcels(layer, prepareParcels(parcels, plane), options),
      ] as const;
      for (const [x, y] of [
        [0.025, 0.025],
        [-0.025, -0.025],
        [0.025, -0.025],
      ] as const) {
        const other = localPlane(lon + x, CENTRE[1] + y);
        const pieces = shuffled(random, asPieces(movedAll(features, east)));
        const own = buildFeatureLayer(pieces, other, around(lon));
        const at = moved({ coords: points }, east).coords;
        expectEqual(nearestToPoints(own, at, options), expected[0]);
        const there = prepareParcels(
          parcels.map((each) => moved(each, east)),
          other,
        );
        expectEqual(nearestToParcels(own, there, options), expected[1]);
        // the pieces of the whole country, or those that the cell is given
        const whole = buildFeatureLayer(pieces, other);
        expect(nearestToPoints(whole, at, options)).toEqual(nearestToPoints(own, at, options));
        expect(nearestToParcels(whole, there, options)).toEqual(nearestToParcels(own, there, options));
      }
    }
  });

  it('shares of overlays are those of Turf, of 90,000 vertices too', () => {
    const random = seededRandom(lon, 'shares');
    const features = [wavyRing(), ...Array.from({ length: 5 }, () => areaFeature(random))].map((each) =>
      moved(each, east),
    );
    const parcels = [...Array.from({ length: 8 }, () => parcelShape(random)), ...atBorder()].map((each) =>
      moved(each, east),
    );
    const pieces = features.flatMap((geometry, feature) =>
      [...cutIntoCells(geometry)].map((piece) => ({ ...piece, feature })),
    );
    const found = overlapShares(shuffled(random, pieces), parcels);
    for (const [parcel, shape] of parcels.entries()) {
      for (const [feature, other] of features.entries()) {
        // Turf takes seconds for the whole ring, so it is given the part at the lot
        const at = parcel - (parcels.length - BORDER.length);
        if (feature === 0 && at < 0) continue;
        const expected = turfOverlap(shape, feature === 0 ? moved(wedge(BORDER[at]!), east) : other);
        const own =
          found.find((each) => each.parcel === parcel && each.feature === feature)?.overlap_sqm ?? 0;
        expect(Math.abs(own - expected)).toBeLessThan(0.0005 + expected * 0.0005);
      }
    }
  });

  it('points are in the regions that Turf says, of any order, cut or whole', () => {
    const random = seededRandom(lon, 'regions');
    const shapes = Array.from({ length: 25 }, () => moved(areaFeature(random), east));
    shapes.push(moved(wavyRing(), east));
    const lookup = buildPointLookup(shapes.map(encodeWkb));
    const order = shuffled(random, [...shapes.keys()]);
    const mixed = buildPointLookup(order.map((i) => encodeWkb(shapes[i]!)));
    const pieces = shapes.flatMap((shape, region) =>
      [...cutIntoCells(shape)].map(({ geometry }) => ({ region, geometry })),
    );
    const cut = buildPointLookup(pieces.map(({ geometry }) => encodeWkb(geometry)));
    for (let k = 0; k < 40; k++) {
      const [x, y] = [lon + (random.next() - 0.5) * 0.03, CENTRE[1] + (random.next() - 0.5) * 0.03];
      const expected = [...shapes.keys()].filter((i) => booleanPointInPolygon([x, y], toGeoJson(shapes[i]!)));
      expect(lookup.all(x, y)).toEqual(expected);
      expect(lookup.find(x, y)).toBe(expected.length);
      expect(
        mixed
          .all(x, y)
          .map((i) => order[i]!)
          .sort((a, b) => a - b),
      ).toEqual(expected);
      expect([...new Set(cut.all(x, y).map((i) => pieces[i]!.region))].sort((a, b) => a - b)).toEqual(
        expected,
      );
    }
  });

  it('places are as far as the geodesic says, from the plane of any cell, and as far as their edge', () => {
    const random = seededRandom(lon, 'places');
    const lonlat = (count: number, size: number) =>
      new Float64Array(count * 2).map(
        (_, i) => (i % 2 === 0 ? lon : CENTRE[1]) + (random.next() - 0.5) * size,
      );
    const [places, subjects] = [lonlat(200, 0.12), lonlat(15, 0.05)];
    for (const x of [-0.025, 0.025]) {
      const index = buildPointIndex(places, localPlane(lon + x, CENTRE[1]));
      const found = nearestPlaces(index, subjects, { within_m: 5000, most: 8 });
      for (let i = 0; i < 15; i++) {
        const all = Array.from({ length: 200 }, (_, item) => ({
          item,
          m: grs80.Inverse(subjects[i * 2 + 1]!, subjects[i * 2]!, places[item * 2 + 1]!, places[item * 2]!)
            .s12!,
        })).sort((a, b) => a.m - b.m);
        const from = found.first[i]!;
        expect([...found.items.subarray(from, from + found.count[i]!)]).toEqual(
          all.slice(0, 8).map(({ item }) => item),
        );
        for (let k = 0; k < 8; k++)
          expect(Math.abs(found.distance_m[from + k]! - all[k]!.m)).toBeLessThan(0.05);
      }
    }
    for (let k = 0; k < 30; k++) {
      const area = moved(areaFeature(random), east);
      const [x, y] = lonlat(1, 0.03) as unknown as [number, number];
      const { border_m, isIn } = measurePoint({ kind: 'polygon', geometry: area }, x, y, 0.06);
      const own = Math.min(...[...cutIntoCells(area)].map(({ geometry }) => distanceToArea(geometry, x, y)));
      const expected = isIn ? 0 : border_m;
      if (expected < 5000) expect(Math.abs(own - expected)).toBeLessThan(Math.max(0.05, expected * 0.001));
    }
  });
});

it('a ring that crosses itself is, repaired, on the property where the even-odd rule has it', () => {
  const random = seededRandom(11, 'bow ties');
  for (let round = 0; round < 4; round++) {
    const ring = Array.from({ length: 5 + random.int(4) }, () => [
      CENTRE[0] + (random.next() - 0.5) * 0.02,
      CENTRE[1] + (random.next() - 0.5) * 0.02,
    ]);
    ring.push(ring[0]!);
    const coords = Float64Array.from(ring.flat());
    const { geometry, repaired } = assemblePolygons(coords, [ring.length]);
    const plane = localPlane(...CENTRE);
    const layer = buildFeatureLayer(asPieces([{ kind: 'polygon', geometry: geometry! }]), plane);
    const points = new Float64Array(120).map((_, i) => CENTRE[i % 2]! + (random.next() - 0.5) * 0.024);
    const found = nearestToPoints(layer, points, { within_m: 1000 });
    const original: AnyGeometry = {
      kind: 'polygon',
      geometry: { coords, ringEnds: [ring.length], polygonEnds: [1] },
    };
    expect(repaired === null || repaired!.includes('self_intersection_split')).toBe(true);
    for (let i = 0; i < 60; i++) {
      const { border_m, isIn } = measurePoint(original, points[i * 2]!, points[i * 2 + 1]!, 0.02);
      if (border_m < 0.01) continue;
      expect(found.on[i]).toBe(isIn ? 1 : 0);
      const expected = isIn ? 0 : border_m;
      if (expected < 999) expect(Math.abs(found.distance_m[i]! - expected)).toBeLessThan(0.05);
    }
    const uncutLayer = buildFeatureLayer(uncut([{ kind: 'polygon', geometry: geometry! }]), plane);
    expectEqual(nearestToPoints(uncutLayer, points, { within_m: 1000 }), found);
  }
});

/** Vertices of the ring of 90,000 on which lots lie. */
const BORDER = [30_000, 45_000, 70_001];

/** Lots on the border of the ring of 90,000 vertices. */
function atBorder() {
  const { coords } = wavyRing();
  return BORDER.map((v) => {
    const [x, y] = [coords[v * 2]! - 1e-4, coords[v * 2 + 1]! - 1e-4];
    const ring = [
      [x, y],
      [x + 2e-4, y],
      [x + 2e-4, y + 3e-4],
      [x, y + 3e-4],
      [x, y],
    ];
    return { coords: Float64Array.from(ring.flat()), ringEnds: [5], polygonEnds: [1] };
  });
}

/** The ring's part from its middle to 1,000 vertices on either side of one. */
function wedge(v: number) {
  const part = wavyRing().coords.slice((v - 1000) * 2, (v + 1001) * 2);
  const coords = Float64Array.of(...CENTRE, ...part, ...CENTRE);
  return { coords, ringEnds: [coords.length / 2], polygonEnds: [1] };
}
