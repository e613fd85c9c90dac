import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { setUp } from '../../pipelines/run/refresh.ts';
import { addressParcelAsset, parcelFormAsset } from '../../schema/assets/property.ts';
import { readReferred } from '../../store/assets.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

describe('rows that others refer to', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const referring = { table: addressParcelAsset, column: 'parcel_id', cellColumn: 'parcel_cell' };

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await setUp(client, (await loadConfig({}, {})).config);
    await client.query(
      `INSERT INTO asset.parcel_form (cell, parcel_id, compactness, width_m, frontage_m)
       SELECT cell, cell || name, 0.5, n, 1 FROM generate_series(1, 3) cell, unnest(ARRAY['a', 'b', 'c']) WITH ORDINALITY t (name, n)`,
    );
    await client.query(
      `INSERT INTO asset.address_parcel (cell, gnaf_pid, state, parcel_id, parcel_cell, method, is_unit) VALUES
         (1, 'at home', 'VIC', '1a', NULL, 'legal_id', false), (1, 'next door', 'VIC', '2a', 2, 'legal_id', false),
         (1, 'next door too', 'VIC', '2a', 2, 'legal_id', true), (1, 'nowhere', 'VIC', NULL, NULL, 'none', false),
         (1, 'out of sight', 'VIC', '3a', 3, 'legal_id', false), (2, 'at home there', 'VIC', '2b', NULL, 'legal_id', false)`,
    );
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  const read = async (from: number[], others: number[], where?: string, whole = from): Promise<unknown[]> => {
    const rows = await readReferred(
      client,
      parcelFormAsset,
      ['parcel_id'],
      from,
      whole,
      others,
      referring,
      where,
    );
    return rows.map((row) => row.parcel_id).sort();
  };

  it('are all of the own cells, and of the others those that the own cells name, once each', async () => {
    expect(await read([1], [2])).toEqual(['1a', '1b', '1c', '2a']);
    expect(await read([1], [2, 3])).toEqual(['1a', '1b', '1c', '2a', '3a']);
    expect(await read([1, 2], [3])).toEqual(['1a', '1b', '1c', '2a', '2b', '2c', '3a']);
    expect(await read([2], [])).toEqual(['2a', '2b', '2c']);
    expect(await read([2], [1, 3])).toEqual(['2a', '2b', '2c']);
  });

  it('are those alone where the own cells are not read', async () => {
    expect(await read([1], [2, 3], undefined, [])).toEqual(['2a', '3a']);
    expect(await read([1, 2], [1, 2, 3], undefined, [])).toEqual(['2a', '3a']);
    expect(await read([1], [], undefined, [])).toEqual([]);
  });

  it('meet the condition of the input in all cells', async () => {
    expect(await read([1], [2, 3], 'width_m > 1')).toEqual(['1b', '1c']);
  });
});
