import { describe, expect, it } from 'vitest';
import { SELF_TOUCH, worstContact } from '../../../transforms/geo/ring_contacts.ts';
import { assemblePolygons, MAX_VERTICES } from '../../../transforms/geo/rings.ts';
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

  it('rejects more vertices than any feature has', () => {
    const n = MAX_VERTICES + 1;
    expect(assemblePolygons(new Float64Array(n * 2), [n]).reject?.code).toBe('too_many_vertices');
  });
});
