import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import type { Stage } from '../../../pipelines/engine/stage.ts';
import { best, properties, sum, sums, union } from '../../../pipelines/stages/measures.ts';
import { parts } from '../../../pipelines/stages/parts.ts';
import { col, nullable, type Row, table } from '../../../schema/table.ts';
import { computed } from '../computed.ts';

const homeTable = table({
  schema: 'serving',
  name: 'home',
  doc: 'A home.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    gnaf_pid: col('text', 'Home.'),
    town: nullable('text', 'Town; null: none.'),
    rooms: col('int4', 'Rooms.'),
  },
  primaryKey: ['gnaf_pid'],
});
const saleTable = table({
  schema: 'serving',
  name: 'sale',
  doc: 'A sale.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    gnaf_pid: col('text', 'Home.'),
    price: nullable('int4', 'Price; null: not known.'),
  },
  primaryKey: ['gnaf_pid'],
});
type Home = Row<typeof homeTable>;
type Sale = Row<typeof saleTable>;

const INPUTS = {
  home: input(homeTable, ['gnaf_pid', 'town', 'rooms']),
  sale: input(saleTable, ['gnaf_pid', 'price']),
};

/** Homes and rooms of each town, and of how many homes a price is known. */
const counted = parts(
  {
    name: 'town_part',
    doc: 'Homes of a town in one cell.',
    by: { town: col('text', 'Town.') },
    measures: [
      properties,
      sum({ rooms: col('int4', 'Rooms.') }),
      sums({ filled: col('int4[]', 'Homes with a price.') }),
    ],
  },
  {
    version: 1,
    doc: 'Homes.',
    subject: 'home',
    inputs: INPUTS,
    dropped: 'no_town',
    gather({ home, sale }, add) {
      const priced = new Set(sale.filter(({ price }) => price !== null).map(({ gnaf_pid }) => gnaf_pid));
      const here = home.filter(({ town }) => town !== null);
      for (const { gnaf_pid, town, rooms } of here)
        add({ town: town!, properties: 1, rooms, filled: [priced.has(gnaf_pid) ? 1 : 0] });
      return home.length - here.length;
    },
  },
);

/** The home of each town with the highest price, of these with most rooms. */
const dearest = parts(
  {
    name: 'dearest',
    doc: 'The dearest home of a town in one cell.',
    by: { town: nullable('text', 'Town; null: none.') },
    measures: [
      best(
        {
          price: col('int4', 'Price.'),
          rooms: col('int4', 'Rooms.'),
          gnaf_pid: col('text', 'Home.'),
        },
        (a, b) => b.price - a.price || b.rooms - a.rooms || (a.gnaf_pid < b.gnaf_pid ? -1 : 1),
      ),
    ],
  },
  {
    version: 1,
    doc: 'Homes.',
    subject: 'home',
    inputs: INPUTS,
    gather({ home, sale }, add) {
      const prices = new Map(sale.map(({ gnaf_pid, price }) => [gnaf_pid, price]));
      for (const { gnaf_pid, town, rooms } of home)
        add({ town, rooms, gnaf_pid, price: prices.get(gnaf_pid) ?? 0 });
      return 0;
    },
  },
);

interface Cell {
  home: Home[];
  sale: Sale[];
}

const PIDS = Array.from({ length: 12 }, (_, i) => `G${String(i).padStart(2, '0')}`);
/** What there is of each of twelve homes: a row or none, a sale or none. */
const cells: fc.Arbitrary<Cell> = fc
  .tuple(
    ...PIDS.map((gnaf_pid) =>
      fc.record({
        home: fc.option(
          fc.record({
            cell: fc.constant(7),
            gnaf_pid: fc.constant(gnaf_pid),
            town: fc.constantFrom(null, 'a', 'b', 'c'),
            rooms: fc.nat(3),
          }),
        ),
        sale: fc.option(
          fc.record({
            cell: fc.constant(7),
            gnaf_pid: fc.constant(gnaf_pid),
            price: fc.option(fc.nat(3)),
          }),
        ),
      }),
    ),
  )
  .map((all) => ({
    home: all.flatMap(({ home }) => home ?? []),
    sale: all.flatMap(({ sale }) => sale ?? []),
  }));

const ofKeys = ({ home, sale }: Cell, keys: ReadonlySet<string>): Cell => ({
  home: home.filter(({ gnaf_pid }) => keys.has(gnaf_pid)),
  sale: sale.filter(({ gnaf_pid }) => keys.has(gnaf_pid)),
});

/** The one with the rows of `keys` as the other has them. */
function after(one: Cell, other: Cell, keys: ReadonlySet<string>): Cell {
  const rest = ofKeys(one, new Set(PIDS.filter((pid) => !keys.has(pid))));
  const changed = ofKeys(other, keys);
  const order = (a: { gnaf_pid: string }, b: { gnaf_pid: string }): number =>
    a.gnaf_pid < b.gnaf_pid ? -1 : 1;
  return {
    home: [...rest.home, ...changed.home].sort(order),
    sale: [...rest.sale, ...changed.sale].sort(order),
  };
}

const sorted = (rows: readonly Record<string, unknown>[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

/** Changes one state to another for some keys, and compares what comes of the difference with what all rows come to; gives whether it did. */
function compare(part: Stage, one: Cell, other: Cell, keys: ReadonlySet<string>): boolean {
  const next = after(one, other, keys);
  const was = computed(part, { ...one }, 7);
  const is = computed(part, { ...next }, 7);
  const held = structuredClone(was.rows);
  const updated = part.byDifference!.update(
    { was: { ...ofKeys(one, keys) }, is: { ...ofKeys(next, keys) }, rows: was.rows },
    7,
  );
  expect(was.rows).toEqual(held);
  if (updated === null) return false;
  expect(sorted(updated.rows)).toEqual(sorted(is.rows));
  expect(was.account.out + updated.out).toBe(is.account.out);
  return true;
}

const someKeys = fc.subarray(PIDS).map((keys) => new Set(keys));

describe('parts by difference', () => {
  it('come to what all rows come to: counts always', () => {
    fc.assert(
      fc.property(cells, cells, someKeys, (one, other, keys) => {
        expect(compare(counted.part, one, other, keys)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('come to what all rows come to: the best where it is still there, or another is better', () => {
    let known = 0;
    fc.assert(
      fc.property(cells, cells, someKeys, (one, other, keys) => {
        if (compare(dearest.part, one, other, keys)) known++;
      }),
      { numRuns: 500, seed: 1 },
    );
    expect(known).toBeGreaterThan(100);
    expect(known).toBeLessThan(500);
  });

  it('need all rows where the best row goes, and not where it stays as it was', () => {
    const home = (gnaf_pid: string, rooms: number): Home => ({ cell: 7, gnaf_pid, town: 'a', rooms });
    const one = { home: [home('G00', 3), home('G01', 2), home('G02', 1)], sale: [] };
    const update = (keys: string[], other: Cell): boolean => compare(dearest.part, one, other, new Set(keys));
    expect(update(['G00'], { home: [home('G00', 1)], sale: [] })).toBe(false);
    expect(update(['G00'], { home: [], sale: [] })).toBe(false);
    expect(update(['G00'], one)).toBe(true);
    expect(update(['G00', 'G01'], { home: [home('G00', 1), home('G01', 4)], sale: [] })).toBe(true);
    expect(update(['G01', 'G02'], { home: [], sale: [] })).toBe(true);
  });

  it('are not made of rows of others, nor by measures that take nothing out', () => {
    const of = (inputs: typeof INPUTS, measures: Parameters<typeof parts>[0]['measures']): Stage =>
      parts(
        { name: 'p', doc: 'P.', by: { town: col('text', 'Town.') }, measures },
        { version: 1, doc: 'P.', subject: 'home', inputs, gather: () => 0 },
      ).part;
    expect(of(INPUTS, [properties]).byDifference).not.toBeNull();
    expect(of(INPUTS, [properties, union({ any: col('text[]', 'Any.') })]).byDifference).toBeNull();
    expect(of(INPUTS, [sum({ share: col('float8', 'Inexact.') })]).byDifference).toBeNull();
    const near = input(saleTable, ['gnaf_pid', 'price'], { kind: 'near', halo_m: 10 });
    expect(of({ ...INPUTS, sale: near }, [properties]).byDifference).toBeNull();
  });
});
