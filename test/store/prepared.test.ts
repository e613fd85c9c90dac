import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../../schema/serving/database.ts';
import { openServing } from '../../store/serving.ts';
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
});
