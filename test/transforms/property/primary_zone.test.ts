import { describe, expect, it } from 'vitest';
import { primaryZone } from '../../../transforms/property/primary_zone.ts';

const zone = (zone_id: string, share: number) => ({ zone_id, share, prevails: false });
const policy = (zone_id: string, share: number) => ({ ...zone(zone_id, share), prevails: true });

describe('primaryZone', () => {
  it.each([
    [
      'the one zone at the point wins, however small its share',
      [zone('b', 0)],
      [zone('a', 0.9), zone('b', 0.1)],
      'b',
      'point',
    ],
    [
      'of several at the point the one with most of the parcel',
      [zone('a', 0), zone('b', 0)],
      [zone('a', 0.3), zone('b', 0.6), zone('c', 0.9)],
      'b',
      'largest_share',
    ],
    [
      'several at the point without a parcel: the lowest id',
      [zone('b', 0), zone('a', 0)],
      [],
      'a',
      'largest_share',
    ],
    [
      'none at the point: half of the parcel is enough',
      [],
      [zone('a', 0.5), zone('b', 0.4)],
      'a',
      'largest_share',
    ],
    ['no position on the parcel: the parcel decides', null, [zone('a', 0.7)], 'a', 'largest_share'],
    [
      'a state policy over the local plan at the point',
      [zone('a', 0), policy('b', 0)],
      [zone('a', 1), policy('b', 0.2)],
      'b',
      'point',
    ],
    [
      'a state policy that only touches the parcel elsewhere',
      [zone('a', 0)],
      [zone('a', 1), policy('b', 0.2)],
      'a',
      'point',
    ],
    [
      'without a position, a state policy on half of the parcel',
      null,
      [zone('a', 1), policy('b', 0.5)],
      'b',
      'largest_share',
    ],
    [
      'without a position, a state policy on a sliver does not count',
      null,
      [zone('a', 1), policy('b', 0.2)],
      'a',
      'largest_share',
    ],
    ['equal shares: the lowest id', null, [zone('b', 0.5), zone('a', 0.5)], 'a', 'largest_share'],
  ] as const)('%s', (_, atPoint, onParcel, zone_id, method) => {
    expect(primaryZone(atPoint, onParcel)).toEqual({ zone_id, method });
  });

  it.each([
    ['nothing anywhere', [], []],
    ['less than half of the parcel', [], [zone('a', 0.49), zone('b', 0.3)]],
    ['no position and no parcel', null, []],
  ] as const)('gives none: %s', (_, atPoint, onParcel) => {
    expect(primaryZone(atPoint, onParcel)).toBeNull();
  });
});
