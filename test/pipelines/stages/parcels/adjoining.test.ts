import { expect, it } from 'vitest';
import { occupied, type ShapeRow } from '../../../../pipelines/stages/parcels/adjoining.ts';

const shape = (parcel_id: string): ShapeRow => ({
  parcel_id,
  min_lon: 145,
  min_lat: -38,
  max_lon: 145,
  max_lat: -38,
  geom: new Uint8Array(0),
});

it('finds the parcels that addresses are on, several on one, none, and one that is not there', () => {
  const addresses = ['VIC:2', null, 'VIC:1', 'VIC:2', 'VIC:9'].map((parcel_id) => ({ parcel_id }));
  const { numberOf, isSubject } = occupied(addresses, ['VIC:1', 'VIC:2', 'VIC:3'].map(shape));
  expect([...numberOf]).toEqual([1, -1, 0, 1, -1]);
  expect([...isSubject]).toEqual([1, 1, 0]);
});
