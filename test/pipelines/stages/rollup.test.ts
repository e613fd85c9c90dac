import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import {
  best,
  box,
  boxAround,
  boxOf,
  common,
  first,
  last,
  most,
  properties,
  sums,
  union,
} from '../../../pipelines/stages/measures.ts';
import { rollup } from '../../../pipelines/stages/rollup.ts';
import { col, nullable, type Row, table } from '../../../schema/table.ts';
import { computed } from '../computed.ts';

const homeTable = table({
  schema: 'record',
  name: 'home',
  doc: 'A home.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    id: col('int4', 'Home.'),
    town: nullable('text', 'Town; null: none.'),
    state: nullable('text', 'State; null: not known.'),
    name: col('text', 'Name of the town.'),
    rooms: col('int4', 'Rooms.'),
    themes: col('text[]', 'Themes, sorted.'),
    lon: nullable('float8', 'Longitude; null: none.'),
    lat: nullable('float8', 'Latitude; null: none.'),
  },
  primaryKey: ['id'],
});
type Home = Row<typeof homeTable>;

const townTable = table({
  schema: 'serving',
  name: 'town',
  doc: 'A town.',
  columns: {
    town: nullable('text', 'Town.'),
    state: nullable('text', 'State of most of its homes.'),
    of_all: col('int4', 'Of all towns.'),
    ...first({ name: col('text', 'Name of the first home.') }).columns,
    ...last({ last_name: col('text', 'Name of the last home.') }).columns,
    ...properties.columns,
    ...sums({ filled: col('int4[]', 'Homes, and rooms.') }).columns,
    ...union({ any: col('text[]', 'Themes of any home.') }).columns,
    ...common({ all: col('text[]', 'Themes of all homes.') }).columns,
    id: col('int4', 'Home of most rooms, ties to the lowest.'),
    rooms: col('int4', 'Its rooms.'),
    ...box.columns,
  },
});

const towns = rollup({
  parts: {
    name: 'town_part',
    doc: 'Homes of a town and state in one cell.',
    by: { town: nullable('text', 'Town.'), state: nullable('text', 'State.') },
    measures: [
      first({ name: col('text', 'Name of the first home.') }),
      last({ last_name: col('text', 'Name of the last home.') }),
      properties,
      sums({ filled: col('int4[]', 'Homes, and rooms.') }),
      union({ any: col('text[]', 'Themes of any home.') }),
      common({ all: col('text[]', 'Themes of all homes.') }),
      best(
        { id: col('int4', 'Home of most rooms, ties to the lowest.'), rooms: col('int4', 'Its rooms.') },
        (a, b) => b.rooms - a.rooms || a.id - b.id,
      ),
      box,
    ],
  },
  part: {
    version: 3,
    doc: 'Homes.',
    subject: 'home',
    inputs: { home: input(homeTable, ['id', 'town', 'state', 'name', 'rooms', 'themes', 'lon', 'lat']) },
    dropped: 'no_rooms',
    gather({ home }, add) {
      const counted = home.filter(({ rooms }) => rooms > 0);
      for (const { id, town, state, name, rooms, themes, lon, lat } of counted) {
        const lists = { filled: [1, rooms], any: themes, all: themes };
        add({
          town,
          state,
          name,
          last_name: name,
          properties: 1,
          ...lists,
          id,
          rooms,
          ...boxOf({ lon, lat }),
        });
      }
      return home.length - counted.length;
    },
  },
  whole: {
    name: 'serve_town',
    version: 4,
    output: townTable,
    by: ['town'],
    inputs: { everywhere: input(homeTable, ['id'], { kind: 'all' }) },
    prepare: ({ everywhere }) => everywhere.length,
    rows: (total, parts, of_all) => [{ ...total, state: most(parts, 'state'), of_all }],
  },
});

/** The cells' parts in the order of the primary key, as a stage reads them. */
function partsOf(cells: readonly (readonly Home[])[]): Record<string, unknown>[] {
  const order = (value: unknown): string => (value === null ? '' : ` ${value}`);
  return cells.flatMap((home, cell) =>
    computed(towns.part, { home }, cell).rows.sort((a, b) => {
      const [x, y] = [a, b].map(({ town, state }) => `${order(town)}|${order(state)}`);
      return x! < y! ? -1 : 1;
    }),
  );
}

const served = (cells: readonly (readonly Home[])[]): Record<string, unknown>[] =>
  computed(towns.whole, { part: partsOf(cells), everywhere: cells.flat() }).rows;

/** A town from all its homes at once. */
function townOf(homes: readonly Home[], of_all: number): Record<string, unknown> {
  const states = [...new Set(homes.map(({ state }) => state))].filter((state) => state !== null).sort();
  const count = (state: string): number => homes.filter((home) => home.state === state).length;
  const [top] = states.sort((a, b) => count(b) - count(a));
  const [roomiest] = [...homes].sort((a, b) => b.rooms - a.rooms || a.id - b.id);
  const themes = [...new Set(homes.flatMap((home) => home.themes))].sort();
  const points = homes.filter(({ lon }) => lon !== null);
  const edge = (of: (...values: number[]) => number, values: (number | null)[]): number | null =>
    points.length === 0 ? null : of(...values.map((value) => value!));
  return {
    town: homes[0]!.town,
    state: top ?? null,
    of_all,
    properties: homes.length,
    filled: [homes.length, homes.reduce((sum, { rooms }) => sum + rooms, 0)],
    any: themes,
    all: themes.filter((theme) => homes.every((home) => home.themes.includes(theme))),
    id: roomiest!.id,
    rooms: roomiest!.rooms,
    min_lon: edge(
      Math.min,
      points.map(({ lon }) => lon),
    ),
    min_lat: edge(
      Math.min,
      points.map(({ lat }) => lat),
    ),
    max_lon: edge(
      Math.max,
      points.map(({ lon }) => lon),
    ),
    max_lat: edge(
      Math.max,
      points.map(({ lat }) => lat),
    ),
  };
}

const name = fc.constantFrom(null, '', 'null', 'a', 'b', 'c');
const homes: fc.Arbitrary<Home[]> = fc
  .array(
    fc.record({
      town: name,
      state: name,
      name: fc.constantFrom('x', 'y'),
      rooms: fc.integer({ min: 0, max: 3 }),
      themes: fc.subarray(['fire', 'flood', 'zone']),
      point: fc.option(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))),
    }),
    { maxLength: 30 },
  )
  .map((all) =>
    all.map(({ point, ...home }, id) => ({
      cell: 0,
      id,
      ...home,
      lon: point?.[0] ?? null,
      lat: point?.[1] ?? null,
    })),
  );

describe('rollup', () => {
  it('declares the asset, and two stages', () => {
    expect(towns.asset.primaryKey).toEqual(['cell', 'town', 'state']);
    expect(Object.keys(towns.asset.columns).slice(0, 5)).toEqual([
      'cell',
      'town',
      'state',
      'name',
      'last_name',
    ]);
    const { part, whole } = towns;
    expect([part.name, part.version, part.by, part.output]).toEqual(['town_part', 3, 'cell', towns.asset]);
    expect([whole.name, whole.version, whole.by, whole.output]).toEqual([
      'serve_town',
      4,
      'whole',
      townTable,
    ]);
    expect(whole.doc).toBe('Rows of serving.town.');
    expect(whole.inputs.part).toMatchObject({
      table: towns.asset,
      columns: Object.keys(towns.asset.columns),
      scope: { kind: 'all' },
    });
  });

  it('makes of any split into cells what all rows come to at once', () => {
    fc.assert(
      fc.property(homes, fc.array(fc.nat(4), { minLength: 30, maxLength: 30 }), (all, cellOf) => {
        const cells = [0, 1, 2, 3, 4].map((cell) => all.filter((_, i) => cellOf[i] === cell));
        const counted = all.filter(({ rooms }) => rooms > 0);
        const named = [...new Set(counted.map(({ town }) => town))];
        const expected = named.map((town) =>
          townOf(
            counted.filter((home) => home.town === town),
            all.length,
          ),
        );
        const rows = served(cells).map(({ name: _, last_name: __, ...row }) => row);
        expect(new Set(rows.map((row) => row.town))).toEqual(new Set(named));
        expect(rows).toHaveLength(named.length);
        for (const row of rows) expect(row).toEqual(expected.find(({ town }) => town === row.town));
      }),
    );
  });

  it('has the first and the last row in the order of cells', () => {
    const home = (id: number, of: string): Home => ({
      cell: 0,
      id,
      town: 'a',
      state: 'V',
      name: of,
      rooms: 1,
      themes: [],
      lon: null,
      lat: null,
    });
    const [row] = served([[home(1, 'one'), home(2, 'two')], [], [home(0, 'three'), home(4, 'four')]]);
    expect(row).toMatchObject({ name: 'one', last_name: 'four', min_lon: null, max_lat: null });
  });

  it('accounts for each subject row, dropped or not', () => {
    fc.assert(
      fc.property(homes, (home) => {
        const { account } = computed(towns.part, { home }, 7);
        const dropped = home.filter(({ rooms }) => rooms === 0).length;
        const drops = dropped > 0 ? { no_rooms: dropped } : {};
        expect(account).toEqual({ in: home.length, out: home.length - dropped, drops });
        const part = partsOf([home]);
        expect(computed(towns.whole, { part, everywhere: [] }).account).toEqual({
          in: part.length,
          out: part.length,
          drops: {},
        });
      }),
    );
  });

  it('changes no list that it was given', () => {
    const themes = Object.freeze(['fire', 'flood']) as string[];
    const home = { cell: 0, town: 'a', state: 'V', name: 'x', rooms: 1, lon: 1, lat: 2 };
    const given = [
      { ...home, id: 1, themes },
      { ...home, id: 2, themes: ['flood', 'zone'] },
    ];
    const parts = partsOf([given, given]);
    const before = structuredClone(parts);
    computed(towns.whole, { part: parts, everywhere: [] });
    expect(parts).toEqual(before);
    expect(themes).toEqual(['fire', 'flood']);
  });
});

it('most weighs by properties, ties go to the lowest, null counts for nothing', () => {
  const rows = (...of: [string | null, number][]) =>
    of.map(([state, count]) => ({ state, properties: count }));
  expect(most(rows(['b', 2], ['a', 1], ['a', 1]), 'state')).toBe('a');
  expect(most(rows(['a', 2], ['b', 2]), 'state')).toBe('a');
  expect(most(rows(['b', 2], ['a', 1], [null, 9]), 'state')).toBe('b');
  expect(most(rows([null, 9]), 'state')).toBeNull();
});

it('boxAround holds every point that has coordinates', () => {
  const none = { lon: null, lat: null };
  expect(boxAround([none, { lon: 2, lat: 5 }, none, { lon: 3, lat: -1 }])).toEqual({
    min_lon: 2,
    min_lat: -1,
    max_lon: 3,
    max_lat: 5,
  });
  expect(boxAround([none, none])).toEqual(boxOf(none));
});
