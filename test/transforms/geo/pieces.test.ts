import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_DEG, cellBbox, cellOf } from '../../../schema/grid.ts';
import { bboxOf, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { cutIntoCells, PIECE_MARGIN_DEG } from '../../../transforms/geo/pieces.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { timesAsMuch } from '../../growth.ts';
import { multiPolygon, type Polygons, rectangle } from '../shapes.ts';
import { pointNear, starPolygons, triangleMesh } from './random_shapes.ts';

const piecesOf = (g: MultiPolygon): Map<number, MultiPolygon> =>
  new Map([...cutIntoCells(g)].map(({ cell, geometry }) => [cell, geometry]));

/** What is true of any cut: ascending cells, closed rings inside the widened cell. */
function expectWellFormed(g: MultiPolygon): void {
  let last = -1;
  for (const { cell, geometry } of cutIntoCells(g)) {
    expect(cell).toBeGreaterThan(last);
    last = cell;
    const [minX, minY, maxX, maxY] = bboxOf(geometry.coords);
    const [cx, cy, dx, dy] = cellBbox(cell);
    const m = PIECE_MARGIN_DEG;
    expect(minX >= cx - m && minY >= cy - m && maxX <= dx + m && maxY <= dy + m).toBe(true);
    expect(geometry.coords.length).toBe(geometry.ringEnds.at(-1)! * 2);
    expect(geometry.polygonEnds.at(-1)).toBe(geometry.ringEnds.length);
    let from = 0;
    for (const end of geometry.ringEnds) {
      expect(end - from).toBeGreaterThanOrEqual(4);
      expect(geometry.coords[from * 2]).toBe(geometry.coords[end * 2 - 2]);
      expect(geometry.coords[from * 2 + 1]).toBe(geometry.coords[end * 2 - 1]);
      from = end;
    }
  }
}

function expectSameInside(g: MultiPolygon, points: readonly (readonly [number, number])[]): void {
  const pieces = piecesOf(g);
  for (const [x, y] of points) {
    const piece = pieces.get(cellOf(x, y));
    expect(piece !== undefined && pointInMultiPolygon(x, y, piece)).toBe(pointInMultiPolygon(x, y, g));
  }
}

const [X, Y] = [145, -37];

describe('cutIntoCells', () => {
  it.each([
    ['smaller than a cell', 0.02],
    ['as wide as a cell', 0.05],
    ['of many cells', 0.3],
  ])('keeps the inside of concave shapes with holes and parts, %s', (_, size) => {
    fc.assert(
      fc.property(
        starPolygons(X + 0.013, Y + 0.027, size).map((p) => multiPolygon(p)),
        fc.array(pointNear(X + size, Y, size * 3), { minLength: 30, maxLength: 60 }),
        (g, points) => {
          expectWellFormed(g);
          expectSameInside(g, points);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('keeps the inside at the borders of cells', () => {
    const near = fc
      .tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 }), pointNear(0, 0, 1e-7))
      .map(([i, j, [dx, dy]]): [number, number] => [X + i * CELL_DEG + dx, Y + j * CELL_DEG + dy]);
    fc.assert(
      fc.property(starPolygons(X, Y, 0.08), fc.array(near, { minLength: 30 }), (polygons, points) => {
        expectSameInside(multiPolygon(polygons), points);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves every point of a shared edge in exactly one neighbour', () => {
    const jitter = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(jitter, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (moves, share) => {
        const mesh = triangleMesh(X + 0.01, Y + 0.01, 0.4, 3, moves);
        const shapes = mesh.map((ring) => piecesOf(multiPolygon([[ring]])));
        for (const ring of mesh) {
          const [[ax, ay], [bx, by]] = [ring[1]!, ring[2]!];
          const [x, y] = [ax + share * (bx - ax), ay + share * (by - ay)];
          const owners = shapes.filter((pieces) => {
            const piece = pieces.get(cellOf(x, y));
            return piece && pointInMultiPolygon(x, y, piece);
          }).length;
          expect(owners).toBeLessThanOrEqual(1);
          const isInner = x > X + 0.0101 && x < X + 0.4099 && y > Y + 0.0101 && y < Y + 0.4099;
          if (isInner) expect(owners).toBe(1);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('returns a feature within one cell unchanged', () => {
    const g = multiPolygon([[rectangle(X + 0.01, Y + 0.01, X + 0.02, Y + 0.02)]]);
    const [piece, ...rest] = cutIntoCells(g);
    expect(rest).toEqual([]);
    expect(piece).toEqual({ cell: cellOf(X + 0.01, Y + 0.01), geometry: g });
    expect(piece!.geometry).toBe(g);
  });

  it('gives the rectangle of the widened cell for a covered cell', () => {
    const pieces = piecesOf(multiPolygon([[rectangle(X - 0.2, Y - 0.2, X + 0.25, Y + 0.25)]]));
    const piece = pieces.get(cellOf(X + 0.01, Y + 0.01))!;
    expect(piece.ringEnds).toEqual([5]);
    const m = PIECE_MARGIN_DEG;
    const [minX, minY, maxX, maxY] = cellBbox(cellOf(X + 0.01, Y + 0.01));
    expect(bboxOf(piece.coords)).toEqual([minX - m, minY - m, maxX + m, maxY + m]);
    expect(pieces.size).toBe(100);
  });

  it.each<[string, Polygons, number]>([
    [
      'a hole inside a covered cell',
      [[rectangle(X - 0.2, Y - 0.2, X + 0.2, Y + 0.2), rectangle(X + 0.01, Y + 0.01, X + 0.02, Y + 0.02)]],
      81,
    ],
    [
      'a hole that covers nine cells',
      [
        [
          rectangle(X - 0.2, Y - 0.2, X + 0.2, Y + 0.2),
          rectangle(X - 0.051, Y - 0.051, X + 0.101, Y + 0.101),
        ],
      ],
      72,
    ],
    [
      'a part in a hole',
      [
        [
          rectangle(X - 0.2, Y - 0.2, X + 0.2, Y + 0.2),
          rectangle(X - 0.051, Y - 0.051, X + 0.101, Y + 0.101),
        ],
        [rectangle(X + 0.01, Y + 0.01, X + 0.02, Y + 0.02)],
      ],
      73,
    ],
    // two arms that run through the middle cell, joined outside of it
    [
      'arms that leave and come back',
      [
        [
          [
            [X + 0.01, Y - 0.08],
            [X + 0.02, Y - 0.08],
            [X + 0.02, Y + 0.1],
            [X + 0.03, Y + 0.1],
            [X + 0.03, Y - 0.08],
            [X + 0.04, Y - 0.08],
            [X + 0.04, Y + 0.12],
            [X + 0.01, Y + 0.12],
          ],
        ],
      ],
      5,
    ],
    ['a border on the border of cells', [[rectangle(X, Y, X + 0.1, Y + 0.1)]], 9],
  ])('cuts %s', (_, polygons, cells) => {
    const g = multiPolygon(polygons);
    expectWellFormed(g);
    expect(piecesOf(g).size).toBe(cells);
    const points: [number, number][] = [];
    for (let i = 0; i < 4000; i++)
      points.push([X - 0.25 + ((i * 0.618034) % 1) * 0.5, Y - 0.25 + (i / 4000) * 0.5]);
    expectSameInside(g, points);
  });

  it('cuts 90,000 vertices over 400 cells without a pass per cell', () => {
    const wavy = (scale: number): MultiPolygon => {
      const ring: [number, number][] = [];
      for (let i = 0; i < 90_000; i++) {
        const a = (i / 90_000) * 2 * Math.PI;
        const r = scale * (0.4 + 0.08 * Math.sin(a * 37) + 0.0005 * Math.sin(a * 4001));
        ring.push([X + 0.017 + r * Math.cos(a), Y + 0.009 + r * Math.sin(a)]);
      }
      return multiPolygon([[ring]]);
    };
    const [g, half] = [wavy(1), wavy(1 / 2)];
    const pieces = piecesOf(g);
    // as many vertices over a third of the cells: with a pass per cell, a third of the time
    expect(piecesOf(half).size).toBeLessThan(pieces.size / 3);
    const ratio = timesAsMuch(
      () => piecesOf(g),
      () => piecesOf(half),
    );
    expect(ratio).toBeLessThan(2);
    expect(pieces.size).toBeGreaterThan(200);
    const points: [number, number][] = [];
    for (let i = 0; i < 500; i++) points.push([X - 0.5 + ((i * 0.618034) % 1), Y - 0.5 + i / 500]);
    expectSameInside(g, points);
  });

  it('returns no pieces for an empty polygon', () => {
    expect([...cutIntoCells({ coords: new Float64Array(0), ringEnds: [], polygonEnds: [] })]).toEqual([]);
  });
});
