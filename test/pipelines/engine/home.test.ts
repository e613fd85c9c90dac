import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batches } from '../../../pipelines/engine/batches.ts';
import { input } from '../../../pipelines/engine/input.ts';
import { planStage, type StagePlan } from '../../../pipelines/engine/plan.ts';
import { RecordedState } from '../../../pipelines/engine/recorded_state.ts';
import { runBatch } from '../../../pipelines/engine/run_batch.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { configSchema } from '../../../schema/config.ts';
import { qualified } from '../../../schema/ddl.ts';
import { col, table } from '../../../schema/table.ts';
import { digestSql } from '../../../store/tables/table_rows.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const scattered = table({
  schema: 'asset',
  name: 'scattered',
  doc: 'Test.',
  columns: { cell: col('int4', 'Month.'), home: col('int4', 'Place.'), sal: col('text', 'Key.') },
  primaryKey: ['cell', 'sal'],
  home: 'home',
});
const gathered = table({
  schema: 'asset',
  name: 'gathered',
  doc: 'Test.',
  columns: { cell: col('int4', 'Place.'), sal: col('text', 'Key.'), text: col('text', 'Of the resource.') },
  primaryKey: ['cell', 'sal'],
});
/** Sends each row to the place that its SAL code names. */
const scatter: Stage = stage({
  name: 'scatter',
  version: 1,
  doc: 'Test.',
  subject: 'part',
  inputs: { part: input(finderMarketAsset, ['cell', 'sal']) },
  output: scattered,
  compute({ part }, { cell, emit }) {
    for (const { sal } of part) emit({ cell, home: Number(sal.split(':')[0]), sal });
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});

let built: string[] = [];
/** Gathers by place: its subject is the scattered table itself, seen from the places. */
const gather: Stage = stage({
  name: 'gather',
  version: 1,
  doc: 'Test.',
  subject: 'place',
  inputs: {
    place: input(
      finderMarketAsset,
      ['cell', 'sal'],
      { kind: 'own' },
      { cell: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
    ),
    here: input(scattered, ['sal'], { kind: 'own' }),
    index: input(finderMarketAsset, ['market'], { kind: 'resource' }),
  },
  output: gathered,
  resource: {
    keyOf: (cell) => (cell < 2 ? 'low' : 'high'),
    async build(reader, key) {
      built.push(key);
      const rows = await reader.rows('index');
      return `${key} of ${rows.length}`;
    },
  },
  compute({ place, here }, { cell, resource, emit }) {
    for (const { sal } of here) emit({ cell, sal, text: resource });
    return { account: { in: place.length, out: place.length, drops: {} } };
  },
});

describe('tables with a home column', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const stages = [scatter, gather];

  const put = (cell: number, sal: string) =>
    client.query(`INSERT INTO asset.finder_market (cell, sal, market) VALUES ($1, $2, 'A')`, [cell, sal]);
  /** Books in which the test's own table stands as the subject. */
  async function books(): Promise<RecordedState> {
    await client.query('DELETE FROM control.load_digest');
    await client.query(
      `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest)
       SELECT 1, 'asset.finder_market', cell, count(*), ${digestSql(['sal'])} FROM asset.finder_market GROUP BY cell`,
    );
    return RecordedState.read(client, stages);
  }
  async function run(which: Stage): Promise<StagePlan> {
    const plan = planStage(which, {}, await books());
    for (const batch of batches(plan.partitions, 1000))
      await runBatch(client, which, {}, { partitions: batch, runId: 1 });
    return plan;
  }
  const cellsOf = (plan: StagePlan) => plan.partitions.map((partition) => partition.cell);

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await setUp(client, configSchema.parse({ datasets: {} }));
    await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
    await client.query(
      `INSERT INTO control.load (dataset, part, adapter, release, fingerprint, state, run_id, crs, files)
       VALUES ('t', 't', 't', 't', 't', 'active', 1, '{}', '[]')`,
    );
    await client.query(`CREATE TABLE ${qualified(scattered)} (cell int, home int, sal text)`);
    await client.query(`CREATE TABLE ${qualified(gathered)} (cell int, sal text, text text)`);
    for (const place of [1, 2, 3]) await put(place, `${place}:here`);
    await put(100, '1:a');
    await put(100, '2:b');
    await put(101, '2:c');
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('are read by home cell, and recomputed only in cells with new rows', async () => {
    expect(cellsOf(await run(scatter))).toEqual([1, 2, 3, 100, 101]);
    built = [];
    await run(gather);
    const { rows } = await client.query('SELECT cell, sal, text FROM asset.gathered ORDER BY 1, 2');
    expect(rows).toEqual([
      { cell: 1, sal: '1:a', text: 'low of 6' },
      { cell: 1, sal: '1:here', text: 'low of 6' },
      { cell: 2, sal: '2:b', text: 'high of 6' },
      { cell: 2, sal: '2:c', text: 'high of 6' },
      { cell: 2, sal: '2:here', text: 'high of 6' },
      { cell: 3, sal: '3:here', text: 'high of 6' },
    ]);
    expect(built, 'one resource for each key').toEqual(['low', 'high']);
    expect(cellsOf(await run(gather))).toEqual([]);

    await client.query(`UPDATE control.partition SET output_digest = output_digest`);
    await client.query(`DELETE FROM asset.finder_market WHERE cell = 101`);
    await put(101, '3:d');
    expect(cellsOf(await run(scatter))).toEqual([101]);
    const seen = planStage(
      { ...gather, inputs: { place: gather.inputs.place!, here: gather.inputs.here! } },
      {},
      await books(),
    );
    // The resource counts as changed for all; without it, only the places that lost or gained a row do.
    const homes = seen.partitions
      .filter((partition) => partition.cell < 10)
      .map((partition) => partition.reason);
    expect(homes).toHaveLength(3);
    const digests = (await books()).homes('asset.scattered');
    expect([...digests.keys()].sort()).toEqual([1, 2, 3]);
    expect(digests.get(2)!.rows).toBe(2);
    expect(digests.get(3)!.rows).toBe(2);
  });

  it('lose the rows of a removed partition in every cell', async () => {
    await client.query('DELETE FROM asset.finder_market WHERE cell = 101');
    const plan = await run(scatter);
    expect(plan.partitions.map(({ cell, action }) => [cell, action])).toEqual([[101, 'remove']]);
    expect((await books()).homes('asset.scattered').get(3)!.rows).toBe(1);
  });
});
