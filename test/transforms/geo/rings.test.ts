import { describe, expect, it } from 'vitest';
import { SELF_TOUCH, worstContact } from '../../../transforms/geo/ring_contacts.ts';
import { assemblePolygons, MAX_RING_VERTICES } from '../../../transforms/geo/rings.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../../growth.ts';
import { rectangle } from '../shapes.ts';
import { areaOf, assemble, type Ring, shapeOf } from './shapefile_rings.ts';

/** Clockwise: a shell in a shapefile. */
const box = (x0: number, y0: number, x1: number, y1: number): Ring => rectangle(x0, y0, x1, y1).toReversed();
const holeBox = rectangle;

describe('assemblePolygons', () => {
  it.each<[string, Ring[], number[], number, string | null]>([
    ['one ring', [box(0, 0, 2, 2)], [1], 4, null],
    ['a ring of the other winding', [holeBox(0, 0, 2, 2)], [1], 4, null],
    ['a hole', [box(0, 0, 4, 4), holeBox(1, 1, 2, 2)], [2], 15, null],
    [
      'a hole before its shell, both of the other winding',
      [box(1, 1, 2, 2), holeBox(0, 0, 4, 4)],
      [2],
      15,
      null,
    ],
    ['an island in a lake', [box(0, 0, 9, 9), holeBox(1, 1, 8, 8), box(2, 2, 3, 3)], [2, 1], 33, null],
    [
      'holes of two shells',
      [holeBox(11, 1, 12, 2), box(0, 0, 4, 4), holeBox(1, 1, 2, 2), box(10, 0, 14, 4)],
      [2, 2],
      30,
      null,
    ],
    [
      'a hole that touches its shell in a corner',
      [
        box(0, 0, 4, 4),
        [
          [0, 0],
          [2, 1],
          [1, 2],
          [0, 0],
        ],
      ],
      [2],
      14.5,
      null,
    ],
    ['parts that touch in a corner', [box(0, 0, 1, 1), box(1, 1, 2, 2)], [1, 1], 2, null],
    ['parts that share an edge', [box(0, 0, 1, 1), box(1, 0, 2, 1)], [1], 2, 'self_touch_split'],
    [
      'repeated vertices',
      [
        [
          [0, 0],
          [0, 0],
          [0, 1],
          [0, 1],
          [0, 1],
          [1, 1],
          [0, 0],
          [0, 0],
        ],
      ],
      [1],
      0.5,
      null,
    ],
    ['an open ring', [box(0, 0, 2, 2).slice(0, -1)], [1], 4, 'ring_closed'],
    [
      'a line beside a ring',
      [
        box(0, 0, 2, 2),
        [
          [5, 5],
          [6, 6],
          [5, 5],
        ],
      ],
      [1],
      4,
      'zero_area_ring',
    ],
    [
      'a flat ring beside a ring',
      [
        box(0, 0, 2, 2),
        [
          [5, 5],
          [6, 6],
          [7, 7],
          [5, 5],
        ],
      ],
      [1],
      4,
      'zero_area_ring',
    ],
    ['a hole outside of every shell', [box(0, 0, 4, 4), holeBox(6, 6, 7, 7)], [1, 1], 17, 'orphan_hole'],
    ['a shell inside a shell', [box(0, 0, 4, 4), box(1, 1, 2, 2)], [2], 15, 'wound_hole'],
    ['a ring that comes twice', [box(0, 0, 4, 4), box(0, 0, 4, 4)], [1], 16, 'duplicate_ring'],
    [
      'a figure of eight',
      [
        [
          [0, 0],
          [2, 2],
          [2, 0],
          [0, 2],
          [0, 0],
        ],
      ],
      [1, 1],
      2,
      'self_intersection_split',
    ],
    [
      'a figure of eight through a vertex',
      [
        [
          [0, 0],
          [1, 1],
          [2, 2],
          [2, 0],
          [1, 1],
          [0, 2],
          [0, 0],
        ],
      ],
      [1, 1],
      2,
      'self_intersection_split',
    ],
    [
      'a ring that touches itself in a vertex from inside',
      [
        [
          [0, 0],
          [0, 4],
          [4, 4],
          [4, 0],
          [2, 0],
          [3, 2],
          [1, 2],
          [2, 0],
          [0, 0],
        ],
      ],
      [2],
      14,
      'self_touch_split',
    ],
    [
      'a spike',
      [
        [
          [0, 0],
          [0, 2],
          [2, 2],
          [5, 2],
          [2, 2],
          [2, 0],
          [0, 0],
        ],
      ],
      [1],
      4,
      'self_touch_split',
    ],
    [
      'a spike at the start',
      [
        [
          [-3, 0],
          [0, 0],
          [0, 2],
          [2, 2],
          [2, 0],
          [0, 0],
          [-3, 0],
        ],
      ],
      [1],
      4,
      'self_touch_split',
    ],
    [
      'a hole that crosses its shell',
      [box(0, 0, 4, 4), holeBox(3, 1, 5, 2)],
      [1, 1],
      16,
      'self_intersection_split',
    ],
    ['parts that overlap', [box(0, 0, 2, 2), box(1, 1, 3, 3)], [1, 1], 6, 'self_intersection_split'],
  ])('%s', (_, rings, shape, area, repaired) => {
    const result = assemble(...rings);
    expect(result.reject).toBeUndefined();
    expect(shapeOf(result.geometry)).toEqual(shape);
    expect(result.repaired ?? null).toBe(repaired);
    expect(Math.abs(areaOf(result.geometry!) - area)).toBeLessThan(2e-3 * area);
    expect(worstContact(result.geometry!.coords, result.geometry!.ringEnds)).toBeLessThan(SELF_TOUCH);
    expect(assemble(...rings)).toEqual(result);
  });

  it.each<[string, Ring[], string]>([
    ['no rings', [], 'zero_area'],
    [
      'a point',
      [
        [
          [0, 0],
          [0, 0],
          [0, 0],
          [0, 0],
        ],
      ],
      'zero_area',
    ],
    [
      'a line',
      [
        [
          [0, 0],
          [1, 1],
          [0, 0],
        ],
      ],
      'zero_area',
    ],
    [
      'a flat ring',
      [
        [
          [0, 0],
          [1, 1],
          [3, 3],
          [2, 2],
          [0, 0],
        ],
      ],
      'zero_area',
    ],
    ['a hole that fills its shell', [box(0, 0, 1, 1), holeBox(0, 0, 1, 1)], 'zero_area'],
    [
      'NaN',
      [
        [
          [0, 0],
          [0, Number.NaN],
          [1, 1],
          [0, 0],
        ],
      ],
      'bad_coordinate',
    ],
    [
      'infinity',
      [
        [
          [0, 0],
          [Infinity, 0],
          [1, 1],
          [0, 0],
        ],
      ],
      'bad_coordinate',
    ],
    [
      'metres read as degrees',
      [
        [
          [0, 0],
          [500_000, 5_000_000],
          [1, 1],
          [0, 0],
        ],
      ],
      'outside_australia',
    ],
  ])('rejects %s', (_, rings, code) => {
    expect(assemble(...rings).reject?.code).toBe(code);
  });

  /** A ring of `n` spikes about one point: the boxes of a quarter of its edges meet those of another. */
  const star = (n: number): [Float64Array, number[]] => {
    const coords = new Float64Array(2 * (n + 1));
    for (let i = 0; i < n; i++) {
      const [angle, radius] = [(2 * Math.PI * i) / n, i % 2 === 0 ? 0.05 : 0.01];
      coords.set([145 + radius * Math.cos(angle), -37.8 + radius * Math.sin(angle)], 2 * i);
    }
    coords.copyWithin(2 * n, 0, 2);
    return [coords, [n + 1]];
  };
  /** Rings in a grid, each of which crosses itself. */
  const eights = (n: number): [Float64Array, number[]] => {
    const side = Math.ceil(Math.sqrt(n));
    const coords = Array.from({ length: n }, (_, k) => {
      const [x, y, d] = [145 + 0.0005 * (k % side), -37.8 + 0.0005 * Math.floor(k / side), 0.0001];
      return [x, y, x + 2 * d, y + d, x + 2 * d, y, x, y + d, x, y];
    });
    return [Float64Array.from(coords.flat()), coords.map((_, k) => 5 * (k + 1))];
  };

  it('takes time that grows no faster than the vertices, for spikes and for rings that cross themselves', () => {
    for (const [make, n] of [
      [star, 50_000],
      [eights, 2000],
    ] as const) {
      const [large, small] = [make(4 * n), make(n)];
      expect(
        timesAsMuch(
          () => assemblePolygons(...large),
          () => assemblePolygons(...small),
        ),
      ).toBeLessThan(FOURFOLD_MAX);
    }
  });

  it('reads a star of 10,000 spikes, and rejects one that is too tangled to be checked', () => {
    expect(assemblePolygons(...star(10_000)).reject).toBeUndefined();
    expect(assemblePolygons(...star(100_000)).reject).toEqual({
      code: 'self_intersection',
      message: 'the rings are too tangled to be checked.',
    });
  });

  it('rejects more vertices than any feature has', () => {
    const n = MAX_RING_VERTICES + 1;
    expect(assemblePolygons(new Float64Array(n * 2), [n]).reject?.code).toBe('too_many_vertices');
  });
});
