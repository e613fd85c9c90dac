import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import { runBatch } from '../../../pipelines/engine/run_batch.ts';
import { sqlStage } from '../../../pipelines/engine/sql_stage.ts';
import type { Stage, Statement } from '../../../pipelines/engine/stage.ts';
import { graph } from '../../../pipelines/graph.ts';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { servePropertyProfileStage } from '../../../pipelines/stages/addresses/serve_property_profile.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { configSchema } from '../../../schema/config.ts';
import { searchKey, searchKeySql } from '../../../transforms/address/search_key.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { planned } from './planned.ts';

/** Addresses of each SA1 of a cell, of those that have one. */
const counting = (sql: string, columns: ('home' | 'sa1' | 'sal')[] = ['home', 'sa1', 'sal']): Stage =>
  sqlStage({
    name: 'counting',
    doc: 'Test.',
    subject: 'address',
    inputs: {
      address: input(addressHomeAsset, columns, { kind: 'own' }, [{ state: 'VIC' }, { state: 'NSW' }]),
    },
    output: finderMarketAsset,
    dropped: { no_sa1: 'sa1 IS NULL' },
    sql,
  });

const SUMS = `SELECT home AS cell, sa1 AS sal, COALESCE(min(sal COLLATE "C"), 'none') AS market, count(*) AS growth_percent,
    NULL::float8 AS growth_forecast_percent
  FROM address WHERE sa1 IS NOT NULL GROUP BY home, sa1`;

interface Address {
  home: number;
  state: string;
  sa1?: string;
  sal?: string;
}

describe('a stage in SQL', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let runs = 0;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const config = configSchema.parse({ datasets: {} });
    await setUp(client, config);
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** The addresses from now on, with identifiers in their order. */
  async function put(addresses: readonly Address[]): Promise<void> {
    await client.query('TRUNCATE asset.address_home');
    const rest = { cell: 1, is_parcel_position: true, parcel_coincides: false, is_unit: false };
    const text = { label: '1 A ST', locality: 'A', confidence: 0 };
    const rows = addresses.map((address, i) => ({
      ...rest,
      ...text,
      parcel_method: 'none',
      method: 'none',
      gnaf_pid: `GA${i}`,
      ...address,
    }));
    await client.query(
      'INSERT INTO asset.address_home SELECT * FROM jsonb_populate_recordset(NULL::asset.address_home, $1)',
      [JSON.stringify(rows)],
    );
  }

  async function run(stage: Stage, cells: readonly number[]): Promise<Record<string, unknown>[]> {
    await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
    await runBatch(client, stage, {}, { partitions: cells.map(planned), runId: ++runs });
    return database.query(
      'SELECT cell, rows, account, output_digest::text FROM control.partition WHERE stage = $1 ORDER BY cell',
      [stage.name],
    );
  }

  const counted = () =>
    database.query(
      'SELECT cell, sal, market, growth_percent AS n FROM asset.finder_market ORDER BY cell, sal',
    );

  it('counts and digests each partition of a batch separately, for any order of rows', async () => {
    const addresses: Address[] = [
      { home: 1, state: 'VIC', sa1: 'a', sal: 'Y' },
      { home: 1, state: 'VIC', sa1: 'a', sal: 'x' },
      { home: 1, state: 'VIC' },
      { home: 1, state: 'QLD', sa1: 'a' },
      { home: 2, state: 'NSW', sa1: 'a' },
      { home: 3, state: 'NSW', sa1: 'b' },
    ];
    await put(addresses);
    const partitions = await run(counting(SUMS), [1, 2, 4]);
    expect(await counted()).toEqual([
      { cell: 1, sal: 'a', market: 'Y', n: 2 },
      { cell: 2, sal: 'a', market: 'none', n: 1 },
    ]);
    expect(partitions.map(({ output_digest: _, ...row }) => row)).toEqual([
      { cell: 1, rows: 1, account: { in: 3, out: 2, drops: { no_sa1: 1 }, rejects: 0 } },
      { cell: 2, rows: 1, account: { in: 1, out: 1, drops: {}, rejects: 0 } },
      { cell: 4, rows: 0, account: { in: 0, out: 0, drops: {}, rejects: 0 } },
    ]);
    await put([...addresses].reverse());
    expect(await run(counting(SUMS), [1, 2, 4])).toEqual(partitions);
  });

  it('knows only the columns that it declares, and leaves nothing of a batch that fails', async () => {
    await put([{ home: 1, state: 'VIC', sa1: 'c' }]);
    const before = await counted();
    await expect(run(counting(SUMS, ['home', 'sa1']), [1])).rejects.toThrow(/column "sal" does not exist/);
    expect(await counted()).toEqual(before);
  });

  it('counts subject rows without output as drops of one name', async () => {
    await put([
      { home: 1, state: 'VIC', sa1: 'a' },
      { home: 1, state: 'VIC' },
      { home: 2, state: 'VIC' },
    ]);
    const { compute, ...profile } = servePropertyProfileStage;
    const { sql } = compute as Statement;
    const located = (without: string): Stage => ({
      ...profile,
      compute: { sql: `${sql} WHERE sa1 IS NOT NULL`, dropped: {}, without, foreignQuery: null },
    });
    expect((await run(located('no_sa1'), [1, 2])).map(({ account }) => account)).toEqual([
      { in: 2, out: 1, drops: { no_sa1: 1 }, rejects: 0 },
      { in: 1, out: 0, drops: { no_sa1: 1 }, rejects: 0 },
    ]);
  });

  it('has another version if its text changes', () => {
    expect(counting(SUMS).version).toBe(counting(SUMS).version);
    expect(counting(SUMS).version).not.toBe(counting(SUMS.replace('none', 'no')).version);
  });

  it('compares names as the program does', async () => {
    const names = [
      'St. Kilda East (Vic.)',
      'Mount O’Grady (A) (NSW)',
      "D'Aguilar Hts",
      'Nth Pt.  Gdns',
      'Châtelet-la-Forêt & Søn',
      '( )',
      '',
      'Saint   Helena',
      'Bay ´n´ Bush',
    ];
    const { rows } = await client.query(
      `SELECT ${searchKeySql('name')} AS key FROM unnest($1::text[]) WITH ORDINALITY n (name, place) ORDER BY place`,
      [names],
    );
    expect(rows.map(({ key }) => key)).toEqual(names.map(searchKey));
  });

  it('reads only declared inputs, in every stage of the graph', async () => {
    const config = configSchema.parse({ datasets: {} });
    for (const { name, compute, inputs } of graph(config)) {
      if (typeof compute === 'function') continue;
      expect(compute.sql, name).not.toMatch(/\b(record|asset|staged|serving|control)\./);
      expect(
        Object.values(inputs).every(({ scope }) => ['all', 'own'].includes(scope.kind)),
        name,
      ).toBe(true);
    }
  });
});
