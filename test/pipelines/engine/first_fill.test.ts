import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { beginStageFill, endLeftFills, endStageFill } from '../../../pipelines/engine/first_fill.ts';
import { input } from '../../../pipelines/engine/input.ts';
import { type PlannedPartition, planStage } from '../../../pipelines/engine/plan.ts';
import { runBatch } from '../../../pipelines/engine/run_batch.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { Books } from '../../../pipelines/engine/view.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { createTableSql } from '../../../schema/ddl.ts';
import { col, nullable, type Table, table } from '../../../schema/table.ts';
import { asFilled, findChangedCells } from '../../../store/publication.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const columns = {
  cell: col('int4', 'Cell.'),
  home: col('int4', 'Place.'),
  sal: col('text', 'Key.'),
  state: nullable('text', 'State.'),
};
const plain = table({
  schema: 'serving',
  name: 'plain',
  doc: 'Test.',
  columns,
  primaryKey: ['sal'],
});
const homed = table({
  schema: 'asset',
  name: 'homed',
  doc: 'Test.',
  columns,
  primaryKey: ['cell', 'sal'],
  indexes: [{ columns: ['cell'] }, { columns: ['home'] }],
  home: 'home',
});
const boxed = table({
  schema: 'asset',
  name: 'boxed',
  doc: 'Test.',
  columns: {
    ...columns,
    lon: nullable('float8', 'Longitude; null: none.'),
    lat: nullable('float8', 'Latitude; null: none.'),
  },
  primaryKey: ['cell', 'sal'],
  home: 'home',
  extent: ['lon', 'lat', 'lon', 'lat'],
});

/** Place that the SAL code of a row names. */
const homeOf = (sal: string): number => Number(sal.split(':')[0]);

/** Copies the rows of a cell but for those of cell 4, of which there are none. */
const copies = (output: Table): Stage =>
  stage({
    name: `copy_${output.name}`,
    version: 1,
    doc: 'Test.',
    subject: 'part',
    inputs: { part: input(finderMarketAsset, ['cell', 'sal']) },
    output,
    compute({ part }, { cell, emit }) {
      if (cell !== 4)
        for (const { sal } of part) {
          const state = sal.startsWith('1') ? 'VIC' : sal.startsWith('2') ? 'NSW' : null;
          const home = homeOf(sal);
          // Those of place 3 have no coordinates.
          const [lon, lat] = home === 3 ? [null, null] : [home + cell / 10, home - cell];
          emit({ cell, home, sal, state, lon, lat });
        }
      return { account: { in: part.length, out: part.length, drops: {} } };
    },
  });

describe('the first fill of a table', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const stages = [copies(plain), copies(homed), copies(boxed)];

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await setUp(client, (await loadConfig({}, {})).config);
    await client.query(
      `INSERT INTO control.run (command, state) VALUES ('test', 'running'), ('test', 'failed')`,
    );
    await client.query(
      `INSERT INTO control.load (dataset, part, adapter, release, fingerprint, state, run_id, crs, files)
       VALUES ('t', 't', 't', 't', 't', 'active', 1, '{}', '[]')`,
    );
    for (const sal of ['1:a', '1:b', '2:c', '3:d'])
      for (const cell of [1, 2, 3, 4])
        await client.query(`INSERT INTO asset.finder_market (cell, sal, market) VALUES ($1, $2, 'A')`, [
          cell,
          `${sal}${cell}`,
        ]);
    await client.query(
      `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest)
       SELECT 1, 'asset.finder_market', cell, count(*), 1 FROM asset.finder_market GROUP BY cell`,
    );
    for (const sql of [
      ...createTableSql(plain, 'staged'),
      ...createTableSql(homed),
      ...createTableSql(boxed),
    ])
      await client.query(sql);
  });

  beforeEach(async () => {
    await client.query(`DELETE FROM control.partition; TRUNCATE staged.plain, asset.homed, asset.boxed`);
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  const partitionsOf = async (which: Stage): Promise<PlannedPartition[]> =>
    planStage(which, {}, await Books.read(client, stages)).partitions;
  const compute = async (which: Stage, cells: readonly number[] = [1, 2, 3, 4]): Promise<void> => {
    const planned = await partitionsOf(which);
    await runBatch(
      client,
      which,
      {},
      planned.filter(({ cell }) => cells.includes(cell)),
      1,
    );
  };
  const begin = async (which: Stage, rows = 20_000, runId = 1): Promise<boolean> => {
    const partitions = (await partitionsOf(which)).map((partition) => ({ ...partition, rows }));
    return beginStageFill(client, which, partitions, await Books.read(client, stages), runId);
  };
  const indexes = async (): Promise<unknown[]> =>
    (
      await client.query(
        `SELECT indexdef FROM pg_indexes WHERE tablename IN ('plain', 'homed', 'boxed') ORDER BY 1`,
      )
    ).rows;
  const books = async (): Promise<unknown[]> => [
    (
      await client.query(
        'SELECT stage, cell, output_digest, rows, extent FROM control.partition ORDER BY 1, 2',
      )
    ).rows,
    (await client.query('SELECT * FROM control.home ORDER BY 1, 2, 3')).rows,
  ];

  it('ends with the books and the indexes that a table has whose digests are taken batch by batch', async () => {
    const before = await indexes();
    expect(before).toHaveLength(3);
    for (const which of stages) await compute(which);
    const expected = await books();
    // Two tables hold the same: three cells with rows, and one without. The third has coordinates besides, and boxes around them.
    const digests = (await client.query('SELECT DISTINCT output_digest FROM control.partition')).rows;
    expect(digests).toHaveLength(7);
    await client.query(`DELETE FROM control.partition; TRUNCATE staged.plain, asset.homed, asset.boxed`);
    for (const which of stages) {
      expect(await begin(which)).toBe(true);
      await compute(which, [1, 3]);
      await compute(which, [2, 4]);
    }
    expect(await indexes()).toEqual([]);
    for (const which of stages) await endStageFill(client, which, 1);
    expect(await books()).toEqual(expected);
    expect(await indexes()).toEqual(before);
    for (const which of stages) expect(await partitionsOf(which)).toEqual([]);
  });

  it('says at its end what the table holds, which a publication takes where the books still say so', async () => {
    for (const which of stages) {
      await begin(which);
      await compute(which);
    }
    const [filled, byHome] = [
      await endStageFill(client, stages[0]!, 1),
      await endStageFill(client, stages[1]!, 1),
    ];
    expect(byHome).toBeNull();
    expect(await endStageFill(client, stages[2]!, 1)).toBeNull();
    const sum = `SELECT sum(output_digest)::text AS sum FROM control.partition WHERE stage = 'copy_plain'`;
    const digest = BigInt((await client.query(sum)).rows[0].sum);
    expect(filled).toEqual({
      rows: 12,
      digest,
      facts: { states: { NSW: 3, VIC: 6 }, nulls: { state: 3 } },
    });
    const taken = async (change = '', stage: string | null = 'copy_plain'): Promise<unknown> => {
      await client.query(`BEGIN; ${change}`);
      await findChangedCells(client, plain, stage);
      const found = await asFilled(client, plain, 'copy_plain', filled!);
      await client.query('ROLLBACK');
      return found;
    };
    expect(await taken()).toEqual(filled);
    expect(await taken('', null)).toBeNull();
    for (const change of ['output_digest = output_digest + 1', 'rows = rows + 1'])
      expect(await taken(`UPDATE control.partition SET ${change} WHERE cell = 2`)).toBeNull();
    const published = `INSERT INTO control.published (table_name, cell, digest, rows)
      SELECT 'plain', cell, output_digest, rows FROM control.partition WHERE stage = 'copy_plain' AND cell = 1`;
    expect(await taken(published)).toBeNull();
    expect(await asFilled(client, plain, 'copy_plain', undefined)).toBeNull();
  });

  it('is ended by the next run where a run was killed, which computes what is missing', async () => {
    const before = await indexes();
    for (const which of stages) await compute(which);
    const expected = await books();
    await client.query(`DELETE FROM control.partition; TRUNCATE staged.plain, asset.homed, asset.boxed`);
    for (const which of stages) {
      await begin(which);
      await compute(which, [1, 2]);
    }
    await endLeftFills(client, stages, 1);
    expect(await indexes()).toEqual(before);
    for (const which of stages) {
      expect((await partitionsOf(which)).map(({ cell }) => cell)).toEqual([3, 4]);
      expect(await begin(which)).toBe(false);
      await compute(which, [3, 4]);
    }
    expect(await books()).toEqual(expected);
  });

  it('is not begun for few rows, nor by a run that another one has taken over', async () => {
    const before = await indexes();
    for (const which of stages) expect(await begin(which, 1)).toBe(false);
    for (const which of stages) await expect(begin(which, 20_000, 2)).rejects.toThrow('not running any more');
    for (const which of stages) await endStageFill(client, which, 1);
    expect(await indexes()).toEqual(before);
  });

  it('ends after the batches that are being written', async () => {
    const [which] = stages as [Stage];
    await begin(which);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(`SELECT 1 FROM control.meta WHERE key = 'filling:copy_plain' FOR SHARE`);
      let ended = false;
      const end = endStageFill(client, which, 1).then(() => {
        ended = true;
      });
      await other.query('SELECT pg_sleep(0.2)');
      expect(ended).toBe(false);
      await other.query('COMMIT');
      await end;
    } finally {
      await other.end();
    }
    expect(await indexes()).toHaveLength(3);
  });
});
