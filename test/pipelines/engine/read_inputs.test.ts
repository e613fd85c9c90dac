import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import { readInputs } from '../../../pipelines/engine/read_inputs.ts';
import { stage } from '../../../pipelines/engine/stage.ts';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { addressParcelAsset } from '../../../schema/assets/address.ts';
import { configSchema } from '../../../schema/config.ts';
import { type Bbox, cellBbox, cellOf, expandBbox, NO_CELL } from '../../../schema/grid.ts';
import { addressRecord } from '../../../schema/records/address.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { planned } from './planned.ts';

const CELL = cellOf(145.01, -37.81);
const NEXT = cellOf(145.06, -37.81);
const [, south, east] = cellBbox(CELL);

/** Each address with the parcels within 10 m of its cell, and within 1 km those of its lot. */
const finding = stage({
  name: 'finding',
  version: 1,
  doc: 'Test.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, ['gnaf_pid', 'lot_plan']),
    parcel: input(parcelRecord, ['parcel_id'], { kind: 'near', halo_m: 10 }),
    lot: input(parcelRecord, ['parcel_id'], { kind: 'near', halo_m: 1000, named: 'lot_plan' }),
  },
  output: addressParcelAsset,
  compute: ({ address }) => ({ account: { in: address.length, out: 0, drops: {} } }),
});

describe('the rows that a partition sees', () => {
  let database: TestDatabase;
  let client: pg.Client;

  const put = (table: string, rows: readonly object[]) =>
    client.query(
      `INSERT INTO record.${table} SELECT * FROM jsonb_populate_recordset(NULL::record.${table}, $1)`,
      [JSON.stringify(rows)],
    );

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await setUp(client, configSchema.parse({ datasets: {} }));
    // Any row will do, whatever else a record must have.
    for (const { name, columns } of [addressRecord, parcelRecord]) {
      for (const [column, { nullable }] of Object.entries(columns))
        if (!nullable) await client.query(`ALTER TABLE record.${name} ALTER COLUMN ${column} DROP NOT NULL`);
      await client.query(`CREATE TABLE record.${name}_l1 PARTITION OF record.${name} DEFAULT`);
    }
    await put('address', [
      { cell: CELL, gnaf_pid: 'GA1', lot_plan: "1'LP" },
      { cell: CELL, gnaf_pid: 'GA2', lot_plan: null },
      { cell: NO_CELL, gnaf_pid: 'GA3', lot_plan: '3LP' },
    ]);
    const at = (parcel_id: string, cell: number, lot_plan: string | null, lon: number) => ({
      parcel_id,
      cell,
      lot_plan,
      min_lon: lon,
      max_lon: lon + 0.0001,
      min_lat: south + 0.01,
      max_lat: south + 0.0101,
    });
    await put('parcel', [
      at('VIC:1', CELL, null, east - 0.01),
      at('VIC:2', NEXT, "1'LP", east + 0.005),
      at('VIC:3', NEXT, '2LP', east + 0.005),
      at('VIC:4', NEXT, "1'LP", east + 0.03),
      at('VIC:5', NEXT, '3LP', east + 0.03),
    ]);
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  const box = (halo_m: number): { kind: 'box'; cells: number[]; box: Bbox } => ({
    kind: 'box',
    cells: [CELL, NEXT],
    box: expandBbox(cellBbox(CELL), halo_m),
  });

  const ids = (rows: readonly Record<string, unknown>[]): unknown[] => rows.map(({ parcel_id }) => parcel_id);

  it('are those near its cell, and more distant ones that its subject rows name', async () => {
    const partition = {
      ...planned(CELL),
      slices: { address: { kind: 'cells', cells: [CELL] }, parcel: box(10), lot: box(1000) } as const,
    };
    const { address, parcel, lot } = (await readInputs(client, finding, [partition]))(partition);
    expect(address).toHaveLength(2);
    expect(ids(parcel!)).toEqual(['VIC:1']);
    expect(ids(lot!)).toEqual(['VIC:2']);
  });

  it('are only those that its subject rows name, for a partition without coordinates', async () => {
    const partition = {
      ...planned(NO_CELL),
      slices: {
        address: { kind: 'cells', cells: [NO_CELL] },
        parcel: { kind: 'cells', cells: [] },
        lot: { kind: 'named' },
      } as const,
    };
    const { parcel, lot } = (await readInputs(client, finding, [partition]))(partition);
    expect(parcel).toEqual([]);
    expect(ids(lot!)).toEqual(['VIC:5']);
  });
});
