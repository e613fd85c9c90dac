import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../../../schema/serving/database.ts';
import { openPool } from '../../../store/database.ts';
import { readOf } from '../../../store/read/of_publication.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

describe('reads in one snapshot', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createDatabase();
    await database.query('CREATE SCHEMA serving');
    await database.query('CREATE TABLE serving.publication (publication_id int PRIMARY KEY)');
    pool = openPool(database.url, 2);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  const publish = (n: number) => database.query('INSERT INTO serving.publication VALUES ($1)', [n]);
  const newest = async (on: Serving) =>
    (await sql<{ n: number | null }>`SELECT max(publication_id) AS n FROM serving.publication`.execute(on))
      .rows[0]!.n;

  it('return null before the first publication', async () => {
    expect(await readOf(pool, newest)).toEqual({ value: null, publication: null });
  });

  it('see one publication throughout, and return its number', async () => {
    await publish(1);
    const twice = async (on: Serving) => {
      const before = await newest(on);
      await publish(2);
      return [before, await newest(on)];
    };
    expect(await readOf(pool, twice)).toEqual({ value: [1, 1], publication: 1 });
    expect(await readOf(pool, newest)).toEqual({ value: 2, publication: 2 });
  });

  it('continue after a table is replaced', async () => {
    const one = (on: Serving) =>
      sql<{ n: number }>`SELECT n FROM serving.thing WHERE k = ${1}`
        .execute(on)
        .then(({ rows }) => rows[0]!.n);
    await database.query('CREATE TABLE serving.thing AS SELECT 1 AS k, 10 AS n');
    for (let i = 0; i < 8; i++) expect((await readOf(pool, one)).value).toBe(10);
    await database.query(
      'CREATE TABLE serving.other AS SELECT 1 AS k, 20 AS n; DROP TABLE serving.thing; ALTER TABLE serving.other RENAME TO thing',
    );
    for (let i = 0; i < 8; i++) expect((await readOf(pool, one)).value).toBe(20);
  });

  it('fail as the statement fails, write nothing, and go on', async () => {
    const failing = (text: string) => readOf(pool, (on) => sql.raw(text).execute(on));
    for (let i = 0; i < 5; i++) {
      await expect(failing('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
      await expect(failing('DELETE FROM serving.publication')).rejects.toMatchObject({ code: '25006' });
      expect((await readOf(pool, newest)).publication).toBe(2);
    }
  });
});
