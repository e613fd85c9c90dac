import { expect, it } from 'vitest';
import { servePropertyOverlayStage } from '../../../../pipelines/stages/planning/serve_property_overlay.ts';
import { servePropertyZoningStage } from '../../../../pipelines/stages/planning/serve_property_zoning.ts';
import { computed } from '../../computed.ts';
import { CELL, home, parcel, square } from '../squares.ts';

/** West of x = 1.25 is zone W, east of it zone E. */
const shape = [parcel('west', 0, 0), parcel('both', 1, 0), parcel('out', 0, 5)];
const piece = (id: string, ...at: Parameters<typeof square>) => ({
  zone_id: id,
  overlay_id: id,
  layer: 'HO',
  code: `${id}1`,
  name: `Zone ${id}`,
  value: null,
  category: 'residential',
  prevails: true,
  ...square(...at),
});
const pieces = [piece('W', 0, 0, 1.25), piece('E', 1.25, 0, 3)];
const homes = [
  home('at', 'west', [0.5, 0.5]),
  home('split', 'both', [1.1, 0.5]),
  home('largest', 'both', null),
  home('point', null, [1.1, 0.5]),
  home('outside', 'out', [0.5, 5.5]),
  home('nowhere', null, null),
];

it('takes the zone at the point, else the one with the largest share of the parcel', () => {
  const { rows, account } = computed(servePropertyZoningStage, { parcel: homes, shape, zone: pieces }, CELL);
  expect(rows.map((row) => [row.gnaf_pid, row.code, row.method])).toEqual([
    ['at', 'W1', 'point'],
    ['split', 'W1', 'point'],
    ['largest', 'E1', 'largest_share'],
    ['point', 'W1', 'point'],
  ]);
  const shares = [1, 0.25, 0.75, null];
  for (const [i, share] of shares.entries())
    if (share === null) expect(rows[i]!.share).toBeNull();
    else expect(rows[i]!.share).toBeCloseTo(share, 3);
  expect(rows[0]).toMatchObject({ zone_id: 'W', name: 'Zone W', category: 'residential', state: 'VIC' });
  expect(account).toEqual({ in: 6, out: 4, drops: { no_zone_here: 2 } });
});

it('lists each overlay of the parcel with its area, and those of a point without one', () => {
  const sliver = piece('S', 0, 0, 0.004, 1);
  const { rows, account } = computed(
    servePropertyOverlayStage,
    {
      parcel: homes,
      shape,
      piece: [...pieces, sliver].sort((a, b) => (a.overlay_id < b.overlay_id ? -1 : 1)),
    },
    CELL,
  );
  const found = rows.map((row) => [row.gnaf_pid, row.code, row.share && Number(row.share).toFixed(2)]);
  expect(found).toEqual([
    ['at', 'W1', '1.00'],
    ['split', 'E1', '0.75'],
    ['split', 'W1', '0.25'],
    ['largest', 'E1', '0.75'],
    ['largest', 'W1', '0.25'],
    ['point', 'W1', null],
  ]);
  expect(rows[0]!.overlap_sqm).toBeCloseTo(9779, -2);
  expect(account).toEqual({ in: 6, out: 4, drops: { no_overlay: 2 } });
});
