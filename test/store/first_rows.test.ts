import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { qualified } from '../../schema/ddl.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { setUpDatabase } from '../../store/database.ts';
import { fillFirst, lockAlone } from '../../store/first_rows.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

const ROLE = `first_rows_${process.pid}`;
const INDEXES = `SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'serving' ORDER BY 1, 2`;
const CONSTRAINTS = `SELECT conrelid::regclass::text AS name, conname, pg_get_constraintdef(oid) AS body
  FROM pg_constraint WHERE connamespace = 'serving'::regnamespace ORDER BY 1, 2`;

describe('the first rows of the serving tables', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const declared = { records: [], assets: [], serving: SERVING_TABLES, stageOf: new Map<string, string>() };
    await setUpDatabase(client, declared, ROLE, false);
  });

  afterAll(async () => {
    await client?.query(`DROP OWNED BY ${ROLE}`);
    await client?.query(`DROP ROLE ${ROLE}`);
    await client?.end();
    await database?.drop();
  });

  it('leave every key, index and check as they were declared', async () => {
    const before = [await database.query(INDEXES), await database.query(CONSTRAINTS)];
    expect(before[0]!.length).toBeGreaterThan(SERVING_TABLES.length);
    await client.query('BEGIN');
    expect(await lockAlone(client, SERVING_TABLES)).toBe(true);
    for (const table of SERVING_TABLES) await fillFirst(client, table, () => Promise.resolve());
    await client.query('COMMIT');
    expect([await database.query(INDEXES), await database.query(CONSTRAINTS)]).toEqual(before);
  });

  it('are not waited for where somebody reads one of the tables', async () => {
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query(`SELECT count(*) FROM ${qualified(SERVING_TABLES[0]!)}`);
    await client.query('BEGIN');
    expect(await lockAlone(client, SERVING_TABLES)).toBe(false);
    // The transaction goes on, and holds nothing that the reader could wait for.
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await reader.query(`SELECT count(*) FROM ${qualified(SERVING_TABLES[1]!)}`);
    await client.query('ROLLBACK');
    await reader.end();
  });
});
