import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBatch } from '../../../../pipelines/engine/run_batch.ts';
import { setUp } from '../../../../pipelines/run/set_up.ts';
import { servePropertyAliasStage } from '../../../../pipelines/stages/addresses/serve_property_alias.ts';
import { servePropertySuccessorStage } from '../../../../pipelines/stages/addresses/serve_property_successor.ts';
import { configSchema } from '../../../../schema/config.ts';
import { NO_CELL } from '../../../../schema/grid.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { planned } from '../../engine/planned.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await setUp(client, configSchema.parse({ datasets: {} }));
  await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
  for (const name of ['address', 'address_alias'])
    await client.query(`CREATE TABLE record.${name}_l1 PARTITION OF record.${name} DEFAULT`);
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** Degrees of latitude of a metre. */
const METRE = 1 / 111_320;
const LAT = -37.8;

interface Draft {
  gnaf_pid: string;
  number_first?: string | null;
  flat_number?: string;
  street_name?: string | null;
  locality_name?: string;
  building_name?: string;
  postcode?: string;
  lot_plan?: string;
  /** Metres north of a point; null: no coordinates. */
  north?: number | null;
  geocode_level?: number;
  is_live?: boolean;
  alias_principal?: 'P' | 'A';
}
let lines = 0;
const address = ({ north = 1000 * ++lines, ...draft }: Draft) => ({
  load_id: 1,
  source_no: ++lines,
  cell: 1,
  state: 'VIC',
  label: draft.gnaf_pid,
  number_first: '1',
  street_name: 'MAIN',
  street_type: 'ROAD',
  locality_pid: 'L1',
  locality_name: 'TOWN',
  confidence: 0,
  alias_principal: 'P',
  geocode_level: 7,
  is_live: true,
  lon: north === null ? null : 145,
  lat: north === null ? null : LAT + north * METRE,
  ...draft,
});
const retired = (draft: Draft) => address({ ...draft, is_live: false });

it('names the property at the address, else on the lot, else within 5 m, if there is exactly one', async () => {
  const rows = [
    // The same address, with another building name and postcode, far away.
    retired({ gnaf_pid: 'R1', number_first: '10', building_name: 'OLD', postcode: '3000' }),
    address({ gnaf_pid: 'P1', number_first: '10', building_name: 'NEW', postcode: '3001' }),
    // The address of an alias: its principal.
    retired({ gnaf_pid: 'R2', number_first: '20' }),
    address({ gnaf_pid: 'A2', number_first: '20', alias_principal: 'A' }),
    address({ gnaf_pid: 'P2', number_first: '20A' }),
    // Two properties at the address; one of them on its lot.
    retired({ gnaf_pid: 'R3', number_first: '30', lot_plan: '3\\PS3' }),
    address({ gnaf_pid: 'P3', number_first: '30', lot_plan: '3\\PS3' }),
    address({ gnaf_pid: 'P3B', number_first: '30' }),
    // Two on its lot, one of them within 5 m.
    retired({ gnaf_pid: 'R4', number_first: '40', lot_plan: '4\\PS4', north: 50 }),
    address({ gnaf_pid: 'P4', number_first: '41', lot_plan: '4\\PS4', north: 54.9 }),
    address({ gnaf_pid: 'P4B', number_first: '42', lot_plan: '4\\PS4', north: 60 }),
    // Two within 5 m, and one just beyond.
    retired({ gnaf_pid: 'R5', number_first: '50', north: 100 }),
    address({ gnaf_pid: 'P5', number_first: '51', north: 97 }),
    address({ gnaf_pid: 'P5B', number_first: '52', north: 103 }),
    retired({ gnaf_pid: 'R6', number_first: '60', north: 200 }),
    address({ gnaf_pid: 'P6', number_first: '61', north: 205.1 }),
    // Points of streets and localities say nothing of the place.
    retired({ gnaf_pid: 'R7', number_first: '70', north: 300, geocode_level: 6 }),
    address({ gnaf_pid: 'P7', number_first: '71', north: 300 }),
    // Neither number nor place; another flat, street and locality.
    retired({ gnaf_pid: 'R8', number_first: null, north: null }),
    address({ gnaf_pid: 'P8', number_first: null, north: null }),
    retired({ gnaf_pid: 'R9', number_first: '90', flat_number: '1' }),
    address({ gnaf_pid: 'P9', number_first: '90', flat_number: '2' }),
    address({ gnaf_pid: 'P9B', number_first: '90', flat_number: '1', street_name: 'OTHER' }),
    address({ gnaf_pid: 'P9C', number_first: '90', flat_number: '1', locality_name: 'OTHER' }),
    // A retired alias is retired too; a retired address succeeds none.
    retired({ gnaf_pid: 'RA', number_first: '10', alias_principal: 'A' }),
  ];
  await client.query(
    'INSERT INTO record.address SELECT * FROM jsonb_populate_recordset(NULL::record.address, $1)',
    [JSON.stringify(rows)],
  );
  await client.query(
    `INSERT INTO record.address_alias (load_id, source_no, alias_pid, principal_pid, alias_type) VALUES (1, 1, 'A2', 'P2', 'SYN')`,
  );
  await runBatch(client, servePropertyAliasStage, {}, { partitions: [planned(1)], runId: 1 });
  await runBatch(client, servePropertySuccessorStage, {}, { partitions: [planned(NO_CELL)], runId: 1 });
  const found = await database.query<{ retired_pid: string; successor_pid: string; evidence: string }>(
    'SELECT retired_pid, successor_pid, evidence FROM staged.property_successor ORDER BY 1',
  );
  expect(
    found.map(({ retired_pid, successor_pid, evidence }) => [retired_pid, successor_pid, evidence]),
  ).toEqual([
    ['R1', 'P1', 'address'],
    ['R2', 'P2', 'address'],
    ['R3', 'P3', 'place'],
    ['R4', 'P4', 'place'],
    ['R5', null, null],
    ['R6', null, null],
    ['R7', null, null],
    ['R8', null, null],
    ['R9', null, null],
    ['RA', 'P1', 'address'],
  ]);
  expect(
    await database.query(`SELECT account FROM control.partition WHERE stage = 'serve_property_successor'`),
  ).toMatchObject([{ account: { in: 10, out: 10, drops: {} } }]);
});
