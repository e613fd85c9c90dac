import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { configSchema } from '../../../schema/config.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { writeDeliveryChanges } from '../../../store/loads/delivery_changes.ts';
import { childTarget, digestSteps } from '../../../store/loads/load_digest.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

/** A parcel of a cell: number, lot on plan and area. */
type Parcel = readonly [cell: number, id: number, lot_plan: string | null, area_sqm: number];

describe('the log of a delivery of parcels', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let loads = 0;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await setUp(client, configSchema.parse({ datasets: {} }));
    await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  async function load(parcels: readonly Parcel[]): Promise<number> {
    const id = ++loads;
    await client.query(
      `INSERT INTO control.load (load_id, dataset, part, adapter, release, fingerprint, state, run_id, crs, files)
       OVERRIDING SYSTEM VALUE VALUES ($1, 't', $2, 't', 't', 't', 'active', 1, '{}', '[]')`,
      [id, String(id)],
    );
    const target = childTarget(parcelRecord, id);
    await client.query(`CREATE TABLE ${target} (LIKE record.parcel)`);
    const rows = parcels.map(([cell, n, lot_plan, area_sqm]) => ({
      load_id: id,
      source_no: n,
      cell,
      parcel_id: `VIC:${n}`,
      state: 'VIC',
      lot_plan,
      area_sqm,
      min_lon: 145 + n / 1000,
      min_lat: -38,
      max_lon: 145 + n / 1000,
      max_lat: -38,
      geom: '\\x00',
    }));
    await client.query(
      `INSERT INTO ${target} SELECT * FROM jsonb_populate_recordset(NULL::record.parcel, $1)`,
      [JSON.stringify(rows)],
    );
    for (const step of digestSteps(parcelRecord, target, id, true)) await client.query(step);
    return id;
  }

  const logged = async (before: readonly Parcel[], after: readonly Parcel[]) => {
    const [old, young] = [await load(before), await load(after)];
    await client.query('DELETE FROM control.key_change');
    await writeDeliveryChanges(client, [parcelRecord], [old], [young], 1);
    return database.query('SELECT cell, keys, named, boxes FROM control.key_change ORDER BY cell');
  };

  it('lists keys, lots before and after, and boxes of the parcels that differ', async () => {
    const rows = await logged(
      [
        [1, 1, '1LP1', 500],
        [1, 2, '2LP1', 500],
        [1, 3, null, 500],
        [2, 4, '4LP1', 500],
      ],
      [
        [1, 1, '9LP9', 500],
        [1, 2, '2LP1', 500],
        [2, 4, '4LP1', 500],
      ],
    );
    expect(rows).toEqual([
      {
        cell: 1,
        keys: ['VIC:1', 'VIC:3'],
        named: { lot_plan: expect.arrayContaining(['1LP1', '9LP9']) },
        boxes: [
          [145.001, -38, 145.001, -38],
          [145.001, -38, 145.001, -38],
          [145.003, -38, 145.003, -38],
        ],
      },
    ]);
    expect((rows[0]!.named as { lot_plan: string[] }).lot_plan).toHaveLength(2);
  });

  it('has nothing of a cell in which more than half of many parcels differ', async () => {
    const parcels = (changed: number): Parcel[] =>
      Array.from({ length: 300 }, (_, i) => [1, i, `${i}LP1`, i < changed ? 600 : 500]);
    expect(await logged(parcels(0), parcels(151))).toEqual([]);
    expect(await logged(parcels(0), parcels(150))).toMatchObject([{ cell: 1 }]);
  });
});
