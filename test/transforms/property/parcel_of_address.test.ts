import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import {
  type AddressPoint,
  buildParcelIndex,
  type CandidateParcel,
  type ParcelOfAddress,
  parcelOfAddress,
} from '../../../transforms/property/parcel_of_address.ts';
import { HERE, inMetres, rectangle } from '../shapes.ts';

const PARAMS = { nearest_m: 5, legal_id_radius_m: 1000 };

function parcel(
  parcel_id: string,
  lot_plan: string | null,
  [x0, y0, x1, y1]: readonly [number, number, number, number],
): CandidateParcel {
  const geometry = inMetres([[rectangle(x0, y0, x1, y1)]]);
  return { parcel_id, lot_plan, geometry, area_sqm: (x1 - x0) * (y1 - y0) };
}

const PARCELS = [
  parcel('west', '1\\PS1', [0, 0, 10, 10]),
  parcel('east', '2\\PS1', [10, 0, 20, 10]),
  parcel('far twin', '3\\PS1', [400, 0, 410, 10]),
  parcel('near twin', '3\\PS1', [100, 0, 110, 10]),
  parcel('too far', '4\\PS1', [1200, 0, 1210, 10]),
  parcel('tower', '5\\PS1', [200, 0, 240, 40]),
  parcel('stacked b', null, [210, 10, 220, 20]),
  parcel('stacked a', null, [210, 10, 220, 20]),
  parcel('reserve', null, [200, 0, 300, 100]),
  parcel('north b', null, [0, 22, 10, 30]),
  parcel('north a', null, [0, 22, 10, 30]),
];

/** An address at x, y metres from HERE; null: without coordinates. */
function address(at: readonly [number, number] | null, more: Partial<AddressPoint> = {}): AddressPoint {
  const lon = at ? HERE[0] + at[0] / metresPerDegreeLon(HERE[1]) : null;
  const lat = at ? HERE[1] + at[1] / metresPerDegreeLat(HERE[1]) : null;
  return { lon, lat, hasParcelPosition: true, lot_plan: null, ...more };
}

interface Case {
  name: string;
  at: readonly [number, number] | null;
  more?: Partial<AddressPoint>;
  expected: readonly [string | null, string, number | null];
}

const street = { hasParcelPosition: false };
const CASES: Case[] = [
  {
    name: 'legal id, point inside',
    at: [5, 5],
    more: { lot_plan: '1\\PS1' },
    expected: ['west', 'legal_id', 0],
  },
  {
    name: 'legal id before the parcel that holds the point',
    at: [5, 5],
    more: { lot_plan: '2\\PS1' },
    expected: ['east', 'legal_id', 5],
  },
  {
    name: 'legal id of a street geocode',
    at: [15, 40],
    more: { ...street, lot_plan: '2\\PS1' },
    expected: ['east', 'legal_id', 30],
  },
  {
    name: 'legal id on two parcels: the one with the point',
    at: [405, 5],
    more: { lot_plan: '3\\PS1' },
    expected: ['far twin', 'legal_id', 0],
  },
  {
    name: 'legal id on two parcels: the nearer',
    at: [200, 5],
    more: { ...street, lot_plan: '3\\PS1' },
    expected: ['near twin', 'legal_id', 90],
  },
  {
    name: 'legal id beyond the radius: by position',
    at: [5, 5],
    more: { lot_plan: '4\\PS1' },
    expected: ['west', 'point_in_parcel', 0],
  },
  {
    name: 'legal id beyond the radius, street geocode',
    at: [5, 5],
    more: { ...street, lot_plan: '4\\PS1' },
    expected: [null, 'none', null],
  },
  {
    name: 'unknown legal id',
    at: [15, 5],
    more: { lot_plan: '9\\PS9' },
    expected: ['east', 'point_in_parcel', 0],
  },
  {
    name: 'no point, legal id of one parcel',
    at: null,
    more: { lot_plan: '4\\PS1' },
    expected: ['too far', 'legal_id', null],
  },
  {
    name: 'no point, legal id of two parcels',
    at: null,
    more: { lot_plan: '3\\PS1' },
    expected: [null, 'none', null],
  },
  { name: 'no point, no legal id', at: null, expected: [null, 'none', null] },
  { name: 'in a parcel', at: [15, 5], expected: ['east', 'point_in_parcel', 0] },
  { name: 'in a parcel, but a street geocode', at: [15, 5], more: street, expected: [null, 'none', null] },
  {
    name: 'in several: the smallest, then the lower id',
    at: [215, 15],
    expected: ['stacked a', 'point_in_parcel', 0],
  },
  { name: 'in two: the smaller', at: [205, 5], expected: ['tower', 'point_in_parcel', 0] },
  { name: 'in one of them only', at: [280, 80], expected: ['reserve', 'point_in_parcel', 0] },
  { name: 'on a shared edge: one of the two', at: [10, 5], expected: ['east', 'point_in_parcel', 0] },
  { name: '3 m outside', at: [5, -3], expected: ['west', 'nearest', 3] },
  { name: '3 m outside a corner, diagonally', at: [22.1213, 12.1213], expected: ['east', 'nearest', 3] },
  { name: 'nearest is stacked: the lower id', at: [5, 18], expected: ['north a', 'nearest', 4] },
  { name: '3 m outside, but a street geocode', at: [5, -3], more: street, expected: [null, 'none', null] },
  { name: 'just within reach', at: [5, -4.99], expected: ['west', 'nearest', 4.99] },
  { name: 'just beyond reach', at: [5, -5.01], expected: [null, 'none', null] },
  { name: 'half a coordinate', at: [5, 5], more: { lat: null }, expected: [null, 'none', null] },
  { name: 'NaN', at: [5, 5], more: { lon: Number.NaN }, expected: [null, 'none', null] },
];

/** A result with ids in place of indexes. */
const named = (found: ParcelOfAddress, parcels: readonly CandidateParcel[]) => ({
  ...found,
  parcel: parcels[found.parcel]?.parcel_id,
  holders: found.holders.map((i) => parcels[i]!.parcel_id),
});

describe('parcelOfAddress', () => {
  const index = buildParcelIndex(PARCELS);
  it.each(CASES)('$name', ({ at, more, expected: [parcel_id, method, distance_m] }) => {
    const found = parcelOfAddress(index, address(at, more), PARAMS);
    expect([PARCELS[found.parcel]?.parcel_id ?? null, found.method, found.distance_m]).toEqual([
      parcel_id,
      method,
      distance_m,
    ]);
  });

  it('finds nothing without parcels', () => {
    const found = parcelOfAddress(buildParcelIndex([]), address([0, 0], { lot_plan: '1\\PS1' }), PARAMS);
    expect(found).toEqual({ parcel: -1, method: 'none', distance_m: null, holders: [] });
  });

  it('does not depend on the order of the candidates, and agrees with pointInMultiPolygon', () => {
    const metre = fc.integer({ min: -20, max: 120 }).map((n) => n / 2);
    const box = fc.tuple(metre, metre, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }));
    const lotPlan = fc.constantFrom(null, null, 'A', 'B');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(box, lotPlan), { minLength: 1, maxLength: 12 }),
        metre,
        metre,
        lotPlan,
        fc.boolean(),
        (boxes, x, y, lot_plan, hasParcelPosition) => {
          const parcels = boxes.map(([[x0, y0, w, h], plan], i) =>
            parcel(`p${i}`, plan, [x0, y0, x0 + w, y0 + h]),
          );
          const one = address([x, y], { lot_plan, hasParcelPosition });
          const found = parcelOfAddress(buildParcelIndex(parcels), one, PARAMS);
          const turned = [...parcels].reverse();
          const again = parcelOfAddress(buildParcelIndex(turned), one, PARAMS);
          expect(named(again, turned)).toEqual(named(found, parcels));
          if (found.method === 'legal_id') return;
          const holding = parcels.filter((p) => pointInMultiPolygon(one.lon!, one.lat!, p.geometry));
          expect(found.method === 'point_in_parcel').toBe(hasParcelPosition && holding.length > 0);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the parcels that hold a point', () => {
  const index = buildParcelIndex(PARCELS);
  const holders = (...[at, more]: Parameters<typeof address>): string[] =>
    parcelOfAddress(index, address(at, more), PARAMS).holders.map((i) => PARCELS[i]!.parcel_id);

  it('include the smallest parcel and those that contain it', () => {
    expect(holders([5, 5])).toEqual(['west']);
    expect(holders([205, 5])).toEqual(['tower', 'reserve']);
  });

  it('include one parcel of each shape, with the lowest id', () => {
    expect(holders([215, 15])).toEqual(['stacked a', 'tower', 'reserve']);
    expect(holders([215, 15], { lot_plan: '5\\PS1' })).toEqual(['stacked a', 'tower', 'reserve']);
  });

  it('are empty for a point outside them, on the street, or missing', () => {
    expect(holders([-1, 5])).toEqual([]);
    expect(holders([5, 5], street)).toEqual([]);
    expect(holders([5, 5], { ...street, lot_plan: '1\\PS1' })).toEqual([]);
    expect(holders(null, { lot_plan: '1\\PS1' })).toEqual([]);
  });
});
