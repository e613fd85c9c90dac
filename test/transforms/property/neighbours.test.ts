import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localPlane } from '../../../transforms/geo/plane.ts';
import { adjoiningParcels, type ParcelShape, parcelPairs } from '../../../transforms/property/neighbours.ts';
import { inMetres, multiPolygon, type Polygons, rectangle } from '../shapes.ts';

const DEFAULTS = { tolerance_m: 0.2, min_shared_m: 0.5 };
const lot = rectangle(0, 0, 10, 10);
const circle = (x: number, y: number, radius: number, points: number): [number, number][] =>
  Array.from({ length: points }, (_, i) => {
    const angle = (i * 2 * Math.PI) / points;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });

/** `shared`: metres, with up to the tolerance of the edges that lead away at either end; null when they do not meet. */
interface Case {
  name: string;
  a: Polygons;
  b: Polygons;
  shared: number | null;
  corner?: boolean;
}

const CASES: Case[] = [
  { name: 'a whole side in common', a: [[lot]], b: [[rectangle(10, 0, 20, 10)]], shared: 10.4 },
  { name: 'a corner only', a: [[lot]], b: [[rectangle(10, 10, 20, 20)]], shared: 0.4, corner: true },
  {
    name: 'a corner with a gap of 5 cm',
    a: [[lot]],
    b: [[rectangle(10.05, 10, 20, 20)]],
    shared: 0.35,
    corner: true,
  },
  { name: 'a gap of 5 cm', a: [[lot]], b: [[rectangle(10.05, 0, 20, 10)]], shared: 10.3 },
  { name: 'a gap of 15 cm', a: [[lot]], b: [[rectangle(10.15, 0, 20, 10)]], shared: 10.1 },
  { name: 'a gap of 25 cm', a: [[lot]], b: [[rectangle(10.25, 0, 20, 10)]], shared: null },
  { name: 'a lane of half a metre', a: [[lot]], b: [[rectangle(10.5, 0, 20, 10)]], shared: null },
  { name: 'a road of 16 m', a: [[lot]], b: [[rectangle(26, 0, 36, 10)]], shared: null },
  { name: 'an overlap of 5 cm', a: [[lot]], b: [[rectangle(9.95, 0, 20, 10)]], shared: 10.5 },
  { name: 'an overlap of 3 m', a: [[lot]], b: [[rectangle(7, 0, 17, 10)]], shared: 16.4 },
  {
    name: 'a gap that narrows from 30 cm to nothing',
    a: [[lot]],
    b: [
      [
        [
          [10, 0],
          [20, 0],
          [20, 10],
          [10.3, 10],
        ],
      ],
    ],
    shared: 6.87,
  },
  {
    name: 'a side without nodes at its ends',
    a: [[rectangle(0, 0, 30, 10)]],
    b: [[rectangle(10, 10, 20, 20)]],
    shared: 10.4,
  },
  {
    name: 'a side with more nodes than the other, some 3 cm off',
    a: [[lot]],
    b: [
      [
        [
          [20, 0],
          [20, 10],
          [10, 10],
          [10.03, 7],
          [9.97, 5],
          [10, 2],
          [10, 0],
        ],
      ],
    ],
    shared: 10.4,
  },
  { name: 'sides staggered along 3 m', a: [[lot]], b: [[rectangle(10, 7, 20, 17)]], shared: 3.4 },
  {
    name: 'sides staggered so that 5 cm are common',
    a: [[lot]],
    b: [[rectangle(10, 9.95, 20, 20)]],
    shared: 0.45,
    corner: true,
  },
  {
    name: 'a corner only, whose sides part at 25 degrees, with a longer touch than the least length',
    a: [[lot]],
    b: [
      [
        [
          [10, 10],
          [10 + 10 * Math.sin((25 * Math.PI) / 180), 10 - 10 * Math.cos((25 * Math.PI) / 180)],
          [30, 20],
          [20, 30],
          [10 - 10 * Math.cos((25 * Math.PI) / 180), 10 + 10 * Math.sin((25 * Math.PI) / 180)],
        ],
      ],
    ],
    shared: 0.95,
    corner: true,
  },
  {
    name: 'a corner of each of two parts',
    a: [[lot]],
    b: [[rectangle(10, 10, 20, 20)], [rectangle(-10, -10, 0, 0)]],
    shared: 0.8,
    corner: true,
  },
  {
    name: 'the end of a passage of 60 cm',
    a: [[lot]],
    b: [[rectangle(10, 4, 30, 4.6)]],
    shared: 1,
  },
  {
    name: 'a parcel in the hole of another',
    a: [[rectangle(0, 0, 30, 30), lot.map(([x, y]) => [x + 10, y + 10])]],
    b: [[rectangle(10, 10, 20, 20)]],
    shared: 40,
  },
  {
    name: 'a parcel in the hole, 4 m off its edge',
    a: [[rectangle(0, 0, 30, 30), rectangle(6, 6, 24, 24)]],
    b: [[rectangle(10, 10, 20, 20)]],
    shared: null,
  },
  {
    name: 'a battle-axe lot behind the front lot',
    a: [[rectangle(0, 0, 15, 20)]],
    b: [
      [
        [
          [15, 0],
          [19, 0],
          [19, 50],
          [0, 50],
          [0, 20],
          [15, 20],
        ],
      ],
    ],
    shared: 35.4,
  },
  {
    name: 'a parcel between the two parts of another',
    a: [[lot], [rectangle(20, 0, 30, 10)]],
    b: [[rectangle(10, 0, 20, 10)]],
    shared: 20.8,
  },
  { name: 'two identical parcels', a: [[lot]], b: [[lot]], shared: 40 },
  {
    name: 'two identical parcels, other start and winding',
    a: [[lot]],
    b: [[[lot[2]!, lot[1]!, lot[0]!, lot[3]!]]],
    shared: 40,
  },
  {
    name: 'a parcel inside another, clear of its boundary',
    a: [[lot]],
    b: [[rectangle(3, 3, 5, 5)]],
    shared: 8,
  },
  { name: 'a strip as narrow as the tolerance', a: [[lot]], b: [[rectangle(10, 0, 10.1, 10)]], shared: 10.4 },
  {
    name: 'a large parcel of many vertices',
    a: [[circle(0, 0, 100, 3000)]],
    b: [[[...circle(0, 0, 100, 3000).slice(0, 601), [200, 190], [200, 0]]]],
    shared: 126.06,
  },
];

describe('adjoiningParcels', () => {
  it.each(CASES)('$name', ({ a, b, shared, corner }) => {
    const parcels: ParcelShape[] = [
      { id: 'a', geometry: inMetres(a) },
      { id: 'b', geometry: inMetres(b) },
    ];
    const found = adjoiningParcels(parcels, [0, 1], DEFAULTS);
    if (shared === null) {
      expect(found).toEqual([]);
      return;
    }
    expect(found.map((pair) => [pair.a, pair.b, pair.corner])).toEqual([
      [0, 1, corner ?? false],
      [1, 0, corner ?? false],
    ]);
    expect(Math.abs(found[0]!.shared_m - shared)).toBeLessThanOrEqual(0.0101);
    expect(found[1]!.shared_m).toBe(found[0]!.shared_m);
  });

  it.each([
    { place: 'Torres Strait', lon: 142.2, lat: -10.6 },
    { place: 'Hobart', lon: 147.3, lat: -42.9 },
    { place: 'Macquarie Island', lon: 158.9, lat: -54.6 },
  ])('measures in metres at $place', ({ lon, lat }) => {
    const plane = localPlane(lon, lat);
    const [mx, my] = [plane.x(lon + 1e-3, lat) * 1e3, plane.y(lon, lat + 1e-3) * 1e3];
    const at = (x: number, y: number): [number, number] => [lon + x / mx, lat + y / my];
    const parcels = [
      { id: 'a', geometry: multiPolygon([[rectangle(0, 0, 100, 100)]], at) },
      { id: 'b', geometry: multiPolygon([[rectangle(100.1, 0, 200, 100)]], at) },
      { id: 'c', geometry: multiPolygon([[rectangle(0, 100.1, 100, 200)]], at) },
      { id: 'd', geometry: multiPolygon([[rectangle(100.3, 100.3, 200, 200)]], at) },
    ];
    const pairs = adjoiningParcels(parcels, [0], DEFAULTS).map(({ b, shared_m }) => [b, shared_m]);
    expect(pairs).toEqual([
      [1, 100.2],
      [2, 100.2],
    ]);
  });

  it('gives nothing for no parcels, no subjects or a parcel alone', () => {
    const alone = [{ id: 'a', geometry: inMetres([[lot]]) }];
    expect(adjoiningParcels([], [], DEFAULTS)).toEqual([]);
    expect(adjoiningParcels(alone, [], DEFAULTS)).toEqual([]);
    expect(adjoiningParcels(alone, [0, 0], DEFAULTS)).toEqual([]);
  });

  it('bears an empty geometry and one without area', () => {
    const parcels = [
      { id: 'a', geometry: inMetres([[lot]]) },
      { id: 'empty', geometry: { coords: new Float64Array(0), ringEnds: [], polygonEnds: [] } },
      { id: 'point', geometry: inMetres([[rectangle(10, 5, 10, 5)]]) },
    ];
    expect(adjoiningParcels(parcels, [0, 1, 2], DEFAULTS)).toEqual([]);
  });

  it('answers for the subjects only, sorted by subject and neighbour id', () => {
    const parcels = [
      { id: 'z', geometry: inMetres([[rectangle(10, 0, 20, 10)]]) },
      { id: 'm', geometry: inMetres([[lot]]) },
      { id: 'B', geometry: inMetres([[rectangle(-10, 0, 0, 10)]]) },
      { id: 'a', geometry: inMetres([[rectangle(0, 10, 10, 20)]]) },
    ];
    const ids = (subjects: number[]): string[] =>
      adjoiningParcels(parcels, subjects, DEFAULTS).map(({ a, b }) => `${parcels[a]!.id}-${parcels[b]!.id}`);
    expect(ids([1])).toEqual(['m-B', 'm-a', 'm-z']);
    expect(ids([1, 0])).toEqual(['z-a', 'z-m', 'm-B', 'm-a', 'm-z']);
  });

  it('gives the pairs of each subject by number, those of two subjects both ways', () => {
    const parcels = [
      rectangle(10, 0, 20, 10),
      rectangle(0, 10, 10, 20),
      lot,
      rectangle(50, 50, 60, 60),
      rectangle(-10, 0, 0, 10),
    ].map((ring) => inMetres([[ring]]));
    const { starts, b, shared_m, corner } = parcelPairs(parcels, Uint8Array.of(1, 0, 1, 1, 1), DEFAULTS);
    const of = (a: number): [number, boolean][] =>
      [...b.slice(starts[a], starts[a + 1])].map((other, k) => [other, corner[starts[a]! + k] === 1]);
    expect([0, 1, 2, 3, 4].map(of)).toEqual([
      [
        [1, true],
        [2, false],
      ],
      [],
      [
        [0, false],
        [1, false],
        [4, false],
      ],
      [],
      [
        [1, true],
        [2, false],
      ],
    ]);
    expect(shared_m[starts[0]! + 1]).toBe(shared_m[starts[2]!]);
    expect([...parcelPairs([], new Uint8Array(0), DEFAULTS).starts]).toEqual([0]);
  });

  it('keeps the order where there are more pairs than there was room for', () => {
    const column = Array.from({ length: 1500 }, (_, i) =>
      inMetres([[rectangle(0, i * 10, 10, i * 10 + 10)]]),
    );
    const { starts, b } = parcelPairs(column, new Uint8Array(1500).fill(1), DEFAULTS);
    expect(b).toHaveLength(2998);
    for (let i = 1; i < 1499; i++) expect([...b.slice(starts[i], starts[i + 1])]).toEqual([i - 1, i + 1]);
  });

  it('uses the tolerance and the least length it is given', () => {
    const parcels = [
      { id: 'a', geometry: inMetres([[lot]]) },
      { id: 'b', geometry: inMetres([[rectangle(10.15, 7, 20, 17)]]) },
    ];
    const pair = (tolerance_m: number, min_shared_m: number) =>
      adjoiningParcels(parcels, [0], { tolerance_m, min_shared_m })[0];
    expect(pair(0.1, 0.5)).toBeUndefined();
    expect(pair(0.2, 0.5)).toMatchObject({ corner: false });
    expect(pair(0.2, 5)).toMatchObject({ corner: true });
  });
});

/** A small cadastre with every kind of irregularity: cells of a lattice whose corners are moved by centimetres, some dropped, some doubled. */
const cadastre = fc
  .tuple(
    fc.integer({ min: 2, max: 4 }),
    fc.array(fc.constantFrom(0, 0, 0, 0.05, -0.05, 0.12, -0.3), { minLength: 200, maxLength: 200 }),
    fc.array(fc.constantFrom('keep', 'keep', 'keep', 'drop', 'twice'), { minLength: 16, maxLength: 16 }),
  )
  .map(([n, moves, fates]) => {
    const parcels: ParcelShape[] = [];
    for (let i = 0; i < n * n; i++) {
      const [x, y] = [(i % n) * 12, Math.floor(i / n) * 12];
      const ring = rectangle(x, y, x + 12, y + 12)
        .slice(0, 4)
        .map(([px, py], k): [number, number] => [px + moves[i * 8 + k]!, py + moves[i * 8 + 4 + k]!]);
      const copies = fates[i] === 'drop' ? 0 : fates[i] === 'twice' ? 2 : 1;
      for (let copy = 0; copy < copies; copy++)
        parcels.push({ id: `${i}.${copy}`, geometry: inMetres([[ring]]) });
    }
    return parcels;
  });

describe('adjoiningParcels depends on the pair alone', () => {
  const key = (parcels: ParcelShape[], subjects: number[]): string[] =>
    adjoiningParcels(parcels, subjects, DEFAULTS)
      .map((p) => `${parcels[p.a]!.id} ${parcels[p.b]!.id} ${p.shared_m} ${p.corner}`)
      .sort();
  const all = (parcels: ParcelShape[]): number[] => parcels.map((_, i) => i);

  it('not on the order of the parcels', () => {
    fc.assert(
      fc.property(cadastre, fc.integer(), (parcels, turn) => {
        const k = parcels.length === 0 ? 0 : Math.abs(turn) % parcels.length;
        const turned = [...parcels.slice(k), ...parcels.slice(0, k)].reverse();
        expect(key(turned, all(turned))).toEqual(key(parcels, all(parcels)));
      }),
      { numRuns: 100 },
    );
  });

  it('not on which parcels are subjects, and both directions have the same answer', () => {
    fc.assert(
      fc.property(cadastre, (parcels) => {
        const together = key(parcels, all(parcels));
        const apart = parcels.flatMap((_, i) => key(parcels, [i])).sort();
        expect(apart).toEqual(together);
        const turned = together.map((row) => row.replace(/^(\S+) (\S+)/, '$2 $1')).sort();
        expect(turned).toEqual(together);
      }),
      { numRuns: 100 },
    );
  });
});
