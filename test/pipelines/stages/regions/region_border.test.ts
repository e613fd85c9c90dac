import { expect, it } from 'vitest';
import { regionBorderPartStage } from '../../../../pipelines/stages/regions/region_border.ts';
import { encodeWkb } from '../../../../transforms/geo/wkb.ts';
import { computed } from '../../computed.ts';

const STEP = 0.001;

/** A square of about 100 m at a place of the grid, as a piece of a region. */
const piece = (level: string, code: string, x: number, y: number, more: Record<string, unknown> = {}) => {
  const [west, south] = [145 + x * STEP, -37.8 + y * STEP];
  const [east, north] = [west + STEP, south + STEP];
  const coords = Float64Array.of(west, south, east, south, east, north, west, north, west, south);
  const geom = encodeWkb({ coords, ringEnds: [5], polygonEnds: [1] });
  return {
    cell: 1,
    edition: 3,
    year: 2021,
    level,
    code,
    name: `Name ${code}`,
    sa3: null,
    sa3_name: null,
    geom,
    ...more,
  };
};

function neighboursOf(pieces: ReturnType<typeof piece>[]): { pairs: string[]; account: unknown } {
  const part = computed(regionBorderPartStage, { piece: pieces }, 1);
  const rows = part.rows as { level: string; area: string; neighbour: string }[];
  return {
    pairs: rows.map((row) => `${row.level} ${row.area} | ${row.neighbour}`).sort(),
    account: part.account,
  };
}

it('finds the borders of every level, of an SA3 between its SA2, and none between levels', () => {
  const row = (level: string, sa3s?: string[]) =>
    [0, 1, 2].map((x) => piece(level, `${level}${x}`, x, 0, sa3s ? { sa3: sa3s[x] } : {}));
  const { pairs, account } = neighboursOf([
    ...row('SAL'),
    ...row('SA2', ['A', 'A', 'B']),
    ...row('LGA'),
    ...row('POA'),
  ]);
  const both = (level: string, a: string, b: string) => [`${level} ${a} | ${b}`, `${level} ${b} | ${a}`];
  const chain = (level: string, name = (x: number) => `${level}${x}`) => [
    ...both(level, name(0), name(1)),
    ...both(level, name(1), name(2)),
  ];
  expect(pairs).toEqual(
    [
      ...chain('SAL', (x) => `Name SAL${x}`),
      ...chain('SA2'),
      ...chain('LGA'),
      ...chain('POA'),
      ...both('SA3', 'A', 'B'),
    ].sort(),
  );
  expect(account).toEqual({ in: 12, out: 12, drops: {} });
});

it('takes the newest boundaries of a level, and no pair that meets at a corner', () => {
  const { pairs, account } = neighboursOf([
    piece('LGA', 'old', 0, 0),
    piece('LGA', 'a', 0, 0, { year: 2022 }),
    piece('LGA', 'b', 1, 0, { year: 2022 }),
    piece('LGA', 'corner', 1, 1, { year: 2022 }),
    piece('LGA', 'far', 2, 1, { year: 2022 }),
  ]);
  expect(pairs).toEqual([
    'LGA a | b',
    'LGA b | a',
    'LGA b | corner',
    'LGA corner | b',
    'LGA corner | far',
    'LGA far | corner',
  ]);
  expect(account).toEqual({ in: 5, out: 4, drops: { older_edition: 1 } });
});
