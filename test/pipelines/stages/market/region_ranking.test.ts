import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRegionRankingStage } from '../../../../pipelines/stages/market/region_market.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

describe('ranks of areas', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  const figures: readonly [area: string, state: string, value: number | null][] = [
    ['a', 'VIC', 5],
    ['b', 'VIC', 7],
    ['c', 'NSW', 7],
    ['d', 'NSW', null],
    ['e', 'NSW', 1],
    ['f', 'NT', null],
    ['x', 'VIC', 2],
    ['y', 'VIC', 3],
    ['z', 'VIC', 4],
  ];

  /** Of each area rank and number of peers in the state and in the nation, by a measure. */
  async function ranksBy(measure: string): Promise<Record<string, unknown[]>> {
    const of = { level: 'SA2', market: 'house', month: '2024-01-01' };
    const market = figures.map(([area, state, value]) => ({ ...of, area, state, [measure]: value }));
    // Fewer than five have a figure at another level.
    const other = market.slice(0, 4).map((row) => ({ ...row, level: 'SA3' }));
    const rows = await statementRows(database, serveRegionRankingStage, { market: [...market, ...other] });
    return Object.fromEntries(
      rows.map((row) => {
        expect(row).toMatchObject({ ...of, measure });
        return [row.area, [row.state_rank, row.state_of, row.nation_rank, row.nation_of]];
      }),
    );
  }

  it('are shared by equal figures, and are null in a state with fewer than five areas', async () => {
    expect(await ranksBy('median_price')).toEqual({
      a: [2, 5, 3, 7],
      b: [1, 5, 1, 7],
      c: [null, null, 1, 7],
      e: [null, null, 7, 7],
      x: [5, 5, 6, 7],
      y: [4, 5, 5, 7],
      z: [3, 5, 4, 7],
    });
  });

  it('begin with the fewest days on the market', async () => {
    expect(await ranksBy('days_on_market')).toMatchObject({ e: [null, null, 1, 7], b: [5, 5, 6, 7] });
  });
});
