import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commentSql, createTableSql, storageSql } from '../../../schema/ddl.ts';
import { col, nullable, table } from '../../../schema/table.ts';
import { lockToReplace, serveStaged } from '../../../store/journal/first_rows.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const home = table({
  schema: 'serving',
  name: 'home',
  doc: 'Homes of the test.',
  columns: {
    id: col('text', 'Key.'),
    cell: col('int4', 'Cell.'),
    price: nullable('int4', 'Price, dollars.'),
    geom: nullable('bytea', 'Shape.'),
  },
  primaryKey: ['id'],
  indexes: [{ columns: ['cell'] }, { columns: ['price'], where: 'price > 0' }],
  checks: { home_price: 'price > 0' },
});

/** Columns, storage, comments, constraints and indexes of a table. */
const CATALOGUE = `SELECT
    (SELECT jsonb_agg(jsonb_build_array(attname, atttypid::regtype, attnotnull, attstorage, attstattarget, col_description(attrelid, attnum)) ORDER BY attnum)
     FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns,
    (SELECT jsonb_agg(pg_get_constraintdef(oid) || conname ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid) AS constraints,
    (SELECT jsonb_agg(pg_get_indexdef(indexrelid) ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = c.oid) AS indexes,
    obj_description(c.oid) AS doc, has_table_privilege('first_rows_reader', c.oid, 'SELECT') AS readable
  FROM pg_class c WHERE oid = to_regclass($1)`;

describe('the first rows of a database', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const catalogue = async (name: string) => (await client.query(CATALOGUE, [name])).rows[0];
  const connect = async (): Promise<pg.Client> => {
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    return other;
  };
  const mayReplace = async (): Promise<boolean> => {
    await client.query('BEGIN');
    const ok = await lockToReplace(client, [home], 'first_rows_reader');
    const { rows } = await client.query(
      `SELECT count(*)::int AS n FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' AND relation = 'serving.home'::regclass`,
    );
    expect(rows[0].n).toBe(ok ? 1 : 0);
    await client.query('ROLLBACK');
    return ok;
  };

  beforeAll(async () => {
    database = await createDatabase();
    client = await connect();
    await client.query('CREATE SCHEMA serving; CREATE SCHEMA staged');
    await client.query(
      `DO $$ BEGIN CREATE ROLE first_rows_reader NOLOGIN; EXCEPTION WHEN duplicate_object THEN END $$`,
    );
  });
  beforeEach(async () => {
    for (const schema of ['serving', 'staged'])
      for (const sql of [
        ...createTableSql(home, schema),
        ...storageSql(home, schema),
        ...commentSql(home, schema),
      ])
        await client.query(sql);
    await client.query('GRANT SELECT ON serving.home TO first_rows_reader');
    await client.query(
      `INSERT INTO staged.home VALUES ('a', 1, 5, '\\x01'), ('b', 1, NULL, NULL), ('c', 2, 7, NULL)`,
    );
  });
  afterEach(() => client.query('DROP TABLE serving.home, staged.home CASCADE'));
  afterAll(async () => {
    await client?.query('DROP OWNED BY first_rows_reader; DROP ROLE first_rows_reader');
    await client?.end();
    await database?.drop();
  });

  it('are served by the table they were computed into, declared and granted as before', async () => {
    const [serving, staged] = [await catalogue('serving.home'), await catalogue('staged.home')];
    const { rows: was } = await client.query(`SELECT 'staged.home'::regclass::oid AS oid`);
    await client.query('BEGIN');
    expect(await lockToReplace(client, [home], 'first_rows_reader')).toBe(true);
    await serveStaged(client, home, [1], 'first_rows_reader');
    await client.query('COMMIT');
    const { rows: is } = await client.query(`SELECT 'serving.home'::regclass::oid AS oid`);
    expect(is).toEqual(was);
    expect(await catalogue('serving.home')).toEqual(serving);
    expect(await catalogue('staged.home')).toEqual(staged);
    // The row of cell 2 was staged, but its cell is not published.
    const { rows } = await client.query('SELECT id, price FROM serving.home ORDER BY id');
    expect(rows).toEqual([
      { id: 'a', price: 5 },
      { id: 'b', price: null },
    ]);
    expect((await client.query('SELECT * FROM staged.home')).rows).toEqual([]);
  });

  it('do not replace a table that a session reads, or that one with an older snapshot may read', async () => {
    const other = await connect();
    try {
      await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await other.query('SELECT * FROM serving.home');
      expect(await mayReplace()).toBe(false);
      await other.query('COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
      expect(await mayReplace()).toBe(false);
      await other.query('COMMIT');
      expect(await mayReplace()).toBe(true);
    } finally {
      await other.end();
    }
  });

  it("do not replace a table with somebody else's view or grant", async () => {
    await client.query('CREATE VIEW public.dear AS SELECT * FROM serving.home WHERE price > 6');
    expect(await mayReplace()).toBe(false);
    await client.query('DROP VIEW public.dear; GRANT SELECT ON serving.home TO PUBLIC');
    expect(await mayReplace()).toBe(false);
    await client.query('REVOKE SELECT ON serving.home FROM PUBLIC');
    expect(await mayReplace()).toBe(true);
  });
});
