import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tools/sample/random.ts';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { OverlapSubject, overlapAreaSqm, overlapShape } from '../../../transforms/geo/overlap_area.ts';
import { cutIntoCells } from '../../../transforms/geo/pieces.ts';
import {
  NO_OVERLAP_SQM,
  type OverlapPiece,
  OverlapSearch,
  overlapShare,
} from '../../../transforms/layers/overlap.ts';
import { multiPolygon, rectangle } from '../shapes.ts';
import { areaFeature, CENTRE, parcelShape, placed, shuffled, starParts } from './hostile.ts';
import { turfOverlap } from './oracle.ts';
import { overlapShares, parcelOf } from './overlap_shares.ts';

const cut = (features: readonly MultiPolygon[]): OverlapPiece[] =>
  features.flatMap((geometry, feature) =>
    [...cutIntoCells(geometry)].map((piece) => ({ ...piece, feature })),
  );

const whole = (features: readonly MultiPolygon[]): OverlapPiece[] =>
  features.map((geometry, feature) => ({ geometry, feature, cell: -1 }));

const reversed = ({ coords, ringEnds, polygonEnds }: MultiPolygon): MultiPolygon => {
  const out = coords.slice();
  let from = 0;
  for (const end of ringEnds) {
    for (let v = from; v < end; v++) {
      out[v * 2] = coords[(from + end - 1 - v) * 2]!;
      out[v * 2 + 1] = coords[(from + end - 1 - v) * 2 + 1]!;
    }
    from = end;
  }
  return { coords: out, ringEnds, polygonEnds };
};

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 12);

describe('OverlapSearch', () => {
  it(
    'agrees with Turf on hostile shapes, cut or whole, of any winding and order',
    () => {
      for (let round = 0; round < ROUNDS; round++) {
        const random = seededRandom(round, 'overlap');
        const features = Array.from({ length: 8 }, () => areaFeature(random));
        const parcels = Array.from({ length: 12 }, () => parcelShape(random));
        const found = overlapShares(shuffled(random, cut(features)), parcels);
        expect([...found].sort((a, b) => a.parcel - b.parcel || a.feature - b.feature)).toEqual(found);
        for (const [parcel, shape] of parcels.entries()) {
          const area = geodesicAreaSqm(shape);
          for (const [feature, other] of features.entries()) {
            const expected = turfOverlap(shape, other);
            const own = found.find((each) => each.parcel === parcel && each.feature === feature);
            const tolerance = 0.0005 + expected * 0.0005;
            expect(Math.abs((own?.overlap_sqm ?? 0) - expected)).toBeLessThan(tolerance);
            if (own) expect(own.share).toBeCloseTo(own.overlap_sqm / area, 9);
          }
        }
        const again = overlapShares(whole(features.map(reversed)), parcels);
        expect(again.length).toBe(found.length);
        again.forEach((each, i) => {
          expect([each.parcel, each.feature]).toEqual([found[i]!.parcel, found[i]!.feature]);
          expect(Math.abs(each.share - found[i]!.share)).toBeLessThan(2e-6);
        });
      }
    },
    ROUNDS * 5000,
  );

  it('gives the shares of a mosaic that covers a parcel as one in all', () => {
    const random = seededRandom(3, 'mosaic');
    for (let round = 0; round < 50; round++) {
      const parcel = placed(starParts(random, 0, 0, 200).slice(0, 1));
      const xs = [-400, -random.next() * 200, 0, random.next() * 200, 400];
      const strips = xs.slice(1).map((x, i) => placed([[rectangle(xs[i]!, -400, x, 400)]]));
      const shares = overlapShares(cut(strips), [parcel]);
      expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    }
  });

  it.each<[string, number[][], number | null]>([
    ['the parcel itself', [0, 0, 20, 40].map((v) => [v]), 1],
    ['a neighbour along a common side', [[20], [0], [40], [40]], null],
    ['a neighbour at a corner', [[20], [40], [40], [80]], null],
    ['half of it, three sides in common', [[0], [0], [10], [40]], 0.5],
    ['a part with sides collinear', [[-5], [10], [25], [20]], 0.25],
    ['all around it', [[-500], [-500], [500], [500]], 1],
    ['inside it', [[5], [10], [15], [30]], 0.25],
  ])('of %s', (_, corners, share) => {
    const [x0, y0, x1, y1] = corners.flat() as [number, number, number, number];
    const parcel = multiPolygon([[rectangle(145.01, -37.81, 145.01 + 20e-5, -37.81 + 40e-5)]]);
    const feature = multiPolygon([
      [rectangle(145.01 + x0 * 1e-5, -37.81 + y0 * 1e-5, 145.01 + x1 * 1e-5, -37.81 + y1 * 1e-5)],
    ]);
    const found = overlapShares(cut([feature]), [parcel]);
    if (share === null) expect(found).toEqual([]);
    else expect(found[0]!.share).toBeCloseTo(share, 6);
  });

  it('does not count the margins of pieces twice', () => {
    const feature = placed([[rectangle(-9000, -9000, 9000, 9000)]]);
    const parcel = placed([[rectangle(-15, -15, 15, 15)]]);
    const pieces = cut([feature]);
    expect(pieces.length).toBeGreaterThan(9);
    const [found, ...rest] = overlapShares(pieces, [parcel]);
    expect(rest).toEqual([]);
    expect(found!.share).toBe(1);
    expect(found!.overlap_sqm).toBeCloseTo(geodesicAreaSqm(parcel), 6);
    const [half] = overlapShares(cut([placed([[rectangle(-9000, -9000, 0, 9000)]])]), [parcel]);
    expect(half!.share).toBeCloseTo(0.5, 6);
    expect(CENTRE[0]).toBe(145);
  });

  it('leaves a hole out', () => {
    const ring = placed([[rectangle(-500, -500, 500, 500), rectangle(0, 0, 20, 40)]]);
    expect(overlapShares(cut([ring]), [placed([[rectangle(0, 0, 20, 40)]])])).toEqual([]);
    const [found] = overlapShares(cut([ring]), [placed([[rectangle(0, 0, 40, 40)]])]);
    expect(found!.share).toBeCloseTo(0.5, 6);
  });

  it('gives to the bit what measuring gives, where no edge comes near the parcel too', () => {
    let around = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const random = seededRandom(round, 'shortcut');
      const wide = placed([[rectangle(-9000, -9000, 9000, 9000), rectangle(0, 0, 150, 150)]]);
      const features = [wide, ...Array.from({ length: 6 }, () => areaFeature(random))];
      const lots = Array.from({ length: 20 }, () => {
        const [x, y] = [(random.next() - 0.5) * 700, (random.next() - 0.5) * 700];
        return placed([[rectangle(x, y, x + random.next() * 30, y + random.next() * 30)]]);
      });
      const parcels = [...lots, ...Array.from({ length: 10 }, () => parcelShape(random))];
      const subject = new OverlapSubject();
      const expected = parcels.flatMap((geometry, parcel) => {
        subject.set(geometry);
        const box = bboxOf(geometry.coords);
        const whole = overlapAreaSqm(subject, null, box);
        return features.flatMap((other, feature) => {
          const [x0, y0, x1, y1] = bboxOf(other.coords);
          const common = [
            Math.max(box[0], x0),
            Math.max(box[1], y0),
            Math.min(box[2], x1),
            Math.min(box[3], y1),
          ] as const;
          const overlap = overlapAreaSqm(subject, overlapShape(other), common);
          const share = overlapShare(overlap, whole);
          const told = { parcel, feature, overlap_sqm: share * geodesicAreaSqm(geometry), share };
          return overlap > NO_OVERLAP_SQM ? [told] : [];
        });
      });
      expect(overlapShares(whole(features), parcels)).toEqual(expected);
      around += expected.filter(({ share }) => share === 1).length;
    }
    expect(around).toBeGreaterThan(ROUNDS * 5);
  });

  it('reads the shape of a parcel only where an edge of a feature comes near it', () => {
    const lot = parcelOf(placed([[rectangle(0, 0, 20, 20)]]));
    const search = new OverlapSearch(whole([placed([[rectangle(-100, -100, 100, 100)]])]));
    expect(search.find({ ...lot, geom: new Uint8Array() })).toBe(1);
    expect([search.feature[0], search.overlap_sqm[0], search.share[0]]).toEqual([0, lot.area_sqm, 1]);
    const near = new OverlapSearch(whole([placed([[rectangle(-100, -100, 10, 100)]])]));
    expect(() => near.find({ ...lot, geom: new Uint8Array() })).toThrow(/bad_wkb|cannot be read/);
    expect(near.find(lot)).toBe(1);
    expect(near.share[0]).toBeCloseTo(0.5, 6);
    // Less than what counts as an overlap, whatever its record says.
    const speck = parcelOf(placed([[rectangle(0, 0, 0.005, 0.005)]]));
    expect(speck.area_sqm).toBeLessThan(NO_OVERLAP_SQM);
    expect(search.find(speck)).toBe(0);
  });

  it('takes no pieces, no parcels and empty shapes', () => {
    const empty = multiPolygon([]);
    expect(overlapShares([], [placed([[rectangle(0, 0, 1, 1)]])])).toEqual([]);
    expect(overlapShares([{ feature: 0, cell: -1, geometry: empty }], [empty])).toEqual([]);
    expect(overlapShares(cut([placed([[rectangle(0, 0, 1, 1)]])]), [empty])).toEqual([]);
  });
});
