import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import { runBatch } from '../../../pipelines/engine/run_batch.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { parcelFormAsset } from '../../../schema/assets/property.ts';
import { configSchema } from '../../../schema/config.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { planned } from './planned.ts';

/** One row out for each row in, unless told to fail: before the first row, or late, after many. */
const counting = (
  fault: (cell: number) => 'throws' | 'throws_late' | 'unbalanced' | 'bad_row' | null,
): Stage =>
  stage({
    name: 'counting',
    version: 1,
    doc: 'Test.',
    subject: 'part',
    inputs: { part: input(finderMarketAsset, ['cell', 'sal']) },
    output: parcelFormAsset,
    compute({ part }, { cell, emit }) {
      const wrong = fault(cell);
      if (wrong === 'throws') throw new Error(`cell ${cell} cannot be computed`);
      // More than one chunk, so that the server has rows of a partition that fails at its end.
      const copies = wrong === 'throws_late' ? 50_000 : 1;
      for (const { sal } of part) {
        for (let copy = 0; copy < copies; copy++) {
          const parcel_id = wrong === 'bad_row' ? (null as unknown as string) : `${cell}-${sal}`;
          emit({ cell, parcel_id, compactness: 1, width_m: 1, frontage_m: 1, coincides: false });
        }
      }
      if (wrong === 'throws_late') throw new Error(`cell ${cell} cannot be computed`);
      return { account: { in: part.length, out: wrong === 'unbalanced' ? 0 : part.length, drops: {} } };
    },
  });

describe('runBatch', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const cells = [1, 2, 3];

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const config = configSchema.parse({ datasets: {} });
    await setUp(client, config);
    await client.query(`INSERT INTO control.run (command, state) VALUES ('test', 'running')`);
    for (const cell of cells) {
      await client.query(`INSERT INTO asset.finder_market (cell, sal, market) VALUES ($1, 'a', 'A')`, [cell]);
    }
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  const written = () => database.query<{ cell: number }>('SELECT cell FROM asset.parcel_form ORDER BY cell');
  /** A run of its own: what one run has recorded it does not compute again. */
  const newRun = async (): Promise<number> => {
    const sql = `INSERT INTO control.run (command, state) VALUES ('test', 'running') RETURNING run_id`;
    return (await client.query<{ run_id: number }>(sql)).rows[0]!.run_id;
  };
  const recorded = () => database.query<{ cell: number }>('SELECT cell FROM control.partition ORDER BY cell');

  it.each([
    ['throws', /cell 2 cannot be computed/],
    ['throws_late', /cell 2 cannot be computed/],
    ['unbalanced', /cell 2: 1 rows in, but 0 out/],
    ['bad_row', /null value in column "parcel_id"/],
  ] as const)(
    'writes nothing of a batch in which a partition %s, and leaves the connection usable',
    async (fault, message) => {
      const failing = counting((cell) => (cell === 2 ? fault : null));
      await expect(
        runBatch(client, failing, {}, { partitions: cells.map(planned), runId: 1 }),
      ).rejects.toThrow(message);
      expect(await written()).toEqual([]);
      expect(await recorded()).toEqual([]);
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    },
  );

  it('records partitions with their rows, replaces them, and removes them', async () => {
    const sound = counting(() => null);
    expect(await runBatch(client, sound, {}, { partitions: cells.map(planned), runId: 1 })).toEqual({
      cells,
      rows: 3,
    });
    expect(await runBatch(client, sound, {}, { partitions: [planned(2)], runId: await newRun() })).toEqual({
      cells: [2],
      rows: 1,
    });
    expect((await written()).map((row) => row.cell)).toEqual(cells);
    await runBatch(
      client,
      sound,
      {},
      { partitions: [{ ...planned(3), action: 'remove', slices: {} }], runId: 1 },
    );
    expect((await written()).map((row) => row.cell)).toEqual([1, 2]);
    expect((await recorded()).map((row) => row.cell)).toEqual([1, 2]);
  });

  it('records each partition once if two batches race for it', async () => {
    const sound = counting(() => null);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      const run = await newRun();
      const both = await Promise.all([
        runBatch(client, sound, {}, { partitions: [1, 2].map(planned), runId: run }),
        runBatch(other, sound, {}, { partitions: cells.map(planned), runId: run }),
      ]);
      expect(both.flatMap((each) => each.cells).sort()).toEqual(cells);
      expect((await written()).map((row) => row.cell)).toEqual(cells);
      expect(await runBatch(other, sound, {}, { partitions: cells.map(planned), runId: run })).toEqual({
        cells: [],
        rows: 3,
      });
      // Taken away twice as once.
      const gone = { ...planned(3), action: 'remove', slices: {} } as const;
      for (let times = 0; times < 2; times++)
        await runBatch(other, sound, {}, { partitions: [gone], runId: run });
      expect((await recorded()).map((row) => row.cell)).toEqual([1, 2]);
      // Another plan is another computation.
      const changed = { ...planned(2), fingerprint: { version: 2, params: '', inputs: {} } };
      expect(await runBatch(client, sound, {}, { partitions: [changed], runId: run })).toEqual({
        cells: [2],
        rows: 1,
      });
    } finally {
      await other.end();
    }
  });

  it('computes waiting partitions if the batch that claimed them fails', async () => {
    const run = await newRun();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      // The other one asks for the partitions when this one computes, and so has claimed, them.
      let isComputing = (): void => undefined;
      const computing = new Promise<void>((resolve) => {
        isComputing = resolve;
      });
      const failing = counting(() => {
        isComputing();
        return 'throws_late';
      });
      const sound = counting(() => null);
      const [failed, done] = await Promise.allSettled([
        runBatch(client, failing, {}, { partitions: cells.map(planned), runId: run }),
        computing.then(() => runBatch(other, sound, {}, { partitions: cells.map(planned), runId: run })),
      ]);
      expect(failed).toMatchObject({ reason: { message: expect.stringContaining('cannot be computed') } });
      expect(done).toEqual({ status: 'fulfilled', value: { cells, rows: 3 } });
      expect((await written()).map((row) => row.cell)).toEqual(cells);
    } finally {
      await other.end();
    }
  });

  it('writes nothing for a run that was declared dead', async () => {
    await client.query(`UPDATE control.run SET state = 'failed'`);
    await expect(
      runBatch(
        client,
        counting(() => null),
        {},
        { partitions: [planned(1)], runId: 1 },
      ),
    ).rejects.toMatchObject({ code: 'run_superseded' });
  });
});
