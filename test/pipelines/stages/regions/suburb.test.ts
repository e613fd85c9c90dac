import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveSuburbStage } from '../../../../pipelines/stages/regions/suburb.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

it('takes of a suburb what most of its properties have, of equals the lowest, and a null last', async () => {
  const rows: [state: string, sa2: string | undefined, sal: string, sal_name?: string, lon?: number][] = [
    ['VIC', undefined, '2', 'Ash', 3],
    ['VIC', undefined, '2', 'Ash'],
    ['VIC', undefined, '10', 'Ash', 1],
    ['NSW', 'b1', '10', 'Ash'],
    ['NSW', 'B1', '2', 'Ash'],
    ['NSW', 'B1', '10', 'Ash'],
    ['ACT', 'b1', '30', 'Ash', 2],
    ['VIC', undefined, '5'],
    ['VIC', undefined, '5', 'Elm'],
  ];
  const region = rows.map(([, sa2, sal, sal_name], i) => ({
    gnaf_pid: `GA${i}`,
    sa2,
    sa3: sa2?.slice(0, 1),
    sal,
    sal_name,
  }));
  const address = rows.map(([state, , , , lon], i) => ({
    gnaf_pid: `GA${i}`,
    state,
    lon,
    lat: lon === undefined ? undefined : -lon,
  }));
  // An alias is in the file and in no region.
  const alias = { gnaf_pid: 'GA-alias', state: 'QLD', lon: 9, lat: -9 };
  const made = await statementRows(database, serveSuburbStage, { region, address: [...address, alias] });
  expect(made.sort((a, b) => (String(a.sal) < String(b.sal) ? -1 : 1))).toEqual([
    {
      sal: 'Ash',
      state: 'NSW',
      sa2: 'B1',
      sa3: 'B',
      sal_code: '10',
      properties: 7,
      min_lon: 1,
      min_lat: -3,
      max_lon: 3,
      max_lat: -1,
    },
    {
      sal: 'Elm',
      state: 'VIC',
      sa2: null,
      sa3: null,
      sal_code: '5',
      properties: 1,
      min_lon: null,
      min_lat: null,
      max_lon: null,
      max_lat: null,
    },
  ]);
});
