import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../../schema/serving/database.ts';
import { openPool } from '../../store/database.ts';
import { openServing, servingOn } from '../../store/serving.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

describe('the connections of the read contract', () => {
  let database: TestDatabase;
  let db: Serving;

  beforeAll(async () => {
    database = await createDatabase();
    await database.query('CREATE SCHEMA serving');
    for (const table of ['property', 'property_finder', 'school'])
      await database.query(`CREATE TABLE serving.${table} AS SELECT 'a' AS gnaf_pid, 1 AS n`);
    db = openServing(database.url);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const prepared = async (): Promise<string[]> => {
    const { rows } = await sql<{ statement: string }>`SELECT statement FROM pg_prepared_statements`.execute(
      db,
    );
    return rows.map(({ statement }) => statement);
  };
  const read = (table: 'property' | 'property_finder', pid: string) =>
    db.selectFrom(`serving.${table}`).select('gnaf_pid').where('gnaf_pid', '=', pid).execute();

  it('prepares a statement once for all its values, but not one whose plan depends on them', async () => {
    for (const pid of ['a', 'b', 'a']) {
      expect(await read('property', pid)).toHaveLength(pid === 'a' ? 1 : 0);
      expect(await read('property_finder', pid)).toHaveLength(pid === 'a' ? 1 : 0);
    }
    const kept = await prepared();
    expect(kept.filter((text) => text.includes('"property"'))).toHaveLength(1);
    expect(kept.filter((text) => text.includes('"property_finder"'))).toEqual([]);
  });

  it('keeps so many of them and no more, and answers all', async () => {
    for (let n = 1; n <= 250; n++) {
      const { rows } = await sql<{ n: number }>`SELECT ${sql.raw(String(n))}::int AS n`.execute(db);
      expect(rows).toEqual([{ n }]);
    }
    expect((await prepared()).length).toBeLessThanOrEqual(201);
  });

  it('reports an error of a statement and goes on', async () => {
    await expect(read('property', 'a\0')).rejects.toThrow();
    expect(await read('property', 'a')).toHaveLength(1);
  });

  it('reads the same values of every type by the columns that it remembers as by those that it asked for', async () => {
    const text = `SELECT $1::int AS n, 'é' AS text, '2026-01-31'::date AS day, 1.5::float8 AS real, true AS yes, NULL::int AS nothing,
      ARRAY['a', NULL] AS list, '{"a":[1]}'::jsonb AS json, '2026-01-01T00:00:00Z'::timestamptz AS at FROM generate_series(1, $2::int)`;
    const fresh = openServing(database.url);
    const ask = async (n: number, rows: number) =>
      (await fresh.executeQuery(CompiledQuery.raw(text, [n, rows]))).rows;
    const row = (n: number) => ({
      n,
      text: 'é',
      day: '2026-01-31',
      real: 1.5,
      yes: true,
      nothing: null,
      list: ['a', null],
      json: { a: [1] },
      at: new Date('2026-01-01T00:00:00Z'),
    });
    for (const n of [1, 2, 3]) expect(await ask(n, 2)).toEqual([row(n), row(n)]);
    expect(await ask(4, 0)).toEqual([]);
    await fresh.destroy();
    const pool = openPool(database.url, 1, { isPipelined: true });
    const shared = servingOn(pool);
    const together = await Promise.all(
      Array.from({ length: 20 }, (_, n) => shared.executeQuery(CompiledQuery.raw(text, [n, 1]))),
    );
    expect(together.map(({ rows }) => rows)).toEqual(Array.from({ length: 20 }, (_, n) => [row(n)]));
    await shared.destroy();
  });

  it('fails a statement whose columns have become others, and puts no value under a wrong name', async () => {
    const fresh = openServing(database.url);
    const ask = () => fresh.selectFrom('serving.school').selectAll().execute();
    expect(await ask()).toEqual([{ gnaf_pid: 'a', n: 1 }]);
    expect(await ask()).toEqual([{ gnaf_pid: 'a', n: 1 }]);
    await database.query('ALTER TABLE serving.school RENAME COLUMN n TO m');
    await expect(ask()).rejects.toMatchObject({ code: '0A000' });
    await fresh.destroy();
  });

  it('fails where a statement fails, the first time and later, and goes on', async () => {
    const fresh = openServing(database.url);
    const ask = (json: string) => fresh.executeQuery(CompiledQuery.raw('SELECT $1::text::json AS n', [json]));
    await expect(ask('{')).rejects.toMatchObject({ code: '22P02' });
    expect((await ask('{}')).rows).toEqual([{ n: {} }]);
    await expect(ask('{')).rejects.toMatchObject({ code: '22P02' });
    expect((await ask('[]')).rows).toEqual([{ n: [] }]);
    await fresh.destroy();
  });
});
