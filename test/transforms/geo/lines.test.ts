import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellBbox, cellOf } from '../../../schema/grid.ts';
import { bboxOf, type MultiLine } from '../../../transforms/geo/geometry.ts';
import { assembleLines, assemblePoints } from '../../../transforms/geo/lines.ts';
import { cutLinesIntoCells, PIECE_MARGIN_DEG } from '../../../transforms/geo/pieces.ts';
import {
  decodeAnyWkb,
  decodeLineWkb,
  decodePointWkb,
  decodeWkb,
  encodeLineWkb,
  encodePointWkb,
} from '../../../transforms/geo/wkb.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../../growth.ts';

const lineOf = (...lines: number[][]): MultiLine => ({
  coords: Float64Array.from(lines.flat()),
  lineEnds: lines.map((_, i) => lines.slice(0, i + 1).flat().length / 2),
});
const listOf = ({ coords, lineEnds }: MultiLine): number[][] =>
  lineEnds.map((end, i) => [...coords.subarray((lineEnds[i - 1] ?? 0) * 2, end * 2)]);

const lengthOf = (line: readonly number[]): number => {
  let sum = 0;
  for (let i = 2; i < line.length; i += 2)
    sum += Math.hypot(line[i]! - line[i - 2]!, line[i + 1]! - line[i - 1]!);
  return sum;
};

/** Length of a line inside a box, by clipping each segment on its own. */
function lengthInside(line: readonly number[], [x0, y0, x1, y1]: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [ax, ay, bx, by] = line.slice(i, i + 4) as [number, number, number, number];
    const cuts = [0, 1];
    for (const [a, b, low, high] of [
      [ax, bx, x0!, x1!],
      [ay, by, y0!, y1!],
    ] as const)
      if (a !== b) for (const limit of [low, high]) cuts.push((limit - a) / (b - a));
    const sorted = cuts.filter((t) => t >= 0 && t <= 1).sort((a, b) => a - b);
    for (let k = 1; k < sorted.length; k++) {
      const t = (sorted[k]! + sorted[k - 1]!) / 2;
      const [x, y] = [ax + t * (bx - ax), ay + t * (by - ay)];
      if (x >= x0! && x <= x1! && y >= y0! && y <= y1!)
        sum += (sorted[k]! - sorted[k - 1]!) * Math.hypot(bx - ax, by - ay);
    }
  }
  return sum;
}

describe('lines in WKB', () => {
  it('survive encoding bit for bit, and so do points', () => {
    const vertex = fc.tuple(fc.double(), fc.double());
    fc.assert(
      fc.property(fc.array(fc.array(vertex, { minLength: 2, maxLength: 9 }), { maxLength: 4 }), (lines) => {
        const g = lineOf(...lines.map((line) => line.flat()));
        expect(decodeLineWkb(encodeLineWkb(g))).toEqual(g);
      }),
    );
    const points = { coords: Float64Array.of(145, -37, 146, -38) };
    expect(decodePointWkb(encodePointWkb(points))).toEqual(points);
  });

  it('are refused if they are of another kind, truncated or followed by bytes', () => {
    const line = encodeLineWkb(lineOf([145, -37, 146, -38]));
    const point = encodePointWkb({ coords: Float64Array.of(145, -37) });
    expect(decodeAnyWkb(line).kind).toBe('line');
    expect(() => decodeWkb(line)).toThrow('hold a line, expected a polygon');
    expect(() => decodeLineWkb(point)).toThrow('hold a point, expected a line');
    for (const bytes of [line, point]) {
      for (let n = 0; n < bytes.length; n++) expect(() => decodeAnyWkb(bytes.subarray(0, n))).toThrow();
      expect(() => decodeAnyWkb(Uint8Array.from([...bytes, 0]))).toThrow('bytes follow');
    }
    const surface = Uint8Array.of(1, 15, 0, 0, 0, 0, 0, 0, 0);
    expect(() => decodeAnyWkb(surface)).toThrow('geometry type 15');
    const one = Uint8Array.from(encodeLineWkb({ coords: Float64Array.of(1, 2), lineEnds: [1] }));
    expect(() => decodeAnyWkb(one)).toThrow('a line of one vertex');
  });

  it('that are empty have no vertices', () => {
    const nan = Buffer.alloc(21);
    nan.writeUInt8(1);
    nan.writeUInt32LE(1, 1);
    nan.writeDoubleLE(Number.NaN, 5);
    nan.writeDoubleLE(Number.NaN, 13);
    expect(decodePointWkb(nan).coords).toHaveLength(0);
    expect(decodeLineWkb(Uint8Array.of(1, 2, 0, 0, 0, 0, 0, 0, 0))).toEqual(lineOf());
  });
});

describe('assembleLines', () => {
  it('leaves out repeated vertices and lines without length', () => {
    const g = lineOf([145, -37, 145, -37, 146, -37], [145, -38, 145, -38], [150, -33, 151, -33, 150, -33]);
    const { geometry } = assembleLines(g.coords, g.lineEnds);
    expect(listOf(geometry!)).toEqual([
      [145, -37, 146, -37],
      [150, -33, 151, -33, 150, -33],
    ]);
  });

  it.each([
    [[145, -38, 145, -38], 'zero_length'],
    [[145, -38, Number.NaN, -38], 'bad_coordinate'],
    [[145, -38, 2, 48], 'outside_australia'],
  ])('rejects %j as %s', (line, code) => {
    expect(assembleLines(Float64Array.from(line), [2]).reject?.code).toBe(code);
    if (code !== 'zero_length') expect(assemblePoints(Float64Array.from(line)).reject?.code).toBe(code);
  });

  it('rejects more vertices than any feature has', () => {
    const coords = new Float64Array(10_000_002).fill(1);
    expect(assembleLines(coords, [5_000_001]).reject?.code).toBe('too_many_vertices');
    expect(assemblePoints(coords).reject?.code).toBe('too_many_vertices');
  });
});

describe('cutLinesIntoCells', () => {
  it('returns lines in one cell unchanged, and nothing for an empty line', () => {
    const g = lineOf([145.01, -37.01, 145.02, -37.02]);
    expect([...cutLinesIntoCells(g)]).toEqual([{ cell: cellOf(145.01, -37.01), geometry: g }]);
    expect([...cutLinesIntoCells(lineOf())]).toEqual([]);
  });

  it('keeps every part of a line in every cell, with its margin, and nothing else', () => {
    const place = fc.tuple(
      fc.double({ min: 145, max: 145.4, noNaN: true }),
      fc.double({ min: -37.4, max: -37, noNaN: true }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(place, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
        (lines) => {
          const g = lineOf(...lines.map((line) => line.flat()));
          const whole = listOf(g);
          const pieces = new Map<number, MultiLine>();
          let last = -1;
          for (const { cell, geometry } of cutLinesIntoCells(g)) {
            expect(cell).toBeGreaterThan(last);
            last = cell;
            pieces.set(cell, geometry);
          }
          if (pieces.size === 1 && pieces.values().next().value === g) return;
          const box = bboxOf(g.coords);
          for (let x = box[0] - 0.05; x < box[2] + 0.05; x += 0.05) {
            for (let y = box[1] - 0.05; y < box[3] + 0.05; y += 0.05) {
              const cell = cellOf(x, y);
              const [x0, y0, x1, y1] = cellBbox(cell);
              const wide = [
                x0 - PIECE_MARGIN_DEG,
                y0 - PIECE_MARGIN_DEG,
                x1 + PIECE_MARGIN_DEG,
                y1 + PIECE_MARGIN_DEG,
              ];
              const [first, last] = [cellOf(box[0], box[1]), cellOf(box[2], box[3])];
              const touches =
                cell >= first &&
                cell <= last &&
                cell % 10_000 >= first % 10_000 &&
                cell % 10_000 <= last % 10_000;
              const expected = whole.reduce((sum, line) => sum + lengthInside(line, wide), 0);
              const piece = pieces.get(cell);
              const found =
                piece === undefined ? 0 : listOf(piece).reduce((sum, line) => sum + lengthOf(line), 0);
              // a cell outside the cells of the box holds at most a margin of the line
              if (piece !== undefined || (touches && expected > 3 * PIECE_MARGIN_DEG))
                expect(found).toBeCloseTo(expected, 7);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps vertices in the cell, and cuts a line at its edge', () => {
    const [x0, y0, x1] = cellBbox(cellOf(145.02, -37.02));
    const y = y0 + 0.02;
    const g = lineOf([x0 + 0.01, y, x1 + 0.01, y, x1 + 0.01, y + 0.01, x0 + 0.01, y + 0.01]);
    const piece = [...cutLinesIntoCells(g)].find(({ cell }) => cell === cellOf(145.02, -37.02))!;
    const edge = x1 + PIECE_MARGIN_DEG;
    expect(listOf(piece.geometry).map((line) => line.map((v) => Number(v.toFixed(9))))).toEqual([
      [x0 + 0.01, y, edge, y].map((v) => Number(v.toFixed(9))),
      [edge, y + 0.01, x0 + 0.01, y + 0.01].map((v) => Number(v.toFixed(9))),
    ]);
  });

  it('cuts a long line in one pass', () => {
    const line = (n: number): MultiLine => {
      const coords: number[] = [];
      for (let i = 0; i < n; i++) coords.push(130 + i * 1e-4, -30 + Math.sin(i / 500) * 0.3);
      return lineOf(coords);
    };
    const [long, short] = [line(100_000), line(25_000)];
    expect([...cutLinesIntoCells(long)].length).toBeGreaterThan(300);
    const cut = (one: MultiLine) => () => [...cutLinesIntoCells(one)];
    expect(timesAsMuch(cut(long), cut(short))).toBeLessThan(FOURFOLD_MAX);
  });
});
