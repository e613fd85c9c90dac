import { expect, it } from 'vitest';
import type { Reject } from '../../../schema/errors.ts';
import type { SourceBatch } from '../../../sources/adapter.ts';
import { withGaps } from '../../../sources/release/with_gaps.ts';

const reject = (at: string, more: Partial<Reject> = {}): Reject => ({
  code: 'short_row',
  file: 'schools.csv',
  at,
  message: 'two fields',
  ...more,
});

/** The rows that a part with these batches adds, by table. */
async function rowsOf(batches: readonly SourceBatch[]): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  const source = (async function* () {
    yield* batches;
  })();
  for await (const { records = [] } of withGaps(source, 'schools', 'school', 'a'))
    for (const { table, rows: added } of records) rows[table.name] = [...(rows[table.name] ?? []), ...added];
  return rows;
}

const account = { file: 'schools.csv', table: 'school', rows_in: 400, records: 397, rejects: 3, drops: {} };

it('adds the box of a reject, else the area that it names, each once, and counts rejects with neither', async () => {
  const area = { state: 'VIC', postcode: '3121', suburb: null };
  const { coverage_gap, coverage_count } = await rowsOf([
    { rejects: [reject('line 2', { extent: [1, 2, 3, 4], area }), reject('line 3', { area })] },
    { rejects: [reject('line 4', { area }), reject('line 5'), reject('line 6')], accounts: [account] },
  ]);
  expect(coverage_gap).toEqual([
    expect.objectContaining({ gap_no: 1, west: 1, north: 4, state: null, reason: null }),
    expect.objectContaining({
      gap_no: 2,
      west: null,
      ...area,
      reason: 'schools.csv line 3: short_row, two fields',
    }),
  ]);
  expect(coverage_count).toEqual([
    expect.objectContaining({
      count_no: 1,
      kind: 'school',
      rows: 400,
      unplaced: 2,
      example: 'schools.csv line 5: short_row, two fields',
    }),
  ]);
});

it('makes everything a gap if a file states that it lacks features', async () => {
  const { coverage_gap } = await rowsOf([{ incomplete: ['flood.geojson'] }]);
  expect(coverage_gap).toEqual([
    expect.objectContaining({
      west: null,
      state: null,
      reason: 'flood.geojson states that it lacks features',
    }),
  ]);
});
