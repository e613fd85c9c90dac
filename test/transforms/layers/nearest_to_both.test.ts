import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../tools/sample/random.ts';
import { localPlane } from '../../../transforms/geo/plane.ts';
import type { AnyGeometry } from '../../../transforms/geo/wkb.ts';
import { buildFeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import { nearestToBoth } from '../../../transforms/layers/nearest_to_both.ts';
import { nearestToPoints } from '../../../transforms/layers/nearest_to_points.ts';
import { prepareParcels } from '../../../transforms/layers/parcel_set.ts';
import { rectangle } from '../shapes.ts';
import { anyFeature, areaFeature, asPieces, CENTRE, parcelShape, placed } from './hostile.ts';
import { nearestToParcels } from './nearest_to_parcels.ts';

const PLANE = localPlane(CENTRE[0] + 0.01, CENTRE[1] - 0.01);
const MAKERS: [string, (random: Random) => AnyGeometry][] = [
  ['areas', (random) => ({ kind: 'polygon', geometry: areaFeature(random) })],
  ['areas, lines and points', anyFeature],
];

/** Points of which many share fine cells with each other and with parcels; some lie nowhere. */
const pointsAround = (random: Random, count: number, wide: number): Float64Array =>
  new Float64Array(count * 2).map((_, i) =>
    (i >> 1) % 17 === 3 ? Number.NaN : CENTRE[i % 2]! + (random.next() - 0.5) * wide,
  );

describe.each(MAKERS)('parcels and points measured together against %s', (name, makeFeature) => {
  it.each([100, 1000])('have the same nearest features as measured separately within %d m', (within_m) => {
    let found = 0;
    for (let round = 0; round < 4; round++) {
      const random = seededRandom(round, `both ${name} ${within_m}`);
      const layer = buildFeatureLayer(asPieces(Array.from({ length: 30 }, () => makeFeature(random))), PLANE);
      const shapes = Array.from({ length: 60 }, () => parcelShape(random));
      for (let k = 0; k < 200; k++) {
        const x = random.next() * 250;
        const y = random.next() * 250;
        shapes.push(placed([[rectangle(x, y, x + 5 + random.next() * 25, y + 30)]]));
      }
      shapes.push(placed([[rectangle(-900, -700, 800, 600)]]));
      const parcels = prepareParcels(shapes, PLANE);
      const lonlat = pointsAround(random, 300, round % 2 === 0 ? 0.004 : 0.04);
      const rank = Array.from({ length: 30 }, () => Math.floor(random.next() * 4));
      const options = { within_m, on_min_sqm: 1, rank };
      const both = nearestToBoth(layer, parcels, { lonlat, xy: PLANE.project(lonlat) }, options);
      expect(both.onParcels).toEqual(nearestToParcels(layer, parcels, options));
      expect(both.atPoints).toEqual(nearestToPoints(layer, lonlat, options));
      found += both.onParcels.features.reduce((sum, n) => sum + n, 0);
    }
    expect(found).toBeGreaterThan(100);
  });

  it('find nothing without a layer, and each kind without the other', () => {
    const random = seededRandom(1, `none ${name}`);
    const layer = buildFeatureLayer(asPieces([makeFeature(random), makeFeature(random)]), PLANE);
    const parcels = prepareParcels([parcelShape(random)], PLANE);
    const lonlat = pointsAround(random, 2, 0.01);
    const options = { within_m: 1000, on_min_sqm: 1 };
    const points = { lonlat, xy: PLANE.project(lonlat) };
    const none = { lonlat: new Float64Array(), xy: new Float64Array() };
    expect([...nearestToBoth(null, parcels, points, options).atPoints.nearest]).toEqual([-1, -1]);
    expect(nearestToBoth(layer, parcels, none, options).onParcels).toEqual(
      nearestToParcels(layer, parcels, options),
    );
    expect(nearestToBoth(layer, prepareParcels([], PLANE), points, options).atPoints).toEqual(
      nearestToPoints(layer, lonlat, options),
    );
  });
});
