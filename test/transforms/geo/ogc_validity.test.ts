import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { madeValid, ogcFault } from '../../../transforms/geo/ogc_validity.ts';
import { cutIntoCells } from '../../../transforms/geo/pieces.ts';
import { multiPolygon, type Polygons, rectangle } from '../shapes.ts';
import { isValidInJts } from './jts.ts';
import { starPolygons } from './random_shapes.ts';

const faultOf = (polygons: Polygons): string | null => ogcFault(multiPolygon(polygons))?.fault ?? null;

const SHAPES: [string, Polygons, string | null][] = [
  ['a square', [[rectangle(0, 0, 4, 4)]], null],
  ['a hole inside', [[rectangle(0, 0, 4, 4), rectangle(1, 1, 2, 2)]], null],
  [
    'a hole that shares an edge',
    [[rectangle(0, 0, 4, 4), rectangle(0, 1, 2, 2)]],
    'rings cross or share an edge',
  ],
  [
    'a hole that touches in one point',
    [
      [
        rectangle(0, 0, 4, 4),
        [
          [0, 2],
          [1, 1],
          [1, 3],
          [0, 2],
        ],
      ],
    ],
    null,
  ],
  [
    'a hole that touches in two',
    [
      [
        rectangle(0, 0, 4, 4),
        [
          [0, 2],
          [2, 1],
          [4, 2],
          [2, 3],
          [0, 2],
        ],
      ],
    ],
    'the inside is in several pieces',
  ],
  ['a hole outside', [[rectangle(0, 0, 4, 4), rectangle(5, 1, 6, 2)]], 'a ring lies in the wrong one'],
  [
    'a hole in a hole',
    [[rectangle(0, 0, 9, 9), rectangle(1, 1, 8, 8), rectangle(2, 2, 3, 3)]],
    'a ring lies in the wrong one',
  ],
  [
    'two squares side by side',
    [[rectangle(0, 0, 4, 4)], [rectangle(4, 0, 8, 4)]],
    'rings cross or share an edge',
  ],
  ['two squares that meet in a corner', [[rectangle(0, 0, 4, 4)], [rectangle(4, 4, 8, 8)]], null],
  ['a square in another', [[rectangle(0, 0, 4, 4)], [rectangle(1, 1, 2, 2)]], 'a ring lies in the wrong one'],
  [
    'a figure of eight',
    [
      [
        [
          [0, 0],
          [4, 4],
          [4, 0],
          [0, 4],
          [0, 0],
        ],
      ],
    ],
    'a ring meets itself',
  ],
  [
    'a spike',
    [
      [
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [4, 8],
          [4, 4],
          [0, 4],
          [0, 0],
        ],
      ],
    ],
    'a ring meets itself',
  ],
  [
    'two polygons that cross in their vertices only',
    [
      [
        [
          [5, 0],
          [1, 4],
          [1, 0],
          [5, 0],
        ],
      ],
      [
        [
          [2, 4],
          [0, 4],
          [1, 0],
          [4, 1],
          [2, 4],
        ],
      ],
    ],
    'rings cross or share an edge',
  ],
];

/** One or two polygons of up to three rings, whose corners are those of a grid: they touch and cross more often than not. */
const GRID_POLYGONS = fc
  .array(
    fc.array(
      fc
        .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 })), {
          minLength: 3,
          maxLength: 6,
          selector: ([x, y]) => `${x} ${y}`,
        })
        .map((points) => [...points, points[0]!]),
      { minLength: 1, maxLength: 3 },
    ),
    { minLength: 1, maxLength: 2 },
  )
  .filter((each) => each.flat().every((ring) => new Set(ring.map(([x]) => x)).size > 1))
  .map((each) => multiPolygon(each as unknown as Polygons));

describe('validity by OGC’s rules', () => {
  it.each(SHAPES)('%s', (_, polygons, fault) => {
    expect(faultOf(polygons)).toBe(fault);
    expect(isValidInJts(multiPolygon(polygons))).toBe(fault === null);
  });

  it('agrees with JTS for shapes on a small grid', () => {
    fc.assert(
      fc.property(GRID_POLYGONS, (g) => {
        expect(ogcFault(g) === null).toBe(isValidInJts(g));
      }),
      { numRuns: 3000 },
    );
  });

  it('is restored for any invalid shape that is repaired, by the judgement of JTS', () => {
    fc.assert(
      fc.property(GRID_POLYGONS, (g) => {
        const made = madeValid(g);
        if (made !== null) expect(isValidInJts(made)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('is restored for rings that share an edge, and valid shapes are unchanged', () => {
    const whole = multiPolygon([[rectangle(0, 0, 4, 4), rectangle(0, 1, 2, 2)]]);
    const made = madeValid(whole)!;
    expect(ogcFault(made)).toBeNull();
    expect(isValidInJts(made)).toBe(true);
    expect(made.ringEnds).toHaveLength(1);
    const valid = multiPolygon([[rectangle(0, 0, 4, 4), rectangle(1, 1, 2, 2)]]);
    expect(madeValid(valid)).toBe(valid);
  });
});

describe('pieces of cells', () => {
  const [X, Y] = [145, -37];
  const expectValid = (g: MultiPolygon): number => {
    let pieces = 0;
    for (const { geometry } of cutIntoCells(g)) {
      pieces++;
      expect(ogcFault(geometry)).toBeNull();
      expect(isValidInJts(geometry)).toBe(true);
    }
    return pieces;
  };

  it('are valid where a hole lies across the edge of a cell', () => {
    const land = multiPolygon([
      [rectangle(X - 0.2, Y - 0.2, X + 0.2, Y + 0.2), rectangle(X - 0.03, Y - 0.02, X + 0.03, Y + 0.02)],
    ]);
    expect(expectValid(land)).toBeGreaterThan(60);
  });

  it('are valid where a cell cuts a shape in several', () => {
    const comb: [number, number][] = [[X - 0.04, Y - 0.04]];
    for (let k = 0; k < 5; k++)
      comb.push([X - 0.04 + k * 0.008, Y + 0.03], [X - 0.036 + k * 0.008, Y - 0.03]);
    comb.push([X + 0.02, Y + 0.04], [X + 0.02, Y - 0.04], comb[0]!);
    expect(expectValid(multiPolygon([[comb]]))).toBeGreaterThan(2);
  });

  it('are valid for concave shapes with holes and parts', () => {
    fc.assert(
      fc.property(
        starPolygons(X + 0.013, Y + 0.027, 0.12).map((p) => multiPolygon(p)),
        (g) => {
          fc.pre(ogcFault(g) === null);
          expectValid(g);
        },
      ),
      { numRuns: 150 },
    );
  });
});
