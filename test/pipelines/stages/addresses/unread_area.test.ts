import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreadAreaStage } from '../../../../pipelines/stages/addresses/unread_area.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

type Given = Record<string, unknown>;

const gap = (gap_no: number, more: Given): Given => ({
  dataset: 'schools',
  theme: 'school',
  part: 'a',
  gap_no,
  ...more,
});
const count = (count_no: number, more: Given): Given => ({
  dataset: 'schools',
  theme: 'school',
  part: 'a',
  count_no,
  kind: 'school',
  unplaced: 0,
  kinds: [],
  ...more,
});
const address = (
  state: string,
  postcode: string,
  locality_name: string,
  lon: number | null,
  lat: number,
): Given => ({
  state,
  postcode,
  locality_name,
  lon,
  lat,
});

const ADDRESSES = [
  address('VIC', '3121', 'RICHMOND', 145, -37.8),
  address('VIC', '3121', 'RICHMOND', 145.02, -37.83),
  address('VIC', '3121', 'CREMORNE', 144.99, -37.84),
  address('VIC', '3121', 'RICHMOND', null, 0),
  address('NSW', '2753', 'RICHMOND', 150.7, -33.6),
];

describe('areas with rows that could not be read', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  /** The areas as text: state, box or `all`, reason. */
  async function areasOf(gaps: readonly Given[], counted: readonly Given[] = []): Promise<string[]> {
    const rows = await statementRows(database, unreadAreaStage, { gap: gaps, counted, address: ADDRESSES });
    return rows
      .map(({ state, west, south, east, north, reason }) =>
        [state, west === null ? 'all' : [west, south, east, north].join(' '), reason ?? ''].join('|'),
      )
      .sort();
  }

  it('keeps the box of a rejected feature', async () => {
    expect(await areasOf([gap(1, { west: 1, south: 2, east: 3, north: 4 })])).toEqual(['*|1 2 3 4|']);
  });

  it('takes the addresses of the suburb in the postcode, else those of the postcode, else those of the suburb', async () => {
    const named = (state: string | null, postcode: string | null, suburb: string | null) =>
      areasOf([gap(1, { state, postcode, suburb, reason: 'line 2' })]);
    expect(await named('VIC', '3121', 'CREMORNE')).toEqual(['VIC|144.99 -37.84 144.99 -37.84|line 2']);
    expect(await named('VIC', '3121', 'UNHEARD OF')).toEqual(['VIC|144.99 -37.84 145.02 -37.8|line 2']);
    expect(await named('VIC', '3999', 'RICHMOND')).toEqual(['VIC|145 -37.83 145.02 -37.8|line 2']);
    expect(await named(null, null, 'RICHMOND')).toEqual([
      'NSW|150.7 -33.6 150.7 -33.6|line 2',
      'VIC|145 -37.83 145.02 -37.8|line 2',
    ]);
  });

  it('is the state if no address has the named postcode or suburb, and everything if none is named', async () => {
    expect(await areasOf([gap(1, { state: 'VIC', postcode: '3999', reason: 'line 2' })])).toEqual([
      'VIC|all|line 2',
    ]);
    expect(await areasOf([gap(1, { state: 'TAS', reason: 'line 2' })])).toEqual(['TAS|all|line 2']);
    expect(await areasOf([gap(1, { reason: 'the file lacks features' })])).toEqual([
      '*|all|the file lacks features',
    ]);
  });

  it('is the state for overlays if all datasets there have one kind', async () => {
    const overlays = (dataset: string, ...kinds: string[]) =>
      count(1, { dataset, theme: 'overlay', rows: 9, kinds });
    expect(
      await areasOf([], [overlays('a', 'VIC Heritage Overlay'), overlays('b', 'NSW Height', 'NSW Heritage')]),
    ).toEqual(['VIC|all|the only kind of overlay is Heritage Overlay']);
    expect(
      await areasOf([], [overlays('a', 'VIC Heritage Overlay'), overlays('b', 'VIC Floodway Overlay')]),
    ).toEqual([]);
  });

  it('is everything if more than 0.5 % of the rows of one kind in all parts state no place', async () => {
    const example = 'b.csv line 9: short_row, 2 fields';
    const parts = (rows: number) => [
      count(1, { rows }),
      count(2, { part: 'b', rows: 20, unplaced: 1, example }),
    ];
    expect(await areasOf([], parts(180))).toEqual([]);
    expect(await areasOf([], parts(100))).toEqual([
      `*|all|1 of 120 rows state no place, the first: ${example}`,
    ]);
    expect(
      await areasOf([], [count(1, { rows: 1e6, kind: '' }), count(2, { rows: 9, unplaced: 1, example })]),
    ).toEqual([`*|all|1 of 9 rows state no place, the first: ${example}`]);
  });
});
