import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { qualified } from '../../schema/ddl.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { setUpDatabase } from '../../store/database.ts';
import { buildAhead, dropAhead, fillFirst, hasKeyAhead, lockAlone } from '../../store/first_rows.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { until } from '../waiting.ts';

const ROLE = `first_rows_${process.pid}`;
const INDEXES = `SELECT schemaname, tablename, indexname, indexdef FROM pg_indexes WHERE schemaname IN ('serving', 'staged') ORDER BY 1, 2, 3`;
const CONSTRAINTS = `SELECT conrelid::regclass::text AS name, conname, pg_get_constraintdef(oid) AS body
  FROM pg_constraint WHERE connamespace IN ('serving'::regnamespace, 'staged'::regnamespace) ORDER BY 1, 2`;
const GRANTS = `SELECT oid::regclass::text AS name, (
    SELECT array_agg(a::text ORDER BY a::text) FROM aclexplode(relacl) a WHERE a.grantee <> relowner) AS acl, obj_description(oid, 'pg_class') AS doc
  FROM pg_class WHERE relkind = 'r' AND relnamespace IN ('serving'::regnamespace, 'staged'::regnamespace) ORDER BY 1`;
const COLUMNS = `SELECT attrelid::regclass::text AS name, attname, format_type(atttypid, atttypmod) AS type, attnotnull, col_description(attrelid, attnum) AS doc
  FROM pg_attribute WHERE attnum > 0 AND attrelid IN (
    SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace IN ('serving'::regnamespace, 'staged'::regnamespace)) ORDER BY 1, attnum`;
const TABLE = SERVING_TABLES.find((table) => table.name === 'property_neighbour')!;
const [SERVING, STAGED] = [qualified(TABLE), qualified(TABLE, 'staged')];
const OIDS = `SELECT '${SERVING}'::regclass::oid AS serving, '${STAGED}'::regclass::oid AS staged`;

describe('the first rows of the serving tables', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const declared = { records: [], assets: [], serving: SERVING_TABLES, stageOf: new Map<string, string>() };
    await setUpDatabase(client, declared, { role: ROLE, statement_timeout_s: 60, idle_timeout_s: 60 }, false);
  });

  afterAll(async () => {
    await client?.query(`DROP OWNED BY ${ROLE}`);
    await client?.query(`DROP ROLE ${ROLE}`);
    await client?.end();
    await database?.drop();
  });

  // Nothing stays: each test is a transaction.
  beforeEach(() => client.query('BEGIN'));
  afterEach(() => client.query('ROLLBACK'));

  const query = async (sql: string): Promise<unknown[]> => (await client.query(sql)).rows;

  async function declared(): Promise<unknown[]> {
    const all: unknown[] = [];
    for (const sql of [INDEXES, CONSTRAINTS, GRANTS, COLUMNS]) all.push(await query(sql));
    return all;
  }

  /** Rows of two cells wait in the staged table. */
  const stage = (pids: readonly string[]): Promise<unknown> =>
    client.query(
      `INSERT INTO ${STAGED} (gnaf_pid, neighbour_parcel_id, cell, state, shared_m, is_corner)
       SELECT pid, 'p', n % 2, 'VIC', 1.5, false FROM unnest($1::text[]) WITH ORDINALITY AS t (pid, n)`,
      [pids],
    );

  const NAMES = Object.keys(TABLE.columns).join(', ');

  /** Publishes so many of the staged rows, the first ones by name. */
  async function fill(rows: number): Promise<void> {
    expect(await lockAlone(client, [TABLE])).toBe(true);
    await fillFirst(client, TABLE, { inserted: rows }, () =>
      client.query(
        `INSERT INTO ${SERVING} (${NAMES}) SELECT ${NAMES} FROM ${STAGED} ORDER BY gnaf_pid LIMIT $1`,
        [rows],
      ),
    );
  }

  const servedPids = async (): Promise<unknown[]> =>
    (await client.query(`SELECT gnaf_pid FROM ${SERVING} ORDER BY 1`)).rows.map((row) => row.gnaf_pid);

  it.each([false, true])(
    'leave everything as it was declared, with indexes built ahead: %s',
    async (ahead) => {
      await client.query(`GRANT SELECT ON ${SERVING} TO PUBLIC`);
      const before = await declared();
      if (ahead) for (const table of SERVING_TABLES) await buildAhead(client, table);
      const tables = await client.query(OIDS);
      expect(await lockAlone(client, SERVING_TABLES)).toBe(true);
      const never = (): Promise<unknown> => Promise.reject(new Error('rows are copied'));
      for (const table of SERVING_TABLES) await fillFirst(client, table, { inserted: 0 }, never);
      expect(await declared()).toEqual(before);
      const [{ serving, staged }] = tables.rows;
      expect((await client.query(OIDS)).rows).toEqual([{ serving: staged, staged: serving }]);
    },
  );

  it('are those of the staged table, which takes the place of the serving one', async () => {
    await stage(['a', 'b', 'c']);
    await buildAhead(client, TABLE);
    expect(await hasKeyAhead(client, TABLE)).toBe(true);
    await fill(3);
    expect(await servedPids()).toEqual(['a', 'b', 'c']);
    expect((await client.query(`SELECT count(*)::int AS n FROM ${STAGED}`)).rows).toEqual([{ n: 0 }]);
    await client.query(`SET ROLE ${ROLE}`);
    expect(await servedPids()).toHaveLength(3);
    await expect(client.query(`SELECT 1 FROM ${STAGED}`)).rejects.toThrow(/permission denied/);
  });

  it('wait for whoever analyses the staged table before they touch an index of it', async () => {
    const table = SERVING_TABLES.find(({ indexes }) =>
      indexes.some(({ columns, where, include }) => columns.join() === 'cell' && !where && !include),
    )!;
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      // As an autovacuum worker does: the table first, at the end its indexes.
      await other.query('BEGIN');
      await other.query(`LOCK TABLE ${qualified(table, 'staged')} IN SHARE UPDATE EXCLUSIVE MODE`);
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      expect(await lockAlone(client, [table])).toBe(true);
      const filled = fillFirst(client, table, { inserted: 0 }, () =>
        Promise.reject(new Error('rows are copied')),
      );
      await until(
        'a lock that is waited for',
        async () =>
          (await other.query('SELECT 1 FROM pg_locks WHERE NOT granted AND pid = $1', [rows[0].pid]))
            .rowCount === 1,
      );
      await other.query(`COMMENT ON INDEX staged."${table.name}_cell" IS 'seen'`);
      await other.query('ROLLBACK');
      await filled;
    } finally {
      await other.end();
    }
  });

  it.each([
    ['a view', `CREATE VIEW public.v AS SELECT gnaf_pid FROM ${SERVING}`],
    [
      'a function',
      `CREATE FUNCTION public.f(${SERVING}) RETURNS text LANGUAGE sql AS 'SELECT ($1).gnaf_pid'`,
    ],
    ['a policy', `CREATE POLICY p ON ${SERVING} USING (true)`],
    ['a grant on a column', `GRANT SELECT (cell) ON ${SERVING} TO PUBLIC`],
    ['a setting', `ALTER TABLE ${SERVING} SET (autovacuum_enabled = false)`],
    ['a column that the staged table has not', `ALTER TABLE ${SERVING} ADD COLUMN more text`],
  ])('are copied where there is %s on the table', async (_, sql) => {
    await client.query(sql);
    await stage(['a', 'b']);
    const tables = (await client.query(OIDS)).rows;
    await fill(2);
    expect(await servedPids()).toEqual(['a', 'b']);
    expect((await client.query(OIDS)).rows).toEqual(tables);
  });

  it('are copied where the staged table has others too', async () => {
    await stage(['a', 'b', 'c']);
    await fill(2);
    expect(await servedPids()).toEqual(['a', 'b']);
  });

  it('have no key ahead where one stands twice, and what was built is taken off again', async () => {
    const before = await query(INDEXES);
    await stage(['a', 'b', 'a']);
    await client.query('SAVEPOINT built');
    await expect(buildAhead(client, TABLE)).rejects.toMatchObject({ code: '23505' });
    await client.query('ROLLBACK TO SAVEPOINT built');
    expect(await hasKeyAhead(client, TABLE)).toBe(false);
    await client.query(`TRUNCATE ${STAGED}`);
    await buildAhead(client, TABLE);
    await dropAhead(client);
    expect(await query(INDEXES)).toEqual(before);
  });

  it('are not waited for where somebody reads one of the tables', async () => {
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query(`SELECT count(*) FROM ${qualified(SERVING_TABLES[0]!)}`);
    expect(await lockAlone(client, SERVING_TABLES)).toBe(false);
    // The transaction goes on, and holds nothing that the reader could wait for.
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await reader.query(`SELECT count(*) FROM ${qualified(SERVING_TABLES[1]!)}`);
    await reader.end();
  });
});
