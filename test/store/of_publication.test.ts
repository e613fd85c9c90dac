import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../../schema/serving/database.ts';
import { openPool } from '../../store/database.ts';
import { readOf, readSnapshot } from '../../store/of_publication.ts';
import { servingsOn } from '../../store/serving.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

/** Settings with which the server takes several processes for the smallest read. */
const PARALLEL = ['min_parallel_table_scan_size=0', 'parallel_setup_cost=0', 'parallel_tuple_cost=0'];

describe('reads that say of which publication they are', () => {
  let database: TestDatabase;
  let db: Serving;
  let points: Serving;

  beforeAll(async () => {
    database = await createDatabase();
    await database.query('CREATE SCHEMA serving');
    await database.query('CREATE TABLE serving.publication (publication_id int PRIMARY KEY)');
    await database.query(
      'CREATE TABLE serving.school AS SELECT i AS n, NULL::int AS nothing FROM generate_series(1, 20000) i',
    );
    await database.query('ANALYZE serving.school');
    const pool = openPool(database.url, 3, { isPipelined: true, settings: PARALLEL });
    ({ db, points } = servingsOn(pool));
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const publish = (n: number) => database.query('INSERT INTO serving.publication VALUES ($1)', [n]);
  const rowsOf = async (on: Serving, text: string) =>
    (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(on)).rows;

  it('say null where nothing is published, and nothing where nothing was read', async () => {
    expect(await readOf(points, (on) => rowsOf(on, 'SELECT 1 AS n'))).toEqual({
      value: [{ n: 1 }],
      publications: new Set([null]),
    });
    expect(await readOf(points, async () => 7)).toEqual({ value: 7, publications: new Set() });
  });

  it('say it of no row, of a row of nulls, of sums and of several names alike', async () => {
    await publish(1);
    const read = (text: string) => readOf(points, (on) => rowsOf(on, text));
    const publications = new Set([1]);
    expect(await read('SELECT n FROM serving.school WHERE n = 0')).toEqual({ value: [], publications });
    expect(await read('SELECT nothing FROM serving.school WHERE n = 1')).toEqual({
      value: [{ nothing: null }],
      publications,
    });
    expect(await read('SELECT count(*)::int AS n FROM serving.school WHERE n = 0')).toEqual({
      value: [{ n: 0 }],
      publications,
    });
    expect(await read('WITH a AS (SELECT 1 AS n) SELECT n, n FROM a UNION ALL SELECT 2, 2')).toEqual({
      value: [{ n: 1 }, { n: 2 }],
      publications,
    });
  });

  it('keep the order of the rows, whatever plan finds them', async () => {
    const text = 'SELECT n FROM serving.school WHERE n % 2 = 1 ORDER BY md5(n::text)';
    const [asked, labelled] = [
      await database.query<{ n: number }>(text),
      await readOf(db, (on) => rowsOf(on, text)),
    ];
    expect(asked).toHaveLength(10_000);
    expect(labelled.value).toEqual(asked);
  });

  it('say both where one came between two statements, and one in a snapshot', async () => {
    const twice = (between: () => Promise<unknown>) => async (on: Serving) => {
      const before = await rowsOf(on, 'SELECT max(publication_id) AS n FROM serving.publication');
      await between();
      return [...before, ...(await rowsOf(on, 'SELECT max(publication_id) AS n FROM serving.publication'))];
    };
    expect(
      await readOf(
        points,
        twice(() => publish(2)),
      ),
    ).toEqual({
      value: [{ n: 1 }, { n: 2 }],
      publications: new Set([1, 2]),
    });
    expect(
      await readSnapshot(
        db,
        twice(() => publish(3)),
      ),
    ).toEqual({
      value: [{ n: 2 }, { n: 2 }],
      publications: new Set([2]),
    });
  });

  it('fail as the statement fails, and go on', async () => {
    await expect(readOf(points, (on) => rowsOf(on, 'SELECT 1 / 0 AS n'))).rejects.toMatchObject({
      code: '22012',
    });
    expect((await readOf(points, (on) => rowsOf(on, 'SELECT 1 AS n'))).value).toEqual([{ n: 1 }]);
  });
});
